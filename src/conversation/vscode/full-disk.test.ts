import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUserMessage } from '../../../test/support/conversation-builder.ts';
import type { ConversationRecord } from '../conversation.ts';
import { ConversationFiles } from './conversation-files.ts';

const disk = vi.hoisted(() => ({ isFull: false }));

/**
 * Replaces `open` of the real file system. While `disk.isFull` is true, each write to an opened file writes half of
 * the text and fails.
 */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const open = async (...args: Parameters<typeof realFs.open>) => {
    const file = await realFs.open(...args);
    const appendAll = file.appendFile.bind(file);
    file.appendFile = file.writeFile = async (text) => {
      if (!disk.isFull) return appendAll(text);
      if (typeof text === 'string') await appendAll(text.slice(0, text.length / 2));
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    return file;
  };
  return { ...realFs, open };
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const createAddRecord = (id: string): ConversationRecord => ({
  type: 'message-add',
  message: createUserMessage(id, null),
});

test('ConversationFiles removes a partial record if the disk is full, and appends the next record', async () => {
  const files = new ConversationFiles(folder);
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 1, folder: null } as const;
  await files.append('c1', [start, createAddRecord('u1')]);
  const path = join(folder, 'c1.jsonl');
  const originalText = readFileSync(path, 'utf8');
  disk.isFull = true;
  await expect(files.append('c1', [createAddRecord('u2')])).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(readFileSync(path, 'utf8')).toBe(originalText);
  disk.isFull = false;
  await files.append('c1', [createAddRecord('u2')]);
  const ids = [...((await files.load('c1'))?.messages ?? [])].map(({ id }) => id);
  expect(ids).toEqual(['u1', 'u2']);
});

test('ConversationFiles leaves no file if the disk is full at the first record, and creates the file on the next attempt', async () => {
  const files = new ConversationFiles(folder);
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 1, folder: null } as const;
  disk.isFull = true;
  await expect(files.append('c1', [start, createAddRecord('u1')])).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(await files.exists('c1')).toBe(false);
  disk.isFull = false;
  await files.append('c1', [start, createAddRecord('u1')]);
  expect([...((await files.load('c1'))?.messages ?? [])].map(({ id }) => id)).toEqual(['u1']);
});
