import {
  findChangedLines,
  type DocumentLines,
  type LineSpan,
  type TextChange,
} from './text-lines.ts';

/** Checks whether a line is the first or last line of a PEM or PGP private key. */
export const isPrivateKeyBoundary = (line: string): boolean =>
  line.includes('PRIVATE KEY') &&
  /-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u.test(line);

/** Maximum number of lines that {@link isLikelyEnvironmentFile} examines. */
export const maxEnvironmentLines = 200;

const environmentAssignmentPattern = /^\s{0,8}(?:export\s{1,4})?[A-Z][A-Z0-9_]{2,80}\s{0,4}=/u;
const commentOrBlankPattern = /^\s{0,80}(?:#|;|$)/u;

/**
 * Checks whether the lines of an untitled document look like an environment file, which often contains passwords. More
 * than half of the lines, not counting comments and blank lines, must assign a variable with an uppercase name.
 */
export function isLikelyEnvironmentFile(lines: readonly string[]): boolean {
  const contentLines = lines
    .slice(0, maxEnvironmentLines)
    .filter((line) => !commentOrBlankPattern.test(line));
  const assignmentCount = contentLines.filter((line) =>
    environmentAssignmentPattern.test(line),
  ).length;
  return assignmentCount > 0 && assignmentCount * 2 > contentLines.length;
}

/** Checks whether a text contains a private key. */
export const isSecretText = (text: string): boolean =>
  text.includes('PRIVATE KEY') && isPrivateKeyBoundary(text);

/** Result of a scan. Text with the result `secret` is never sent. */
export type SecretScanResult = 'clean' | 'secret';

/** Document to scan. */
export interface WatchedDocument extends DocumentLines {
  readonly isUntitled: boolean;
  readonly languageId: string;
}

/** Maximum number of changed lines that are scanned immediately. Larger changes are scanned in the background. */
const maxSyncLines = 200;
/**
 * Number of characters that are scanned before the scan yields to the event loop. Each line counts
 * as {@link extraCharactersPerLine} additional characters.
 */
const maxSliceCharacters = 1_000_000;
const extraCharactersPerLine = 500;

/** Scans a document for secrets: first all lines in the background, then only changed lines. */
export class SecretScanner {
  readonly #document: WatchedDocument;
  readonly #onDidChange: () => void;
  #state: SecretScanResult | undefined;
  /** Number of lines at the start of the document that are scanned and clean. */
  #scannedEnd = 0;
  /** Result of the last complete scan, also available while the next scan runs. */
  #lastResult: SecretScanResult | undefined;
  #scanPromise: Promise<SecretScanResult> | undefined;

  /** @param onDidChange called when the result changes from clean to secret or from secret to clean */
  constructor(document: WatchedDocument, onDidChange: () => void) {
    this.#document = document;
    this.#onDidChange = onDidChange;
  }

  /** Current result; undefined while lines must still be scanned. */
  get result(): SecretScanResult | undefined {
    return this.#state;
  }

  /** Scans the remaining lines and returns the result for the whole document. */
  async finishScan(): Promise<SecretScanResult> {
    this.#scanPromise ??= this.#scanRest().finally(() => (this.#scanPromise = undefined));
    return this.#scanPromise;
  }

  /**
   * Updates the result after changes of the document. Scans small changes immediately and larger changes in the
   * background. The result `secret` remains until a background scan is complete.
   */
  applyChanges(changes: readonly TextChange[]): void {
    if (changes.length === 0) return;
    const firstLine = Math.min(...changes.map(({ range }) => range.start.line));
    if (this.#state === 'secret' && firstLine > this.#scannedEnd) return;
    if (this.#state === 'clean') {
      const spans = findChangedLines(changes, maxSyncLines);
      if (spans !== undefined) return this.#scanSpans(spans);
      this.#state = undefined;
    }
    this.#scannedEnd = Math.min(this.#scannedEnd, firstLine);
    void this.finishScan();
  }

  #scanSpans(spans: readonly LineSpan[]): void {
    this.#scannedEnd = this.#document.lineCount;
    for (const { firstLine, lastLine } of spans) {
      const end = Math.min(lastLine + 1, this.#document.lineCount);
      for (let line = firstLine; line < end; line += 1) {
        if (!this.#isPrivateKeyLine(line)) continue;
        this.#scannedEnd = line;
        this.#setResult('secret');
        return;
      }
    }
    if (this.#isEnvironmentFile()) this.#setResult('secret');
  }

  #setResult(result: SecretScanResult): SecretScanResult {
    const previousResult = this.#lastResult;
    this.#state = result;
    this.#lastResult = result;
    if (previousResult !== undefined && previousResult !== result) this.#onDidChange();
    return result;
  }

  async #scanRest(): Promise<SecretScanResult> {
    // Yield first, so that the scan does not delay the processing of a key press.
    await yieldToEventLoop();
    let remainingLength = maxSliceCharacters;
    while (this.#scannedEnd < this.#document.lineCount) {
      if (this.#isPrivateKeyLine(this.#scannedEnd)) return this.#setResult('secret');
      remainingLength -=
        this.#document.lineAt(this.#scannedEnd).text.length + extraCharactersPerLine;
      // Increment before yielding, because a change during the pause may decrease the value.
      this.#scannedEnd += 1;
      if (remainingLength > 0) continue;
      remainingLength = maxSliceCharacters;
      await yieldToEventLoop();
    }
    return this.#setResult(this.#isEnvironmentFile() ? 'secret' : 'clean');
  }

  #isPrivateKeyLine(line: number): boolean {
    return isPrivateKeyBoundary(this.#document.lineAt(line).text);
  }

  #isEnvironmentFile(): boolean {
    const { isUntitled, languageId, lineCount } = this.#document;
    if (languageId === 'dotenv') return true;
    if (!isUntitled) return false;
    const count = Math.min(lineCount, maxEnvironmentLines);
    return isLikelyEnvironmentFile(
      Array.from({ length: count }, (_, line) => this.#document.lineAt(line).text),
    );
  }
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
