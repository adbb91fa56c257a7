import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { type ChatPorts, ChatSession } from '../../chat/chat-session.ts';
import { Conversation, type ConversationRecord } from '../../chat/conversation.ts';
import { estimateCost } from '../../models/cost.ts';
import { streamChat } from '../../service/chat.ts';
import type { Host } from '../host.ts';
import { ConversationFiles } from './conversation-files.ts';
import { OpenChat } from './open-chat.ts';

const currentKey = 'chat.current';
const draftKey = (id: string): string => `chat.draft.${id}`;

/** The conversations of this window: on disk, and those that are open. */
export class Chats implements Disposable {
  readonly files: ConversationFiles;
  readonly #host: Host;
  readonly #open = new Map<string, OpenChat>();

  constructor(host: Host) {
    this.#host = host;
    this.files = new ConversationFiles(
      vscode.Uri.joinPath(host.context.globalStorageUri, 'conversations').fsPath,
    );
    void this.files.clean();
  }

  /** A new, empty conversation. It gets a file with its first message. */
  create(): OpenChat {
    const start = {
      type: 'conversation-start',
      version: 1,
      id: newId(),
      at: Date.now(),
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    } as const;
    return this.#add(new Conversation(start), [start]);
  }

  /** The conversation, from memory or disk; undefined when it is gone. */
  async open(id: string): Promise<OpenChat | undefined> {
    const open = this.#open.get(id);
    if (open !== undefined) return open;
    const conversation = await this.files.load(id);
    // Another view may have opened it meanwhile.
    return this.#open.get(id) ?? (conversation && this.#add(conversation, []));
  }

  /** The conversation that this window showed last, or a new one. */
  async openCurrent(): Promise<OpenChat> {
    const id = this.#host.context.workspaceState.get<string>(currentKey);
    return (id === undefined ? undefined : await this.open(id)) ?? this.create();
  }

  rememberCurrent(id: string): void {
    void this.#host.context.workspaceState.update(currentKey, id);
  }

  /** Ends what the conversation does and takes it out of the list. `restore` of the files undoes it. */
  async remove(id: string): Promise<void> {
    const open = this.#open.get(id);
    await open?.session.stop();
    await open?.session.settled();
    open?.dispose();
    this.#open.delete(id);
    await this.files.remove(id);
    void this.#host.context.workspaceState.update(draftKey(id), undefined);
  }

  dispose(): void {
    for (const chat of this.#open.values()) chat.dispose();
    this.#open.clear();
  }

  /** Stops every answer and waits until all is on disk. */
  async close(): Promise<void> {
    const sessions = [...this.#open.values()].map(({ session }) => session);
    this.dispose();
    await Promise.all(sessions.map((session) => session.settled()));
  }

  #add(conversation: Conversation, pending: readonly ConversationRecord[]): OpenChat {
    const session = new ChatSession(conversation, this.#ports(), pending);
    const state = this.#host.context.workspaceState;
    const key = draftKey(conversation.id);
    const chat = new OpenChat(session, state.get<string>(key) ?? '', (text) => {
      void state.update(key, text === '' ? undefined : text);
    });
    this.#open.set(conversation.id, chat);
    return chat;
  }

  #ports(): ChatPorts {
    const { account, log, models, service } = this.#host;
    return {
      store: this.files,
      clock: systemClock,
      newId,
      stream: (request, signal) => streamChat(service, request, { signal }),
      model: () => {
        const model = models.chatModel;
        // Before the first list has come, the service's own trait names its default model.
        return model === undefined
          ? { id: 'default', name: 'default' }
          : { id: model.id, name: model.name };
      },
      estimateCost: (id, usage) => estimateCost(usage, models.find(id)?.pricing),
      report: (outcome) => account.report(outcome),
      storeFailed: (error) => {
        log.error('A conversation could not be written', error);
        void vscode.window.showWarningMessage(
          vscode.l10n.t(
            'This chat cannot be saved: {0}. It goes on, but is lost when the window closes. Free some space, then send another message.',
            (error as NodeJS.ErrnoException).code ?? 'unknown error',
          ),
        );
      },
    };
  }
}

const newId = (): string => randomBytes(12).toString('base64url');
