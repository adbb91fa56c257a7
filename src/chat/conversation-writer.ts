import type { Clock } from '../base/clock.ts';
import type { Conversation, ConversationRecord } from '../conversation/conversation.ts';
import type { ConversationStore } from '../conversation/summary.ts';

interface WriterPorts {
  readonly store: ConversationStore;
  /** Called once, when a write to disk first fails. */
  readonly storeFailed: (error: unknown) => void;
}

/** Records the changes of a conversation: in memory immediately, then on disk in the same order. */
export class ConversationWriter {
  readonly #conversation: Conversation;
  readonly #ports: WriterPorts;
  /** Records that are not on disk. After a failed write, they remain here for the next write. */
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

  /** Resolves when all records made before this call are on disk, or their write failed. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Applies records to the conversation and writes them. Resolves when they are on disk, or the write failed. */
  record(...records: readonly ConversationRecord[]): Promise<void> {
    for (const record of records) this.#conversation.apply(record);
    return this.write(records);
  }

  /** Writes records that were already applied to the conversation. Resolves like {@link record}. */
  write(records: readonly ConversationRecord[]): Promise<void> {
    this.#pending.push(...records);
    this.#written = this.#written.then(() => this.#flush());
    return this.#written;
  }

  async #flush(): Promise<void> {
    // An empty chat has no file. The first message creates the file.
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

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Combines text deltas, so that at most one is delivered per `intervalMs`. The first delta after a pause is delivered
 * immediately, because the user is waiting.
 */
export class DeltaBatcher {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #deliver: (delta: TextDelta) => void;
  #text = '';
  #reasoning = '';
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, deliver: (delta: TextDelta) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#deliver = deliver;
  }

  add(delta: TextDelta): void {
    this.#text += delta.text;
    this.#reasoning += delta.reasoning;
    if (this.#cancel !== undefined) return;
    this.flush();
    this.#arm();
  }

  /** Delivers the pending text immediately, for example before an event that must follow the text. */
  flush(): void {
    if (this.#text === '' && this.#reasoning === '') return;
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.discard();
    this.#deliver(delta);
  }

  /** Drops the pending text. */
  discard(): void {
    this.#text = '';
    this.#reasoning = '';
  }

  /** Delivers the pending text and stops the timer. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.flush();
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#intervalMs, () => {
      this.#cancel = undefined;
      if (this.#text === '' && this.#reasoning === '') return;
      this.flush();
      this.#arm();
    });
  }
}
