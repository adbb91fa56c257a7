import { snapshotLimits, type Snapshot } from '../../../src/completion/snapshot.ts';
import { findClosingText, shouldIndentNext, opensBlock } from './auto-close.ts';
import type { Trace } from './trace.ts';

/** Model of VS Code's editor for one document: auto-closing, typing over closing text, and indentation on Enter. */
export class ModelEditor {
  readonly #trace: Trace;
  #before: string;
  #after: string;
  /** Number of characters directly after the cursor that the editor inserted as closing text. */
  #closingTextLength = 0;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#before = trace.textBefore;
    this.#after = trace.textAfter;
  }

  get textBefore(): string {
    return this.#before;
  }

  get textAfter(): string {
    return this.#after;
  }

  /** Closing text directly after the cursor that the editor inserted and the user has not typed over. */
  get closingText(): string {
    return this.#after.slice(0, this.#closingTextLength);
  }

  type(char: string): void {
    if (char === '\n') this.#pressEnter();
    else if (this.#isTypedOver(char)) this.moveCursorForward(1);
    else this.#insertChar(char);
  }

  /** Inserts one indentation step at the start of a line, as the Tab key does. */
  insertIndentation(): void {
    this.#before += this.#trace.indentUnit;
  }

  /**
   * Deletes the character before the cursor, or an indentation step at the start of a line, as the Backspace key does.
   */
  pressBackspace(): void {
    const line = this.#getLine();
    const { indentUnit } = this.#trace;
    const isIndentStep = line !== '' && line.trim() === '' && line.endsWith(indentUnit);
    const closingText = findClosingText(this.#before.at(-1) ?? '', {
      ...this.#getSurroundings(),
      before: this.#before.slice(0, -1),
    });
    // Backspace inside an empty pair deletes both characters.
    if (closingText.length === 1 && this.closingText.startsWith(closingText))
      this.deleteNextCharacter();
    this.#before = this.#before.slice(0, isIndentStep ? -indentUnit.length : -1);
  }

  /** Deletes the character after the cursor. */
  deleteNextCharacter(): void {
    this.#after = this.#after.slice(1);
    this.#closingTextLength = Math.max(0, this.#closingTextLength - 1);
  }

  /**
   * Inserts text without auto-closing, as a paste does. The text also replaces `replaceLength` characters after
   * the cursor.
   */
  insertText(text: string, replaceLength = 0): void {
    this.#before += text;
    this.#after = this.#after.slice(replaceLength);
    this.#closingTextLength = Math.max(0, this.#closingTextLength - replaceLength);
  }

  /** Deletes the `count` characters before the cursor in one step. */
  deletePreviousCharacters(count: number): void {
    this.#before = this.#before.slice(0, this.#before.length - count);
  }

  /** Moves the cursor forward over `count` characters. */
  moveCursorForward(count: number): void {
    this.#before += this.#after.slice(0, count);
    this.#after = this.#after.slice(count);
    this.#closingTextLength = Math.max(0, this.#closingTextLength - count);
  }

  /**
   * Moves the cursor after the first occurrence of `text`.
   * @throws if the document does not contain `text`
   */
  moveCursorAfter(text: string): void {
    const document = this.#before + this.#after;
    const index = document.indexOf(text);
    if (index < 0) throw new Error(`${this.#trace.name}: nothing reads ${JSON.stringify(text)}.`);
    this.#before = document.slice(0, index + text.length);
    this.#after = document.slice(index + text.length);
    this.#closingTextLength = 0;
  }

  createSnapshot(): Snapshot {
    const { name, path, indentUnit } = this.#trace;
    return {
      documentUri: `file:///${path}`,
      languageId: name,
      path,
      position: { line: this.#before.split('\n').length - 1, character: this.#getLine().length },
      prefix: this.#before.slice(-snapshotLimits.prefix),
      suffix: this.#after.slice(0, snapshotLimits.suffix),
      indentUnit,
    };
  }

  #getLine(): string {
    return this.#before.slice(this.#before.lastIndexOf('\n') + 1);
  }

  #getSurroundings(): { language: string; before: string; after: string } {
    return { language: this.#trace.name, before: this.#before, after: this.#after };
  }

  #isTypedOver(char: string): boolean {
    return /[)\]}>'"`]/u.test(char) && this.closingText.startsWith(char);
  }

  #insertChar(char: string): void {
    const closingText = findClosingText(char, this.#getSurroundings());
    const isOnlyIndentation = this.#getLine() !== '' && this.#getLine().trim() === '';
    if (isOnlyIndentation && /[)\]}]/u.test(char)) this.pressBackspace();
    this.#before += char;
    this.#after = closingText + this.#after;
    this.#closingTextLength += closingText.length;
  }

  #pressEnter(): void {
    const line = this.#getLine();
    const indent = /^[ \t]*/u.exec(line)?.[0] ?? '';
    const { name, indentUnit } = this.#trace;
    const isBlockStart = opensBlock(this.#before, this.#after);
    const needsIndent = isBlockStart || shouldIndentNext(this.#before, name);
    // Remove auto-indentation that is not used.
    if (line.trim() === '') this.deletePreviousCharacters(line.length);
    this.#before += `\n${indent}${needsIndent ? indentUnit : ''}`;
    if (!isBlockStart) return;
    this.#after = `\n${indent}${this.#after}`;
    this.#closingTextLength += 1 + indent.length;
  }
}
