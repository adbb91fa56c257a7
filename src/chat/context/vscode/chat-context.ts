import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { Host } from '../../../host.ts';
import type { AttachmentCommands } from '../../vscode/attach.ts';
import { ContextAttacher } from './context-attacher.ts';
import { ContextMessages, type ContextMessagesPorts } from './context-messages.ts';
import { SuggestionTargets, WorkspaceFiles } from './mention-suggestions.ts';
import { PromptFiles } from './prompt-files.ts';
import { TerminalWatch } from './terminal-watch.ts';
import { WorkspaceReader } from './workspace-reader.ts';

const maxRecentFiles = 20;

/**
 * Context sources for mentions (`#`) and slash commands (`/`), shared by all chat views of a window. Loaded when a
 * chat is first shown.
 */
export class ChatContext implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly reader: WorkspaceReader;
  readonly files: WorkspaceFiles;
  readonly prompts: PromptFiles;
  readonly terminals = this.#disposables.add(new TerminalWatch());
  readonly contextAttacher: ContextAttacher;
  readonly targets = new SuggestionTargets();
  readonly #recentFiles = new Set<string>();

  constructor(host: Pick<Host, 'context' | 'log'>, attachmentCommands: AttachmentCommands) {
    this.reader = new WorkspaceReader(host);
    this.files = new WorkspaceFiles(this.reader);
    this.prompts = this.#disposables.add(new PromptFiles(this.reader));
    const { reader, terminals } = this;
    this.contextAttacher = new ContextAttacher({ attachmentCommands, reader, terminals });
  }

  /** URIs of recently attached files, oldest first. */
  get recentFiles(): ReadonlySet<string> {
    return this.#recentFiles;
  }

  addRecent(uriText: string): void {
    this.#recentFiles.delete(uriText);
    this.#recentFiles.add(uriText);
    const [oldestUri] = this.#recentFiles;
    if (this.#recentFiles.size > maxRecentFiles && oldestUri !== undefined)
      this.#recentFiles.delete(oldestUri);
  }

  /** Returns the message handlers for one chat page. */
  createMessageHandlers(ports: ContextMessagesPorts): ContextMessages {
    return new ContextMessages(this, ports);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
