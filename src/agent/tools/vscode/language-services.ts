import * as vscode from 'vscode';
import type { ToolContext } from '../../tool.ts';
import type { ReadTools } from './ports.ts';
import { type Clock, wait } from '../../../base/clock.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { openDocument } from '../../../workspace/vscode/documents.ts';

/** What the language services may take, in milliseconds: some start only when they are asked. */
export const answerTimeoutMs = 15_000;

/**
 * The answer of something that knows no limit itself.
 * @throws ToolError `failed` when time is up, `stopped` when the signal fires; the answer is then not waited for.
 */
export function withTimeout<T>(
  work: Thenable<T>,
  {
    clock,
    signal,
    timeoutMs = answerTimeoutMs,
  }: { clock: Clock; signal: AbortSignal; timeoutMs?: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void =>
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
      signal.removeEventListener('abort', stopped);
      settle();
    };
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stopped, { once: true });
    work.then(
      (value) => complete(() => resolve(value)),
      (error: unknown) =>
        complete(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

/** Milliseconds that a language service has to get ready after its first file was opened. */
const warmUpMs = 4_000;
const pollIntervalMs = 250;

/** Asks the language services of the installed extensions. Without one for a language there is no answer. */
export class LanguageServices {
  readonly #tools: ReadTools;
  readonly #signal: AbortSignal;

  constructor(tools: ReadTools, { signal }: Pick<ToolContext, 'signal'>) {
    this.#tools = tools;
    this.#signal = signal;
  }

  /**
   * Opens the file without showing it: services know only open files.
   * @throws ToolError for a file that is no text or is not there.
   */
  async open({ uri, label }: ResolvedPath): Promise<OpenedDocument> {
    const existing = openDocument(uri.toString());
    if (existing !== undefined) return { document: existing, isNew: false };
    try {
      const document = await this.#withTimeout(vscode.workspace.openTextDocument(uri));
      // Nobody gets ready for plain text.
      return { document, isNew: document.languageId !== 'plaintext' };
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError('not-found', `${label} is not there, or is no text file.`);
    }
  }

  /**
   * What a command of the editor answers, as a list. Of a file that was only just opened it asks again for a while,
   * because its service may be starting.
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
  /** It was not open before, and a service may be starting for it. */
  readonly isNew: boolean;
}
