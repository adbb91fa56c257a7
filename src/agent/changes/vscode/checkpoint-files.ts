import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeTurnRecords, encodeTurnRecords, type TurnRecord } from '../turn-record.ts';
import { hasDamagedLine } from '../../../base/json.ts';
import { isFromNewerVersion } from '../../../base/newer-version.ts';
import { removeLeftovers, writeFileAtomically } from '../../../platform/atomic-file.ts';
import { appendToFile } from '../../../platform/files.ts';
import { mayBeNewerFile, refuseNewerFile } from '../../../platform/newer-file.ts';
import { isId } from '../../../base/ids.ts';

/** Stored file contents of a conversation, addressed by hash. */
export interface BlobStore {
  /** Returns the bytes with this hash; undefined if they were deleted. */
  read(blob: string): Promise<Uint8Array | undefined>;
  /**
   * Stores bytes under their hash.
   * @throws if the bytes cannot be written to disk
   */
  store(bytes: Uint8Array): Promise<void>;
}

/** Returns the name under which bytes are stored: their SHA-256 in hexadecimal. */
export const hashBlob = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Stores bytes in files that are named by their hash, so equal bytes are stored only once. */
export class BlobFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores bytes under their hash.
   * @returns the number of bytes added on disk; 0 if the file already existed
   * @throws if the file cannot be written
   */
  async writeBlob(bytes: Uint8Array): Promise<number> {
    const path = this.#getPath(hashBlob(bytes));
    const { size } = await stat(path).catch(() => ({ size: -1 }));
    if (size === bytes.length) return 0;
    await writeFileAtomically(path, bytes);
    return bytes.length;
  }

  /** Returns the bytes with this hash; undefined if they were deleted or do not match the hash. */
  async get(hash: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(this.#getPath(hash)).catch(() => undefined);
    return bytes !== undefined && hashBlob(bytes) === hash ? bytes : undefined;
  }

  #getPath(blob: string): string {
    return join(this.#folder, blob);
  }
}

/**
 * Opens the checkpoints in the extension's storage.
 * @param storagePath Path of the storage folder.
 */
export const openCheckpoints = (storagePath: string): CheckpointFiles =>
  new CheckpointFiles(join(storagePath, 'checkpoints'), maxBytes);

/** Maximum size in bytes of the checkpoints of all conversations together. */
const maxBytes = 500 * 1_024 * 1_024;

/** A stored journal of a turn. */
export interface CheckpointJournal {
  readonly turnId: string;
  /** Size of the journal in bytes. */
  readonly sizeBytes: number;
  /** Time of the last change of the journal, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

const journalExtension = '.jsonl';
const deletedSuffix = '.deleted';
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Stores the file changes of turns. The folder of each conversation contains one journal per turn, and the bytes that
 * the journals refer to. Only the owner can read the files. Several windows may use the same folder.
 */
export class CheckpointFiles {
  readonly #root: string;
  readonly #maxBytes: number;
  #addedBytes = 0;

  /**
   * @param maxBytes Maximum size of all conversations together, in bytes. Above this size, the oldest conversations are
   *   deleted.
   */
  constructor(root: string, maxBytes: number) {
    this.#root = root;
    this.#maxBytes = maxBytes;
  }

  /** Returns the ids of the conversations with stored turns. Omits removed conversations. */
  async listConversationIds(): Promise<readonly string[]> {
    const names = await readdir(this.#root).catch(() => []);
    return names.filter(isId);
  }

  /** Loads all turns of a conversation. Returns their records by turn id. */
  async load(conversationId: string): Promise<ReadonlyMap<string, readonly TurnRecord[]>> {
    const turns = new Map<string, readonly TurnRecord[]>();
    if (!isId(conversationId)) return turns;
    for (const turnId of await this.#listTurnIds(conversationId)) {
      const records = await this.readTurn(conversationId, turnId).catch(ignoreMissingOrDamagedFile);
      if (records !== undefined) turns.set(turnId, records);
    }
    return turns;
  }

  /**
   * Lists the journals of a conversation without reading them.
   * @throws if the folder of the conversation exists but cannot be read
   */
  async listJournals(conversationId: string): Promise<readonly CheckpointJournal[]> {
    const files = await listFiles(this.#getConversationPath(conversationId));
    return files.flatMap(({ path, size, modifiedAt }) => {
      const turnId = basename(path, journalExtension);
      return path.endsWith(journalExtension) && isId(turnId)
        ? [{ turnId, sizeBytes: size, modifiedAt }]
        : [];
    });
  }

  /**
   * Reads the records of a turn.
   * @returns undefined for a journal that a newer version of the extension wrote, and for a copied journal, which
   *   contains the id of another turn
   * @throws if the journal cannot be read
   */
  async readTurn(
    conversationId: string,
    turnId: string,
  ): Promise<readonly TurnRecord[] | undefined> {
    const content = await readFile(this.#getJournalPath(conversationId, turnId));
    const records = decodeTurnRecords(content);
    const startRecord = records?.find((record) => record.type === 'turn-start');
    if (records === undefined || startRecord === undefined || startRecord.turnId === turnId)
      return records;
    const isCopy = (await this.#listTurnIds(conversationId)).includes(startRecord.turnId);
    return isCopy ? undefined : [{ type: 'damage' }, ...records];
  }

  /**
   * Appends records to the journal of a turn. The first record of a turn must be `turn-start`.
   * @throws if the journal cannot be written, or if a newer version of the extension wrote it; no record is then added
   */
  async append(
    conversationId: string,
    turnId: string,
    records: readonly TurnRecord[],
  ): Promise<void> {
    const path = this.#getJournalPath(conversationId, turnId);
    await refuseNewerFile(path);
    const text = encodeTurnRecords(records);
    if (records[0]?.type !== 'turn-start') {
      await appendToFile(path, text);
      return;
    }
    // Keeps a file that this window could not read.
    await rename(path, `${path}.kept-${Date.now()}`).catch(ignoreMissingFile);
    await writeFileAtomically(path, text);
  }

  /**
   * Stores bytes of a conversation under their hash.
   * @throws if the bytes cannot be written to disk
   */
  async storeBlob(conversationId: string, bytes: Uint8Array): Promise<void> {
    this.#addedBytes += await this.#openBlobs(conversationId).writeBlob(bytes);
    // Prunes only after many new bytes, because pruning reads the whole folder.
    if (this.#addedBytes < this.#maxBytes / 20) return;
    this.#addedBytes = 0;
    // Ignores errors of pruning, because the bytes are stored. A later call prunes again.
    await this.prune(conversationId).catch(() => {});
  }

  /** Returns the bytes with this hash; undefined if they were deleted. */
  readBlob(conversationId: string, blob: string): Promise<Uint8Array | undefined> {
    return this.#openBlobs(conversationId).get(blob);
  }

  /** Marks the checkpoints of a conversation as removed. For a day, `restoreConversationData` can undo this. */
  async removeConversationData(conversationId: string): Promise<void> {
    const path = this.#getConversationPath(conversationId);
    await rm(`${path}${deletedSuffix}`, { recursive: true, force: true });
    const now = new Date();
    // Starts the retention period.
    await utimes(path, now, now).catch(ignoreMissingFile);
    await rename(path, `${path}${deletedSuffix}`).catch(ignoreMissingFile);
  }

  async restoreConversationData(conversationId: string): Promise<void> {
    const path = this.#getConversationPath(conversationId);
    await rename(`${path}${deletedSuffix}`, path).catch(ignoreMissingFile);
  }

  /** Deletes the checkpoints of removed conversations permanently. */
  async deleteOrphans(): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    for (const name of names.filter((folderName) => folderName.endsWith(deletedSuffix)))
      await rm(join(this.#root, name), { recursive: true, force: true });
  }

  /**
   * Deletes the checkpoints of conversations that were removed more than a day ago. Then deletes those of the oldest
   * conversations until the total size is within the limit. Never deletes all checkpoints of the conversation
   * `currentId`: if they alone exceed the limit, deletes only the oldest turns. Never deletes data that a newer version
   * of the extension wrote.
   */
  async prune(currentId?: string): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    const conversations = await Promise.all(names.map((name) => this.#measureConversation(name)));
    let totalBytes = 0;
    for (const conversation of conversations.toSorted(
      (a, b) => getRetentionRank(b, currentId) - getRetentionRank(a, currentId),
    )) {
      const isExpired =
        conversation.name.endsWith(deletedSuffix) && Date.now() - conversation.changedAt > dayMs;
      const exceedsLimit =
        totalBytes + conversation.bytes > this.#maxBytes &&
        !(await this.#mayHaveNewerJournal(conversation.name));
      if (conversation.name !== currentId && (isExpired || exceedsLimit)) {
        await rm(join(this.#root, conversation.name), { recursive: true, force: true });
      } else totalBytes += conversation.bytes;
      if (conversation.name === currentId && conversation.bytes > this.#maxBytes)
        await this.#pruneTurns(currentId);
    }
  }

  /**
   * Deletes the oldest turns of an oversized conversation until the remaining turns use at most half of the size limit.
   */
  async #pruneTurns(conversationId: string): Promise<void> {
    const blobFolder = join(this.#getConversationPath(conversationId), 'blobs');
    const blobSizes = new Map(
      (await listFiles(blobFolder)).map(({ path, size }) => [basename(path), size]),
    );
    const journalFiles = (await listFiles(this.#getConversationPath(conversationId))).toSorted(
      (a, b) => b.modifiedAt - a.modifiedAt,
    );
    const referencedBlobs = new Set<string>();
    let hasNewerJournal = false;
    for (const [index, { path }] of journalFiles.entries()) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      // An unreadable journal may reference any stored file.
      const isNewer = text === undefined || isFromNewerVersion(text);
      hasNewerJournal ||= isNewer || hasDamagedLine(text);
      const mentionedBlobs = text?.match(/[0-9a-f]{64}/gu) ?? [];
      const bytes = sumNumbers(
        [...new Set([...referencedBlobs, ...mentionedBlobs])].map(
          (blob) => blobSizes.get(blob) ?? 0,
        ),
      );
      if (index > 0 && bytes > this.#maxBytes / 2 && !isNewer) await rm(path, { force: true });
      else for (const blob of mentionedBlobs) referencedBlobs.add(blob);
    }
    // Keeps all bytes, because a newer version or a damaged record may refer to them.
    if (hasNewerJournal) return;
    for (const { path, modifiedAt } of await listFiles(blobFolder)) {
      // Keeps recently stored bytes, because their record may not be written yet.
      const isRecent = Date.now() - modifiedAt < 60_000;
      if (!isRecent && !referencedBlobs.has(basename(path))) await rm(path, { force: true });
    }
  }

  async #mayHaveNewerJournal(name: string): Promise<boolean> {
    const journalFiles = await listFiles(join(this.#root, name)).catch(() => undefined);
    // A folder that cannot be listed may contain a journal of a newer version.
    if (journalFiles === undefined) return true;
    const newerFlags = await Promise.all(journalFiles.map(({ path }) => mayBeNewerFile(path)));
    return newerFlags.includes(true);
  }

  async #measureConversation(name: string): Promise<StoredConversation> {
    const folder = join(this.#root, name);
    const blobFolder = join(folder, 'blobs');
    await Promise.all([removeLeftovers(folder, dayMs), removeLeftovers(blobFolder, dayMs)]);
    const fileListPromises = [folder, blobFolder].map((path) => listFiles(path).catch(() => []));
    const files = (await Promise.all(fileListPromises)).flat();
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    return {
      name,
      bytes: sumNumbers(files.map(({ size }) => size)),
      changedAt: Math.max(mtimeMs, ...files.map(({ modifiedAt }) => modifiedAt)),
    };
  }

  async #listTurnIds(conversationId: string): Promise<readonly string[]> {
    const names = await readdir(this.#getConversationPath(conversationId)).catch(() => []);
    return names
      .filter((name) => name.endsWith(journalExtension))
      .map((name) => name.slice(0, -journalExtension.length))
      .filter(isId);
  }

  #openBlobs(conversationId: string): BlobFiles {
    return new BlobFiles(join(this.#getConversationPath(conversationId), 'blobs'));
  }

  #getJournalPath(conversationId: string, turnId: string): string {
    if (!isId(turnId)) throw new Error('Invalid turn id.');
    return join(this.#getConversationPath(conversationId), `${turnId}${journalExtension}`);
  }

  #getConversationPath(conversationId: string): string {
    if (!isId(conversationId)) throw new Error('Invalid chat id.');
    return join(this.#root, conversationId);
  }
}

interface StoredConversation {
  readonly name: string;
  readonly bytes: number;
  /** Time of the last change to the stored files, in milliseconds since the epoch. */
  readonly changedAt: number;
}

const getRetentionRank = (
  { name, changedAt }: StoredConversation,
  currentId: string | undefined,
): number => (name === currentId ? Number.POSITIVE_INFINITY : changedAt);

/**
 * Lists the files of a folder; empty if the folder does not exist. Skips files that another program deletes during the
 * call.
 * @throws if the folder or a file in it cannot be read
 */
async function listFiles(
  folder: string,
): Promise<{ path: string; size: number; modifiedAt: number }[]> {
  const names = (await readdir(folder).catch(ignoreMissingFile)) ?? [];
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(path).catch(ignoreMissingFile);
      return stats?.isFile() ? [{ path, size: stats.size, modifiedAt: stats.mtimeMs }] : [];
    }),
  );
  return files.flat();
}

const sumNumbers = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

function ignoreMissingFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

function ignoreMissingOrDamagedFile(
  error: NodeJS.ErrnoException,
): readonly TurnRecord[] | undefined {
  return error.code === 'ENOENT' ? undefined : [{ type: 'damage' }];
}
