import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MonthOfSpending } from '../../../account/budget.ts';
import {
  dayName,
  emptyDay,
  encodeEntry,
  isSameMonth,
  type SpendingDay,
  type SpendingEntry,
  withLines,
} from '../../../account/spending-day.ts';
import { readUsage, type UsageRecord } from '../../../account/usage-record.ts';
import type { Clock } from '../../../base/clock.ts';

export interface LedgerOptions {
  /** Shared by all windows. */
  readonly folder: string;
  readonly clock: Clock;
}

/** A file that was read up to a place. */
interface DayFile {
  readonly readBytes: number;
  readonly day: SpendingDay;
}

const ending = '.jsonl';
/** Files of older days are removed: no budget looks back further. */
const keptMs = 62 * 86_400_000;
const chunkBytes = 64 * 1024;

/**
 * What was spent, by days where the person is: one file for each, which every window only adds lines to. A line that the
 * disk refuses still counts in this window, and is written with the next.
 */
export class SpendingLedger {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #files = new Map<string, DayFile>();
  readonly #unwritten = new Map<string, string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ folder, clock }: LedgerOptions) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** With what all windows have written up to now. @throws what the disk says */
  month(): Promise<MonthOfSpending> {
    return this.#inTurn(() => this.#month());
  }

  /** One record for each request of the days that are kept. @throws what the disk says */
  usage(): Promise<readonly UsageRecord[]> {
    return this.#inTurn(async () => {
      const names = new Set([...(await this.#names()), ...this.#unwritten.keys()]);
      const days = [...names].toSorted().map(async (name) => {
        const written = (await readFile(this.#path(name), 'utf8').catch(ignoreMissing)) ?? '';
        return readUsage(name, written + (this.#unwritten.get(name) ?? ''));
      });
      return (await Promise.all(days)).flat();
    });
  }

  /** @throws what the disk says */
  add(entry: SpendingEntry): Promise<void> {
    const name = dayName(this.#clock.now());
    return this.#inTurn(async () => {
      const text = (this.#unwritten.get(name) ?? '') + encodeEntry(entry);
      this.#unwritten.set(name, text);
      await this.#append(name, text);
      this.#unwritten.delete(name);
    });
  }

  /** Removes the files of days that no budget looks at. Never throws. */
  async tidy(): Promise<void> {
    const oldest = dayName(this.#clock.now() - keptMs);
    const names = await this.#names().catch(() => []);
    for (const name of names.filter((each) => each < oldest)) {
      await rm(this.#path(name), { force: true }).catch(() => {});
    }
  }

  async #month(): Promise<MonthOfSpending> {
    const today = dayName(this.#clock.now());
    const names = new Set([today, ...(await this.#names()), ...this.#unwritten.keys()]);
    const days = new Map<string, SpendingDay>();
    for (const name of names) {
      if (isSameMonth(name, today)) days.set(name, await this.#day(name));
    }
    const all = [...days.values()];
    return {
      today: days.get(today) ?? emptyDay,
      spent: all.reduce((sum, { spent }) => sum + spent, 0n),
      isMonthTold: all.some(({ told }) => told.has('monthly')),
    };
  }

  async #day(name: string): Promise<SpendingDay> {
    const file = await this.#read(name);
    this.#files.set(name, file);
    return withLines(file.day, this.#unwritten.get(name) ?? '');
  }

  /** Only what was added since; all of a file that became shorter, since then it is another one. */
  async #read(name: string): Promise<DayFile> {
    const file = await open(this.#path(name), 'r').catch(ignoreMissing);
    if (file === undefined) return { readBytes: 0, day: emptyDay };
    try {
      const { size } = await file.stat();
      const known = this.#files.get(name);
      let { readBytes, day } =
        known !== undefined && known.readBytes <= size ? known : { readBytes: 0, day: emptyDay };
      while (readBytes < size) {
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(chunkBytes),
          0,
          chunkBytes,
          readBytes,
        );
        // A line that another window is writing now is read with the next look.
        const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
        if (end === 0 && bytesRead < chunkBytes) break;
        const whole = end === 0 ? bytesRead : end;
        day = withLines(day, buffer.toString('utf8', 0, whole));
        readBytes += whole;
      }
      return { readBytes, day };
    } finally {
      await file.close();
    }
  }

  async #append(name: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = await open(this.#path(name), 'a', 0o600);
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  }

  /** Of the days that have a file. */
  async #names(): Promise<readonly string[]> {
    const files = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    return files
      .filter((file) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(file))
      .map((file) => file.slice(0, -ending.length));
  }

  #path(name: string): string {
    return join(this.#folder, name + ending);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
