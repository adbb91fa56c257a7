import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeStakingRecord, type StakingRecord } from '../stake-journal.ts';
import { StakingJournalFile, readUnfinishedRecords } from './staking-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'staking-journal-'));
});
afterEach(() => rm(folder, { recursive: true }));

const createRecord = (from: `0x${string}`, time = 1): StakingRecord => ({
  purpose: 'stake',
  chainId: 31_337,
  from,
  token: `0x${'2'.repeat(40)}`,
  staking: `0x${'3'.repeat(40)}`,
  amount: 5n,
  allowanceBefore: 0n,
  measureBefore: 0n,
  time,
});
const firstAddress = '0x52908400098527886E0F7030069857D2E4169EE7';
const secondAddress = `0x${'4'.repeat(40)}` as const;

test('StakingJournalFile stores one file per account that only the user can access', async () => {
  const file = new StakingJournalFile(folder, createRecord(firstAddress));
  expect(await file.read()).toBeUndefined();
  await file.write(createRecord(firstAddress));
  expect(await file.read()).toEqual(createRecord(firstAddress));
  expect(await new StakingJournalFile(folder, createRecord(secondAddress)).read()).toBeUndefined();
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  await file.clear();
  await file.clear();
  expect(await readdir(folder)).toEqual([]);
});

test('StakingJournalFile keeps a damaged record under another name when the record is replaced or cleared', async () => {
  const file = new StakingJournalFile(folder, createRecord(firstAddress));
  await file.write(createRecord(firstAddress));
  const [name = ''] = await readdir(folder);
  for (const replace of [() => file.write(createRecord(firstAddress)), () => file.clear()]) {
    await writeFile(join(folder, name), 'damaged');
    await replace();
    const [copyName = ''] = (await readdir(folder)).filter((fileName) =>
      fileName.includes('.damaged-'),
    );
    expect(await readFile(join(folder, copyName), 'utf8')).toBe('damaged');
    await rm(join(folder, copyName));
  }
  expect(await readdir(folder)).toEqual([]);
});

test('readUnfinishedRecords lists unfinished records from oldest to newest and skips invalid files', async () => {
  expect(await readUnfinishedRecords(join(folder, 'gone'))).toEqual([]);
  await new StakingJournalFile(folder, createRecord(firstAddress, 2)).write(
    createRecord(firstAddress, 2),
  );
  await new StakingJournalFile(folder, createRecord(secondAddress)).write(
    createRecord(secondAddress),
  );
  const getRecordPath = (digit: string) => join(folder, `1-0x${digit.repeat(40)}.json`);
  await writeFile(getRecordPath('5'), '{"purpose":"stake"}');
  await writeFile(
    getRecordPath('6'),
    encodeStakingRecord(createRecord(secondAddress)).padEnd(200_000),
  );
  await writeFile(join(folder, 'other.json'), encodeStakingRecord(createRecord(secondAddress)));
  expect((await readUnfinishedRecords(folder)).map(({ from }) => from)).toEqual([
    secondAddress,
    firstAddress,
  ]);
});
