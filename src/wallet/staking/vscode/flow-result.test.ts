import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { offerResume } from './flow-result.ts';
import type { StakingSession } from './run-flow.ts';

const shownMessages = vi.hoisted((): string[] => []);

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { showWarningMessage: async (text: string) => void shownMessages.push(text) },
}));

let folder: string;
beforeEach(async () => {
  shownMessages.splice(0);
  folder = await mkdtemp(join(tmpdir(), 'resume-'));
});
afterEach(() => rm(folder, { recursive: true }));

const createSession = (id: number): StakingSession =>
  ({ folder, chain: { id } }) as unknown as StakingSession;

/** Valid record in the current format, except for its `version`. */
const newerRecord = JSON.stringify({
  version: 2,
  purpose: 'stake',
  chainId: 1,
  from: `0x${'4'.repeat(40)}`,
  token: `0x${'2'.repeat(40)}`,
  staking: `0x${'3'.repeat(40)}`,
  amount: '5',
  allowanceBefore: '0',
  measureBefore: '0',
  time: 1,
});

test('offerResume retains an unfinished stake of a newer version and starts no other stake', async () => {
  const path = join(folder, `1-0x${'4'.repeat(40)}.json`);
  await writeFile(path, newerRecord);
  expect(await offerResume(createSession(1))).toEqual({ type: 'left' });
  expect(shownMessages).toEqual([
    'Created by a newer version of Inference Service. Update the extension to open it.',
  ]);
  expect(await readFile(path, 'utf8')).toBe(newerRecord);
});

test('offerResume ignores an unfinished stake of a newer version on another chain', async () => {
  await writeFile(join(folder, `5-0x${'4'.repeat(40)}.json`), newerRecord);
  expect(await offerResume(createSession(1))).toEqual({ type: 'none' });
  expect(shownMessages).toEqual([]);
});
