import type { Clock } from '../base/clock.ts';
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

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Joins deltas so that a reader gets at most one every `intervalMs`. The first after a pause goes at once:
 * a person waits for that one.
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

  /** Delivers what is waiting now: before anything that must not overtake it. */
  flush(): void {
    if (this.#text === '' && this.#reasoning === '') return;
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.discard();
    this.#deliver(delta);
  }

  /** Forgets what is waiting. */
  discard(): void {
    this.#text = '';
    this.#reasoning = '';
  }

  /** Delivers what is waiting and stops the timer. */
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
