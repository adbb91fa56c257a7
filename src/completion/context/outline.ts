/** What lines of a language declare something that another file can use. */
export interface OutlineSyntax {
  readonly languages: readonly string[];
  /** Begins a declaration; looked for outside of containers. */
  readonly declares: RegExp;
  /** A declaration with members. */
  readonly contains: RegExp;
  /** One whose body is all members, as with the fields of a type: it is given whole. */
  readonly isType: RegExp;
  /** A line in another container that is the head of a member. */
  readonly member: RegExp;
  /** What other files cannot use, at any depth. */
  readonly hidden: RegExp;
  /** Where a head ends and its body begins. */
  readonly body: RegExp;
}

/** By the editor's id; `undefined` for a language of which nothing is known. */
export const outlineSyntaxOf = (languageId: string): OutlineSyntax | undefined =>
  syntaxes.find(({ languages }) => languages.includes(languageId));

const never = /^(?!)/u;
const brace = /\s*(?:=>\s*)?\{[^{}]*$/u;

const syntaxes: readonly OutlineSyntax[] = [
  {
    languages: ['typescript', 'javascript', 'typescriptreact', 'javascriptreact'],
    declares:
      /^\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|type|enum|const|let|var)\b/u,
    contains: /\b(?:class|interface|enum|type)\s+[\w$]/u,
    isType: /\b(?:interface|enum|type)\s+[\w$]/u,
    member:
      /^\s*(?:(?:public|static|readonly|abstract|override|async|declare|get|set)\s+)*\*?(?!(?:if|for|while|switch|return|catch|super|throw|await)\b)[\w$]+\??\s*(?:[(<:=;]|$)/u,
    hidden: /^\s*(?:private|protected|#|_)/u,
    body: brace,
  },
  {
    languages: ['python'],
    declares: /^(?:async\s+def|def|class)\s+\w|^[A-Za-z]\w*\s*(?::[^=]+)?=(?!=)/u,
    contains: /^\s*class\s/u,
    isType: never,
    member: /^\s*(?:(?:async\s+)?def\s+\w|[A-Za-z]\w*\s*:)/u,
    hidden: /^\s*(?:(?:async\s+)?(?:def|class)\s+_(?!_init__\b)|_)/u,
    body: /:\s*(?:#.*)?$/u,
  },
  {
    languages: ['go'],
    declares: /^(?:func\s+(?:\([^)]*\)\s*)?[A-Z]|(?:type|var|const)\s+[A-Z])/u,
    contains: /^type\s+\w+(?:\[[^\]]*\])?\s+(?:struct|interface)\b/u,
    isType: /^type\s/u,
    member: /^\s*[A-Z]/u,
    hidden: /^\s+[a-z_]/u,
    body: brace,
  },
  {
    languages: ['rust'],
    declares:
      /^\s*(?:pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+"\w*"\s+)*(?:fn|struct|enum|trait|type|const|static|union)\b|impl\b)/u,
    contains: /^\s*(?:impl\b|pub\s+(?:unsafe\s+)?(?:trait|struct|enum|union)\b)/u,
    isType: /^\s*pub\s+(?:struct|enum|union)\b/u,
    member: /^\s*(?:pub\s|(?:async\s+|unsafe\s+|const\s+)*fn\s|type\s)/u,
    hidden: /^\s*pub\(self\)/u,
    body: brace,
  },
  {
    languages: ['java', 'csharp', 'kotlin', 'scala', 'swift', 'php', 'dart', 'groovy'],
    declares:
      /^\s*(?:(?:public|open|export|abstract|final|sealed|static|partial|data|internal|case)\s+)*(?:class|interface|enum|record|struct|trait|object|protocol|extension|fun|func|function|def|typealias)\s+\w/u,
    contains: /\b(?:class|interface|enum|record|struct|trait|object|protocol|extension)\s+\w/u,
    isType: /\b(?:interface|enum|protocol)\s+\w/u,
    member:
      /^\s*(?:(?:public|open|abstract|final|static|override|virtual|async|const|readonly|mutating|suspend|synchronized)\s+)*(?!(?:if|for|foreach|while|switch|return|catch|throw|else|try|new|await|yield|using)\b)(?:(?:fun|func|function|def|val|var|let|get|set)\s+)?[\w<>[\],.?\s]*\w\s*(?:\(|;|=|:|\{)/u,
    hidden: /^\s*(?:private|protected|fileprivate|internal|@)/u,
    body: brace,
  },
  {
    languages: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
    declares:
      /^(?:#\s*define\s+\w|(?:template\s*<|typedef|struct|class|enum|union|extern|using)\b|[A-Za-z_][\w:<>,&*\s]*[\s*&]\w+\s*\()/u,
    contains: /^(?:typedef\s+)?(?:struct|class|enum|union)\b[^;]*$/u,
    isType: /^(?:typedef\s+)?(?:struct|enum|union)\b/u,
    member: /^\s*(?:[\w:~<>,&*\s]+\(|using\s)/u,
    hidden: /^\s*(?:static\s|return\b)/u,
    body: brace,
  },
  {
    languages: ['ruby'],
    declares: /^\s*(?:class|module|def)\s+\w/u,
    contains: /^\s*(?:class|module)\s/u,
    isType: never,
    member: /^\s*(?:def\s+\w|attr_\w+\s|scope\s)/u,
    hidden: /^\s*def\s+_/u,
    body: /^(?!)/u,
  },
];

/**
 * The lines of a text in order, without their ends; longer ones than `longest` are left out as empty, since they are
 * data and not code. Reads no more than `most` characters.
 */
export function* sourceLines(text: string, most: number, longest = 400): Generator<string> {
  const end = Math.min(text.length, most);
  for (let at = 0; at <= end;) {
    const feed = text.indexOf('\n', at);
    const stop = feed < 0 || feed > end ? end : feed;
    const line = stop - at > longest ? '' : text.slice(at, stop);
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    at = stop + 1;
  }
}

/** What is read of a text, and what is given of it at most. */
export const outlineLimits = { characters: 100_000, lines: 60, lineLength: 200 } as const;

/**
 * What a file offers to others in a few lines: heads of its exported functions and classes with their members, and its
 * types whole. Empty when there is nothing, or the language is not known. Goes by indentation and one look at each
 * line, so it is wrong where a text is not laid out as usual. Linear in the text.
 */
export function createOutline(languageId: string, text: string): string {
  const syntax = outlineSyntaxOf(languageId);
  if (syntax === undefined) return '';
  const outline = new Outline(syntax);
  const { characters, lineLength } = outlineLimits;
  for (const line of sourceLines(text, characters, lineLength)) {
    outline.take(line);
    if (outline.isFull) break;
  }
  return outline.text;
}

/** A declaration whose members are being read. */
interface Container {
  readonly indent: number;
  readonly isType: boolean;
  /** Of its first member; what is deeper is a member's body. */
  memberIndent?: number;
  /** Behind a label that makes what follows private. */
  isPrivate: boolean;
}

/** A head whose brackets are not closed yet. */
interface OpenHead {
  text: string;
  depth: number;
  lines: number;
}

class Outline {
  readonly #syntax: OutlineSyntax;
  readonly #kept: string[] = [];
  #container: Container | undefined;
  #open: OpenHead | undefined;

  constructor(syntax: OutlineSyntax) {
    this.#syntax = syntax;
  }

  get text(): string {
    return this.#kept.join('\n');
  }

  get isFull(): boolean {
    return this.#kept.length >= outlineLimits.lines;
  }

  take(line: string): void {
    if (this.#open !== undefined) return this.#goOn(this.#open, line);
    if (line.trim() === '' || line.trim() === '{' || comment.test(line)) return;
    const container = this.#containerOf(line);
    if (container === undefined) this.#takeOutside(line);
    else this.#takeInside(line, container);
  }

  /** The container that the line is in; closes the one it is not. */
  #containerOf(line: string): Container | undefined {
    const container = this.#container;
    if (container === undefined || indentWidth(line) > container.indent || label.test(line)) {
      return container;
    }
    this.#container = undefined;
    if (closer.test(line)) this.#keep(line);
    return undefined;
  }

  #takeOutside(line: string): void {
    const { declares, contains, isType, hidden } = this.#syntax;
    if (hidden.test(line) || !declares.test(line)) return;
    if (!contains.test(line)) return this.#begin(line);
    this.#keep(line);
    // One that is closed on its own line has no members that are still to come.
    if (/\}\s*;?\s*$/u.test(line)) return;
    this.#container = { indent: indentWidth(line), isType: isType.test(line), isPrivate: false };
  }

  #takeInside(line: string, container: Container): void {
    const access = label.exec(line)?.groups?.['access'];
    if (access !== undefined) container.isPrivate = access !== 'public';
    if (access !== undefined || container.isPrivate || this.#syntax.hidden.test(line)) return;
    if (container.isType) return this.#keep(line);
    container.memberIndent ??= indentWidth(line);
    if (indentWidth(line) === container.memberIndent && this.#syntax.member.test(line)) {
      this.#begin(line);
    }
  }

  #begin(line: string): void {
    const depth = bracketDepth(line);
    if (depth > 0) this.#open = { text: line, depth, lines: 1 };
    else this.#keep(line.replace(this.#syntax.body, ''));
  }

  #goOn(open: OpenHead, line: string): void {
    open.depth += bracketDepth(line);
    open.lines += 1;
    open.text = `${open.text}${/[([]$/u.test(open.text) ? '' : ' '}${line.trim()}`;
    if (open.depth > 0 && open.lines < longestHead) return;
    this.#open = undefined;
    this.#keep(open.text.replace(this.#syntax.body, ''));
  }

  #keep(line: string): void {
    this.#kept.push(line.trimEnd().slice(0, outlineLimits.lineLength));
  }
}

/** In lines. */
const longestHead = 12;

const comment = /^\s*(?:\/\/|\/\*|\*|#(?!\s*define)|--|"""|''')/u;
const closer = /^\s*\}/u;
/** `private:` and its like, which stand as far left as the class itself. */
const label = /^\s*(?<access>public|protected|private)\s*:\s*$/u;

function bracketDepth(line: string): number {
  let depth = 0;
  for (const character of line) {
    if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
  }
  return depth;
}

/** What a declaration shows of itself, at most. */
const limits = { lines: 14, characters: 1_000, lineCharacters: 200 } as const;

/**
 * The declaration that begins on a line: with what is indented more below it and the line that closes it, cut after
 * some lines. Empty where there is none.
 */
export function declarationText(lines: readonly string[], start: number): string {
  const first = lines[start];
  if (first === undefined || first.trim() === '') return '';
  const depth = indentWidth(first);
  const taken = [first];
  for (let at = start + 1; at < lines.length && taken.length < limits.lines; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && indentWidth(line) <= depth) {
      if (isClosing(line)) taken.push(line);
      // An opening brace on a line of its own.
      else if (taken.length === 1 && line.trim() === '{') {
        taken.push(line);
        continue;
      }
      break;
    }
    taken.push(line);
  }
  return taken
    .map((line) => line.slice(depth, depth + limits.lineCharacters))
    .join('\n')
    .slice(0, limits.characters)
    .trimEnd();
}

const indentWidth = (line: string): number => line.length - line.trimStart().length;

const isClosing = (line: string): boolean => /^\s{0,200}(?:[)\]}]|end\b)/u.test(line);
