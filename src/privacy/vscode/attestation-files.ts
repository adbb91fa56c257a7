import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Attested } from '../../service/chat/protection.ts';
import { writeFileAtomically } from '../../platform/atomic-file.ts';

/** Some hundred kilobytes each, and at most one every ten minutes of talking to a model. */
const mostFiles = 100;
/** Each: a service that sends more than evidence does not fill the disk. */
const mostBytes = 1024 * 1024;

/** What was checked of enclaves, as it was worded then: the newest hundred, so that it can be shown for an answer later. */
export class AttestationFiles {
  readonly #folder: string;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    this.#folder = join(globalStorageUri.fsPath, 'attestations');
  }

  /**
   * A text above a megabyte is not kept.
   * @throws what the disk says
   */
  async keep(attested: Attested, text: string): Promise<void> {
    if (Buffer.byteLength(text) > mostBytes) return;
    await writeFileAtomically(this.#pathOf(attested), text);
    const names = (await readdir(this.#folder)).filter((name) => ours.test(name)).toSorted();
    for (const name of names.slice(0, -mostFiles)) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** What was checked for an answer; empty when it is not kept. */
  async find(attested: Attested): Promise<string> {
    return readFile(this.#pathOf(attested), 'utf8').catch(() => '');
  }

  /** Their names sort by their age. */
  #pathOf({ checkedAt, publicKey = '' }: Attested): string {
    const time = String(Math.trunc(checkedAt)).padStart(16, '0');
    const key = createHash('sha256').update(publicKey).digest('hex').slice(0, 32);
    return join(this.#folder, `${time}-${key}.txt`);
  }
}

const ours = /^\d{16}-[0-9a-f]{32}\.txt$/u;
