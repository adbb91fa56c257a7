import { execFile } from 'node:child_process';
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, user } from '../../../test/support/conversation-builder.ts';
import type { ConversationRecord } from '../conversation.ts';
import { ConversationExistsError, ConversationFiles } from './conversation-files.ts';

let folder: string;
let files: ConversationFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conversations-'));
  files = new ConversationFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const start = (id: string): ConversationRecord => ({
  type: 'conversation-start',
  version: 1,
  id,
  at: 1,
  folder: null,
});
const question: ConversationRecord = { type: 'message-add', message: user('u1', null, 'Why?') };

describe('conversation storage', () => {
  test('stores each conversation in a file readable only by its owner', async () => {
    await files.append('c1', [start('c1'), question]);
    await files.append('c1', [{ type: 'message-add', message: answer('a1', 'u1', 'Because.') }]);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
    expect((await stat(join(folder, 'c1.jsonl'))).mode & 0o777).toBe(0o600);
    expect((await files.load('c1'))?.head).toMatchObject({ text: 'Because.' });
    expect(await files.list()).toMatchObject([{ id: 'c1', text: 'Why?\nBecause.' }]);
  });

  test('keeps the line after a line that a crash truncated', async () => {
    await files.append('c1', [start('c1'), question]);
    await appendFile(join(folder, 'c1.jsonl'), '{"type":"answer-del');
    await files.append('c1', [{ type: 'title-set', title: 'After the crash' }]);
    expect(await files.load('c1')).toMatchObject({ title: 'After the crash' });
  });

  test('renames unreadable files instead of deleting them', async () => {
    await writeFile(join(folder, 'c1.jsonl'), 'garbage');
    expect(await files.load('c1')).toBeUndefined();
    const [name = ''] = await readdir(folder);
    expect(name).toMatch(/^c1\.jsonl\.corrupt-\d+$/u);
    expect(await readFile(join(folder, name), 'utf8')).toBe('garbage');
  });

  test('does not recreate a conversation that another window deleted', async () => {
    await files.append('c1', [start('c1'), question]);
    await files.remove('c1');
    await expect(files.append('c1', [question])).rejects.toMatchObject({ code: 'ENOENT' });
    await files.restore('c1');
    expect(await files.load('c1')).toMatchObject({ id: 'c1' });
  });

  test('never replaces a conversation with a first write', async () => {
    await files.append('c1', [start('c1'), question]);
    const before = await readFile(join(folder, 'c1.jsonl'), 'utf8');
    await expect(files.append('c1', [start('c1')])).rejects.toThrow(ConversationExistsError);
    expect(await readFile(join(folder, 'c1.jsonl'), 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
    expect(await Promise.all(['c1', 'c2'].map((id) => files.exists(id)))).toEqual([true, false]);
  });

  test('removes leftovers of crashes and keeps recent files', async () => {
    const uuid = '00000000-0000-4000-8000-000000000000';
    for (const name of [`old.jsonl.${uuid}.tmp`, `new.jsonl.${uuid}.tmp`])
      await writeFile(join(folder, name), '');
    await utimes(join(folder, `old.jsonl.${uuid}.tmp`), 0, 0);
    await files.clean();
    expect(await readdir(folder)).toEqual([`new.jsonl.${uuid}.tmp`]);
  });

  test('loses nothing when two windows write at the same time', async () => {
    await files.append('shared', [start('shared'), question]);
    const writer = join(folder, 'writer.ts');
    const module = new URL('./conversation-files.ts', import.meta.url).href;
    await writeFile(
      writer,
      `const { ConversationFiles } = await import(${JSON.stringify(module)});
       const [folder, name] = process.argv.slice(2);
       const files = new ConversationFiles(folder);
       const at = 1, parentId = 'u1', role = 'user', attachments = [], createdAt = 1;
       for (let i = 0; i < 200; i++) {
         const id = name + i;
         await files.append('shared', [{ type: 'message-add', message: { role, id, parentId, createdAt, text: id, attachments } }]);
         await files.append(id, [
           { type: 'conversation-start', version: 1, id, at, folder: null },
           { type: 'message-add', message: { role, id: 'q', parentId: null, createdAt, text: id, attachments } },
         ]);
       }`,
    );
    const run = promisify(execFile);
    await Promise.all(['a', 'b'].map((name) => run('node', [writer, folder, name])));
    const shared = await files.load('shared');
    expect([...(shared?.messages ?? [])]).toHaveLength(1 + 400);
    expect(await files.list()).toHaveLength(1 + 400);
  });
});

describe('failed write', () => {
  test('keeps the old file and leaves no temporary file', async () => {
    await files.append('c1', [start('c1'), question]);
    const before = await readFile(join(folder, 'c1.jsonl'), 'utf8');
    // A file in place of the folder makes the write fail, even for the root user.
    const blocked = new ConversationFiles(join(folder, 'c1.jsonl'));
    await expect(blocked.append('c2', [start('c2'), question])).rejects.toThrow();
    expect(await readFile(join(folder, 'c1.jsonl'), 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
  });

  test('reports a full disk', async () => {
    await symlink('/dev/full', join(folder, 'c1.jsonl'));
    await expect(files.append('c1', [question])).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});
