/**
 * Diagram in the Mermaid subset that the drawing library (`beautiful-mermaid`) accepts. `lines` contains its
 * statements, and `labels` contains the labels of its nodes.
 */
export interface Statements {
  readonly lines: readonly string[];
  readonly labels: readonly string[];
  readonly edgeCount: number;
}

/** Creates the error for a statement that the drawing library (`beautiful-mermaid`) does not support. */
export function createUnsupportedError(statement: string): Error {
  return new Error(`Unsupported diagram statement: ${statement}`);
}

/**
 * Code point of the first character of the Unicode private use area that encoded labels contain. The code point
 * `firstReservedCode + n` replaces the ASCII character `n`.
 */
const firstReservedCode = 0xe000;

/** Replaces ASCII characters that have a meaning in Mermaid with private-use characters. */
export function encodeLabel(label: string): string {
  const encodeLine = (part: string): string => encodeCharacters(part, /["#%&()*/:;<>[\\\]`{|}~]/g);
  return label.split('\n').map(encodeLine).join('<br>') || encodeName(' ');
}

/** Encodes a name so that the drawing library (`beautiful-mermaid`) reads it as a single word. */
function encodeName(name: string): string {
  return encodeCharacters(name.replaceAll('\n', ' '), /[\0-/:-@[-^`{-\x7F]/g);
}

function encodeCharacters(text: string, characterPattern: RegExp): string {
  return text.replaceAll(characterPattern, (character) =>
    String.fromCharCode(firstReservedCode + character.charCodeAt(0)),
  );
}

const xmlEntities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/** Replaces encoded characters in an SVG with the original characters, escaped for XML. */
export function decodeReservedCharacters(svg: string): string {
  return svg.replaceAll(/[\uE000-\uE07F]/g, (character) => {
    const originalCharacter = String.fromCharCode(character.charCodeAt(0) - firstReservedCode);
    return xmlEntities[originalCharacter] ?? originalCharacter;
  });
}

const knownEntities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' },
};

/** Decodes numeric character references and the most common named references. Does not change other references. */
function decodeEntities(text: string): string {
  return text.replaceAll(/[&#]#?(x?[\da-f]{1,6}|[a-z]+);/gi, (entity, name: string) => {
    const code = name.startsWith('x') ? Number(`0${name}`) : Number(name);
    if (code >= 0x20 && code <= 0x10_ffff) return String.fromCodePoint(code);
    return knownEntities[name] ?? entity;
  });
}

/** Returns the plain text of a label. Decodes character references, and replaces line break tags with newlines. */
export function readLabel(source: string): string {
  const text = source
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replace(/^`(.*)`$/, '$1');
  return decodeEntities(text)
    .replaceAll(/<br\s*\/?>|\\n/gi, '\n')
    .replaceAll(/<\/?(?:b|i|u|s|em|strong|small|sub|sup|code)>/gi, '')
    .replaceAll(/\*\*(.+?)\*\*/g, '$1')
    .trim();
}

/** Checks for statements that set colors, links or texts for screen readers. The page ignores these statements. */
export function isStyleStatement(line: string): boolean {
  return (
    /^(?:classDef|linkStyle|cssClass|click|callback|style)\s[^;]*;?$/.test(line) ||
    /^class\s+[\w,\s-]+?\s+\w+;?$/.test(line) ||
    /^acc(?:Title|Descr)\s*:/.test(line)
  );
}

const directionPattern = /^direction\s+(?:TB|TD|BT|LR|RL)$/;

/** Assigns short keys, such as `p0`, to the names of nodes, in order of first use. */
class NodeNames {
  readonly keysByName = new Map<string, string>();
  readonly labels = new Map<string, string>();

  addNode(name: string, label = name): string {
    if (/[<>]|-[->)x]\s*$/.test(name) || name === '') throw createUnsupportedError(name);
    const key = this.keysByName.get(name) ?? `p${this.keysByName.size}`;
    if (!this.keysByName.has(name)) this.labels.set(key, readLabel(label));
    this.keysByName.set(name, key);
    return key;
  }
}

const messagePattern = /^(.+?)\s*(-->>|->>|-->|->|--x|-x|--\)|-\))\s*([+-]?)\s*([^:]+?)\s*:(.*)$/;

export function readSequenceDiagram(lines: readonly string[]): Statements {
  const names = new NodeNames();
  const statements: string[] = [];
  let edgeCount = 0;
  let depth = 0;
  let messageNumber = 0;
  const addParticipant = (line: string): boolean => {
    const [, type, name = '', label] =
      /^(participant|actor)\s+(.+?)(?:\s+as\s+(.+))?$/.exec(line) ?? [];
    if (type === undefined) return false;
    const isNew = !names.keysByName.has(name);
    const key = names.addNode(name, label);
    if (isNew) statements.push(`${type} ${key} as ${encodeLabel(names.labels.get(key)!)}`);
    return true;
  };
  const getOrAddKey = (name: string): string => {
    if (!names.keysByName.has(name)) addParticipant(`participant ${name}`);
    return names.addNode(name);
  };
  for (const statement of lines.slice(1)) {
    const line = statement.replace(/;$/, '');
    if (/^(?:de)?activate\s+\S/.test(line) || addParticipant(line)) continue;
    const blockMatch = /^(loop|alt|opt|par|critical|break|else|and|end)(?:\s+(.*))?$/.exec(line);
    const noteMatch = /^note\s+(left of|right of|over)\s+([^:]+?)\s*:(.+)$/i.exec(line);
    const messageMatch = messagePattern.exec(line);
    if (line === 'autonumber') messageNumber = 1;
    else if (blockMatch) {
      const [, type = '', label = ''] = blockMatch;
      if (type === 'end') depth -= 1;
      else if (type !== 'else' && type !== 'and') depth += 1;
      if (depth < (type === 'end' ? 0 : 1)) throw createUnsupportedError(line);
      statements.push(label ? `${type} ${encodeLabel(readLabel(label))}` : type);
    } else if (noteMatch) {
      const [, position = '', coveredNames = '', label = ''] = noteMatch;
      const keys = coveredNames.split(',').map((name) => getOrAddKey(name.trim()));
      statements.push(`Note ${position} ${keys.join(',')}: ${encodeLabel(readLabel(label))}`);
    } else if (messageMatch) {
      const [, from = '', arrow = '', activation = '', to = '', label = ''] = messageMatch;
      const endKeys = [getOrAddKey(from), getOrAddKey(to)] as const;
      const text = readLabel(messageNumber > 0 ? `${messageNumber}. ${label.trim()}` : label);
      if (messageNumber > 0) messageNumber += 1;
      edgeCount += 1;
      statements.push(`${endKeys[0]}${arrow}${activation}${endKeys[1]}: ${encodeLabel(text)}`);
    } else throw createUnsupportedError(line);
  }
  if (depth !== 0) throw createUnsupportedError('end');
  return {
    lines: ['sequenceDiagram', ...statements],
    labels: [...names.labels.values()],
    edgeCount,
  };
}

interface ClassItem {
  readonly name: string;
  readonly members: string[];
}

const classNameSource = '`?([\\p{L}\\p{N}_.]+)`?(?:~(.+?)~)?';
const relationSource =
  '<\\|--|<\\|\\.\\.|\\*--|o--|-->|--\\*|--o|--\\|>|\\.\\.\\|>|\\.\\.>|<--|<\\.\\.|--';
const classPattern = new RegExp(
  `^class\\s+${classNameSource}(?:\\s*\\["(.+)"\\])?\\s*(\\{\\s*\\}?)?$`,
  'u',
);
const relationPattern = new RegExp(
  `^${classNameSource}\\s*(?:"([^"]*)")?\\s*(${relationSource})\\s*(?:"([^"]*)")?\\s*${classNameSource}(?:\\s*:\\s*(.+))?$`,
  'u',
);
const memberPattern = new RegExp(`^${classNameSource}\\s*:\\s*(.+)$`, 'u');

export function readClassDiagram(lines: readonly string[]): Statements {
  const classes = new Map<string, ClassItem>();
  const relations: string[] = [];
  const namespaces: { readonly name: string; readonly classes: string[] }[] = [];
  let namespaceClasses: string[] | undefined;
  let openClass: ClassItem | undefined;
  const getOrAddClass = (name: string, typeParameter?: string, label?: string): ClassItem => {
    const displayName = typeParameter === undefined ? name : `${name}<${typeParameter}>`;
    const knownClass = classes.get(name);
    const text = label === undefined ? displayName : readLabel(label);
    if (knownClass && text !== name && text !== knownClass.name) throw createUnsupportedError(name);
    const item = knownClass ?? { name: text, members: [] };
    classes.set(name, item);
    return item;
  };
  for (const statement of lines.slice(1)) {
    const line = statement.replace(/;$/, '');
    const classMatch = classPattern.exec(line);
    const relationMatch = relationPattern.exec(line);
    const memberMatch = memberPattern.exec(line);
    const annotationMatch = /^<<\w+>>(?=\s+([\p{L}\p{N}_.]+)$)/u.exec(line);
    const [, name] = /^namespace\s+([\p{L}\p{N}_.]+)\s*\{$/u.exec(line) ?? [];
    if (openClass && line === '}') openClass = undefined;
    else if (openClass) openClass.members.push(rewriteMember(line));
    else if (directionPattern.test(line) || isStyleStatement(line)) continue;
    else if (classMatch) {
      const item = getOrAddClass(classMatch[1]!, classMatch[2], classMatch[3]);
      namespaceClasses?.push(encodeName(item.name));
      if (classMatch[4] === '{') openClass = item;
    } else if (name !== undefined && !namespaceClasses) {
      namespaceClasses = [];
      namespaces.push({ name: encodeName(name), classes: namespaceClasses });
    } else if (namespaceClasses && line === '}') namespaceClasses = undefined;
    else if (annotationMatch)
      getOrAddClass(annotationMatch[1]!).members.unshift(annotationMatch[0]);
    else if (relationMatch) {
      const [, from = '', fromParameter, start, arrow = '', end, to = '', toParameter, label] =
        relationMatch;
      const ends = [getOrAddClass(from, fromParameter), getOrAddClass(to, toParameter)].map(
        (item) => encodeName(item.name),
      );
      const quoteLabel = (text?: string): string => (text ? `"${encodeLabel(text)}" ` : '');
      const text = label === undefined ? '' : ` : ${encodeLabel(readLabel(label))}`;
      relations.push(`${ends[0]} ${quoteLabel(start)}${arrow} ${quoteLabel(end)}${ends[1]}${text}`);
    } else if (memberMatch)
      getOrAddClass(memberMatch[1]!, memberMatch[2]).members.push(rewriteMember(memberMatch[3]!));
    else throw createUnsupportedError(line);
  }
  if (openClass || namespaceClasses) throw createUnsupportedError('}');
  const items = [...classes.values()];
  return {
    lines: [
      'classDiagram',
      ...namespaces.flatMap((item) => [
        `namespace ${item.name} {`,
        ...item.classes.map((id) => `class ${id}`),
        '}',
      ]),
      ...items.flatMap((item) => [`class ${encodeName(item.name)} {`, ...item.members, '}']),
      ...relations,
    ],
    labels: items.map((item) => item.name),
    edgeCount: relations.length,
  };
}

/**
 * Rewrites a member of a class diagram, such as `name: Type`, in the order that the drawing library expects: type, then
 * name.
 */
function rewriteMember(line: string): string {
  if (/^<<\w+>>$/.test(line)) return line;
  const text = decodeEntities(line)
    .replaceAll(/~(.+?)~(?=\W|$)/g, '<$1>')
    .replace(/^([+#~-]?\s*[^\s:()]+)\s*:\s*([^()]+)$/, (_, name: string, type: string) => {
      const [, visibility = '', rest = ''] = /^([+#~-]?)\s*(.*)$/.exec(name) ?? [];
      return `${visibility}${type.trim().replaceAll(' ', encodeName(' '))} ${rest}`;
    })
    .replace(/\)\s*:\s*/, ') ');
  return text.slice(0, 1) + encodeCharacters(text.slice(1), /["&;<>`{}~]/g);
}

interface DiagramEntity {
  name: string;
  readonly attributes: string[];
}

const entityNameSource = '("[^"]+"|[\\p{L}\\p{N}_-]+)';
const cardinalitySource = '(\\|\\||\\|o|o\\||\\}o|\\}\\||o\\{|\\|\\{|\\{o|\\{\\|)';
const entityPattern = new RegExp(
  `^${entityNameSource}(?:\\s*\\[\\s*"?([^\\]"]+)"?\\s*\\])?\\s*(\\{\\s*\\}?)?$`,
  'u',
);
const entityRelationPattern = new RegExp(
  `^${entityNameSource}\\s*${cardinalitySource}(--|\\.\\.)${cardinalitySource}\\s*${entityNameSource}\\s*:\\s*(.+)$`,
  'u',
);
const attributePattern = /^(\S+)\s+(\S+?)(,?(?:\s+(?:PK|FK|UK)\b\s*,?)*)(?:\s+"([^"]*)")?$/;

export function readEntityDiagram(lines: readonly string[]): Statements {
  const entities = new Map<string, DiagramEntity>();
  const relations: { from: DiagramEntity; to: DiagramEntity; line: string; label: string }[] = [];
  let openAttributes: string[] | undefined;
  const getOrAddEntity = (source: string): DiagramEntity => {
    const name = readLabel(source);
    const entity = entities.get(name) ?? { name, attributes: [] };
    entities.set(name, entity);
    return entity;
  };
  for (const line of lines.slice(1)) {
    const relationMatch = entityRelationPattern.exec(line);
    const entityMatch = entityPattern.exec(line);
    if (openAttributes && line === '}') openAttributes = undefined;
    else if (openAttributes) openAttributes.push(rewriteAttribute(line));
    else if (relationMatch) {
      const [, from = '', start = '', stroke = '', end = '', to = '', label = ''] = relationMatch;
      const relationLine = `${rewriteCardinality(start)}${stroke}${rewriteCardinality(end)}`;
      relations.push({
        from: getOrAddEntity(from),
        to: getOrAddEntity(to),
        line: relationLine,
        label: readLabel(label),
      });
    } else if (directionPattern.test(line) || isStyleStatement(line)) continue;
    else if (entityMatch) {
      const entity = getOrAddEntity(entityMatch[1]!);
      if (entityMatch[2] !== undefined) entity.name = readLabel(entityMatch[2]);
      if (entityMatch[3] === '{') openAttributes = entity.attributes;
    } else throw createUnsupportedError(line);
  }
  if (openAttributes) throw createUnsupportedError('}');
  const items = [...entities.values()];
  return {
    lines: [
      'erDiagram',
      ...items.flatMap(({ name, attributes }) => [`${encodeName(name)} {`, ...attributes, '}']),
      ...relations.map(
        ({ from, to, line, label }) =>
          `${encodeName(from.name)} ${line} ${encodeName(to.name)} : ${encodeLabel(label)}`,
      ),
    ],
    labels: items.map(({ name }) => name),
    edgeCount: relations.length,
  };
}

function rewriteAttribute(line: string): string {
  const [, type, name = '', keys = '', comment] = attributePattern.exec(line) ?? [];
  if (type === undefined) throw createUnsupportedError(line);
  const note = comment ? ` "${encodeLabel(comment)}"` : '';
  const keyList = keys.replaceAll(/[\s,]+/g, ' ').trimEnd();
  return `${encodeName(type)} ${encodeName(name)}${keyList}${note}`;
}

/**
 * Rewrites a cardinality of an entity relationship diagram, such as `}o`, in the only order of characters that the
 * drawing library detects, here `o{`.
 */
function rewriteCardinality(characters: string): string {
  if (characters.includes('o')) return /[{}]/.test(characters) ? 'o{' : 'o|';
  return characters === '||' ? characters : '|{';
}
