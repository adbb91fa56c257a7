import { lstat, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conversation, ConversationRecord } from '../conversation.ts';
import { type ConversationStore, type ConversationSummary, summarize } from '../summary.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { decodeJournal, encodeRecords, readTitle } from '../journal.ts';
import { appendToFile } from '../../platform/files.ts';
import { createFile, removeLeftovers } from '../../platform/atomic-file.ts';
import { isNewerFile, refuseNewerFile } from '../../platform/newer-file.ts';
import { isId } from '../../base/ids.ts';

const extension = '.jsonl';
const deletedSuffix = '.deleted';
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Thrown for the first write of a conversation whose file exists. The write would replace another
 * conversation.
 */
export class ConversationExistsError extends Error {
  constructor() {
    super('Another conversation has this name.');
    this.name = 'ConversationExistsError';
  }
}

/**
 * Stores each conversation as one append-only file in `folder`. Several windows may use the same
 * folder.
 */
export class ConversationFiles implements ConversationStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(id: string, records: readonly ConversationRecord[]): Promise<void> {
    const path = this.#path(id);
    await refuseNewerFile(path);
    const text = encodeRecords(records);
    if (records[0]?.type === 'conversation-start')
      await createFile(path, text).catch(refuseExisting);
    else await appendToFile(path, text);
  }

  /**
   * Checks whether the conversation has a readable or unreadable file. Resolves to true if the
   * check fails.
   */
  async exists(id: string): Promise<boolean> {
    return lstat(this.#path(id)).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
    );
  }

  async load(id: string): Promise<Conversation | undefined> {
    const path = this.#path(id);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    // Does not rename an empty file, because another window is creating it.
    if (text === undefined || text === '') return undefined;
    const conversation = decodeJournal(text);
    if (isFromNewerVersion(text)) return undefined;
    if (conversation?.id === id) return conversation;
    await rename(path, `${path}.corrupt-${Date.now()}`).catch(() => {});
    return undefined;
  }

  async list(): Promise<readonly ConversationSummary[]> {
    const summaries: ConversationSummary[] = [];
    for await (const { id, text } of this.#journals()) {
      const conversation = readableConversation(id, text);
      const summary =
        conversation === undefined ? await this.#newerSummary(id, text) : summarize(conversation);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Checks whether a newer version of the extension wrote the conversation. */
  isFromNewerVersion(id: string): Promise<boolean> {
    return isNewerFile(this.#path(id)).catch(() => false);
  }

  /** Yields all readable conversations, one at a time. */
  async *readAll(): AsyncIterable<Conversation> {
    for await (const { id, text } of this.#journals()) {
      const conversation = readableConversation(id, text);
      if (conversation !== undefined) yield conversation;
    }
  }

  async remove(id: string): Promise<void> {
    await rename(this.#path(id), `${this.#path(id)}${deletedSuffix}`);
  }

  async restore(id: string): Promise<void> {
    await rename(`${this.#path(id)}${deletedSuffix}`, this.#path(id));
  }

  /** Removes temporary files left by crashes, and conversations deleted more than a day ago. */
  async clean(): Promise<void> {
    await removeLeftovers(this.#folder, dayMs);
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((name) => name.endsWith(deletedSuffix))) {
      const path = join(this.#folder, name);
      const { ctimeMs } = await stat(path).catch(() => ({ ctimeMs: Number.POSITIVE_INFINITY }));
      if (Date.now() - ctimeMs > dayMs) await rm(path, { force: true }).catch(() => {});
    }
  }

  /**
   * Summarizes a conversation written by a newer version. Resolves to undefined for other
   * conversations.
   */
  async #newerSummary(id: string, text: string): Promise<ConversationSummary | undefined> {
    if (!isFromNewerVersion(text) || !isId(id)) return undefined;
    const title = readTitle(text);
    const { mtimeMs } = await stat(this.#path(id)).catch(() => ({ mtimeMs: 0 }));
    return {
      id,
      title,
      updatedAt: mtimeMs,
      folder: null,
      text: '',
      folded: title.toLocaleLowerCase(),
      isNewer: true,
    };
  }

  async *#journals(): AsyncIterable<{ readonly id: string; readonly text: string }> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((name) => name.endsWith(extension))) {
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
      yield { id: name.slice(0, -extension.length), text };
    }
  }

  #path(id: string): string {
    return join(this.#folder, `${id}${extension}`);
  }
}

/**
 * Decodes a journal of this version. Returns undefined for a file that was copied or renamed by
 * hand, because it contains another id.
 */
function readableConversation(id: string, text: string): Conversation | undefined {
  const conversation = isFromNewerVersion(text) ? undefined : decodeJournal(text);
  return conversation?.id === id ? conversation : undefined;
}

function refuseExisting(error: NodeJS.ErrnoException): never {
  throw error.code === 'EEXIST' ? new ConversationExistsError() : error;
}
