/** What is known of a language without a parser. */
export interface Language {
  /** What tells where a scope ends. With `tags` and `indentation`, brackets count as well. */
  readonly scopes: 'braces' | 'indentation' | 'tags' | 'paragraphs';
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly quotes: readonly Quote[];
  /** Matches a line up to the cursor, without white space at its end, when a block belongs behind it. */
  readonly opens: RegExp;
  /** Words that end a block, as the first of their line: `end`, `fi`. */
  readonly ends: readonly string[];
  /** Words that go on with a block that seemed over, as the first of their line: `else`. */
  readonly continues: readonly string[];
}

export interface Quote {
  readonly mark: string;
  /** Whether the string may go over several lines. */
  readonly spansLines: boolean;
}

/** By the editor's id of the language. One that is not known is taken for a relative of C. */
export function languageOf(languageId: string): Language {
  return byId.get(languageId) ?? unknown;
}

const single: Quote = { mark: "'", spansLines: false };
const double: Quote = { mark: '"', spansLines: false };
const backtick: Quote = { mark: '`', spansLines: true };
const cComments = { lineComments: ['//'], blockComments: [['/*', '*/']] } as const;
const hash = { lineComments: ['#'], blockComments: [] } as const;
const none = { ends: [], continues: ['else'] } as const;

const braceOpens = /(?:\{|(?:^|[=(:,>[\s])\[|(?:\breturn|=>|[=])\s*\()$/u;

const c: Language = {
  scopes: 'braces',
  ...cComments,
  quotes: [double, single],
  opens: braceOpens,
  ...none,
};
const unknown: Language = { ...c, lineComments: ['//', '#'], quotes: [double, single, backtick] };
const script: Language = { ...c, quotes: [double, single, backtick] };
const python: Language = {
  scopes: 'indentation',
  ...hash,
  quotes: [{ mark: '"""', spansLines: true }, { mark: "'''", spansLines: true }, double, single],
  opens: /(?::|\{|(?:^|[=(:,[\s])\[|=\s*\()$/u,
  ends: [],
  continues: ['else', 'elif', 'except', 'finally', 'case'],
};
const shell: Language = {
  scopes: 'indentation',
  ...hash,
  quotes: [double, single],
  opens: /(?:\b(?:then|do|else)|\{|\bin)$/u,
  ends: ['fi', 'done', 'esac', '}'],
  continues: ['else', 'elif'],
};
const yaml: Language = {
  scopes: 'indentation',
  ...hash,
  quotes: [double, single],
  opens: /(?:^|\s|\S):$|[|>][-+]?$/u,
  ends: [],
  continues: [],
};
const markup: Language = {
  scopes: 'tags',
  lineComments: [],
  blockComments: [['<!--', '-->']],
  quotes: [double],
  opens: /(?:<[A-Za-z][^<>]*[^/<>]|<[A-Za-z])>$|\{$/u,
  ends: [],
  continues: [],
};
const text: Language = {
  scopes: 'paragraphs',
  lineComments: [],
  blockComments: [],
  quotes: [],
  opens: /:$/u,
  ends: [],
  continues: [],
};

const byId: ReadonlyMap<string, Language> = new Map([
  ...['typescript', 'javascript', 'typescriptreact', 'javascriptreact', 'go'].map(
    (id) => [id, script] as const,
  ),
  ...['c', 'cpp', 'csharp', 'java', 'rust', 'kotlin', 'swift', 'php'].map((id) => [id, c] as const),
  ['css', { ...c, lineComments: [] }],
  ['json', { ...c, quotes: [double] }],
  ['python', python],
  ['shellscript', shell],
  ['makefile', { ...shell, opens: /^[^\s#=]+\s*:[^=]*$/u }],
  ['yaml', yaml],
  ...['html', 'xml', 'vue', 'svelte'].map((id) => [id, markup] as const),
  ...['markdown', 'plaintext'].map((id) => [id, text] as const),
]);
