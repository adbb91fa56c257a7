/** What is known of a language without a parser. */
export interface Language {
  /** What tells where a scope ends. Brackets count for all but `paragraphs` and `tags`. */
  readonly scopes: 'braces' | 'indentation' | 'tags' | 'paragraphs';
  /** Whether elements in pointed brackets stand among the code, as in JSX. */
  readonly hasElements: boolean;
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Longer marks first. */
  readonly quotes: readonly Quote[];
  /** Whether a single quote begins a name, or one character such as `'{'`, but no string. */
  readonly hasLifetimes: boolean;
  /** Matches a line up to the cursor, without white space at its end, when a block belongs behind it. */
  readonly opens: RegExp;
  /** Whether what such a line opens goes on below it in the usual style. */
  readonly breaksAfterOpening: boolean;
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

const quote = (mark: string, spansLines = false): Quote => ({ mark, spansLines });
const [single, double, backtick] = [quote("'"), quote('"'), quote('`', true)];
const triples = [quote('"""', true), quote("'''", true)];

const braces: Language = {
  scopes: 'braces',
  hasElements: false,
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: [double, single],
  hasLifetimes: false,
  opens: /(?:\{|(?:^|[=(:,>[\s])\[|(?:\breturn|=>|=)\s*\()$/u,
  breaksAfterOpening: true,
  ends: [],
  continues: ['else', 'catch', 'finally'],
};
const unknown: Language = {
  ...braces,
  lineComments: ['//', '#'],
  quotes: [...triples, double, single, backtick],
};
const script: Language = { ...braces, quotes: [double, single, backtick] };
const withElements: Language = { ...script, hasElements: true };
const styles: Language = { ...braces, lineComments: [], opens: /\{$/u };
const data: Language = { ...braces, quotes: [double], opens: /[{[]$/u };
const rust: Language = { ...braces, quotes: [double], hasLifetimes: true };

const indented: Language = {
  ...braces,
  scopes: 'indentation',
  lineComments: ['#'],
  blockComments: [],
  continues: ['else'],
};
const python: Language = {
  ...indented,
  quotes: [...triples, double, single],
  opens: /(?::|\{|(?:^|[=(:,[\s])\[|=\s*\()$/u,
  continues: ['else', 'elif', 'except', 'finally', 'case'],
};
const shell: Language = {
  ...indented,
  opens: /(?:\b(?:then|do|else)|\{|\bin)$/u,
  ends: ['fi', 'done', 'esac'],
  continues: ['else', 'elif'],
};
const ruby: Language = {
  ...indented,
  opens:
    /^\s*(?:def|class|module|if|unless|while|until|for|case|begin|else|elsif|when|rescue|ensure)\b|(?:\bdo(?:\s*\|[^|]*\|)?|\bthen|[{[(])$/u,
  ends: ['end'],
  continues: ['else', 'elsif', 'when', 'rescue', 'ensure'],
};
const lua: Language = {
  ...indented,
  lineComments: ['--'],
  blockComments: [['--[[', ']]']],
  opens: /(?:\b(?:then|do|else|repeat)|\bfunction\b[^()]*\([^()]*\)|[{(])$/u,
  ends: ['end', 'until'],
  continues: ['else', 'elseif'],
};
const makefile: Language = {
  ...indented,
  quotes: [],
  opens: /^[^\s#=][^#=]*:(?!=)[^=]*$/u,
  ends: ['endif', 'endef'],
};
const yaml: Language = {
  ...indented,
  opens: /:$|[|>][-+]?$/u,
  breaksAfterOpening: false,
  continues: [],
};
const query: Language = { ...braces, lineComments: ['--'], opens: /\($/u };
const lisp: Language = { ...braces, lineComments: [';'], blockComments: [], quotes: [double] };

const markup: Language = {
  ...braces,
  scopes: 'tags',
  hasElements: true,
  lineComments: [],
  blockComments: [['<!--', '-->']],
  quotes: [],
  opens: /<[A-Za-z](?:[^<>]*[^<>/])?>$/u,
  breaksAfterOpening: false,
  continues: [],
};
const text: Language = {
  ...markup,
  scopes: 'paragraphs',
  hasElements: false,
  opens: /(?!)/u,
};

const families: readonly (readonly [Language, string])[] = [
  [script, 'typescript javascript go json5 groovy dart scala'],
  [withElements, 'typescriptreact javascriptreact'],
  [braces, 'c cpp csharp java kotlin swift php objective-c objective-cpp cuda-cpp solidity zig d'],
  [rust, 'rust'],
  [styles, 'css'],
  [{ ...styles, lineComments: ['//'] }, 'scss less sass stylus'],
  [data, 'json jsonc jsonl'],
  [python, 'python coffeescript nim gdscript starlark'],
  [shell, 'shellscript fish'],
  [ruby, 'ruby elixir crystal julia'],
  [lua, 'lua'],
  [makefile, 'makefile'],
  [yaml, 'yaml dockercompose toml ini properties dockerfile ignore'],
  [query, 'sql haskell'],
  [lisp, 'clojure lisp scheme racket'],
  [markup, 'html xml xsl vue svelte astro handlebars razor'],
  [text, 'markdown plaintext latex tex restructuredtext git-commit scminput'],
];
const byId: ReadonlyMap<string, Language> = new Map(
  families.flatMap(([language, ids]) => ids.split(' ').map((id) => [id, language] as const)),
);
