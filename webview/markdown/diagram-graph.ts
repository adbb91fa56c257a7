import {
  encodeLabel,
  isStyleStatement,
  readLabel,
  type Statements,
  createUnsupportedError,
} from './diagram-statements.ts';

interface GraphNode {
  readonly key: string;
  label: string;
  openBracket: string;
  closeBracket: string;
  group: GraphGroup;
}

interface GraphGroup {
  readonly key: string;
  readonly label: string;
  direction: string;
  readonly groups: GraphGroup[];
  /**
   * Edges of the group. A composite state contains only the edges from its start marker and to its end marker. The
   * root group contains all other edges of the diagram.
   */
  readonly edges: GraphEdge[];
}

interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly link: string;
  readonly label: string;
}

/**
 * Maximum number of nodes. Also the maximum number of edges. The layout blocks the page for about half a second with
 * 100 edges, and for half a minute with 500 edges.
 */
export const maxGraphSize = 100;
/** Maximum number of groups. The layout of more groups would block the page for seconds. */
const maxDiagramGroups = 12;

/** Nodes and groups of a flowchart or a state diagram, by the names in the source. */
class Graph {
  readonly root: GraphGroup = createGroup('', '');
  readonly nodes = new Map<string, GraphNode>();
  readonly #groups = new Map<string, GraphGroup>();
  readonly #openGroups: GraphGroup[] = [this.root];
  edgeCount = 0;

  get group(): GraphGroup {
    return this.#openGroups.at(-1)!;
  }

  get isOpen(): boolean {
    return this.#openGroups.length > 1;
  }

  openGroup(name: string, label: string): void {
    if (this.#groups.has(name) || this.#groups.size === maxDiagramGroups)
      throw createUnsupportedError(name);
    const group = createGroup(`g${this.#groups.size}`, label);
    this.group.groups.push(group);
    this.#groups.set(name, group);
    this.#openGroups.push(group);
  }

  closeGroup(): void {
    if (!this.isOpen) throw createUnsupportedError('end');
    this.#openGroups.pop();
  }

  /**
   * Returns the node with this name, and creates it if it is missing. Adds the node to the current group, unless a
   * group other than the root already contains the node.
   */
  getOrCreateNode(name: string): GraphNode {
    const node = this.nodes.get(name);
    if (node === undefined) {
      if (this.nodes.size > maxGraphSize) throw createUnsupportedError(name);
      const key = `n${this.nodes.size}`;
      const newNode = { key, label: name, openBracket: '[', closeBracket: ']', group: this.group };
      this.nodes.set(name, newNode);
      return newNode;
    }
    if (node.group === this.root) node.group = this.group;
    return node;
  }

  addEdge(edge: GraphEdge, group: GraphGroup = this.root): void {
    if (this.edgeCount === maxGraphSize) throw createUnsupportedError(edge.to);
    group.edges.push(edge);
    this.edgeCount += 1;
  }

  /**
   * Returns the key that an edge uses for a name: the key of the group with this name, otherwise that of the node with
   * this name. If neither exists, returns the name itself.
   */
  getEdgeKey(name: string): string {
    return this.#groups.get(name)?.key ?? this.nodes.get(name)?.key ?? name;
  }

  /** Returns the nodes of a group. Omits nodes whose names the source also declares as groups. */
  listNodes(group: GraphGroup): GraphNode[] {
    return [...this.nodes].flatMap(([name, node]) =>
      node.group === group && !this.#groups.has(name) ? [node] : [],
    );
  }

  get labels(): string[] {
    const groups = [...this.#groups.values()].map(({ label }) => label);
    const nodes = [...this.nodes].filter(([name]) => !this.#groups.has(name));
    return [...nodes.map(([, { label }]) => label), ...groups];
  }
}

function createGroup(key: string, label: string): GraphGroup {
  return { key, label, direction: '', groups: [], edges: [] };
}

/** Writes the statements of a group. Declares all nodes and nested groups before the first edge. */
function writeGroupStatements(graph: Graph, group: GraphGroup, style: GraphStyle): string[] {
  return [
    ...(group.direction && group.key ? [`direction ${group.direction}`] : []),
    ...graph.listNodes(group).map((node) => style.formatNode(node)),
    ...group.groups.flatMap((innerGroup) => [
      style.formatGroupStart(innerGroup.key, encodeLabel(innerGroup.label.replaceAll('\n', ' '))),
      ...writeGroupStatements(graph, innerGroup, style),
      style.closeLine,
    ]),
    ...group.edges.map((edge) =>
      style.formatEdge(graph.getEdgeKey(edge.from), graph.getEdgeKey(edge.to), edge),
    ),
  ];
}

interface GraphStyle {
  formatNode(node: GraphNode): string;
  formatGroupStart(key: string, label: string): string;
  readonly closeLine: string;
  formatEdge(from: string, to: string, edge: GraphEdge): string;
}

const flowStyle: GraphStyle = {
  formatNode: ({ key, label, openBracket, closeBracket }) =>
    `${key}${openBracket}${encodeLabel(label)}${closeBracket}`,
  formatGroupStart: (key, label) => `subgraph ${key} [${label}]`,
  closeLine: 'end',
  formatEdge: (from, to, { link, label }) =>
    `${from} ${link}${label ? `|${encodeLabel(label)}|` : ''} ${to}`,
};

const stateStyle: GraphStyle = {
  formatNode: ({ key, label }) => `state "${encodeLabel(label)}" as ${key}`,
  formatGroupStart: (key, label) => `state "${label}" as ${key} {`,
  closeLine: '}',
  formatEdge: (from, to, { label }) =>
    `${from} --> ${to}${label ? ` : ${encodeLabel(label)}` : ''}`,
};

const nodeShapes: readonly (readonly [open: string, close: string, drawn?: string])[] = [
  ['(((', ')))'],
  ['([', '])'],
  ['((', '))'],
  ['[[', ']]'],
  ['[(', ')]'],
  ['[/', '/]', '[]'],
  ['[\\', '\\]', '[]'],
  ['[/', '\\]'],
  ['[\\', '/]'],
  ['>', ']'],
  ['{{', '}}'],
  ['[', ']'],
  ['(', ')'],
  ['{', '}'],
];

const escapePattern = (text: string): string => text.replaceAll(/[[\]{}()\\/]/g, '\\$&');

const shapePatterns = nodeShapes.map(([openBracket, closeBracket, drawnBrackets]) => ({
  pattern: new RegExp(
    `${escapePattern(openBracket)}\\s*(?:"([^"]*)"|([^"]+?))\\s*${escapePattern(closeBracket)}`,
    'y',
  ),
  openBracket: drawnBrackets?.[0] ?? openBracket,
  closeBracket: drawnBrackets?.[1] ?? closeBracket,
}));

const namePattern = /[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/uy;
/**
 * Syntaxes of the links in a flowchart. The label either follows the link, as in `-->|label|`, or is between its two
 * halves, as in `-- label -->`.
 */
const linkSyntaxes = [
  { pattern: /(<)?(?:-{2,}(>|-)|-\.+-(>)?|={2,}([>=]))(?:\s*\|\s*"?([^|"]*)"?\s*\|)?/y },
  { pattern: /(<)?--\s*(?![>-])(.+?)\s*-{2,}([>-])/y, line: '--' },
  { pattern: /(<)?-\.\s*(?![>.-])(.+?)\s*\.+-(>)?/y, line: '-.' },
  { pattern: /(<)?==\s*(?![>=])(.+?)\s*={2,}([>=])/y, line: '==' },
] as const;

/** Reads one line of a flowchart from left to right. */
class FlowLine {
  readonly #line: string;
  readonly #graph: Graph;
  #position = 0;

  constructor(line: string, graph: Graph) {
    this.#line = line;
    this.#graph = graph;
  }

  /** Reads all statements of the line, such as `A & B -->|label| C --> D; E`. */
  readStatements(): void {
    while (this.#position < this.#line.length) {
      let sources = this.#readNodeNames();
      while (!this.#takeMatch(/;\s*|$/y)) {
        const link = this.#readLink();
        const targets = this.#readNodeNames();
        for (const source of sources)
          for (const target of targets) this.#graph.addEdge({ from: source, to: target, ...link });
        sources = targets;
      }
    }
  }

  #readNodeNames(): string[] {
    const nodeNames = [this.#readNodeName()];
    while (this.#takeMatch(/&\s*/y)) nodeNames.push(this.#readNodeName());
    return nodeNames;
  }

  #readNodeName(): string {
    const name = this.#expectMatch(namePattern)[0];
    const node = this.#graph.getOrCreateNode(name);
    for (const { pattern, openBracket, closeBracket } of shapePatterns) {
      const match = this.#takeMatch(pattern);
      if (!match) continue;
      Object.assign(node, {
        label: readLabel(match[1] ?? match[2] ?? ''),
        openBracket,
        closeBracket,
      });
      break;
    }
    this.#takeMatch(/:::[\w-]+/y);
    this.#takeMatch(/\s+/y);
    return name;
  }

  #readLink(): { readonly link: string; readonly label: string } {
    const plainMatch = this.#takeMatch(linkSyntaxes[0].pattern);
    if (plainMatch) {
      const [text, start = '', solidEnd, dottedEnd, thickEnd, label = ''] = plainMatch;
      this.#takeMatch(/\s+/y);
      const end = (solidEnd ?? dottedEnd ?? thickEnd) === '>' ? '>' : '';
      const line = solidEnd ? '--' : thickEnd ? '==' : '-.-';
      const closedLine = end || line === '-.-' ? `${line}${end}` : `${line}${line[0]}`;
      if (start && !end) throw createUnsupportedError(text);
      return { link: `${start}${closedLine}`, label: readLabel(label) };
    }
    for (const { pattern, line } of linkSyntaxes.slice(1) as { pattern: RegExp; line: string }[]) {
      const match = this.#takeMatch(pattern);
      if (!match) continue;
      const [text, start = '', label = '', end] = match;
      this.#takeMatch(/\s+/y);
      const isArrow = end === '>';
      if (start && !isArrow) throw createUnsupportedError(text);
      const lineEnd = line === '-.' ? '-' : line.slice(1);
      const link = isArrow ? `${line === '-.' ? '-.-' : line}>` : `${line}${lineEnd}`;
      return { link: `${start}${link}`, label: readLabel(label) };
    }
    throw createUnsupportedError(this.#line);
  }

  #takeMatch(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#line);
    if (match) this.#position = pattern.lastIndex;
    return match;
  }

  #expectMatch(pattern: RegExp): RegExpExecArray {
    const match = this.#takeMatch(pattern);
    if (!match) throw createUnsupportedError(this.#line);
    return match;
  }
}

/** Reads a flowchart from its lines. The first line can contain statements after the diagram type and a semicolon. */
export function readFlowchart([header = '', ...lines]: readonly string[]): Statements {
  const graph = new Graph();
  const [, direction = 'TD', rest = ''] = /^\w+(?:\s+(TD|TB|BT|LR|RL))?\s*(?:;\s*(.*))?$/.exec(
    header,
  ) ?? [header, ''];
  if (direction === '') throw createUnsupportedError(header);
  for (const line of [rest, ...lines]) {
    if (isStyleStatement(line)) continue;
    const groupMatch =
      /^subgraph\s+(?:([\p{L}\p{N}_.-]+)\s*\[\s*(.+?)\s*\]|"?([^"[\]]+)"?);?$/u.exec(line);
    const directionMatch = /^direction\s+(TD|TB|BT|LR|RL);?$/.exec(line);
    if (groupMatch)
      graph.openGroup(groupMatch[1] ?? groupMatch[3]!, readLabel(groupMatch[2] ?? groupMatch[3]!));
    else if (/^end;?$/.test(line)) graph.closeGroup();
    else if (directionMatch && graph.isOpen) graph.group.direction = directionMatch[1]!;
    else new FlowLine(line, graph).readStatements();
  }
  return writeStatements(graph, `flowchart ${direction}`, flowStyle);
}

const statePattern = /^state\s+(?:"([^"]+)"\s+as\s+)?([\p{L}\p{N}_.-]+)\s*(\{)?$/u;
const stateNameSource = '(\\[\\*\\]|[\\p{L}\\p{N}_]+(?:[.-][\\p{L}\\p{N}_]+)*)(?::::\\w+)?';
const transitionPattern = new RegExp(
  `^${stateNameSource}\\s*-->\\s*${stateNameSource}(?:\\s*:\\s*(.+?))?;?$`,
  'u',
);
const descriptionPattern = new RegExp(`^${stateNameSource}(?:\\s*:\\s*(.+?))?;?$`, 'u');

/** Reads a state diagram from its lines. */
export function readStateDiagram([, ...lines]: readonly string[]): Statements {
  const graph = new Graph();
  for (const line of lines) {
    if (isStyleStatement(line)) continue;
    const stateMatch = statePattern.exec(line);
    const transitionMatch = transitionPattern.exec(line);
    const descriptionMatch = descriptionPattern.exec(line);
    const directionMatch = /^direction\s+(TD|TB|BT|LR|RL)$/.exec(line);
    if (directionMatch) graph.group.direction = directionMatch[1]!;
    else if (stateMatch?.[3])
      graph.openGroup(stateMatch[2]!, readLabel(stateMatch[1] ?? stateMatch[2]!));
    else if (stateMatch) {
      const node = graph.getOrCreateNode(stateMatch[2]!);
      if (stateMatch[1] !== undefined) node.label = readLabel(stateMatch[1]);
    } else if (line === '}') graph.closeGroup();
    else if (transitionMatch) {
      const [, from = '', to = '', label = ''] = transitionMatch;
      for (const name of [from, to]) if (name !== '[*]') graph.getOrCreateNode(name);
      const isInGroup = from === '[*]' || to === '[*]';
      const group = isInGroup ? graph.group : graph.root;
      graph.addEdge({ from, to, link: '', label: readLabel(label) }, group);
    } else if (descriptionMatch && descriptionMatch[1] !== '[*]') {
      const node = graph.getOrCreateNode(descriptionMatch[1]!);
      if (descriptionMatch[2] !== undefined) node.label = readLabel(descriptionMatch[2]);
    } else if (line !== 'hide empty description') throw createUnsupportedError(line);
  }
  const { direction } = graph.root;
  const statements = writeStatements(graph, 'stateDiagram-v2', stateStyle);
  if (!direction) return statements;
  const [header = '', ...rest] = statements.lines;
  return { ...statements, lines: [header, `direction ${direction}`, ...rest] };
}

function writeStatements(graph: Graph, header: string, style: GraphStyle): Statements {
  if (graph.isOpen) throw createUnsupportedError('end');
  const lines = [header, ...writeGroupStatements(graph, graph.root, style)];
  return { lines, labels: graph.labels, edgeCount: graph.edgeCount };
}
