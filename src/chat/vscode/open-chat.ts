import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { type Handlers, handle } from '../../base/handlers.ts';
import type { ChatSession } from '../chat-session.ts';
import type { Attachment } from '../../conversation/conversation.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';

/** A sentence for the user, shown above the composer for a few seconds. */
export type Notice = string | undefined | void;

/** Handlers of a family of page messages. They receive the chat that was shown when the message arrived. */
export type PageHandlers<Type extends WebviewMessage['type']> = Handlers<
  Extract<WebviewMessage, { readonly type: Type }>,
  [chat: OpenChat],
  Promise<Notice> | Notice
>;

/** Returns handlers for `types` that load the real handlers of the family with each message. */
export function lazyHandlers<Type extends WebviewMessage['type']>(
  types: readonly Type[],
  load: () => Promise<PageHandlers<Type>> | PageHandlers<Type>,
): PageHandlers<Type> {
  // The casts state that the family has a handler for each of its types, which TypeScript cannot infer.
  const lazyHandler = async (message: WebviewMessage, chat: OpenChat): Promise<Notice> =>
    handle((await load()) as PageHandlers<WebviewMessage['type']>, message, chat);
  return Object.fromEntries(
    types.map((type) => [type, lazyHandler]),
  ) as unknown as PageHandlers<Type>;
}

type Page = (message: HostMessage) => void;

/** Unsent content of a composer. */
export interface ComposerContent {
  readonly draft: string;
  readonly attachments: readonly Attachment[];
}

/** Stores the unsent content of a composer. */
export interface ComposerStorage {
  draft(text: string): void;
  attachments(attachments: readonly Attachment[]): void;
}

/** An open conversation: its session and the unsent content of its composer. Shared by all views that show it. */
export class OpenChat implements Disposable {
  readonly session: ChatSession;
  readonly #attachmentsChanged = new Emitter<void>();
  #attachments: readonly Attachment[] = [];
  #draft: string;
  readonly #save: ComposerStorage;
  #page: Page | undefined;

  constructor(
    session: ChatSession,
    { draft, attachments }: ComposerContent,
    save: ComposerStorage,
  ) {
    this.session = session;
    this.#draft = draft;
    this.#attachments = attachments;
    this.#save = save;
  }

  readonly onDidChangeAttachments: Event<void> = (listener) =>
    this.#attachmentsChanged.event(listener);

  get id(): string {
    return this.session.conversation.id;
  }

  /** The page that shows the chat; undefined while no view shows it. */
  get page(): Page | undefined {
    return this.#page;
  }

  /** Registers a page that shows the chat, until disposed. The latest page wins. */
  attachPage(page: Page): Disposable {
    this.#page = page;
    return { dispose: () => (this.#page = this.#page === page ? undefined : this.#page) };
  }

  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    this.#save.draft(text);
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

  /** Empties the composer and returns its attachments. */
  takeAttachments(): readonly Attachment[] {
    const takenAttachments = this.#attachments;
    this.draft = '';
    this.#setAttachments([]);
    return takenAttachments;
  }

  #setAttachments(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
    this.#save.attachments(attachments);
    this.#attachmentsChanged.fire();
  }

  dispose(): void {
    this.session.dispose();
    this.#attachmentsChanged.dispose();
  }
}
