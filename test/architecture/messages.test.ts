import { type Expression, type Node, parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { readProductSources } from './sources.ts';
import { textSets } from './translations.ts';

/**
 * Maximum number of different texts that users can read. A text that the manifest and the code share counts once. Lower
 * the number when texts are removed. Reuse a text instead of raising the number.
 */
const maxTextCount = 1_618;
const maxModalWordCount = 60;
const maxNotificationSentenceCount = 2;

test(`the manifest, the extension host and the pages contain at most ${maxTextCount} different texts`, async () => {
  const sets = await Promise.all(textSets.map(({ collectEnglishTexts }) => collectEnglishTexts()));
  const texts = new Set(sets.flatMap((textsOfSet) => Object.values(textsOfSet)));
  expect(texts.size).toBeLessThanOrEqual(maxTextCount);
});

test('the modal dialogs of the extension host have at most 60 words', () => {
  const modals = findMessages(['confirm', 'confirmConsent'], readHostSources());
  expect(modals.length).toBeGreaterThan(35);
  expect(modals.filter(({ text }) => countWords(text) > maxModalWordCount)).toEqual([]);
});

test('the notifications of the extension host have at most two sentences', () => {
  const names = ['showInformation', 'showWarning', 'showError', 'showWithActions'];
  const notifications = findMessages([...names, 'showStatusMessage'], readHostSources());
  expect(notifications.length).toBeGreaterThan(80);
  expect(
    notifications.filter(({ text }) => countSentences(text) > maxNotificationSentenceCount),
  ).toEqual([]);
});

test('each text receives a value for each of its placeholders and no other value', () => {
  const mismatches = [...readProductSources()].flatMap(([path, source]) =>
    findPlaceholderMismatches(path, source),
  );
  expect(mismatches).toEqual([]);
});

test('findPlaceholderMismatches reports texts with a missing or an unused value', () => {
  expect(findPlaceholderMismatches('a.ts', "l10n.t('{0} of {1}', a); l10n.t('One.', b)")).toEqual([
    'a.ts: {0} of {1}',
    'a.ts: One.',
  ]);
  expect(findPlaceholderMismatches('a.ts', "vscode.l10n.t('{0} of {1}', a, b)")).toEqual([]);
});

test.each([
  [
    "confirm({ question: l10n.t('One two?'), detail: l10n.t('Three {0}.', x) })",
    'One two? Three {0}.',
  ],
  ["const detail = l10n.t('Two.'); confirm({ question: l10n.t('One?'), detail })", 'One? Two.'],
  ["confirm({ question: a ? l10n.t('One.') : l10n.t('One two.') })", 'One two.'],
  ["confirm({ question: [l10n.t('One.'), ...more, l10n.t('Two.')].join(' ') })", 'One. Two.'],
  ["function about() { return l10n.t('One.'); } confirm({ question: about() })", 'One.'],
  ["const m = (): C => ({ question: l10n.t('One.') }); confirm(m())", 'One.'],
  ["confirm({ question: `${l10n.t('One.')} ${l10n.t('Two.')}` })", 'One. Two.'],
])('findMessages finds the text of the modal in %j', (source, text) => {
  expect(findMessages(['confirm'], new Map([['a.ts', source]]))).toEqual([{ path: 'a.ts', text }]);
});

test.each([
  ['Saved.', 1],
  ['Saved', 1],
  ['Is v1.2 saved? Yes. {0}', 3],
])('for the text %j, countSentences returns %i', (text, count) => {
  expect(countSentences(text)).toBe(count);
});

interface Message {
  readonly path: string;
  /** Text that the function call displays, or the longest of several. Contains placeholders instead of values. */
  readonly text: string;
}

const readHostSources = (): Map<string, string> =>
  new Map([...readProductSources()].filter(([path]) => path.startsWith('src/')));

const countWords = (text: string): number =>
  text.split(/\s+/u).filter((word) => /\w/u.test(word)).length;

const countSentences = (text: string): number =>
  text.split(/(?<=[.?!…])\s+/u).filter((sentence) => sentence.trim() !== '').length;

/**
 * Returns a line for each call of `l10n.t` in which the number of values differs from the number of placeholders in the
 * text.
 */
function findPlaceholderMismatches(path: string, source: string): string[] {
  const mismatches: string[] = [];
  if (!source.includes('l10n.t(')) return mismatches;
  new Visitor({
    CallExpression({ callee, arguments: args }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const { object } = callee;
      const isL10nObject =
        (object.type === 'Identifier' && object.name === 'l10n') ||
        (object.type === 'MemberExpression' &&
          object.property.type === 'Identifier' &&
          object.property.name === 'l10n');
      const [text, ...values] = args;
      if (!isL10nObject || callee.property.name !== 't' || text?.type !== 'Literal') return;
      const placeholders = new Set(String(text.value).match(/\{\d+\}/gu));
      const isCountKnown = values.every(({ type }) => type !== 'SpreadElement');
      if (isCountKnown && placeholders.size !== values.length)
        mismatches.push(`${path}: ${text.value}`);
    },
  }).visit(parseSync(path, source).program);
  return mismatches;
}

/** Returns the message of each call of the named functions. Excludes calls without a translatable text. */
function findMessages(names: readonly string[], sources: ReadonlyMap<string, string>): Message[] {
  const files = [...sources].map(([path, source]) => parseSource(path, source));
  const exportedNodes = new Map(files.flatMap((file) => [...file.exportedNodes]));
  return files.flatMap(({ path, calls, declarations: ownNodes }) => {
    const reader = new TextReader(new Map([...exportedNodes, ...ownNodes]));
    return calls
      .filter(({ name }) => names.includes(name))
      .map(({ name, args }) => ({
        path,
        text: reader.readTexts(args[messageIndexes.get(name) ?? 0]).join(' '),
      }))
      .filter(({ text }) => text !== '');
  });
}

/**
 * Index of the argument that contains the message, by function name. A function that is not listed has the message as
 * its first argument.
 */
const messageIndexes = new Map([
  ['showWithActions', 1],
  ['confirmConsent', 1],
]);

interface Call {
  readonly name: string;
  readonly args: readonly Node[];
}

interface ParsedFile {
  readonly path: string;
  readonly calls: readonly Call[];
  /** Functions and initial values of variables, by name. */
  readonly declarations: ReadonlyMap<string, Node>;
  /** Entries of `declarations` that other files can import. */
  readonly exportedNodes: ReadonlyMap<string, Node>;
}

function parseSource(path: string, source: string): ParsedFile {
  const calls: Call[] = [];
  const declarations = new Map<string, Node>();
  const exportedNames = new Set<string>();
  new Visitor({
    CallExpression({ callee, arguments: args }) {
      if (callee.type === 'Identifier') calls.push({ name: callee.name, args });
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) declarations.set(id.name, init);
    },
    ExportNamedDeclaration({ declaration }) {
      if (declaration?.type === 'FunctionDeclaration' && declaration.id !== null)
        exportedNames.add(declaration.id.name);
      if (declaration?.type !== 'VariableDeclaration') return;
      for (const { id } of declaration.declarations)
        if (id.type === 'Identifier') exportedNames.add(id.name);
    },
    FunctionDeclaration(node) {
      if (node.id !== null) declarations.set(node.id.name, node);
    },
    MethodDefinition({ key, value }) {
      if (key.type === 'PrivateIdentifier') declarations.set(`#${key.name}`, value);
    },
  }).visit(parseSync(path, source).program);
  const exportedNodes = new Map([...declarations].filter(([name]) => exportedNames.has(name)));
  return { path, calls, declarations, exportedNodes };
}

/** Finds the translatable text of an expression. Chooses the longest text if the expression has several branches. */
class TextReader {
  readonly #declarations: ReadonlyMap<string, Node>;
  readonly #activeNodes = new Set<Node>();

  constructor(declarations: ReadonlyMap<string, Node>) {
    this.#declarations = declarations;
  }

  readTexts(node: Node | null | undefined): string[] {
    // Stops at recursive declarations.
    if (node === null || node === undefined || this.#activeNodes.has(node)) return [];
    this.#activeNodes.add(node);
    const texts = this.#read(node);
    this.#activeNodes.delete(node);
    return texts;
  }

  #read(node: Node): string[] {
    switch (node.type) {
      case 'CallExpression':
        return this.#readCall(node.callee, node.arguments);
      case 'Identifier':
        return this.readTexts(this.#declarations.get(node.name));
      case 'ConditionalExpression':
        return chooseLongestBranch([
          this.readTexts(node.consequent),
          this.readTexts(node.alternate),
        ]);
      case 'LogicalExpression':
        return chooseLongestBranch([this.readTexts(node.left), this.readTexts(node.right)]);
      case 'BinaryExpression':
        return [...this.readTexts(node.left), ...this.readTexts(node.right)];
      case 'TemplateLiteral':
        return node.expressions.flatMap((part) => this.readTexts(part));
      case 'ArrayExpression':
        return node.elements.flatMap((part) => this.readTexts(part));
      case 'ObjectExpression':
        return this.#readObject(node.properties);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return this.#readFunction(node.body);
      case 'AwaitExpression':
      case 'SpreadElement':
        return this.readTexts(node.argument);
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return this.readTexts(node.expression);
      default:
        return [];
    }
  }

  #readCall(callee: Expression, args: readonly Node[]): string[] {
    if (callee.type === 'Identifier') {
      return this.readTexts(this.#declarations.get(callee.name));
    }
    if (callee.type !== 'MemberExpression') return [];
    const { object, property } = callee;
    if (property.type === 'PrivateIdentifier')
      return this.readTexts(this.#declarations.get(`#${property.name}`));
    if (property.type !== 'Identifier') return [];
    if (property.name !== 't') return this.readTexts(object);
    return readLiteralText(args[0]);
  }

  #readObject(properties: readonly Node[]): string[] {
    return properties.flatMap((property) => {
      if (property.type !== 'Property') return this.readTexts(property);
      const isDialogText =
        property.key.type === 'Identifier' && ['question', 'detail'].includes(property.key.name);
      return isDialogText ? this.readTexts(property.value) : [];
    });
  }

  #readFunction(body: Node | null): string[] {
    if (body?.type !== 'BlockStatement') return this.readTexts(body);
    return chooseLongestBranch(findReturnedValues(body).map((value) => this.readTexts(value)));
  }
}

function readLiteralText(message: Node | undefined): string[] {
  if (message?.type === 'Literal') return [String(message.value)];
  if (message?.type !== 'ObjectExpression') return [];
  return message.properties.flatMap((property) =>
    property.type === 'Property' &&
    property.key.type === 'Identifier' &&
    property.key.name === 'message'
      ? readLiteralText(property.value)
      : [],
  );
}

/** Returns the values of all `return` statements in a syntax node. Excludes nested functions and classes. */
function findReturnedValues(node: unknown): Node[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(findReturnedValues);
  const type: unknown = Reflect.get(node, 'type');
  if (type === 'ReturnStatement')
    return [Reflect.get(node, 'argument')].filter((value) => value !== null);
  if (typeof type === 'string' && /Function|^Class/u.test(type)) return [];
  return Object.values(node).flatMap(findReturnedValues);
}

const chooseLongestBranch = (branches: readonly string[][]): string[] =>
  branches.reduce<string[]>(
    (longestTexts, texts) =>
      countWords(texts.join(' ')) > countWords(longestTexts.join(' ')) ? texts : longestTexts,
    [],
  );
