import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AttestationReports } from './attestations.ts';

let folder: string;
let reports: AttestationReports;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestations-'));
  reports = openReports();
});
afterEach(() => rm(folder, { recursive: true }));

/** Creates another {@link AttestationReports} for the same stored reports, as another window would. */
const openReports = (): AttestationReports =>
  new AttestationReports({ globalStorageUri: { fsPath: folder } } as never);
const listFileNames = (): string[] => readdirSync(join(folder, 'attestations'));

test('AttestationReports finds a report only by the exact time and key of the attestation', async () => {
  const attestation = { checkedAt: 1_700_000_000_000, publicKey: '04ab' };
  await reports.storeReport(attestation, 'All is well.');
  expect(await openReports().readReport(attestation)).toBe('All is well.');
  expect(await reports.readReport({ ...attestation, checkedAt: 1 })).toBe('');
  expect(await reports.readReport({ ...attestation, publicKey: '04cd' })).toBe('');
  expect(await reports.readReport({ checkedAt: attestation.checkedAt })).toBe('');
});

test('AttestationReports stores no report of more than one megabyte in UTF-8', async () => {
  const megabyte = 1024 * 1024;
  await reports.storeReport({ checkedAt: 1 }, 'a'.repeat(megabyte));
  await reports.storeReport({ checkedAt: 2 }, 'a'.repeat(megabyte + 1));
  await reports.storeReport({ checkedAt: 3 }, 'é'.repeat(megabyte / 2 + 1));
  expect(listFileNames()).toHaveLength(1);
  expect(await reports.readReport({ checkedAt: 1 })).toHaveLength(megabyte);
  expect(await reports.readReport({ checkedAt: 2 })).toBe('');
});

test('AttestationReports keeps only the 100 newest reports and does not delete other files', async () => {
  await reports.storeReport({ checkedAt: 1 }, 'first');
  writeFileSync(join(folder, 'attestations', 'notes.txt'), '');
  for (let checkedAt = 2; checkedAt <= 102; checkedAt++) {
    await reports.storeReport({ checkedAt }, String(checkedAt));
  }
  expect(listFileNames()).toHaveLength(101);
  expect(listFileNames()).toContain('notes.txt');
  expect(await reports.readReport({ checkedAt: 2 })).toBe('');
  expect(await reports.readReport({ checkedAt: 3 })).toBe('3');
});

test.each(['../../x', '/etc/passwd', 'a'.repeat(10_000)])(
  'AttestationReports stores a report inside its folder, even with the public key %o',
  async (publicKey) => {
    await reports.storeReport({ checkedAt: 1, publicKey }, 'text');
    expect(listFileNames()).toEqual([expect.stringMatching(/^0{15}1-[0-9a-f]{32}\.txt$/u)]);
  },
);
