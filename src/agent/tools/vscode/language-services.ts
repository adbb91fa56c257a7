import * as vscode from 'vscode';
import type { ToolContext } from '../../tool.ts';
import type { ReadTools } from './ports.ts';
import { type Clock, wait } from '../../../base/clock.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { openDocument } from '../../../workspace/vscode/documents.ts';

/** What the language services may take, in milliseconds: some start only when they are asked. */
export const longestAnswer = 15_000;

/**
 * The answer of something that knows no limit itself.
 * @throws ToolError `failed` when time is up, `stopped` when the signal fires; the answer is then not waited for.
 */
export function withinTime<T>(
  answer: Thenable<T>,
  { clock, signal, ms = longestAnswer }: { clock: Clock; signal: AbortSignal; ms?: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = (): void =>
      end(() => reject(new ToolError('stopped', 'It was stopped before there was an answer.')));
    const cancel = clock.after(ms, () =>
      end(() =>
        reject(
          new ToolError('failed', 'The language service did not answer. Use search_text instead.'),
        ),
      ),
    );
    const end = (settle: () => void): void => {
      cancel();
      signal.removeEventListener('abort', stopped);
      settle();
    };
    if (signal.aborted) return stopped();
    signal.addEventListener('abort', stopped, { once: true });
    answer.then(
      (value) => end(() => resolve(value)),
      (error: unknown) =>
        end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

/** Milliseconds that a language service has to get ready after its first file was opened. */
const warmUp = 4_000;
const pause = 250;

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
    const open = openDocument(uri.toString());
    if (open !== undefined) return { document: open, fresh: false };
    try {
      const document = await this.#limited(vscode.workspace.openTextDocument(uri));
      // Nobody gets ready for plain text.
      return { document, fresh: document.languageId !== 'plaintext' };
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError('not-found', `${label} is not there, or is no text file.`);
    }
  }

  /**
   * What a command of the editor answers, as a list. Of a file that was only just opened it asks again for a while,
   * because its service may be starting.
   */
  async ask<T>(
    { fresh }: Pick<OpenedDocument, 'fresh'>,
    command: string,
    ...args: readonly unknown[]
  ): Promise<readonly T[]> {
    const { clock } = this.#tools;
    const until = clock.now() + (fresh ? warmUp : 0);
    for (;;) {
      const answer = await this.#limited(vscode.commands.executeCommand(command, ...args));
      if (Array.isArray(answer) && answer.length > 0) return answer as T[];
      if (clock.now() >= until) return [];
      await this.#limited(wait(pause, { clock, signal: this.#signal }));
    }
  }

  #limited<T>(answer: Thenable<T>): Promise<T> {
    return withinTime(answer, { clock: this.#tools.clock, signal: this.#signal });
  }
}

export interface OpenedDocument {
  readonly document: vscode.TextDocument;
  /** It was not open before, and a service may be starting for it. */
  readonly fresh: boolean;
}
