import * as vscode from 'vscode';
import { findNewProblems, formatNewProblems, type Problem } from '../new-problems.ts';
import type { Clock } from '../../../base/clock.ts';
import { findOpenDocument } from '../../../workspace/vscode/documents.ts';

/** Maximum time in milliseconds to wait until a language service reports the errors of a file. */
const problemsTimeoutMs = 1_500;
/**
 * Time in milliseconds without a new report from a language service, after which the reported errors count as complete.
 */
const quietPeriodMs = 300;

/** Observes the errors that language services report in a file while a tool changes it. */
export class EditProblems {
  readonly #uri: vscode.Uri;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #subscription: vscode.Disposable;
  #problemsBefore: readonly Problem[];
  #changedAt: number | undefined;
  #onChange = (): void => {};

  constructor(uri: vscode.Uri, { clock, signal }: { clock: Clock; signal: AbortSignal }) {
    this.#uri = uri;
    this.#clock = clock;
    this.#signal = signal;
    this.#problemsBefore = readErrors(uri);
    this.#subscription = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changedUri) => changedUri.toString() === uri.toString())) return;
      this.#changedAt = clock.now();
      this.#onChange();
    });
  }

  /**
   * Waits before an edit until the language service has reported the errors of a newly opened file.
   * @param openedAt Time in milliseconds at which the file was opened.
   */
  async waitForFirstProblems(openedAt: number): Promise<void> {
    if (this.#problemsBefore.length === 0)
      await this.#waitForProblems(openedAt + problemsTimeoutMs);
    this.#problemsBefore = readErrors(this.#uri);
    this.#changedAt = undefined;
  }

  /**
   * Waits until the errors of the changed file are complete, or the time limit has passed. Returns a text for the model
   * about the new errors; empty if none exist.
   */
  async describeNewProblems(label: string, textBefore: string): Promise<string> {
    await this.#waitForProblems(this.#clock.now() + problemsTimeoutMs);
    const document = findOpenDocument(this.#uri.toString());
    if (document === undefined) return '';
    return formatNewProblems(
      label,
      findNewProblems(
        { text: textBefore, problems: this.#problemsBefore },
        { text: document.getText(), problems: readErrors(this.#uri) },
      ),
    );
  }

  /** Describes all errors of a new file for the model, in the format of {@link describeNewProblems}. */
  async describeAllProblems(label: string): Promise<string> {
    this.#problemsBefore = [];
    return this.describeNewProblems(label, '');
  }

  /** Waits until the reported errors no longer change, the deadline has passed, or the user stops the turn. */
  async #waitForProblems(deadline: number): Promise<void> {
    const document = findOpenDocument(this.#uri.toString());
    if (document === undefined || !hasLanguageService(document)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    let cancel = (): void => {};
    const scheduleEnd = (): void => {
      cancel();
      const settledAt = this.#changedAt === undefined ? deadline : this.#changedAt + quietPeriodMs;
      const waitMs = Math.min(settledAt, deadline) - this.#clock.now();
      cancel = this.#clock.after(Math.max(0, waitMs), resolve);
    };
    const stop = (): void => resolve();
    this.#onChange = scheduleEnd;
    this.#signal.addEventListener('abort', stop, { once: true });
    scheduleEnd();
    if (this.#signal.aborted) stop();
    await promise;
    cancel();
    this.#onChange = () => {};
    this.#signal.removeEventListener('abort', stop);
  }

  [Symbol.dispose](): void {
    this.#subscription.dispose();
  }
}

/**
 * Checks whether a language service may report errors in a document: an extension activates for its language, or files
 * with its extension already have errors.
 */
function hasLanguageService({ uri, languageId }: vscode.TextDocument): boolean {
  const activationEvent = `onLanguage:${languageId}`;
  const startsExtension = vscode.extensions.all.some(({ packageJSON }) => {
    const manifest: { readonly activationEvents?: unknown } = packageJSON ?? {};
    return (
      Array.isArray(manifest.activationEvents) &&
      manifest.activationEvents.includes(activationEvent)
    );
  });
  if (startsExtension) return true;
  const extension = /\.[^./]+$/u.exec(uri.path)?.[0];
  return vscode.languages
    .getDiagnostics()
    .some(([otherUri]) => extension !== undefined && otherUri.path.endsWith(extension));
}

const readErrors = (uri: vscode.Uri): Problem[] =>
  vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error)
    .map(({ range, source, code, message }) => ({
      line: range.start.line,
      character: range.start.character,
      source: source ?? '',
      code: String((typeof code === 'object' ? code.value : code) ?? ''),
      message,
    }));
