import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { ChatSession } from '../../chat/chat-session.ts';
import type { Attachment } from '../../chat/conversation.ts';

/** A conversation that is open: its session, and what waits in its composer. Shared by all views that show it. */
export class OpenChat implements Disposable {
  readonly session: ChatSession;
  readonly #attachmentsChanged = new Emitter<void>();
  #attachments: readonly Attachment[] = [];
  #draft: string;
  readonly #saveDraft: (text: string) => void;

  constructor(session: ChatSession, draft: string, saveDraft: (text: string) => void) {
    this.session = session;
    this.#draft = draft;
    this.#saveDraft = saveDraft;
  }

  readonly onDidChangeAttachments: Event<void> = (listener) =>
    this.#attachmentsChanged.event(listener);

  get id(): string {
    return this.session.conversation.id;
  }

  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    this.#saveDraft(text);
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** Adds an attachment; one with the same label is replaced by the newer text. */
  attach(attachment: Attachment): void {
    const others = this.#attachments.filter(({ label }) => label !== attachment.label);
    this.#attachments = [...others, attachment];
    this.#attachmentsChanged.fire();
  }

  detach(id: string): void {
    this.#attachments = this.#attachments.filter((attachment) => attachment.id !== id);
    this.#attachmentsChanged.fire();
  }

  /** Empties the composer and returns the attachments that were in it. */
  takeAttachments(): readonly Attachment[] {
    const taken = this.#attachments;
    this.#attachments = [];
    this.draft = '';
    this.#attachmentsChanged.fire();
    return taken;
  }

  dispose(): void {
    this.session.dispose();
    this.#attachmentsChanged.dispose();
  }
}
