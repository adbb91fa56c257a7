import { decodeAttachments } from '../conversation/attachments.ts';
import type { Attachment } from '../conversation/conversation.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';

/** Message that the user wrote while a turn was running. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /**
   * Model that was selected when the user wrote the message. A running turn continues with the message only if the
   * turn's model protects the message at least as well as this model.
   */
  readonly model?: { readonly id: string; readonly name: string };
  /** True if the message goes to the model after the current tool call, not after the end of the turn. */
  readonly isUrgent: boolean;
}

/**
 * Messages of one chat that wait for the end of the running turn. Their order is the order in which they are sent.
 */
export class MessageQueue implements Disposable {
  readonly #onDidChangeEmitter = new Emitter<void>();
  readonly #saveQueue: (text: string) => void;
  #messages: readonly QueuedMessage[];
  /**
   * Ids of held messages, which stay in the queue until the user sends them. Not stored, because all messages are
   * held after a restart.
   */
  readonly #heldIds = new Set<string>();

  /** @param save Stores the encoded queue. Called with an empty string if no message waits. */
  constructor(messages: readonly QueuedMessage[], save: (text: string) => void) {
    this.#messages = messages;
    this.#saveQueue = save;
    for (const { id } of messages) this.#heldIds.add(id);
  }

  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get messages(): readonly QueuedMessage[] {
    return this.#messages;
  }

  /** Message to send when the turn is complete. Undefined if no message waits or all messages are held. */
  get nextMessage(): QueuedMessage | undefined {
    return this.#messages.find(({ id }) => !this.#heldIds.has(id));
  }

  /** Checks whether a message stays in the queue until the user sends it. */
  isHeld(id: string): boolean {
    return this.#heldIds.has(id);
  }

  /**
   * Holds the matching messages, so that only the user can send them. Held messages are no longer urgent. Needed if the
   * running turn ends before it is complete, or if the user wrote the messages for another connection.
   */
  holdMessages(matches: (message: QueuedMessage) => boolean = () => true): void {
    const heldMessages = new Set(this.#messages.filter(matches));
    const isChanged = [...heldMessages].some(
      ({ id, isUrgent }) => isUrgent || !this.#heldIds.has(id),
    );
    for (const { id } of heldMessages) this.#heldIds.add(id);
    if (isChanged)
      this.#setMessages(
        this.#messages.map((queuedMessage) =>
          heldMessages.has(queuedMessage) ? { ...queuedMessage, isUrgent: false } : queuedMessage,
        ),
      );
  }

  addMessage(message: QueuedMessage): void {
    this.#setMessages([...this.#messages, message]);
  }

  findMessage(id: string): QueuedMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  removeMessage(id: string): void {
    if (this.findMessage(id) === undefined) return;
    this.#heldIds.delete(id);
    this.#setMessages(this.#messages.filter((queuedMessage) => queuedMessage.id !== id));
  }

  /** Marks a message as urgent and no longer held. Moves the message before all messages that are not urgent. */
  prioritize(id: string): void {
    const message = this.findMessage(id);
    if (message === undefined || message.isUrgent) return;
    this.#heldIds.delete(id);
    const otherMessages = this.#messages.filter((queuedMessage) => queuedMessage !== message);
    const [urgentMessages, laterMessages] = [true, false].map((isUrgent) =>
      otherMessages.filter((queuedMessage) => queuedMessage.isUrgent === isUrgent),
    );
    this.#setMessages([
      ...(urgentMessages ?? []),
      { ...message, isUrgent: true },
      ...(laterMessages ?? []),
    ]);
  }

  dispose(): void {
    this.#onDidChangeEmitter.dispose();
  }

  #setMessages(messages: readonly QueuedMessage[]): void {
    this.#messages = messages;
    this.#saveQueue(messages.length === 0 ? '' : JSON.stringify(messages));
    this.#onDidChangeEmitter.fire();
  }
}

/**
 * Decodes a stored queue and drops invalid entries. No decoded message is urgent, because the turn that it would
 * interrupt ended with the window.
 */
export function decodeQueue(text: string): readonly QueuedMessage[] {
  const entries = parseJson(text);
  return (Array.isArray(entries) ? entries : []).flatMap((entry): QueuedMessage[] => {
    if (!isRecord(entry) || !isId(entry['id']) || typeof entry['text'] !== 'string') return [];
    const attachments = decodeAttachments(JSON.stringify(entry['attachments'] ?? []));
    const { model } = entry;
    const hasModel = isRecord(model) && typeof model['id'] === 'string' && model['id'] !== '';
    const name = hasModel && typeof model['name'] === 'string' ? model['name'] : '';
    return [
      {
        id: entry['id'],
        text: entry['text'],
        attachments,
        isUrgent: false,
        ...(hasModel && { model: { id: String(model['id']), name } }),
      },
    ];
  });
}
