import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { renameUnreadableFile, writeFileAtomically } from '../../../platform/atomic-file.ts';
import { isNewerFile, mayBeNewerFile, refuseNewerFile } from '../../../platform/newer-file.ts';
import type { Address } from '../../chain.ts';
import {
  decodeStakingRecord,
  encodeStakingRecord,
  type StakingJournal,
  type StakingRecord,
} from '../stake-journal.ts';
import { recordNamePattern } from '../../vscode/unfinished-hints.ts';

/** Maximum file size in bytes. A larger file is not a journal file. */
const maxBytes = 100_000;

/** Journal file of one account on one chain. Never replaces a record of a newer version. */
export class StakingJournalFile implements StakingJournal {
  readonly #path: string;

  constructor(folder: string, { chainId, from }: { chainId: number; from: Address }) {
    this.#path = join(folder, `${chainId}-${from.toLowerCase()}.json`);
  }

  async read(): Promise<StakingRecord | undefined> {
    return readRecord(this.#path);
  }

  async write(record: StakingRecord): Promise<void> {
    await refuseNewerFile(this.#path);
    if ((await this.read()) === undefined) await renameUnreadableFile(this.#path);
    await writeFileAtomically(this.#path, encodeStakingRecord(record));
  }

  async clear(): Promise<void> {
    if (await mayBeNewerFile(this.#path)) return;
    if ((await this.read()) === undefined) return renameUnreadableFile(this.#path);
    await rm(this.#path, { force: true });
  }
}

/**
 * Returns all unfinished records, oldest first. Skips unreadable records but does not delete them.
 */
export async function readUnfinishedRecords(folder: string): Promise<StakingRecord[]> {
  const names = await listRecordNames(folder);
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
  return records.filter((record) => record !== undefined).toSorted((a, b) => a.time - b.time);
}

/** Checks whether a newer version of the extension has an unfinished flow on the chain. */
export async function hasNewerRecord(folder: string, chainId: number): Promise<boolean> {
  const names = (await listRecordNames(folder)).filter((name) => name.startsWith(`${chainId}-`));
  const newerFlags = await Promise.all(names.map((name) => isNewerFile(join(folder, name))));
  return newerFlags.includes(true);
}

/**
 * Returns the names of the record files.
 * @throws if the folder exists but cannot be read
 */
async function listRecordNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  return names.filter((name) => recordNamePattern.test(name));
}

async function readRecord(path: string): Promise<StakingRecord | undefined> {
  const size = (await stat(path).catch(() => undefined))?.size ?? maxBytes + 1;
  return size > maxBytes ? undefined : decodeStakingRecord(await readFile(path, 'utf8'));
}
