import { isUtf8 } from 'node:buffer';
import { lstat, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conversation, ConversationRecord } from '../conversation.ts';
import {
  type ConversationStore,
  type ConversationSummary,
  summarizeConversation,
} from '../summary.ts';
import { asRecord, parseJson } from '../../base/json.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { decodeJournal, encodeRecords, readTitle } from '../journal.ts';
import { appendToFile } from '../../platform/files.ts';
import { createFile, removeLeftovers } from '../../platform/atomic-file.ts';
import { isNewerFile, refuseNewerFile } from '../../platform/newer-file.ts';
import { isId } from '../../base/ids.ts';

const journalExtension = '.jsonl';
const deletedSuffix = '.deleted';
const dayMs = 24 * 60 * 60 * 1_000;
/**
 * Age in milliseconds from which an empty file counts as damaged. Another window may still be writing the first record
 * of a younger file.
 */
const emptyFileGraceMs = 60_000;

/**
 * Thrown by the first write of a conversation if its file already exists, because the write would replace another
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
  /**
   * Size in bytes of each conversation file when this window last read or wrote the file, by conversation id. Later
   * writes of other windows are not included.
   */
  readonly #fileSizes = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(id: string, records: readonly ConversationRecord[]): Promise<void> {
    const path = this.#getPath(id);
    await refuseNewerFile(path);
    const text = encodeRecords(records);
    if (records[0]?.type === 'conversation-start') {
      await createFile(path, text).catch(rejectExistingFile);
      this.#fileSizes.set(id, Buffer.byteLength(text));
      return;
    }
    const addedBytes = await appendToFile(path, text);
    this.#fileSizes.set(id, (this.#fileSizes.get(id) ?? 0) + addedBytes);
  }

  /**
   * Checks whether another window has written to the conversation's file since this window last read or wrote the
   * file.
   */
  async isChangedElsewhere(id: string): Promise<boolean> {
    const stats = await stat(this.#getPath(id)).catch(() => undefined);
    return stats?.size !== this.#fileSizes.get(id);
  }

  /** Checks whether the conversation has a file, even an unreadable one. Resolves to true if the check fails. */
  async exists(id: string): Promise<boolean> {
    return lstat(this.#getPath(id)).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
    );
  }

  async load(id: string): Promise<Conversation | undefined> {
    const content = await readFile(this.#getPath(id)).catch(() => undefined);
    if (content === undefined) return undefined;
    this.#fileSizes.set(id, content.length);
    return this.#decodeFile(id, content);
  }

  async list(): Promise<readonly ConversationSummary[]> {
    const summaries: ConversationSummary[] = [];
    for await (const { id, content } of this.#readJournals()) {
      const conversation = content && (await this.#decodeFile(id, content));
      const summary =
        conversation === undefined
          ? await this.#summarizeUnreadableFile(id, content)
          : summarizeConversation(conversation);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  /**
   * Returns the bytes of a conversation's file, even if the file is damaged or written by a newer version.
   * @throws an error if the file cannot be read
   */
  readContent(id: string): Promise<Uint8Array> {
    return readFile(this.#getPath(id));
  }

  /**
   * Checks whether a newer version of the extension wrote the conversation. Resolves to false if the file cannot be
   * read.
   */
  isFromNewerVersion(id: string): Promise<boolean> {
    return isNewerFile(this.#getPath(id)).catch(() => false);
  }

  /** Yields all readable conversations, one at a time. */
  async *readAll(): AsyncIterable<Conversation> {
    for await (const { id, content } of this.#readJournals()) {
      const conversation = content && (await this.#decodeFile(id, content));
      if (conversation !== undefined) yield conversation;
    }
  }

  async remove(id: string): Promise<void> {
    await rename(this.#getPath(id), `${this.#getPath(id)}${deletedSuffix}`);
  }

  /**
   * Restores a removed conversation.
   * @throws ConversationExistsError if a new conversation with this id was stored in the meantime
   */
  async restore(id: string): Promise<void> {
    const deletedPath = `${this.#getPath(id)}${deletedSuffix}`;
    await stat(deletedPath);
    if (await this.exists(id)) throw new ConversationExistsError();
    await rename(deletedPath, this.#getPath(id));
  }

  /**
   * Removes temporary files that remain after crashes, and conversations that were deleted more than a day ago.
   * @param keepsRecentFiles False to remove all deleted conversations, even those deleted within the last day.
   */
  async cleanFolder({ keepsRecentFiles = true } = {}): Promise<void> {
    await removeLeftovers(this.#folder, dayMs);
    const fileNames = await readdir(this.#folder).catch(() => []);
    for (const name of fileNames.filter((name) => name.endsWith(deletedSuffix))) {
      const path = join(this.#folder, name);
      const { ctimeMs } = await stat(path).catch(() => ({ ctimeMs: Number.POSITIVE_INFINITY }));
      if (!keepsRecentFiles || Date.now() - ctimeMs > dayMs)
        await rm(path, { force: true }).catch(() => {});
    }
  }

  /**
   * Decodes a conversation file (journal). Resolves to undefined if a newer version wrote the file, or if no message is
   * readable. Also resolves to undefined for a manual copy of a file, which contains the id of the original
   * conversation.
   */
  async #decodeFile(id: string, content: Buffer): Promise<Conversation | undefined> {
    const text = content.toString('utf8');
    if (isFromNewerVersion(text) || (await this.#isCopy(id, text))) return undefined;
    const conversation = decodeJournal(isUtf8(content) ? text : content, id);
    return conversation?.isEmpty ? undefined : conversation;
  }

  /**
   * Summarizes a conversation that a newer version of the extension wrote, or a damaged conversation without readable
   * messages. Resolves to undefined for other files.
   */
  async #summarizeUnreadableFile(
    id: string,
    content: Buffer | undefined,
  ): Promise<ConversationSummary | undefined> {
    const text = content?.toString('utf8') ?? '';
    const { mtimeMs } = await stat(this.#getPath(id)).catch(() => ({ mtimeMs: 0 }));
    // Another window may be creating an empty file.
    const isBeingCreated = content?.length === 0 && Date.now() - mtimeMs < emptyFileGraceMs;
    if (isBeingCreated || (await this.#isCopy(id, text))) return undefined;
    const title = readTitle(text);
    return {
      id,
      title,
      updatedAt: mtimeMs,
      folder: null,
      text: '',
      snippet: '',
      foldedText: title.toLocaleLowerCase(),
      ...(isFromNewerVersion(text) ? { isNewer: true } : { isDamaged: true }),
    };
  }

  async #isCopy(id: string, text: string): Promise<boolean> {
    const [line = ''] = text.split('\n', 1);
    const { id: startId } = asRecord(parseJson(line));
    return isId(startId) && startId !== id && (await this.exists(startId));
  }

  /** Yields the id and the content of each conversation file. The content is undefined if the file cannot be read. */
  async *#readJournals(): AsyncIterable<{
    readonly id: string;
    readonly content: Buffer | undefined;
  }> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter((name) => name.endsWith(journalExtension))) {
      const id = name.slice(0, -journalExtension.length);
      const content = await readFile(this.#getPath(id)).catch(returnNullIfMissing);
      if (isId(id) && content !== null) yield { id, content };
    }
  }

  #getPath(id: string): string {
    return join(this.#folder, `${id}${journalExtension}`);
  }
}

const returnNullIfMissing = ({ code }: NodeJS.ErrnoException): null | undefined =>
  code === 'ENOENT' ? null : undefined;

function rejectExistingFile(error: NodeJS.ErrnoException): never {
  throw error.code === 'EEXIST' ? new ConversationExistsError() : error;
}
