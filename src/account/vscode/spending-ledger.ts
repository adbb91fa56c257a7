import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MonthlySpending } from '../budget.ts';
import {
  type BudgetPeriod,
  formatLocalDate,
  emptyDay,
  encodeEntry,
  hasUnreadableLine,
  isSameMonth,
  mergeDays,
  type SpendingDay,
  type SpendingEntry,
  addEntries,
} from '../spending-day.ts';
import { parseUsage, type UsageRecord } from '../usage.ts';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';

export interface LedgerOptions {
  /** Folder of the spending files, shared by all windows. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Content of the spending file of one day, up to its last complete line. */
interface DayFile {
  readonly parsedLength: number;
  readonly day: SpendingDay;
  /**
   * True if a newer version of the extension wrote the file; undefined until the first line is
   * complete.
   */
  readonly isNewer?: boolean;
  /** True if a newer version of the extension wrote lines that this version cannot read. */
  readonly isPartial?: boolean;
  /** True if the file contains damaged lines in the current format. */
  readonly isDamaged?: boolean;
  /** True if the file ends with an incomplete line, which is not read yet. */
  readonly hasIncompleteLine?: boolean;
}

const fileSuffix = '.jsonl';
/** Suffix of the secondary spending file of a day, which is used if a newer version wrote the primary file. */
const secondarySuffix = '.v1.jsonl';
/** Retention of spending files in milliseconds. Longer than a month, which is the longest budget period. */
const retentionMs = 62 * 86_400_000;
const chunkBytes = 64 * 1024;

/**
 * Records spending in one file per day of the user's time zone. Windows only append lines. If the disk rejects an
 * entry, this window still counts the entry and includes it in the next write.
 */
export class SpendingLedger {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #files = new Map<string, DayFile>();
  readonly #unwrittenLines = new Map<string, string>();
  #lastTaskPromise: Promise<unknown> = Promise.resolve();

  constructor({ folder, clock }: LedgerOptions) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Returns the spending of the current month, including entries written by other windows.
   * @throws if a file cannot be read
   */
  getMonthlySpending(): Promise<MonthlySpending> {
    return this.#runSequentially(() => this.#readMonthlySpending());
  }

  /**
   * Returns the recorded requests of all retained days.
   * @throws if a file cannot be read
   */
  readUsageRecords(): Promise<readonly UsageRecord[]> {
    return this.#runSequentially(async () => {
      const dates = new Set([...(await this.#listDates()), ...this.#unwrittenLines.keys()]);
      const recordPromises = [...dates].toSorted().map(async (date) => {
        const textPromises = this.#getPaths(date).map(
          async (path) => (await readFile(path, 'utf8').catch(ignoreMissingFile)) ?? '',
        );
        const texts = [...(await Promise.all(textPromises)), this.#unwrittenLines.get(date) ?? ''];
        return texts.flatMap((text) => parseUsage(date, text));
      });
      return (await Promise.all(recordPromises)).flat();
    });
  }

  /**
   * Returns the retained days with entries that cannot be parsed.
   * @throws if a file cannot be read
   */
  listIncompleteDays(): Promise<ReadonlySet<string>> {
    return this.#runSequentially(async () => {
      const days = new Set<string>();
      for (const date of await this.#listDates()) {
        await this.#readDay(date);
        if (this.#isDamagedDay(date) || (await this.#isPartialDay(date))) days.add(date);
      }
      return days;
    });
  }

  /**
   * Appends an entry to today's file.
   * @throws if the file cannot be written; the next call writes the entry again
   */
  appendEntry(entry: SpendingEntry): Promise<void> {
    const date = formatLocalDate(this.#clock.now());
    return this.#runSequentially(async () => {
      const text = (this.#unwrittenLines.get(date) ?? '') + encodeEntry(entry);
      this.#unwrittenLines.set(date, text);
      await this.#appendText(date, text);
      this.#unwrittenLines.delete(date);
    });
  }

  /**
   * Removes the spending files that are older than {@link retentionMs}. Renames damaged files instead, and does not
   * change files of a newer version. Never throws.
   */
  async removeOldFiles(): Promise<void> {
    const oldestDate = formatLocalDate(this.#clock.now() - retentionMs);
    const dates = await this.#listDates().catch(() => []);
    for (const date of dates.filter((date) => date < oldestDate)) {
      for (const path of this.#getPaths(date)) {
        const shouldKeep = await isFileFromNewerVersion(path).catch(() => true);
        if (!shouldKeep) await deleteOrRenameDamagedFile(path).catch(() => {});
      }
    }
  }

  async #readMonthlySpending(): Promise<MonthlySpending> {
    const today = formatLocalDate(this.#clock.now());
    const dates = new Set([today, ...(await this.#listDates()), ...this.#unwrittenLines.keys()]);
    const days = new Map<string, SpendingDay>();
    const incompletePeriods = new Set<BudgetPeriod>();
    const damagedPeriods = new Set<BudgetPeriod>();
    for (const date of dates) {
      if (!isSameMonth(date, today)) continue;
      days.set(date, await this.#readDay(date));
      const periods = date === today ? (['monthly', 'daily'] as const) : (['monthly'] as const);
      if (await this.#isPartialDay(date))
        for (const period of periods) incompletePeriods.add(period);
      if (this.#isDamagedDay(date)) for (const period of periods) damagedPeriods.add(period);
    }
    const monthDays = [...days.values()];
    return {
      today: days.get(today) ?? emptyDay,
      spentAmount: monthDays.reduce((sum, { spentAmount }) => sum + spentAmount, 0n),
      isMonthlyWarningShown: monthDays.some(({ warnedPeriods }) => warnedPeriods.has('monthly')),
      ...(incompletePeriods.size > 0 && { incompletePeriods }),
      ...(damagedPeriods.size > 0 && { damagedPeriods }),
    };
  }

  async #readDay(date: string): Promise<SpendingDay> {
    let mergedDay = emptyDay;
    for (const path of this.#getPaths(date)) {
      const file = await this.#readDayFile(path);
      this.#files.set(path, file);
      mergedDay = mergeDays(mergedDay, file.day);
    }
    return addEntries(mergedDay, this.#unwrittenLines.get(date) ?? '');
  }

  /** Checks whether the files of a day contain spending that this version cannot read. Call {@link #readDay} first. */
  async #isPartialDay(date: string): Promise<boolean> {
    for (const path of this.#getPaths(date)) {
      const { isPartial = false, hasIncompleteLine = false } = this.#files.get(path) ?? {};
      if (isPartial || (hasIncompleteLine && (await isFileFromNewerVersion(path)))) return true;
    }
    return false;
  }

  /** Checks whether the files of a day contain damaged spending. Call {@link #readDay} first. */
  #isDamagedDay(date: string): boolean {
    return this.#getPaths(date).some((path) => {
      const { isNewer, isDamaged, hasIncompleteLine } = this.#files.get(path) ?? {};
      return isDamaged === true || (isNewer !== true && hasIncompleteLine === true);
    });
  }

  /**
   * Reads the lines that were added to a file since the last read. Reads all lines if the file became shorter, because
   * another file has then replaced it.
   */
  async #readDayFile(path: string): Promise<DayFile> {
    const file = await open(path, 'r').catch(ignoreMissingFile);
    if (file === undefined) return { parsedLength: 0, day: emptyDay };
    try {
      const { size } = await file.stat();
      const cachedFile = this.#files.get(path);
      const previousFile: DayFile =
        cachedFile !== undefined && cachedFile.parsedLength <= size
          ? cachedFile
          : { parsedLength: 0, day: emptyDay };
      let { parsedLength, day, isNewer, isPartial = false, isDamaged = false } = previousFile;
      while (parsedLength < size) {
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(chunkBytes),
          0,
          chunkBytes,
          parsedLength,
        );
        // Leaves an incomplete line for the next read, because another window is writing the line.
        const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
        if (end === 0 && bytesRead < chunkBytes) break;
        const lineBytes = end === 0 ? bytesRead : end;
        const lines = buffer.toString('utf8', 0, lineBytes);
        day = addEntries(day, lines);
        isNewer ??= beginsWithNewerVersion(lines);
        if (hasUnreadableLine(lines)) {
          if (isNewer === true) isPartial = true;
          else isDamaged = true;
        }
        parsedLength += lineBytes;
      }
      const hasIncompleteLine = parsedLength < size;
      return {
        parsedLength,
        day,
        isPartial,
        isDamaged,
        hasIncompleteLine,
        ...omitUndefined({ isNewer }),
      };
    } finally {
      await file.close();
    }
  }

  async #appendText(date: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const [primaryPath, secondaryPath] = this.#getPaths(date);
    const file = await open(
      (await isFileFromNewerVersion(primaryPath)) ? secondaryPath : primaryPath,
      'a',
      0o600,
    );
    try {
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  }

  /** Returns the dates of all days that have a file. */
  async #listDates(): Promise<readonly string[]> {
    const fileNames = (await readdir(this.#folder).catch(ignoreMissingFile)) ?? [];
    const dates = fileNames
      .filter((fileName) => /^\d{4}-\d{2}-\d{2}(?:\.v1)?\.jsonl$/.test(fileName))
      .map((fileName) => fileName.slice(0, '2026-11-22'.length));
    return [...new Set(dates)];
  }

  /**
   * Returns the paths of the primary and the secondary spending file of a day. The secondary file is used if a newer
   * version wrote the primary file.
   */
  #getPaths(date: string): readonly [primary: string, secondary: string] {
    return [join(this.#folder, date + fileSuffix), join(this.#folder, date + secondarySuffix)];
  }

  #runSequentially<T>(run: () => Promise<T>): Promise<T> {
    const resultPromise = this.#lastTaskPromise.then(run);
    this.#lastTaskPromise = resultPromise.catch(() => {});
    return resultPromise;
  }
}

/**
 * Deletes a spending file, or renames it if it is damaged.
 * @throws if the file cannot be read, deleted or renamed
 */
async function deleteOrRenameDamagedFile(path: string): Promise<void> {
  const content = (await readFile(path, 'utf8').catch(ignoreMissingFile)) ?? '';
  if (hasUnreadableLine(content)) await rename(path, `${path}.damaged`);
  else await rm(path, { force: true });
}

/**
 * Checks whether a newer version wrote the file. Entries begin with a line break, so the first line
 * may be empty.
 * @throws if the file exists but cannot be read
 */
async function isFileFromNewerVersion(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(ignoreMissingFile);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, 0);
    return isFromNewerVersion(buffer.toString('utf8', 0, bytesRead).trimStart());
  } finally {
    await file.close();
  }
}

/**
 * Checks whether the first line that is not empty shows that a newer version wrote the lines. Returns `undefined` if
 * all lines are empty.
 */
function beginsWithNewerVersion(lines: string): boolean | undefined {
  const [line = ''] = lines.trimStart().split('\n', 1);
  return line === '' ? undefined : isFromNewerVersion(line);
}

function ignoreMissingFile(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
