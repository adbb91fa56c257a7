import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conversation, ConversationRecord } from '../../chat/conversation.ts';
import type { ConversationStore, ConversationSummary } from '../../chat/conversation-store.ts';
import { decodeJournal, encodeRecords, isFromNewerVersion } from '../../chat/journal.ts';
import { summarize } from '../../chat/summary.ts';
import { appendToFile } from '../storage/append-file.ts';
import { removeLeftovers, writeFileAtomically } from '../storage/atomic-file.ts';

const ending = '.jsonl';
const deleted = '.deleted';
const day = 24 * 60 * 60 * 1_000;

/** Conversations as one append-only file each in `folder`. Several windows may use the same folder. */
export class ConversationFiles implements ConversationStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(id: string, records: readonly ConversationRecord[]): Promise<void> {
    const path = this.#path(id);
    const text = encodeRecords(records);
    if (records[0]?.type === 'conversation-start') await writeFileAtomically(path, text);
    else await appendToFile(path, text);
  }

  async load(id: string): Promise<Conversation | undefined> {
    const path = this.#path(id);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const conversation = decodeJournal(text);
    if (conversation?.id === id) return conversation;
    if (isFromNewerVersion(text)) return undefined;
    await rename(path, `${path}.corrupt-${Date.now()}`).catch(() => {});
    return undefined;
  }

  async list(): Promise<readonly ConversationSummary[]> {
    const summaries: ConversationSummary[] = [];
    for await (const conversation of this.all()) {
      const summary = summarize(conversation);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Every conversation that can be read, one at a time. */
  async *all(): AsyncIterable<Conversation> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(ending))) {
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
      const conversation = decodeJournal(text);
      // A file that was copied or renamed by hand is not the conversation it says it is.
      if (conversation?.id === name.slice(0, -ending.length)) yield conversation;
    }
  }

  async remove(id: string): Promise<void> {
    await rename(this.#path(id), `${this.#path(id)}${deleted}`);
  }

  async restore(id: string): Promise<void> {
    await rename(`${this.#path(id)}${deleted}`, this.#path(id));
  }

  /** Removes what crashes left behind, and what was deleted more than a day ago. */
  async clean(): Promise<void> {
    await removeLeftovers(this.#folder, day);
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(deleted))) {
      const path = join(this.#folder, name);
      const { ctimeMs } = await stat(path).catch(() => ({ ctimeMs: Number.POSITIVE_INFINITY }));
      if (Date.now() - ctimeMs > day) await rm(path, { force: true }).catch(() => {});
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ending}`);
  }
}
