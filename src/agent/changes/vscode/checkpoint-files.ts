import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeTurnRecords, encodeTurnRecords, type TurnRecord } from '../turn-record.ts';
import { isFromNewerVersion } from '../../../base/newer-version.ts';
import { removeLeftovers, writeFileAtomically } from '../../../platform/atomic-file.ts';
import { appendToFile } from '../../../platform/files.ts';
import { mayBeNewerFile, refuseNewerFile } from '../../../platform/newer-file.ts';
import { isId } from '../../../base/ids.ts';

/** Bytes kept for a conversation. */
export interface Blobs {
  /** Undefined when they are gone. */
  read(blob: string): Promise<Uint8Array | undefined>;
  /** @throws what the disk says. */
  keep(bytes: Uint8Array): Promise<void>;
}

/** The name under which bytes are kept: their SHA-256, hexadecimal. */
export const blobOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Bytes by their hash, each once, in `folder`. */
export class BlobFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @returns how many bytes that added to the disk; 0 when they were there.
   * @throws what the disk says.
   */
  async put(bytes: Uint8Array): Promise<number> {
    const path = this.#path(blobOf(bytes));
    const { size } = await stat(path).catch(() => ({ size: -1 }));
    if (size === bytes.length) return 0;
    await writeFileAtomically(path, bytes);
    return bytes.length;
  }

  /** Undefined when they are gone, or are no longer what they were. */
  async get(blob: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(this.#path(blob)).catch(() => undefined);
    return bytes !== undefined && blobOf(bytes) === blob ? bytes : undefined;
  }

  #path(blob: string): string {
    return join(this.#folder, blob);
  }
}

/** The checkpoints in the extension's storage. @param storage Its folder. */
export const openCheckpoints = (storage: string): CheckpointFiles =>
  new CheckpointFiles(join(storage, 'checkpoints'), limit);

/** Bytes that the checkpoints of all chats may take together. */
const limit = 500 * 1_024 * 1_024;

const ending = '.jsonl';
const deleted = '.deleted';
const day = 24 * 60 * 60 * 1_000;

/**
 * What turns changed, on disk: a folder for each conversation, with a journal for each turn and the bytes that they
 * name. Readable by its owner only. Several windows may use the same folder.
 */
export class CheckpointFiles {
  readonly #folder: string;
  readonly #limit: number;
  #added = 0;

  /** @param limit Bytes that all conversations may take together; the oldest go first. */
  constructor(folder: string, limit: number) {
    this.#folder = folder;
    this.#limit = limit;
  }

  /** Every turn of the conversation that can be read, by its id. */
  async load(conversationId: string): Promise<ReadonlyMap<string, readonly TurnRecord[]>> {
    const turns = new Map<string, readonly TurnRecord[]>();
    if (!isId(conversationId)) return turns;
    for (const turnId of await this.#turnIds(conversationId)) {
      const path = this.#journal(conversationId, turnId);
      const text = await readFile(path, 'utf8').catch(() => '');
      const records = decodeTurnRecords(text) ?? [];
      // A file that was copied or renamed by hand is not the turn it says it is.
      const start = records.find(({ type }) => type === 'turn-start');
      if (start?.type === 'turn-start' && start.turnId === turnId) turns.set(turnId, records);
    }
    return turns;
  }

  /**
   * The first records of a turn begin with `turn-start`.
   * @throws what the disk says; then nothing was written.
   */
  async append(
    conversationId: string,
    turnId: string,
    records: readonly TurnRecord[],
  ): Promise<void> {
    const path = this.#journal(conversationId, turnId);
    await refuseNewerFile(path);
    const text = encodeTurnRecords(records);
    if (records[0]?.type === 'turn-start') await writeFileAtomically(path, text);
    else await appendToFile(path, text);
  }

  /** @throws what the disk says: then nothing is kept. */
  async keep(conversationId: string, bytes: Uint8Array): Promise<void> {
    this.#added += await this.#blobs(conversationId).put(bytes);
    // Not at every file: it looks at all that is there.
    if (this.#added < this.#limit / 20) return;
    this.#added = 0;
    // The bytes are stored: a folder that cannot be read or removed now is pruned later.
    await this.prune(conversationId).catch(() => {});
  }

  /** Undefined when they are gone. */
  read(conversationId: string, blob: string): Promise<Uint8Array | undefined> {
    return this.#blobs(conversationId).get(blob);
  }

  /** Puts the conversation's checkpoints aside; `restore` undoes it for a day. */
  async remove(conversationId: string): Promise<void> {
    const path = this.#path(conversationId);
    await rm(`${path}${deleted}`, { recursive: true, force: true });
    const now = new Date();
    // The day begins here.
    await utimes(path, now, now).catch(ignoreMissing);
    await rename(path, `${path}${deleted}`).catch(ignoreMissing);
  }

  async restore(conversationId: string): Promise<void> {
    const path = this.#path(conversationId);
    await rename(`${path}${deleted}`, path).catch(ignoreMissing);
  }

  /** Removes what was deleted more than a day ago, then the oldest conversations until the rest fits; never `current`, of which only the oldest turns go, and never what a newer version wrote. */
  async prune(current?: string): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const all = await Promise.all(names.map((name) => this.#usage(name)));
    let total = 0;
    for (const each of all.toSorted((a, b) => rank(b, current) - rank(a, current))) {
      const isOver = each.name.endsWith(deleted) && Date.now() - each.usedAt > day;
      const isTooMuch = total + each.bytes > this.#limit && !(await this.#hasNewer(each.name));
      if (each.name !== current && (isOver || isTooMuch)) {
        await rm(join(this.#folder, each.name), { recursive: true, force: true });
      } else total += each.bytes;
      if (each.name === current && each.bytes > this.#limit) await this.#shrink(current);
    }
  }

  /** Forgets the oldest turns of a conversation that is too large by itself, until the rest takes half of the limit. */
  async #shrink(conversationId: string): Promise<void> {
    const blobs = join(this.#path(conversationId), 'blobs');
    const sizes = new Map((await filesIn(blobs)).map(({ path, size }) => [basename(path), size]));
    const journals = (await filesIn(this.#path(conversationId))).toSorted((a, b) => b.at - a.at);
    const needed = new Set<string>();
    let hasNewer = false;
    for (const [index, { path }] of journals.entries()) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      // An unreadable journal may name any file.
      const isNewer = text === undefined || isFromNewerVersion(text);
      hasNewer ||= isNewer;
      const named = text?.match(/[0-9a-f]{64}/gu) ?? [];
      const bytes = sum([...new Set([...needed, ...named])].map((blob) => sizes.get(blob) ?? 0));
      if (index > 0 && bytes > this.#limit / 2 && !isNewer) await rm(path, { force: true });
      else for (const blob of named) needed.add(blob);
    }
    // A newer version may name its files in another way.
    if (hasNewer) return;
    for (const { path, at } of await filesIn(blobs)) {
      // What was put there a moment ago is about to be named.
      const isNew = Date.now() - at < 60_000;
      if (!isNew && !needed.has(basename(path))) await rm(path, { force: true });
    }
  }

  async #hasNewer(name: string): Promise<boolean> {
    const journals = await filesIn(join(this.#folder, name)).catch(() => undefined);
    // A folder that cannot be listed may contain such a journal.
    if (journals === undefined) return true;
    const newer = await Promise.all(journals.map(({ path }) => mayBeNewerFile(path)));
    return newer.includes(true);
  }

  async #usage(name: string): Promise<Usage> {
    const folder = join(this.#folder, name);
    const blobs = join(folder, 'blobs');
    await Promise.all([removeLeftovers(folder, day), removeLeftovers(blobs, day)]);
    const found = [folder, blobs].map((each) => filesIn(each).catch(() => []));
    const files = (await Promise.all(found)).flat();
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    return {
      name,
      bytes: sum(files.map(({ size }) => size)),
      usedAt: Math.max(mtimeMs, ...files.map(({ at }) => at)),
    };
  }

  async #turnIds(conversationId: string): Promise<readonly string[]> {
    const names = await readdir(this.#path(conversationId)).catch(() => []);
    return names
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length))
      .filter(isId);
  }

  #blobs(conversationId: string): BlobFiles {
    return new BlobFiles(join(this.#path(conversationId), 'blobs'));
  }

  #journal(conversationId: string, turnId: string): string {
    if (!isId(turnId)) throw new Error('This turn has no name that a file could have.');
    return join(this.#path(conversationId), `${turnId}${ending}`);
  }

  #path(conversationId: string): string {
    if (!isId(conversationId)) throw new Error('This chat has no name that a folder could have.');
    return join(this.#folder, conversationId);
  }
}

interface Usage {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
}

const rank = ({ name, usedAt }: Usage, current: string | undefined): number =>
  name === current ? Number.POSITIVE_INFINITY : usedAt;

/** @throws what the disk reports, unless the folder or a file does not exist. */
async function filesIn(folder: string): Promise<{ path: string; size: number; at: number }[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const each = await stat(path).catch(ignoreMissing);
      return each?.isFile() ? [{ path, size: each.size, at: each.mtimeMs }] : [];
    }),
  );
  return found.flat();
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
