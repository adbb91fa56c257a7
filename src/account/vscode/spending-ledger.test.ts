import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateDamagedCopies } from '../../../test/support/damage.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { SpendingLedger } from './spending-ledger.ts';

const noonMs = new Date(2026, 10, 21, 12).getTime();
const dayMs = 86_400_000;
let root: string;
let folder: string;
let clock: ManualClock;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spending-'));
  folder = join(root, 'spending');
  clock = new ManualClock(noonMs);
});
afterEach(() => rmSync(root, { recursive: true }));

const createLedger = (): SpendingLedger => new SpendingLedger({ folder, clock });
const recordSpending = (ledger: SpendingLedger, amount: bigint) =>
  ledger.appendEntry({ kind: 'spent', amount });
const readSpentAmounts = async (ledger: SpendingLedger) => {
  const { today, spentAmount } = await ledger.getMonthlySpending();
  return [today.spentAmount, spentAmount];
};

test('SpendingLedger returns zero spending and creates no file before the first entry', async () => {
  expect(await readSpentAmounts(createLedger())).toEqual([0n, 0n]);
  expect(readdirSync(root)).toEqual([]);
});

test('SpendingLedger adds up the spending of two windows that write concurrently', async () => {
  const [firstLedger, secondLedger] = [createLedger(), createLedger()];
  const amounts = Array.from({ length: 40 }, (_, index) => BigInt(index));
  await Promise.all(
    amounts.map((amount, index) =>
      recordSpending(index % 2 === 0 ? firstLedger : secondLedger, amount),
    ),
  );
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  expect(await readSpentAmounts(firstLedger)).toEqual([sum, sum]);
  expect(await readSpentAmounts(secondLedger)).toEqual([sum, sum]);
  await recordSpending(secondLedger, 1n);
  expect(await readSpentAmounts(firstLedger)).toEqual([sum + 1n, sum + 1n]);
  expect(await readSpentAmounts(createLedger())).toEqual([sum + 1n, sum + 1n]);
});

test('SpendingLedger returns the warnings and user decisions of another window until the day or month ends', async () => {
  const [firstLedger, secondLedger] = [createLedger(), createLedger()];
  await firstLedger.appendEntry({ kind: 'told', period: 'monthly' });
  await firstLedger.appendEntry({ kind: 'continued', period: 'daily' });
  const { today, isMonthlyWarningShown: isMonthWarned } = await secondLedger.getMonthlySpending();
  expect([today.continuedPeriods, isMonthWarned]).toEqual([new Set(['daily']), true]);
  await clock.advance(dayMs);
  const nextDaySpending = await secondLedger.getMonthlySpending();
  expect([nextDaySpending.today.continuedPeriods, nextDaySpending.isMonthlyWarningShown]).toEqual([
    new Set(),
    true,
  ]);
});

test('SpendingLedger starts a new daily total at midnight and a new monthly total at the end of the month', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  await clock.advance(12 * 3_600_000 - 1);
  await recordSpending(ledger, 2n);
  expect(await readSpentAmounts(ledger)).toEqual([3n, 3n]);
  await clock.advance(1);
  expect(await readSpentAmounts(ledger)).toEqual([0n, 3n]);
  await recordSpending(ledger, 4n);
  expect(await readSpentAmounts(ledger)).toEqual([4n, 7n]);
  await clock.advance(9 * dayMs - 1);
  expect(await readSpentAmounts(ledger)).toEqual([0n, 7n]);
  await clock.advance(1);
  expect(await readSpentAmounts(ledger)).toEqual([0n, 0n]);
  expect(readdirSync(folder)).toEqual(['2026-11-21.jsonl', '2026-11-22.jsonl']);
});

test('SpendingLedger counts a partially written line after the rest of the line is written', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  const path = join(folder, '2026-11-21.jsonl');
  appendFileSync(path, '\n{"usd":"0.00000');
  expect(await readSpentAmounts(ledger)).toEqual([1n, 1n]);
  appendFileSync(path, '0002"}\n');
  expect(await readSpentAmounts(ledger)).toEqual([3n, 3n]);
});

test('SpendingLedger counts the entries before and after a truncated line', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  appendFileSync(join(folder, '2026-11-21.jsonl'), '\n{"usd":"5');
  await recordSpending(ledger, 2n);
  expect(await readSpentAmounts(ledger)).toEqual([3n, 3n]);
});

test('SpendingLedger reads a long file completely and rereads a file that became shorter', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  const path = join(folder, '2026-11-21.jsonl');
  writeFileSync(path, '\n{"usd":"1"}\n'.repeat(20_000));
  expect(await readSpentAmounts(ledger)).toEqual([20_000_000_000_000n, 20_000_000_000_000n]);
  writeFileSync(path, '\n{"usd":"2"}\n');
  expect(await readSpentAmounts(ledger)).toEqual([2_000_000_000n, 2_000_000_000n]);
});

test('SpendingLedger ignores 200,000 characters without a line break', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  appendFileSync(join(folder, '2026-11-21.jsonl'), 'x'.repeat(200_000));
  expect(await readSpentAmounts(ledger)).toEqual([1n, 1n]);
});

test('SpendingLedger counts an entry whose write failed, and includes the entry in the next write', async () => {
  writeFileSync(folder, 'a file in the place of the folder');
  const ledger = createLedger();
  await expect(recordSpending(ledger, 1n)).rejects.toThrow();
  rmSync(folder);
  expect(await readSpentAmounts(ledger)).toEqual([1n, 1n]);
  await recordSpending(ledger, 2n);
  expect(await readSpentAmounts(ledger)).toEqual([3n, 3n]);
  expect(await readSpentAmounts(createLedger())).toEqual([3n, 3n]);
});

test('SpendingLedger creates files that only the user can read, and deletes files after the retention period', async () => {
  const ledger = createLedger();
  await recordSpending(ledger, 1n);
  expect(statSync(join(folder, '2026-11-21.jsonl')).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, '2025-01-01.jsonl'), '');
  writeFileSync(join(folder, 'notes.txt'), '');
  await ledger.removeOldFiles();
  expect(readdirSync(folder).sort()).toEqual(['2026-11-21.jsonl', 'notes.txt']);
});

test.each([
  ['an empty first line', '\n{"version":2}\n\n{"usd":"1"}\n', undefined],
  ['an unknown line', '\n{"version":2}\n{"usd":"1"}\n{"eur":"2"}\n', ['monthly', 'daily']],
  ['one unknown record', '{"version":2,"days":{"total":"5"}}\n', ['monthly', 'daily']],
  ['no line break', '\n{"version":2,"total":"5"}', ['monthly', 'daily']],
])(
  'SpendingLedger does not change a newer version’s file with %s, and reports the periods with unreadable spending',
  async (_, text, incompletePeriods) => {
    mkdirSync(folder);
    for (const day of ['2026-11-21', '2026-08-01'])
      writeFileSync(join(folder, `${day}.jsonl`), text);
    const ledger = createLedger();
    await recordSpending(ledger, 1n);
    await ledger.removeOldFiles();
    for (const ledgerReader of [ledger, createLedger()]) {
      const month = await ledgerReader.getMonthlySpending();
      expect(month.spentAmount).toBe(text.includes('"usd"') ? 1_000_000_001n : 1n);
      expect(month.incompletePeriods && [...month.incompletePeriods]).toEqual(incompletePeriods);
    }
    for (const day of ['2026-11-21', '2026-08-01'])
      expect(readFileSync(join(folder, `${day}.jsonl`), 'utf8')).toBe(text);
  },
);

test('SpendingLedger reports only the monthly spending, not the daily spending, as partial if a line of an earlier day is unreadable', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, '2026-11-03.jsonl'), '{"version":2}\n{"eur":"2"}\n');
  expect((await createLedger().getMonthlySpending()).incompletePeriods).toEqual(
    new Set(['monthly']),
  );
});

describe('damage of a spending file', () => {
  const getDayFilePath = (): string => join(folder, '2026-11-21.jsonl');

  test.each([
    ['a truncated line', '\n{"usd":"0.0\n{"usd"'],
    ['an incomplete last line', '\n{"usd":"0.0'],
    ['a binary line', '\n\0\0\0\n'],
    ['an invalid amount', '\n{"usd":"0,1"}\n'],
  ])('is reported for %s, and the intact entries are still counted', async (_, text) => {
    const ledger = createLedger();
    await recordSpending(ledger, 1n);
    appendFileSync(getDayFilePath(), text);
    for (const ledgerReader of [ledger, createLedger()]) {
      const month = await ledgerReader.getMonthlySpending();
      expect(month).toMatchObject({
        spentAmount: 1n,
        damagedPeriods: new Set(['monthly', 'daily']),
      });
      expect(month.incompletePeriods).toBeUndefined();
      expect(await ledgerReader.listIncompleteDays()).toEqual(new Set(['2026-11-21']));
    }
  });

  test('of an earlier day is reported only for the month, not for the day', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '2026-11-03.jsonl'), 'garbage\n');
    expect((await createLedger().getMonthlySpending()).damagedPeriods).toEqual(
      new Set(['monthly']),
    );
    await clock.advance(10 * dayMs);
    expect((await createLedger().getMonthlySpending()).damagedPeriods).toBeUndefined();
  });

  test('is not reported if all files are intact', async () => {
    const ledger = createLedger();
    await recordSpending(ledger, 1n);
    await ledger.appendEntry({ kind: 'told', period: 'daily' });
    expect((await ledger.getMonthlySpending()).damagedPeriods).toBeUndefined();
    expect(await ledger.listIncompleteDays()).toEqual(new Set());
  });

  test('causes an old file to be renamed instead of deleted', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '2025-01-01.jsonl'), 'garbage');
    await createLedger().removeOldFiles();
    expect(readFileSync(join(folder, '2025-01-01.jsonl.damaged'), 'utf8')).toBe('garbage');
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('does not affect the intact entries, but their sum is never reported as complete', async () => {
    const ledger = createLedger();
    for (const amount of [1n, 20n, 300n]) await recordSpending(ledger, amount * 1_000_000n);
    const intactBytes = readFileSync(getDayFilePath());
    const amounts = ['0.001', '0.02', '0.3'].map((usd) => JSON.stringify({ usd }));
    for (const { bytes, kind, offset } of generateDamagedCopies(intactBytes)) {
      writeFileSync(getDayFilePath(), bytes);
      const month = await createLedger().getMonthlySpending();
      const text = bytes.toString('utf8');
      const lines = text.split('\n').slice(0, -1);
      const intactSum = [1n, 20n, 300n].reduce(
        (sum, amount, index) =>
          lines.includes(amounts[index] ?? '') ? sum + amount * 1_000_000n : sum,
        0n,
      );
      const label = `${kind} at ${offset}`;
      expect(month.spentAmount, label).toBeGreaterThanOrEqual(intactSum);
      const isKnownIncomplete = text.split('\n').some((line) => line !== '' && !isJson(line));
      if (isKnownIncomplete) expect(month.damagedPeriods, label).toBeDefined();
      expect(readFileSync(getDayFilePath()).equals(bytes)).toBe(true);
    }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
