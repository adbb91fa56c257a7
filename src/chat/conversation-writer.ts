import type { Conversation, ConversationRecord } from '../conversation/conversation.ts';
import type { ConversationStore } from '../conversation/summary.ts';

interface WriterPorts {
  readonly store: Pick<ConversationStore, 'append'>;
  /** Called when a write to disk fails, and not again until a write has succeeded. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** Records the changes of a conversation: in memory immediately, then on disk in the same order. */
export class ConversationWriter {
  readonly #conversation: Conversation;
  readonly #ports: WriterPorts;
  /** Records that are not on disk yet. After a failed write, they remain here until the next write. */
  #unwrittenRecords: ConversationRecord[];
  #lastWritePromise: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(
    conversation: Conversation,
    ports: WriterPorts,
    pendingRecords: readonly ConversationRecord[],
  ) {
    this.#conversation = conversation;
    this.#ports = ports;
    this.#unwrittenRecords = [...pendingRecords];
  }

  /** Resolves when all records made before this call are on disk, or their write has failed. */
  get completedWrites(): Promise<void> {
    return this.#lastWritePromise;
  }

  /**
   * Applies records to the conversation and writes them. Resolves when the records are on disk, or the write has
   * failed.
   */
  record(...records: readonly ConversationRecord[]): Promise<void> {
    for (const record of records) this.#conversation.applyRecord(record);
    return this.write(records);
  }

  /** Writes records that were already applied to the conversation. Resolves like {@link record}. */
  write(records: readonly ConversationRecord[]): Promise<void> {
    this.#unwrittenRecords.push(...records);
    this.#lastWritePromise = this.#lastWritePromise.then(() => this.#flushRecords());
    return this.#lastWritePromise;
  }

  async #flushRecords(): Promise<void> {
    // An empty chat has no file. The first message creates the file.
    if (this.#unwrittenRecords.length === 0 || this.#conversation.isEmpty) return;
    const records = this.#unwrittenRecords;
    this.#unwrittenRecords = [];
    try {
      await this.#ports.store.append(this.#conversation.id, records);
      this.#hasFailed = false;
    } catch (error) {
      this.#unwrittenRecords = [...records, ...this.#unwrittenRecords];
      if (!this.#hasFailed) this.#ports.onStoreFailure(error);
      this.#hasFailed = true;
    }
  }
}
