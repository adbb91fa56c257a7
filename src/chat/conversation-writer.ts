import type { Clock } from '../base/clock.ts';
import type { Conversation, ConversationRecord } from '../conversation/conversation.ts';
import type { ConversationStore } from '../conversation/summary.ts';

interface WriterPorts {
  readonly store: ConversationStore;
  /** Called once, when the disk first refuses a write. */
  readonly storeFailed: (error: unknown) => void;
}

/** Records changes of a conversation: in memory at once, and on disk in the same order. */
export class ConversationWriter {
  readonly #conversation: Conversation;
  readonly #ports: WriterPorts;
  /** Records not on disk yet. Records that the disk refused stay here, so that the next write completes the file. */
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

  /** Resolves when all records so far are on disk, or the disk refused them. */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Applies the records and writes them. Resolves when they are on disk, or the disk refused. */
  record(...records: readonly ConversationRecord[]): Promise<void> {
    for (const record of records) this.#conversation.apply(record);
    return this.write(records);
  }

  /** Writes records that the conversation already contains. See {@link record}. */
  write(records: readonly ConversationRecord[]): Promise<void> {
    this.#pending.push(...records);
    this.#written = this.#written.then(() => this.#flush());
    return this.#written;
  }

  async #flush(): Promise<void> {
    // The file is created with the first message, not when an empty chat is opened.
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
 * Joins text deltas, so that at most one is delivered every `intervalMs`. The first delta after a pause is delivered at
 * once, because the user waits for it.
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

  /** Delivers the pending text now, ahead of an event that must follow it. */
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
