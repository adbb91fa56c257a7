import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { type Handlers, dispatchMessage } from '../../base/handlers.ts';
import type { ChatSession } from '../chat-session.ts';
import { MessageQueue, type QueuedMessage } from '../message-queue.ts';
import type { Attachment } from '../../conversation/conversation.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';

/** Sentence to show above the composer for a few seconds; undefined to show none. */
export type Notice = string | undefined | void;

/**
 * Handlers for a group of page messages, by message type. Each handler receives the chat that the page showed when
 * the message arrived.
 */
export type PageHandlers<Type extends WebviewMessage['type']> = Handlers<
  Extract<WebviewMessage, { readonly type: Type }>,
  [chat: OpenChat],
  Promise<Notice> | Notice
>;

/**
 * Returns handlers for `types`. When a message arrives, each handler calls `load` and forwards the message to the
 * handlers that `load` returns.
 */
export function createLazyHandlers<Type extends WebviewMessage['type']>(
  types: readonly Type[],
  load: () => Promise<PageHandlers<Type>> | PageHandlers<Type>,
): PageHandlers<Type> {
  // TypeScript cannot infer that the loaded handlers include a handler for each type.
  const loadAndDispatch = async (message: WebviewMessage, chat: OpenChat): Promise<Notice> =>
    dispatchMessage((await load()) as PageHandlers<WebviewMessage['type']>, message, chat);
  return Object.fromEntries(
    types.map((type) => [type, loadAndDispatch]),
  ) as unknown as PageHandlers<Type>;
}

/** Offer to turn on inline suggestions, shown in an empty chat. */
export interface SuggestionsOffer {
  readonly isOffered: boolean;
  readonly onDidChange: Event<void>;
  acceptSuggestionsOffer(): Promise<void>;
  closeSuggestionsOffer(): Promise<void>;
}

type PostToPage = (message: HostMessage) => void;

/** Unsent content of a composer: the text, the attachments and the queued messages. */
export interface ComposerContent {
  readonly draft: string;
  readonly attachments: readonly Attachment[];
  readonly queuedMessages: readonly QueuedMessage[];
}

/** Functions that store the unsent content of a composer. */
export interface ComposerStorage {
  saveDraft(text: string): void;
  saveAttachments(attachments: readonly Attachment[]): void;
  /** Stores the encoded queue. `text` is empty if no message waits. */
  saveQueue(text: string): void;
}

/**
 * Open conversation: its session, and the unsent content of its composer. All views of the conversation share this
 * object.
 */
export class OpenChat implements Disposable {
  readonly session: ChatSession;
  /** Messages that wait for the end of the running turn. */
  readonly queue: MessageQueue;
  readonly #onDidChangeAttachmentsEmitter = new Emitter<void>();
  #isDisposed = false;
  #attachments: readonly Attachment[] = [];
  #draft: string;
  readonly #storage: ComposerStorage;
  #postToPage: PostToPage | undefined;
  /** Functions that check whether the user can see a page of the chat. There is one function for each page. */
  readonly #visibilityChecks = new Set<() => boolean>();

  constructor(
    session: ChatSession,
    { draft, attachments, queuedMessages }: ComposerContent,
    storage: ComposerStorage,
  ) {
    this.session = session;
    this.#draft = draft;
    this.#attachments = attachments;
    this.#storage = storage;
    this.queue = new MessageQueue(queuedMessages, (text) => storage.saveQueue(text));
  }

  readonly onDidChangeAttachments: Event<void> = (listener) =>
    this.#onDidChangeAttachmentsEmitter.event(listener);

  get id(): string {
    return this.session.conversation.id;
  }

  /** Function that posts a message to the page of the chat; `undefined` if no view shows the chat. */
  get postToPage(): PostToPage | undefined {
    return this.#postToPage;
  }

  /**
   * True if the user can see the chat: at least one of its pages is neither in a hidden view nor in a background tab.
   */
  get isVisible(): boolean {
    return [...this.#visibilityChecks].some((isPageVisible) => isPageVisible());
  }

  /**
   * Registers a page that shows the chat. Messages to the chat's page then go to this page. Disposing the result
   * removes the page.
   */
  attachPage(postToPage: PostToPage, isPageVisible: () => boolean): Disposable {
    this.#postToPage = postToPage;
    this.#visibilityChecks.add(isPageVisible);
    return {
      dispose: () => {
        this.#visibilityChecks.delete(isPageVisible);
        if (this.#postToPage === postToPage) this.#postToPage = undefined;
      },
    };
  }

  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    if (!this.#isDisposed) this.#storage.saveDraft(text);
  }

  /**
   * Restores a message that could not be sent, by adding it to the draft. If the draft is the beginning of the message,
   * the message replaces the draft. This happens because the page also posts incomplete drafts while the user types.
   */
  restoreToDraft(text: string): void {
    const isDraftIncomplete = text.startsWith(this.#draft.trim());
    this.draft = isDraftIncomplete ? text : `${this.#draft}\n\n${text}`;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** Adds an attachment, or replaces the attachment with the same label. */
  attach(attachment: Attachment): void {
    const otherAttachments = this.#attachments.filter(({ label }) => label !== attachment.label);
    this.#setAttachments([...otherAttachments, attachment]);
  }

  detach(id: string): void {
    this.#setAttachments(this.#attachments.filter((attachment) => attachment.id !== id));
  }

  /** Clears the composer, and returns the attachments that it contained. */
  takeAttachments(): readonly Attachment[] {
    const attachments = this.#attachments;
    this.draft = '';
    this.#setAttachments([]);
    return attachments;
  }

  #setAttachments(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
    if (!this.#isDisposed) this.#storage.saveAttachments(attachments);
    this.#onDidChangeAttachmentsEmitter.fire();
  }

  /** Also stops storing the composer: a file that is still being read must not return to a deleted conversation. */
  dispose(): void {
    this.#isDisposed = true;
    this.session.dispose();
    this.queue.dispose();
    this.#onDidChangeAttachmentsEmitter.dispose();
  }
}
