import type { Conversation, ConversationRecord } from '../../src/conversation/conversation.ts';
import {
  type ConversationStore,
  type ConversationSummary,
  summarizeConversation,
} from '../../src/conversation/summary.ts';
import { decodeJournal, encodeRecords } from '../../src/conversation/journal.ts';

/**
 * Store that keeps conversations in memory, encoded as on disk. If `writeError` is set, every write fails with this
 * error.
 */
export class MemoryStore implements ConversationStore {
  writeError: Error | undefined;
  readonly #files = new Map<string, ConversationRecord[]>();
  readonly #removedRecords = new Map<string, ConversationRecord[]>();

  listRecords(id: string): readonly ConversationRecord[] {
    return this.#files.get(id) ?? [];
  }

  append(id: string, records: readonly ConversationRecord[]): Promise<void> {
    if (this.writeError !== undefined) return Promise.reject(this.writeError);
    this.#files.set(id, [...this.listRecords(id), ...records]);
    return Promise.resolve();
  }

  load(id: string): Promise<Conversation | undefined> {
    return Promise.resolve(decodeJournal(encodeRecords(this.listRecords(id))));
  }

  list(): Promise<readonly ConversationSummary[]> {
    const conversations = [...this.#files.values()].map((records) =>
      decodeJournal(encodeRecords(records)),
    );
    return Promise.resolve(
      conversations.flatMap(
        (conversation) => (conversation && summarizeConversation(conversation)) ?? [],
      ),
    );
  }

  remove(id: string): Promise<void> {
    this.#removedRecords.set(id, [...this.listRecords(id)]);
    this.#files.delete(id);
    return Promise.resolve();
  }

  restore(id: string): Promise<void> {
    this.#files.set(id, this.#removedRecords.get(id) ?? []);
    return Promise.resolve();
  }
}
