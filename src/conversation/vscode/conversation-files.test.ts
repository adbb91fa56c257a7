import { execFile } from 'node:child_process';
import {
  appendFile,
  copyFile,
  mkdir,
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
import { createTextAnswer, createUserMessage } from '../../../test/support/conversation-builder.ts';
import { generateDamagedCopies } from '../../../test/support/damage.ts';
import type { ConversationRecord } from '../conversation.ts';
import { ConversationExistsError, ConversationFiles } from './conversation-files.ts';

let folder: string;
let conversationFiles: ConversationFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conversations-'));
  conversationFiles = new ConversationFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const createStartRecord = (id: string): ConversationRecord => ({
  type: 'conversation-start',
  version: 1,
  id,
  at: 1,
  folder: null,
});
const questionRecord: ConversationRecord = {
  type: 'message-add',
  message: createUserMessage('u1', null, 'Why?'),
};

describe('ConversationFiles', () => {
  test('creates one file per conversation, readable only by the owner', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await conversationFiles.append('c1', [
      { type: 'message-add', message: createTextAnswer('a1', 'u1', 'Because.') },
    ]);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
    expect((await stat(join(folder, 'c1.jsonl'))).mode & 0o777).toBe(0o600);
    expect((await conversationFiles.load('c1'))?.head).toMatchObject({ text: 'Because.' });
    expect(await conversationFiles.list()).toMatchObject([{ id: 'c1', text: 'Why?\nBecause.' }]);
  });

  test('loads records after a line that a crash truncated', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await appendFile(join(folder, 'c1.jsonl'), '{"type":"answer-del');
    await conversationFiles.append('c1', [{ type: 'title-set', title: 'After the crash' }]);
    expect(await conversationFiles.load('c1')).toMatchObject({ title: 'After the crash' });
  });

  test('rejects records for a conversation that another window deleted', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await conversationFiles.remove('c1');
    await expect(conversationFiles.append('c1', [questionRecord])).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await conversationFiles.restore('c1');
    expect(await conversationFiles.load('c1')).toMatchObject({ id: 'c1' });
  });

  test('does not restore a deleted conversation over a new one with the same id', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await conversationFiles.remove('c1');
    await conversationFiles.append('c1', [createStartRecord('c1')]);
    const newText = await readFile(join(folder, 'c1.jsonl'), 'utf8');
    await expect(conversationFiles.restore('c1')).rejects.toThrow(ConversationExistsError);
    expect(await readFile(join(folder, 'c1.jsonl'), 'utf8')).toBe(newText);
  });

  test('rejects the first write of a conversation whose file already exists', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    const originalText = await readFile(join(folder, 'c1.jsonl'), 'utf8');
    await expect(conversationFiles.append('c1', [createStartRecord('c1')])).rejects.toThrow(
      ConversationExistsError,
    );
    expect(await readFile(join(folder, 'c1.jsonl'), 'utf8')).toBe(originalText);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
    expect(await Promise.all(['c1', 'c2'].map((id) => conversationFiles.exists(id)))).toEqual([
      true,
      false,
    ]);
  });

  test('removes temporary files left by crashes, but no recent files', async () => {
    const uuid = '00000000-0000-4000-8000-000000000000';
    for (const name of [`old.jsonl.${uuid}.tmp`, `new.jsonl.${uuid}.tmp`])
      await writeFile(join(folder, name), '');
    await utimes(join(folder, `old.jsonl.${uuid}.tmp`), 0, 0);
    await conversationFiles.cleanFolder();
    expect(await readdir(folder)).toEqual([`new.jsonl.${uuid}.tmp`]);
  });

  test('keeps all records that two windows append to one file at the same time', async () => {
    await conversationFiles.append('shared', [createStartRecord('shared'), questionRecord]);
    const writerPath = join(folder, 'writer.ts');
    const moduleUrl = new URL('./conversation-files.ts', import.meta.url).href;
    await writeFile(
      writerPath,
      `const { ConversationFiles } = await import(${JSON.stringify(moduleUrl)});
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
    const runFile = promisify(execFile);
    await Promise.all(['a', 'b'].map((name) => runFile('node', [writerPath, folder, name])));
    const sharedConversation = await conversationFiles.load('shared');
    expect([...(sharedConversation?.messages ?? [])]).toHaveLength(1 + 400);
    expect(await conversationFiles.list()).toHaveLength(1 + 400);
  });
});

describe('a damaged or copied conversation file', () => {
  const getPath = (name: string): string => join(folder, `${name}.jsonl`);

  test('is listed and opened if its first line is damaged, and keeps its bytes', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    const damagedContent = (await readFile(getPath('c1'), 'utf8')).replace('{', '\u0000');
    await writeFile(getPath('c1'), damagedContent);
    expect(await conversationFiles.list()).toMatchObject([
      { id: 'c1', text: 'Why?', isDamaged: true },
    ]);
    expect((await conversationFiles.load('c1'))?.head).toMatchObject({ text: 'Why?' });
    const replyRecord: ConversationRecord = {
      type: 'message-add',
      message: createTextAnswer('a1', 'u1'),
    };
    await conversationFiles.append('c1', [replyRecord]);
    expect(await readFile(getPath('c1'), 'utf8')).toBe(
      `${damagedContent}${JSON.stringify(replyRecord)}\n`,
    );
    expect((await conversationFiles.load('c1'))?.head).toMatchObject({ id: 'a1' });
  });

  test('is listed even if it contains no readable message, and keeps its file name', async () => {
    await writeFile(getPath('c1'), 'garbage');
    expect(await conversationFiles.load('c1')).toBeUndefined();
    expect(await conversationFiles.list()).toMatchObject([{ id: 'c1', text: '', isDamaged: true }]);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
    expect(Buffer.from(await conversationFiles.readContent('c1')).toString()).toBe('garbage');
  });

  test('is listed if the file system cannot read it', async () => {
    await mkdir(getPath('c1'));
    expect(await conversationFiles.list()).toMatchObject([{ id: 'c1', isDamaged: true }]);
  });

  test('is listed if it is empty, unless another window may be creating it', async () => {
    for (const name of ['old', 'new']) await writeFile(getPath(name), '');
    await utimes(getPath('old'), 0, 0);
    expect(await conversationFiles.list()).toMatchObject([{ id: 'old', isDamaged: true }]);
  });

  test('is not listed if it is a manual copy of another conversation file', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await copyFile(getPath('c1'), getPath('c2'));
    await copyFile(getPath('c1'), join(folder, 'c1 copy.jsonl'));
    expect(await conversationFiles.list()).toMatchObject([{ id: 'c1' }]);
    expect(await conversationFiles.load('c2')).toBeUndefined();
  });

  test('loses no byte on disk, wherever it is damaged', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    await conversationFiles.append('c1', [
      { type: 'message-add', message: createTextAnswer('a1', 'u1', 'Since…') },
    ]);
    for (const { bytes, kind, offset } of generateDamagedCopies(
      await readFile(getPath('c1')),
      40,
    )) {
      await writeFile(getPath('c1'), bytes);
      const [listedConversation] = await conversationFiles.list();
      const loadedConversation = await conversationFiles.load('c1');
      const label = `${kind} at ${offset}`;
      expect(listedConversation?.id ?? 'empty', label).toBe(bytes.length === 0 ? 'empty' : 'c1');
      if (loadedConversation !== undefined)
        await conversationFiles.append('c1', [{ type: 'title-set', title: 'x' }]);
      const content = await readFile(getPath('c1'));
      expect(content.subarray(0, bytes.length).equals(bytes), label).toBe(true);
    }
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
  });
});

describe('a failed write of a conversation', () => {
  test('changes no other file and leaves no temporary file', async () => {
    await conversationFiles.append('c1', [createStartRecord('c1'), questionRecord]);
    const originalText = await readFile(join(folder, 'c1.jsonl'), 'utf8');
    // A path below a file makes the write fail, including for the root user.
    const blockedFiles = new ConversationFiles(join(folder, 'c1.jsonl'));
    await expect(
      blockedFiles.append('c2', [createStartRecord('c2'), questionRecord]),
    ).rejects.toThrow();
    expect(await readFile(join(folder, 'c1.jsonl'), 'utf8')).toBe(originalText);
    expect(await readdir(folder)).toEqual(['c1.jsonl']);
  });

  test('rejects with the error code of a full disk', async () => {
    await symlink('/dev/full', join(folder, 'c1.jsonl'));
    await expect(conversationFiles.append('c1', [questionRecord])).rejects.toMatchObject({
      code: 'ENOSPC',
    });
  });
});
