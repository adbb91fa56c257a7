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
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) =>
      name.endsWith(ending),
    );
    const summaries: ConversationSummary[] = [];
    for (const name of names) {
      const summary = await this.#summary(name);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
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

  async #summary(name: string): Promise<ConversationSummary | undefined> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
    const conversation = decodeJournal(text);
    // A file that was copied or renamed by hand is not the conversation it says it is.
    return conversation?.id === name.slice(0, -ending.length) ? summarize(conversation) : undefined;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${ending}`);
  }
}
