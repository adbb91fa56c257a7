import type { Conversation, ConversationRecord } from './conversation.ts';

/** What a list of conversations needs to know of each. */
export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly folder: string | null;
  /** Everything that was said; bounded. */
  readonly text: string;
  /** Title and text in lower case, for the search. */
  readonly folded: string;
  /** A newer version of the extension wrote the conversation: it cannot be opened. */
  readonly isNewer?: true;
}

/** Where conversations are kept: one file each, no shared index. */
export interface ConversationStore {
  /**
   * Adds records to a conversation's file, creating it with the first. On return they survive a crash.
   * @throws when the disk refuses; nothing that was there before is lost.
   */
  append(id: string, records: readonly ConversationRecord[]): Promise<void>;
  /** Undefined when there is no such conversation, or its file cannot be read as one (it is then set aside, not deleted). */
  load(id: string): Promise<Conversation | undefined>;
  /** Newest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** Takes it out of the list; `restore` brings it back. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}
