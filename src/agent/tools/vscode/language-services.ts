import * as vscode from 'vscode';
import type { ToolContext } from '../../tool.ts';
import type { ReadTools } from './ports.ts';
import { type Clock, wait } from '../../../base/clock.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { findOpenDocument } from '../../../workspace/vscode/documents.ts';

/**
 * Maximum time in milliseconds to wait for a result from a language service. Some services start only with the first
 * request.
 */
export const answerTimeoutMs = 15_000;

/**
 * Waits for an operation, but not longer than a time limit.
 * @throws ToolError `failed` after the time limit, or `stopped` when the signal fires
 * @throws the error of the operation if the operation fails
 */
export function withTimeout<T>(
  pendingOperation: Thenable<T>,
  {
    clock,
    signal,
    timeoutMs = answerTimeoutMs,
  }: { clock: Clock; signal: AbortSignal; timeoutMs?: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void =>
      complete(() =>
        reject(new ToolError('stopped', 'It was stopped before there was an answer.')),
      );
    const cancel = clock.after(timeoutMs, () =>
      complete(() =>
        reject(
          new ToolError('failed', 'The language service did not answer. Use search_text instead.'),
        ),
      ),
    );
    const complete = (settle: () => void): void => {
      cancel();
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    pendingOperation.then(
      (value) => complete(() => resolve(value)),
      (error: unknown) =>
        complete(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

/** Milliseconds that a language service may need to start after the first file of its language was opened. */
const warmUpMs = 4_000;
const pollIntervalMs = 250;

/**
 * Requests results from the language services of installed extensions. Results are empty for a language without a
 * service.
 */
export class LanguageServices {
  readonly #tools: ReadTools;
  readonly #signal: AbortSignal;

  constructor(tools: ReadTools, { signal }: Pick<ToolContext, 'signal'>) {
    this.#tools = tools;
    this.#signal = signal;
  }

  /**
   * Opens a document without showing it, because language services support only open documents.
   * @throws ToolError for a missing or binary file
   */
  async open({ uri, label }: ResolvedPath): Promise<OpenedDocument> {
    const existingDocument = findOpenDocument(uri.toString());
    if (existingDocument !== undefined) return { document: existingDocument, isNew: false };
    try {
      const document = await this.#withTimeout(vscode.workspace.openTextDocument(uri));
      // Does not wait for plain text, because no language service starts for plain text.
      return { document, isNew: document.languageId !== 'plaintext' };
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError('not-found', `${label} is not there, or is no text file.`);
    }
  }

  /**
   * Executes a VS Code command that returns a list. If the document was just opened, repeats the command for a few
   * seconds while the list is empty, because the language service may still be starting.
   */
  async execute<T>(
    { isNew }: Pick<OpenedDocument, 'isNew'>,
    command: string,
    ...args: readonly unknown[]
  ): Promise<readonly T[]> {
    const { clock } = this.#tools;
    const deadline = clock.now() + (isNew ? warmUpMs : 0);
    for (;;) {
      const answer = await this.#withTimeout(vscode.commands.executeCommand(command, ...args));
      if (Array.isArray(answer) && answer.length > 0) return answer as T[];
      if (clock.now() >= deadline) return [];
      await this.#withTimeout(wait(pollIntervalMs, { clock, signal: this.#signal }));
    }
  }

  #withTimeout<T>(answer: Thenable<T>): Promise<T> {
    return withTimeout(answer, { clock: this.#tools.clock, signal: this.#signal });
  }
}

export interface OpenedDocument {
  readonly document: vscode.TextDocument;
  /** True if the tool just opened the document. The language service may then still be starting. */
  readonly isNew: boolean;
}
