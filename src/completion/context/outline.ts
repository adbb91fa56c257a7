/** Line patterns that detect the declarations that other files can use. */
export interface OutlineSyntax {
  readonly languages: readonly string[];
  /** Matches the first line of a top-level declaration. */
  readonly declarationPattern: RegExp;
  /** Matches the first line of a declaration with members, such as a class. */
  readonly containerPattern: RegExp;
  /**
   * Matches the first line of a type declaration without code, such as an interface. The outline includes its whole
   * text.
   */
  readonly typePattern: RegExp;
  /** Matches the first line of a member, such as a method. */
  readonly memberPattern: RegExp;
  /** Matches the first line of a private declaration. The outline omits private declarations. */
  readonly privatePattern: RegExp;
  /** Matches the start of the body in the first line of a declaration. The outline omits the body. */
  readonly bodyPattern: RegExp;
}

/** Returns the outline syntax for a VS Code language id; `undefined` for unsupported languages. */
export const getOutlineSyntax = (languageId: string): OutlineSyntax | undefined =>
  outlineSyntaxes.find(({ languages }) => languages.includes(languageId));

const neverMatchesPattern = /^(?!)/u;
const bodyStartPattern = /\s*(?:=>\s*)?\{[^{}]*$/u;

const outlineSyntaxes: readonly OutlineSyntax[] = [
  {
    languages: ['typescript', 'javascript', 'typescriptreact', 'javascriptreact'],
    declarationPattern:
      /^\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function|class|interface|type|enum|const|let|var)\b/u,
    containerPattern: /\b(?:class|interface|enum|type)\s+[\w$]/u,
    typePattern: /\b(?:interface|enum|type)\s+[\w$]/u,
    memberPattern:
      /^\s*(?:(?:public|static|readonly|abstract|override|async|declare|get|set)\s+)*\*?(?!(?:if|for|while|switch|return|catch|super|throw|await)\b)[\w$]+\??\s*(?:[(<:=;]|$)/u,
    privatePattern: /^\s*(?:private|protected|#|_)/u,
    bodyPattern: bodyStartPattern,
  },
  {
    languages: ['python'],
    declarationPattern: /^(?:async\s+def|def|class)\s+\w|^[A-Za-z]\w*\s*(?::[^=]+)?=(?!=)/u,
    containerPattern: /^\s*class\s/u,
    typePattern: neverMatchesPattern,
    memberPattern: /^\s*(?:(?:async\s+)?def\s+\w|[A-Za-z]\w*\s*:)/u,
    privatePattern: /^\s*(?:(?:async\s+)?(?:def|class)\s+_(?!_init__\b)|_)/u,
    bodyPattern: /:\s*(?:#.*)?$/u,
  },
  {
    languages: ['go'],
    declarationPattern: /^(?:func\s+(?:\([^)]*\)\s*)?[A-Z]|(?:type|var|const)\s+[A-Z])/u,
    containerPattern: /^type\s+\w+(?:\[[^\]]*\])?\s+(?:struct|interface)\b/u,
    typePattern: /^type\s/u,
    memberPattern: /^\s*[A-Z]/u,
    privatePattern: /^\s+[a-z_]/u,
    bodyPattern: bodyStartPattern,
  },
  {
    languages: ['rust'],
    declarationPattern:
      /^\s*(?:pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+"\w*"\s+)*(?:fn|struct|enum|trait|type|const|static|union)\b|impl\b)/u,
    containerPattern: /^\s*(?:impl\b|pub\s+(?:unsafe\s+)?(?:trait|struct|enum|union)\b)/u,
    typePattern: /^\s*pub\s+(?:struct|enum|union)\b/u,
    memberPattern: /^\s*(?:pub\s|(?:async\s+|unsafe\s+|const\s+)*fn\s|type\s)/u,
    privatePattern: /^\s*pub\(self\)/u,
    bodyPattern: bodyStartPattern,
  },
  {
    languages: ['java', 'csharp', 'kotlin', 'scala', 'swift', 'php', 'dart', 'groovy'],
    declarationPattern:
      /^\s*(?:(?:public|open|export|abstract|final|sealed|static|partial|data|internal|case)\s+)*(?:class|interface|enum|record|struct|trait|object|protocol|extension|fun|func|function|def|typealias)\s+\w/u,
    containerPattern:
      /\b(?:class|interface|enum|record|struct|trait|object|protocol|extension)\s+\w/u,
    typePattern: /\b(?:interface|enum|protocol)\s+\w/u,
    memberPattern:
      /^\s*(?:(?:public|open|abstract|final|static|override|virtual|async|const|readonly|mutating|suspend|synchronized)\s+)*(?!(?:if|for|foreach|while|switch|return|catch|throw|else|try|new|await|yield|using)\b)(?:(?:fun|func|function|def|val|var|let|get|set)\s+)?[\w<>[\],.?\s]*\w\s*(?:\(|;|=|:|\{)/u,
    privatePattern: /^\s*(?:private|protected|fileprivate|internal|@)/u,
    bodyPattern: bodyStartPattern,
  },
  {
    languages: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
    declarationPattern:
      /^(?:#\s*define\s+\w|(?:template\s*<|typedef|struct|class|enum|union|extern|using)\b|[A-Za-z_][\w:<>,&*\s]*[\s*&]\w+\s*\()/u,
    containerPattern: /^(?:typedef\s+)?(?:struct|class|enum|union)\b[^;]*$/u,
    typePattern: /^(?:typedef\s+)?(?:struct|enum|union)\b/u,
    memberPattern: /^\s*(?:[\w:~<>,&*\s]+\(|using\s)/u,
    privatePattern: /^\s*(?:static\s|return\b)/u,
    bodyPattern: bodyStartPattern,
  },
  {
    languages: ['ruby'],
    declarationPattern: /^\s*(?:class|module|def)\s+\w/u,
    containerPattern: /^\s*(?:class|module)\s/u,
    typePattern: neverMatchesPattern,
    memberPattern: /^\s*(?:def\s+\w|attr_\w+\s|scope\s)/u,
    privatePattern: /^\s*def\s+_/u,
    bodyPattern: /^(?!)/u,
  },
];

/**
 * Yields the lines of a text without line ends. Replaces lines longer than `maxLength` with empty lines. Reads at most
 * `maxCharacters` characters.
 */
export function* readSourceLines(
  text: string,
  maxCharacters: number,
  maxLength = 400,
): Generator<string> {
  const end = Math.min(text.length, maxCharacters);
  for (let index = 0; index <= end;) {
    const lineFeedIndex = text.indexOf('\n', index);
    const lineEnd = lineFeedIndex < 0 || lineFeedIndex > end ? end : lineFeedIndex;
    const line = lineEnd - index > maxLength ? '' : text.slice(index, lineEnd);
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    index = lineEnd + 1;
  }
}

/**
 * Limits of an outline. `characters`: maximum number of characters to read from the file. `lines` and `lineLength`:
 * maximum number of lines, and of characters per line.
 */
export const outlineLimits = { characters: 100_000, lines: 60, lineLength: 200 } as const;

/**
 * Returns the outline of a file: signatures of exported functions, classes and members, and complete types. Returns an
 * empty text for a file without declarations and for an unsupported language. Does not parse the code, so unusual
 * formatting can cause errors. Takes linear time.
 */
export function createOutline(languageId: string, text: string): string {
  const syntax = getOutlineSyntax(languageId);
  if (syntax === undefined) return '';
  const outline = new Outline(syntax);
  const { characters, lineLength } = outlineLimits;
  for (const line of readSourceLines(text, characters, lineLength)) {
    outline.addLine(line);
    if (outline.isFull) break;
  }
  return outline.text;
}

/** Class or similar declaration whose members {@link createOutline} currently reads. */
interface Container {
  readonly indent: number;
  readonly isType: boolean;
  /**
   * Indentation of the members in characters. Lines with more indentation belong to the bodies of
   * members.
   */
  memberIndent?: number;
  /** True after a `private:` label. */
  isPrivate: boolean;
}

/** Signature that continues on the next line. */
interface OpenSignature {
  text: string;
  depth: number;
  lineCount: number;
}

class Outline {
  readonly #syntax: OutlineSyntax;
  readonly #lines: string[] = [];
  #container: Container | undefined;
  #openSignature: OpenSignature | undefined;

  constructor(syntax: OutlineSyntax) {
    this.#syntax = syntax;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  get isFull(): boolean {
    return this.#lines.length >= outlineLimits.lines;
  }

  addLine(line: string): void {
    if (this.#openSignature !== undefined)
      return this.#continueSignature(this.#openSignature, line);
    if (line.trim() === '' || line.trim() === '{' || commentPattern.test(line)) return;
    const container = this.#findContainer(line);
    if (container === undefined) this.#addTopLevelDeclaration(line);
    else this.#addMember(line, container);
  }

  /**
   * Returns the current container if a line belongs to the container. Otherwise closes the container and returns
   * undefined.
   */
  #findContainer(line: string): Container | undefined {
    const container = this.#container;
    if (
      container === undefined ||
      measureIndent(line) > container.indent ||
      accessLabelPattern.test(line)
    ) {
      return container;
    }
    this.#container = undefined;
    if (closingBracePattern.test(line)) this.#addLine(line);
    return undefined;
  }

  #addTopLevelDeclaration(line: string): void {
    const { declarationPattern, containerPattern, typePattern, privatePattern } = this.#syntax;
    if (privatePattern.test(line) || !declarationPattern.test(line)) return;
    if (!containerPattern.test(line)) return this.#startSignature(line);
    this.#addLine(line);
    // A container that ends on the same line has no further members.
    if (/\}\s*;?\s*$/u.test(line)) return;
    this.#container = {
      indent: measureIndent(line),
      isType: typePattern.test(line),
      isPrivate: false,
    };
  }

  #addMember(line: string, container: Container): void {
    const access = accessLabelPattern.exec(line)?.groups?.['access'];
    if (access !== undefined) container.isPrivate = access !== 'public';
    if (access !== undefined || container.isPrivate || this.#syntax.privatePattern.test(line))
      return;
    if (container.isType) return this.#addLine(line);
    container.memberIndent ??= measureIndent(line);
    if (measureIndent(line) === container.memberIndent && this.#syntax.memberPattern.test(line)) {
      this.#startSignature(line);
    }
  }

  #startSignature(line: string): void {
    const depth = countOpenBrackets(line);
    if (depth > 0) this.#openSignature = { text: line, depth, lineCount: 1 };
    else this.#addLine(line.replace(this.#syntax.bodyPattern, ''));
  }

  #continueSignature(signature: OpenSignature, line: string): void {
    signature.depth += countOpenBrackets(line);
    signature.lineCount += 1;
    signature.text = `${signature.text}${/[([]$/u.test(signature.text) ? '' : ' '}${line.trim()}`;
    if (signature.depth > 0 && signature.lineCount < maxSignatureLines) return;
    this.#openSignature = undefined;
    this.#addLine(signature.text.replace(this.#syntax.bodyPattern, ''));
  }

  #addLine(line: string): void {
    this.#lines.push(line.trimEnd().slice(0, outlineLimits.lineLength));
  }
}

const maxSignatureLines = 12;

const commentPattern = /^\s*(?:\/\/|\/\*|\*|#(?!\s*define)|--|"""|''')/u;
const closingBracePattern = /^\s*\}/u;
/** Matches an access label such as `private:`. The label has the same indentation as its class. */
const accessLabelPattern = /^\s*(?<access>public|protected|private)\s*:\s*$/u;

function countOpenBrackets(line: string): number {
  let depth = 0;
  for (const character of line) {
    if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
  }
  return depth;
}

/** Limits of the text that {@link readDeclaration} returns: lines, characters in total, and characters per line. */
const declarationTextLimits = { lines: 14, characters: 1_000, lineCharacters: 200 } as const;

/**
 * Returns the text of the declaration that starts at the 0-based line `start`, up to its closing line. Truncates the
 * text to {@link declarationTextLimits}. Empty for a blank line.
 */
export function readDeclaration(sourceLines: readonly string[], start: number): string {
  const firstLine = sourceLines[start];
  if (firstLine === undefined || firstLine.trim() === '') return '';
  const depth = measureIndent(firstLine);
  const lines = [firstLine];
  for (
    let index = start + 1;
    index < sourceLines.length && lines.length < declarationTextLimits.lines;
    index += 1
  ) {
    const line = sourceLines[index] ?? '';
    if (line.trim() !== '' && measureIndent(line) <= depth) {
      if (isClosingLine(line)) lines.push(line);
      // The opening brace may be on a separate line.
      else if (lines.length === 1 && line.trim() === '{') {
        lines.push(line);
        continue;
      }
      break;
    }
    lines.push(line);
  }
  return lines
    .map((line) => line.slice(depth, depth + declarationTextLimits.lineCharacters))
    .join('\n')
    .slice(0, declarationTextLimits.characters)
    .trimEnd();
}

const measureIndent = (line: string): number => line.length - line.trimStart().length;

const isClosingLine = (line: string): boolean => /^\s{0,200}(?:[)\]}]|end\b)/u.test(line);
