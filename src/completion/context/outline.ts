import { type OutlineSyntax, outlineSyntaxOf } from './outline-syntax.ts';
import { sourceLines } from './source-lines.ts';

/** What is read of a text, and what is given of it at most. */
export const outlineLimits = { characters: 100_000, lines: 60, lineLength: 200 } as const;

/**
 * What a file offers to others in a few lines: heads of its exported functions and classes with their members, and its
 * types whole. Empty when there is nothing, or the language is not known. Goes by indentation and one look at each
 * line, so it is wrong where a text is not laid out as usual. Linear in the text.
 */
export function outlineOf(languageId: string, text: string): string {
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
    if (container === undefined || indentOf(line) > container.indent || label.test(line)) {
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
    this.#container = { indent: indentOf(line), isType: isType.test(line), isPrivate: false };
  }

  #takeInside(line: string, container: Container): void {
    const access = label.exec(line)?.groups?.['access'];
    if (access !== undefined) container.isPrivate = access !== 'public';
    if (access !== undefined || container.isPrivate || this.#syntax.hidden.test(line)) return;
    if (container.isType) return this.#keep(line);
    container.memberIndent ??= indentOf(line);
    if (indentOf(line) === container.memberIndent && this.#syntax.member.test(line)) {
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

const indentOf = (line: string): number => line.length - line.trimStart().length;

function bracketDepth(line: string): number {
  let depth = 0;
  for (const character of line) {
    if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
  }
  return depth;
}
