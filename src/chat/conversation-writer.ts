import type { Conversation, ConversationRecord } from '../conversation/conversation.ts';
import type { ConversationStore } from '../conversation/summary.ts';

interface WriterPorts {
  readonly store: ConversationStore;
  /** Told once when the disk refuses. */
  readonly storeFailed: (error: unknown) => void;
}

/** Keeps the file of a conversation: what is recorded happens in memory at once, and on disk in the same order. */
export class ConversationWriter {
  readonly #conversation: Conversation;
  readonly #ports: WriterPorts;
  /** Records not on disk yet. Those the disk refused stay, so that the next write makes the file whole. */
  #pending: ConversationRecord[];
  #written: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(
    conversation: Conversation,
    ports: WriterPorts,
    pending: readonly ConversationRecord[],
  ) {
    this.#conversation = conversation;
    this.#ports = ports;
    this.#pending = [...pending];
  }

  /** Resolves when everything up to now is on disk, or was refused by it. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Applies the records and writes them. Resolves when they are on disk, or the disk refused. */
  record(...records: readonly ConversationRecord[]): Promise<void> {
    for (const record of records) this.#conversation.apply(record);
    return this.write(records);
  }

  /** As {@link record}, for what the conversation has already. */
  write(records: readonly ConversationRecord[]): Promise<void> {
    this.#pending.push(...records);
    this.#written = this.#written.then(() => this.#flush());
    return this.#written;
  }

  async #flush(): Promise<void> {
    // A conversation begins to exist on disk with its first message, not when an empty chat is opened.
    if (this.#pending.length === 0 || this.#conversation.isEmpty) return;
    const records = this.#pending;
    this.#pending = [];
    try {
      await this.#ports.store.append(this.#conversation.id, records);
    } catch (error) {
      this.#pending = [...records, ...this.#pending];
      if (!this.#hasFailed) this.#ports.storeFailed(error);
      this.#hasFailed = true;
    }
  }
}
