import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from '../cache-record.ts';
import { writeFileAtomically } from '../../platform/atomic-file.ts';
import { mayBeNewerFile } from '../../platform/newer-file.ts';

/** The last known models of each profile, one file each; beside a file that a newer version wrote, if there is one. */
export class ModelCacheFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `undefined` when there is none that can be read. */
  async read(profileId: string): Promise<CacheRecord | undefined> {
    try {
      const text = await readFile(this.#path(profileId), 'utf8');
      return decodeCacheRecord(
        isFromNewerVersion(text) ? await readFile(this.#pathBeside(profileId), 'utf8') : text,
      );
    } catch {
      return undefined;
    }
  }

  /** @throws the file system's error; the file is then as it was. */
  async write(profileId: string, record: CacheRecord): Promise<void> {
    const path = this.#path(profileId);
    const isTaken = await mayBeNewerFile(path);
    await writeFileAtomically(
      isTaken ? this.#pathBeside(profileId) : path,
      encodeCacheRecord(record),
    );
  }

  #path(profileId: string): string {
    return join(this.#folder, `${profileId}.json`);
  }

  #pathBeside(profileId: string): string {
    return join(this.#folder, `${profileId}.v1.json`);
  }
}
