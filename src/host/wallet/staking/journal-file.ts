import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from '../../../wallet/evm.ts';
import {
  decodeRecord,
  encodeRecord,
  type StakingJournal,
  type StakingRecord,
} from '../../../wallet/staking/stake-journal.ts';
import { writeFileAtomically } from '../../storage/atomic-file.ts';
import { fileNamePattern } from './staking-folder.ts';

/** A longer file is not one of ours, in bytes. */
const longest = 100_000;

/** The record of one account on one chain, in a file of its own. */
export class JournalFile implements StakingJournal {
  readonly #path: string;

  constructor(folder: string, { chainId, from }: { chainId: number; from: Address }) {
    this.#path = join(folder, `${chainId}-${from.toLowerCase()}.json`);
  }

  async read(): Promise<StakingRecord | undefined> {
    return readRecord(this.#path);
  }

  async write(record: StakingRecord): Promise<void> {
    await writeFileAtomically(this.#path, encodeRecord(record));
  }

  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Everything that is unfinished, the oldest first. What cannot be read is left out, and stays. */
export async function unfinishedRecords(folder: string): Promise<StakingRecord[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) =>
    fileNamePattern.test(name),
  );
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
  return records.filter((record) => record !== undefined).toSorted((a, b) => a.time - b.time);
}

async function readRecord(path: string): Promise<StakingRecord | undefined> {
  const size = (await stat(path).catch(() => undefined))?.size ?? longest + 1;
  return size > longest ? undefined : decodeRecord(await readFile(path, 'utf8'));
}
