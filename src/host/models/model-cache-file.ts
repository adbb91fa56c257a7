import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import {
  type CacheRecord,
  decodeCacheRecord,
  encodeCacheRecord,
} from '../../models/cache-record.ts';

/** The last known models of each profile, one file each, replaced as a whole. */
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
    const target = this.#path(profileId);
    const temporary = `${target}.${randomUUID()}.tmp`;
    await mkdir(this.#folder, { recursive: true });
    try {
      await writeFile(temporary, encodeCacheRecord(record), { flag: 'wx', mode: 0o600 });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #path(profileId: string): string {
    return join(this.#folder, `${profileId}.json`);
  }
}
