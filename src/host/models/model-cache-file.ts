import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CacheRecord,
  decodeCacheRecord,
  encodeCacheRecord,
} from '../../models/cache-record.ts';
import { writeFileAtomically } from '../storage/atomic-file.ts';

/** The last known models of each profile, one file each. */
export class ModelCacheFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `undefined` when there is none that can be read. */
  async read(profileId: string): Promise<CacheRecord | undefined> {
    try {
      return decodeCacheRecord(await readFile(this.#path(profileId), 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** @throws the file system's error; the file is then as it was. */
  async write(profileId: string, record: CacheRecord): Promise<void> {
    await writeFileAtomically(this.#path(profileId), encodeCacheRecord(record));
  }

  #path(profileId: string): string {
    return join(this.#folder, `${profileId}.json`);
  }
}
