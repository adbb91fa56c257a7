import type { Snapshot } from '../snapshot.ts';

/** Lexical syntax of a language. */
export interface Language {
  /** Syntax that delimits blocks. Languages with `indentation` also use brackets. */
  readonly scopeSyntax: 'braces' | 'indentation' | 'tags' | 'paragraphs';
  /** True if the language has elements in angle brackets, such as JSX or HTML. */
  readonly hasElements: boolean;
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** String delimiters. Longer delimiters come first, so that they match first. */
  readonly quotes: readonly Quote[];
  /** True if a single quote can start a lifetime or a character literal, as in Rust. */
  readonly hasLifetimes: boolean;
  /** Matches text before the cursor after which a block begins. */
  readonly blockOpeningPattern: RegExp;
  /** True if the body of a block usually starts on the next line. */
  readonly hasBodyOnNextLine: boolean;
  /** Keywords that end a block, such as `end` and `fi`, if they are the first word of a line. */
  readonly closingKeywords: readonly string[];
  /** Keywords that continue a block, such as `else`, if they are the first word of a line. */
  readonly continuationKeywords: readonly string[];
}

export interface Quote {
  readonly delimiter: string;
  /** True if the string can contain line ends. */
  readonly spansLines: boolean;
}

/** Returns the syntax for a VS Code language id. Unknown languages get a C-like syntax. */
export function getLanguage(languageId: string): Language {
  return languagesById.get(languageId) ?? unknownLanguage;
}

const createQuote = (delimiter: string, spansLines = false): Quote => ({
  delimiter,
  spansLines,
});
const [singleQuote, doubleQuote, backtick] = [
  createQuote("'"),
  createQuote('"'),
  createQuote('`', true),
];
const tripleQuotes = [createQuote('"""', true), createQuote("'''", true)];

const braceLanguage: Language = {
  scopeSyntax: 'braces',
  hasElements: false,
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: [doubleQuote, singleQuote],
  hasLifetimes: false,
  blockOpeningPattern: /(?:\{|(?:^|[=(:,>[\s])\[|(?:\breturn|=>|=)\s*\()$/u,
  hasBodyOnNextLine: true,
  closingKeywords: [],
  continuationKeywords: ['else', 'catch', 'finally'],
};
const unknownLanguage: Language = {
  ...braceLanguage,
  lineComments: ['//', '#'],
  quotes: [...tripleQuotes, doubleQuote, singleQuote, backtick],
};
const scriptLanguage: Language = { ...braceLanguage, quotes: [doubleQuote, singleQuote, backtick] };
const scriptWithElements: Language = { ...scriptLanguage, hasElements: true };
const styleLanguage: Language = { ...braceLanguage, lineComments: [], blockOpeningPattern: /\{$/u };
const dataLanguage: Language = {
  ...braceLanguage,
  quotes: [doubleQuote],
  blockOpeningPattern: /[{[]$/u,
};
const rustLanguage: Language = { ...braceLanguage, quotes: [doubleQuote], hasLifetimes: true };

const indentedLanguage: Language = {
  ...braceLanguage,
  scopeSyntax: 'indentation',
  lineComments: ['#'],
  blockComments: [],
  continuationKeywords: ['else'],
};
const pythonLanguage: Language = {
  ...indentedLanguage,
  quotes: [...tripleQuotes, doubleQuote, singleQuote],
  blockOpeningPattern: /(?::|\{|(?:^|[=(:,[\s])\[|=\s*\()$/u,
  continuationKeywords: ['else', 'elif', 'except', 'finally', 'case'],
};
const shellLanguage: Language = {
  ...indentedLanguage,
  blockOpeningPattern: /(?:\b(?:then|do|else)|\{|\bin)$/u,
  closingKeywords: ['fi', 'done', 'esac'],
  continuationKeywords: ['else', 'elif'],
};
const rubyLanguage: Language = {
  ...indentedLanguage,
  blockOpeningPattern:
    /^\s*(?:def|class|module|if|unless|while|until|for|case|begin|else|elsif|when|rescue|ensure)\b|(?:\bdo(?:\s*\|[^|]*\|)?|\bthen|[{[(])$/u,
  closingKeywords: ['end'],
  continuationKeywords: ['else', 'elsif', 'when', 'rescue', 'ensure'],
};
const luaLanguage: Language = {
  ...indentedLanguage,
  lineComments: ['--'],
  blockComments: [['--[[', ']]']],
  blockOpeningPattern: /(?:\b(?:then|do|else|repeat)|\bfunction\b[^()]*\([^()]*\)|[{(])$/u,
  closingKeywords: ['end', 'until'],
  continuationKeywords: ['else', 'elseif'],
};
const makefileLanguage: Language = {
  ...indentedLanguage,
  quotes: [],
  blockOpeningPattern: /^[^\s#=][^#=]*:(?!=)[^=]*$/u,
  closingKeywords: ['endif', 'endef'],
};
const yamlLanguage: Language = {
  ...indentedLanguage,
  blockOpeningPattern: /:$|[|>][-+]?$/u,
  hasBodyOnNextLine: false,
  continuationKeywords: [],
};
const queryLanguage: Language = {
  ...braceLanguage,
  lineComments: ['--'],
  blockOpeningPattern: /\($/u,
};
const lispLanguage: Language = {
  ...braceLanguage,
  lineComments: [';'],
  blockComments: [],
  quotes: [doubleQuote],
};

const markupLanguage: Language = {
  ...braceLanguage,
  scopeSyntax: 'tags',
  hasElements: true,
  lineComments: [],
  blockComments: [['<!--', '-->']],
  quotes: [],
  blockOpeningPattern: /<[A-Za-z](?:[^<>]*[^<>/])?>$/u,
  hasBodyOnNextLine: false,
  continuationKeywords: [],
};
const textLanguage: Language = {
  ...markupLanguage,
  scopeSyntax: 'paragraphs',
  hasElements: false,
  blockOpeningPattern: /(?!)/u,
};

const families: readonly (readonly [Language, string])[] = [
  [scriptLanguage, 'typescript javascript go json5 groovy dart scala'],
  [scriptWithElements, 'typescriptreact javascriptreact'],
  [
    braceLanguage,
    'c cpp csharp java kotlin swift php objective-c objective-cpp cuda-cpp solidity zig d',
  ],
  [rustLanguage, 'rust'],
  [styleLanguage, 'css'],
  [{ ...styleLanguage, lineComments: ['//'] }, 'scss less sass stylus'],
  [dataLanguage, 'json jsonc jsonl'],
  [pythonLanguage, 'python coffeescript nim gdscript starlark'],
  [shellLanguage, 'shellscript fish'],
  [rubyLanguage, 'ruby elixir crystal julia'],
  [luaLanguage, 'lua'],
  [makefileLanguage, 'makefile'],
  [yamlLanguage, 'yaml dockercompose toml ini properties dockerfile ignore'],
  [queryLanguage, 'sql haskell'],
  [lispLanguage, 'clojure lisp scheme racket'],
  [markupLanguage, 'html xml xsl vue svelte astro handlebars razor'],
  [textLanguage, 'markdown plaintext latex tex restructuredtext git-commit scminput'],
];
const languagesById: ReadonlyMap<string, Language> = new Map(
  families.flatMap(([language, idList]) => idList.split(' ').map((id) => [id, language] as const)),
);

/**
 * Returns the language at the cursor. In a script element, a style element or a Markdown code block, returns the
 * embedded language; otherwise, the language of the document.
 */
export function getLanguageAtCursor({ languageId, prefix }: Snapshot): Language {
  const language = getLanguage(languageId);
  if (language.scopeSyntax === 'tags') return findLanguageOfElement(prefix) ?? language;
  return languageId === 'markdown' ? (findLanguageOfFence(prefix) ?? language) : language;
}

function findLanguageOfElement(prefix: string): Language | undefined {
  if (isInsideElement(prefix, 'script')) return getLanguage('typescript');
  return isInsideElement(prefix, 'style') ? getLanguage('css') : undefined;
}

function isInsideElement(prefix: string, elementName: string): boolean {
  const start = prefix.lastIndexOf(`<${elementName}`);
  return start > prefix.lastIndexOf(`</${elementName}`) && prefix.includes('>', start);
}

function findLanguageOfFence(prefix: string): Language | undefined {
  let word: string | undefined;
  for (const { groups } of prefix.matchAll(/^ {0,3}(?:```|~~~)[`~]*(?<word>[^\n`]*)\n/gmu))
    word = word === undefined ? (groups?.['word'] ?? '').trim() : undefined;
  return word === undefined ? undefined : getLanguage(languageIdByFence.get(word) ?? word);
}

/**
 * VS Code language ids by the language name that follows the backticks of a code fence. Contains only names that differ
 * from the id.
 */
const languageIdByFence = new Map(
  Object.entries({
    ts: 'typescript',
    js: 'javascript',
    tsx: 'typescriptreact',
    jsx: 'javascriptreact',
    py: 'python',
    rb: 'ruby',
    rs: 'rust',
    yml: 'yaml',
    sh: 'shellscript',
    bash: 'shellscript',
    shell: 'shellscript',
    zsh: 'shellscript',
    md: 'markdown',
    text: 'plaintext',
    txt: 'plaintext',
    '': 'plaintext',
  }),
);

/** Scans markup or code character by character and detects open elements. Takes constant time per character. */
export class TagScanner {
  readonly #isCode: boolean;
  /** Names of the open elements, outermost first. */
  readonly openTags: string[] = [];
  /** Number of closing tags without an opening tag. */
  unmatchedClosingCount = 0;
  #tagText = '';
  #isTag = false;
  /** True if the text may be code such as `List<T>` or `a<b` instead of a tag. */
  #mayBeCode = false;
  #quote = '';
  #lastCharacter = '\n';

  /** @param isCode true if the text may contain code such as `a < b` and `List<T>` */
  constructor(isCode: boolean) {
    this.#isCode = isCode;
  }

  push(character: string): void {
    const previousCharacter = this.#lastCharacter;
    this.#lastCharacter = character;
    if (!this.#isTag) {
      if (character !== '<') return;
      [this.#isTag, this.#tagText, this.#quote] = [true, '', ''];
      this.#mayBeCode = this.#isCode && /[\w)\].$]/u.test(previousCharacter);
      return;
    }
    if (this.#quote !== '') {
      if (character === this.#quote) this.#quote = '';
      return;
    }
    if (character === '>' && previousCharacter !== '=') return this.#closeTag();
    if ((character === '"' || character === "'") && previousCharacter === '=')
      this.#quote = character;
    else if (this.#tagText.length < maxTagLength) this.#tagText += character;
    const tagStartPattern = this.#mayBeCode ? /^\//u : /^[A-Za-z/!?]/u;
    if (this.#tagText.length === 1 && !tagStartPattern.test(this.#tagText)) this.#isTag = false;
    // A truncated tag keeps its trailing slash, which marks a self-closing tag.
    else if (character === '/' && !this.#tagText.endsWith('/'))
      this.#tagText = `${this.#tagText.slice(0, -1)}/`;
  }

  #closeTag(): void {
    this.#isTag = false;
    const tagText = this.#tagText;
    const name = /^\/?(?<name>[\w:.-]*)/u.exec(tagText)?.groups?.['name'] ?? '';
    if (tagText.startsWith('/')) return this.#closeElement(name);
    if (/^[!?]/u.test(tagText) || tagText.endsWith('/') || voidElements.has(name.toLowerCase()))
      return;
    this.openTags.push(name);
  }

  #closeElement(name: string): void {
    const index = this.openTags.lastIndexOf(name);
    if (index >= 0) this.openTags.length = index;
    else this.unmatchedClosingCount += 1;
  }
}

const maxTagLength = 200;

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
