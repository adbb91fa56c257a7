import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'inference-service-guard-'));
const runFolder = join(folder, 'inference-run-abc123');
const linkPath = join(folder, 'inference-run-abc124');
mkdirSync(runFolder);
symlinkSync(runFolder, linkPath);

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['no arguments', []],
  ['an empty folder path', ['', randomUUID()]],
  ['a folder that is not a run folder', [folder, randomUUID()]],
  ['a link to a run folder', [linkPath, randomUUID()]],
  ['an empty mark', [runFolder, '']],
  ['a mark that other environments may contain', [runFolder, 'PATH=']],
])('guard.mjs, started with %s, fails without ending a process or removing a file', (_, args) => {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'guard.mjs'), ...args]);
  expect(status).toBe(2);
});
