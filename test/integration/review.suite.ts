import assert from 'node:assert/strict';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import { parse } from 'valibot';
import * as vscode from 'vscode';
import type { StoredContent, TurnRecord } from '../../src/agent/changes/turn-record.ts';
import { hashBlob } from '../../src/agent/changes/vscode/checkpoint-files.ts';
import {
  decorationKinds,
  decorationStyles,
} from '../../src/agent/changes/vscode/decoration-styles.ts';
import { createReviewDecorations } from '../../src/agent/changes/vscode/agent-changes.ts';
import { changesSchema } from '../../src/agent/protocol.ts';
import { eventually } from '../support/eventually.ts';
import { disableAutoSave } from './auto-save.ts';
import { ReviewFixture, FakeWarnings } from './review-fixture.ts';

const tenLinesText = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const originalFiles = {
  'edited.txt': tenLinesText,
  'crlf.txt': 'a\r\nb\r\nc\r\n',
  'marked.txt': '\uFEFFa\nb\n',
  'mixed.txt': 'a\r\nb\nc\n',
  'gone.bin': new Uint8Array([0, 1, 2, 255, 254]),
  'gone.sh': '#!/bin/sh\n',
  'old.txt': 'export {};\n',
  'folder/inside.txt': 'inside\n',
  'folder/deep/er.txt': 'deeper\n',
};

/** Performs every kind of file change that a turn can make. */
async function performAllChanges(fixture: ReviewFixture): Promise<void> {
  await chmod(fixture.getUri('gone.sh').fsPath, 0o755);
  await fixture.editFile('edited.txt', (text) => text.replace('two', 'TWO').replace('nine\n', ''));
  await fixture.editFile('edited.txt', (text) => text.replace('five', 'FIVE'));
  await fixture.editFile('crlf.txt', (text) => text.replace('b', 'B'));
  await fixture.editFile('marked.txt', (text) => text.replace('b', 'B'));
  await fixture.editFile('mixed.txt', (text) => text.replace('b', 'B'));
  await fixture.deleteFile('gone.bin');
  await fixture.deleteFile('gone.sh');
  await fixture.renameFile('old.txt', 'newer.txt');
  await fixture.renameFile('newer.txt', 'new/place.txt');
  await fixture.editFile('new/place.txt', (text) => `${text}// moved\n`);
  await fixture.create('made/new.txt', 'made\n');
  await fixture.create('thrown-away.txt', 'x\n');
  await fixture.deleteFile('thrown-away.txt');
  await fixture.renameFile('folder', 'moved-folder');
}

suite('the review of changes:', () => {
  disableAutoSave();

  suite('the undo of a turn', () => {
    test('restores every byte, and can be repeated any number of times in turn with redo', async () => {
      await using fixture = await ReviewFixture.create(originalFiles);
      const filesBefore = await fixture.readFiles();
      await performAllChanges(fixture);
      const filesAfter = await fixture.readFiles();
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), filesBefore);
      assert.equal((await stat(fixture.getUri('gone.sh').fsPath)).mode & 0o777, 0o755);
      assert.equal(fixture.view?.undone, true);
      assert.equal(await fixture.decideTurn('redo'), undefined);
      assert.deepEqual(await fixture.readFiles(), filesAfter);
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), filesBefore);
      assert.deepEqual(fixture.logLines, []);
    });

    test('works after a restart of VS Code, as does redo', async () => {
      await using fixture = await ReviewFixture.create(originalFiles);
      const filesBefore = await fixture.readFiles();
      await performAllChanges(fixture);
      const filesAfter = await fixture.readFiles();
      await fixture.simulateRestart();
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), filesBefore);
      await fixture.simulateRestart();
      assert.equal(fixture.view?.undone, true);
      assert.equal(await fixture.decideTurn('redo'), undefined);
      assert.deepEqual(await fixture.readFiles(), filesAfter);
    });

    test('is reported to the chat page in a message that matches the message schema', async () => {
      await using fixture = await ReviewFixture.create(originalFiles);
      await performAllChanges(fixture);
      parse(changesSchema, fixture.view);
      const name = fixture.folder.path.split('/').at(-1);
      assert.deepEqual(
        fixture.view?.files
          .map(({ label, change, added, removed }) => `${change} ${label} +${added} -${removed}`)
          .map((line) => line.replaceAll(`${name}/`, '')),
        [
          'edited edited.txt +2 -3',
          'edited crlf.txt +1 -1',
          'edited marked.txt +1 -1',
          'edited mixed.txt +1 -1',
          'deleted gone.bin +0 -0',
          'deleted gone.sh +0 -1',
          'renamed old.txt → new/place.txt +1 -0',
          'created made/new.txt +1 -0',
          'renamed folder/inside.txt → moved-folder/inside.txt +0 -0',
          'renamed folder/deep/er.txt → moved-folder/deep/er.txt +0 -0',
        ],
      );
    });

    test('keeps later changes of the user in other lines of the file', async () => {
      await using fixture = await ReviewFixture.create({
        'a.txt': tenLinesText,
        'old.txt': tenLinesText,
      });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      await fixture.renameFile('old.txt', 'new.txt');
      await fixture.editFile('new.txt', (text) => text.replace('two', 'TWO'));
      await fixture.typeAndSave('a.txt', (text) => text.replace('eight', 'eight\nmine'));
      await fixture.typeAndSave('new.txt', (text) => text.replace('eight', 'eight\nmine'));
      assert.equal(await fixture.decideTurn('undo'), undefined);
      const userText = tenLinesText.replace('eight', 'eight\nmine');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': userText, 'old.txt': userText });
      assert.equal(await fixture.decideTurn('redo'), undefined);
      const combinedText = userText.replace('two', 'TWO');
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': combinedText,
        'new.txt': combinedText,
      });
    });

    test('restores a file whose path another open file took', async () => {
      for (const isDeleted of [false, true]) {
        await using fixture = await ReviewFixture.create({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
        if (isDeleted) await fixture.deleteFile('b.txt');
        else await fixture.renameFile('b.txt', 'c.txt');
        await fixture.renameFile('a.txt', 'b.txt');
        await fixture.showFile('b.txt');
        assert.equal(await fixture.decideTurn('undo'), undefined);
        assert.deepEqual(await fixture.readFiles(), { 'a.txt': 'a\n', 'b.txt': 'b\n' });
        assert.equal(await fixture.decideTurn('redo'), undefined);
        assert.equal((await fixture.readFiles())['b.txt'], 'a\n');
      }
    });

    test('skips and reports a file in which the user changed the same lines', async () => {
      await using fixture = await ReviewFixture.create({
        'a.txt': tenLinesText,
        'b.txt': tenLinesText,
      });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      await fixture.editFile('b.txt', (text) => text.replace('two', 'TWO'));
      await fixture.create('c.txt', 'made\n');
      await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO and mine'));
      await fixture.typeAndSave('c.txt', (text) => `${text}mine\n`);
      const refusal = (await fixture.decideTurn('undo')) ?? '';
      assert.match(refusal, /^Not changed back.*a\.txt.*c\.txt/u);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('two', 'TWO and mine'),
        'b.txt': tenLinesText,
        'c.txt': 'made\nmine\n',
      });
    });

    test('is merged into unsaved text, which the user can save', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      const document = await fixture.type('a.txt', (text) => text.replace('eight', 'mine'));
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.equal(document.getText(), tenLinesText.replace('eight', 'mine'));
      assert.equal(document.isDirty, true);
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': tenLinesText.replace('two', 'TWO') });
    });

    test('restores text that was unsaved before the turn', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.type('a.txt', (text) => text.replace('eight', 'mine'));
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('eight', 'mine'),
      });
    });

    test('keeps text that the user typed between two edits of the turn', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      await fixture.typeAndSave('a.txt', (text) => text.replace('eight', 'mine'));
      await fixture.editFile('a.txt', (text) => text.replace('four', 'FOUR'));
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('eight', 'mine'),
      });
    });

    test('does not overwrite a newer file with a file that the turn deleted', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.deleteFile('a.txt');
      await fixture.writeFile('a.txt', 'another\n');
      assert.match((await fixture.decideTurn('undo')) ?? '', /^Not changed back.*a\.txt/u);
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': 'another\n' });
    });

    test('writes nothing through a link that replaced a file', async () => {
      await using fixture = await ReviewFixture.create({
        'a.txt': tenLinesText,
        'other.txt': 'theirs\n',
      });
      await fixture.deleteFile('a.txt');
      await symlink(fixture.getUri('other.txt').fsPath, fixture.getUri('a.txt').fsPath);
      assert.match((await fixture.decideTurn('undo')) ?? '', /^Not changed back.*a\.txt/u);
      assert.equal((await fixture.readFiles())['other.txt'], 'theirs\n');
    });

    test('restores a deleted link, not a copy of its target', async () => {
      await using fixture = await ReviewFixture.create({ 'real.txt': tenLinesText });
      await symlink('real.txt', fixture.getUri('link.txt').fsPath);
      const uri = fixture.getUri('link.txt');
      await fixture.changes.turns.recordBeforeChange(fixture.turn, uri);
      await unlink(uri.fsPath);
      await fixture.changes.turns.recordAfterChange(fixture.turn, { type: 'delete', uri });
      await fixture.writeFile('real.txt', 'changed since\n');
      await fixture.decideTurn('undo');
      assert.deepEqual(await fixture.readFiles(), {
        'link.txt': 'changed since\n',
        'real.txt': 'changed since\n',
      });
    });

    test('affects only its own turn, even if several turns changed the same files', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      const laterTurn = { ...fixture.turn, turnId: 'turn-2' };
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      await fixture.editFile('a.txt', (text) => text.replace('eight', 'EIGHT'), laterTurn);
      assert.equal(await fixture.decideTurn('undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('eight', 'EIGHT'),
      });
      const { conversationId, turnId } = laterTurn;
      assert.equal(await fixture.changes.decideChanges(conversationId, turnId, 'undo'), undefined);
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': tenLinesText });
    });

    test('is refused when the turn changed nothing', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      assert.match((await fixture.decideTurn('undo')) ?? '', /no longer stored/u);
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      assert.match((await fixture.decideTurn('redo')) ?? '', /was not undone/u);
      await fixture.decideTurn('undo');
      assert.match((await fixture.decideTurn('undo')) ?? '', /no changes to undo/u);
    });
  });

  suite('stored checkpoints', () => {
    test('are not created for a file that exceeds the size limit, and the change of such a file is rejected', async () => {
      await using fixture = await ReviewFixture.create({ 'big.bin': new Uint8Array(21_000_000) });
      const uri = fixture.getUri('big.bin');
      await assert.rejects(fixture.changes.turns.recordBeforeChange(fixture.turn, uri), /20 MB/u);
      assert.equal(fixture.view, undefined);
    });

    test('are private files in the extension’s storage, and are deleted with the chat', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      const folder = join(fixture.storageFolder, 'checkpoints', 'chat-1');
      const names = await readdir(folder, { recursive: true });
      assert.equal(names.length, 4);
      for (const name of names.filter((name) => name !== 'blobs')) {
        assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
      }
      await fixture.changes.turns.removeConversationData('chat-1');
      assert.equal(fixture.changes.turns.createChangesView('chat-1', 'turn-1'), undefined);
      await fixture.changes.turns.restoreConversationData('chat-1');
      assert.equal(fixture.view?.files.length, 1);
    });

    test('are not created for a change that the tool did not register in advance', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      const change = { type: 'edit', uri: fixture.getUri('a.txt') } as const;
      await fixture.changes.turns.recordAfterChange(fixture.turn, change);
      assert.equal(fixture.view, undefined);
      assert.equal(fixture.logLines.length, 1);
    });

    test('are not restored if their content was modified', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      const filesAfter = await fixture.readFiles();
      const blobFolder = join(fixture.storageFolder, 'checkpoints', 'chat-1', 'blobs');
      for (const name of await readdir(blobFolder))
        await writeFile(join(blobFolder, name), 'evil\n');
      await fixture.simulateRestart();
      assert.match((await fixture.decideTurn('undo')) ?? '', /^Not changed back.*a\.txt/u);
      assert.deepEqual(await fixture.readFiles(), filesAfter);
    });
  });

  suite('a tampered journal', () => {
    const maliciousText = 'evil\n';
    const createStoredFileRecord = (
      uri: vscode.Uri,
      overrides: Partial<StoredContent> = {},
    ): StoredContent => ({
      blob: hashBlob(Buffer.from(maliciousText)),
      realPath: uri.fsPath,
      ...overrides,
    });
    const createDeletionRecords = (
      uri: vscode.Uri,
      overrides: Partial<StoredContent> = {},
    ): TurnRecord[] => [
      { type: 'before', uri: uri.toString(), kept: createStoredFileRecord(uri, overrides) },
      { type: 'delete', uri: uri.toString() },
    ];
    const createEditRecords = (uri: vscode.Uri, newText: string): TurnRecord[] => [
      { type: 'before', uri: uri.toString(), kept: createStoredFileRecord(uri) },
      {
        type: 'after',
        uri: uri.toString(),
        kept: createStoredFileRecord(uri, { blob: hashBlob(Buffer.from(newText)) }),
        added: 0,
        removed: 0,
      },
    ];
    const createOutsideUri = (fixture: ReviewFixture, name: string): vscode.Uri =>
      vscode.Uri.file(join(fixture.outsideFolder, name));
    const foreignUri = vscode.Uri.parse('vscode-userdata:/User/evil-settings.json');

    const tamperedJournals: readonly (readonly [
      string,
      (fixture: ReviewFixture) => { readonly records: TurnRecord[]; readonly expectedPath: string },
    ])[] = [
      [
        'creates no file outside the workspace',
        (fixture) => ({
          records: createDeletionRecords(createOutsideUri(fixture, 'new.desktop'), { mode: 0o777 }),
          expectedPath: join(fixture.outsideFolder, 'new.desktop'),
        }),
      ],
      [
        'overwrites no file outside the workspace',
        (fixture) => ({
          records: createEditRecords(createOutsideUri(fixture, 'there.txt'), 'theirs\n'),
          expectedPath: join(fixture.outsideFolder, 'there.txt'),
        }),
      ],
      [
        'creates no file outside the workspace without a recorded real path',
        (fixture) => ({
          records: [
            {
              type: 'before',
              uri: createOutsideUri(fixture, 'x').toString(),
              kept: { blob: hashBlob(Buffer.from(maliciousText)) },
            },
            { type: 'delete', uri: createOutsideUri(fixture, 'x').toString() },
          ],
          expectedPath: join(fixture.outsideFolder, 'x'),
        }),
      ],
      [
        'creates no link to a location outside the workspace',
        (fixture) => ({
          records: createDeletionRecords(fixture.getUri('link'), { link: fixture.outsideFolder }),
          expectedPath: fixture.outsideFolder,
        }),
      ],
      [
        'creates no link that leads outside the workspace through another link',
        (fixture) => ({
          records: createDeletionRecords(fixture.getUri('link'), { link: 'root/../../secret' }),
          expectedPath: 'root/../../secret',
        }),
      ],
      [
        'writes nothing through a folder that is a link',
        (fixture) => ({
          records: createDeletionRecords(fixture.getUri('door/x.txt'), {
            realPath: join(fixture.outsideFolder, 'x.txt'),
          }),
          expectedPath: fixture.getUri('door/x.txt').fsPath,
        }),
      ],
      [
        'follows no `..` segments out of the workspace',
        (fixture) => {
          const uri = fixture.folder.with({
            path: `${fixture.folder.path}/../../../../../../..${fixture.outsideFolder}/dots.txt`,
          });
          return {
            records: createDeletionRecords(uri, {
              realPath: join(fixture.outsideFolder, 'dots.txt'),
            }),
            expectedPath: join(fixture.outsideFolder, 'dots.txt'),
          };
        },
      ],
      [
        'writes to no other file system',
        () => ({ records: createDeletionRecords(foreignUri), expectedPath: foreignUri.toString() }),
      ],
      [
        'moves no file out of the workspace',
        (fixture) => {
          const uri = fixture.getUri('a.txt');
          const recordedEdit = {
            uri: uri.toString(),
            kept: createStoredFileRecord(uri, { blob: hashBlob(Buffer.from('x\n')) }),
          };
          const movedUri = createOutsideUri(fixture, 'moved.txt');
          const revertedEdit = {
            uri: movedUri.toString(),
            kept: { ...recordedEdit.kept, realPath: movedUri.fsPath },
          };
          return {
            records: [
              ...createEditRecords(uri, 'x\n'),
              { type: 'redo', files: [{ file: 0, done: recordedEdit, undone: revertedEdit }] },
            ],
            expectedPath: movedUri.fsPath,
          };
        },
      ],
      [
        'creates no folder outside the workspace',
        (fixture) => ({
          records: [
            ...createEditRecords(fixture.getUri('a.txt'), 'x\n'),
            { type: 'folder', uri: createOutsideUri(fixture, 'made').toString(), existed: true },
            { type: 'delete', uri: createOutsideUri(fixture, 'made').toString() },
          ],
          expectedPath: join(fixture.outsideFolder, 'made'),
        }),
      ],
      [
        'deletes no folder outside the workspace',
        (fixture) => ({
          records: [
            ...createEditRecords(fixture.getUri('a.txt'), 'x\n'),
            { type: 'folder', uri: createOutsideUri(fixture, 'empty').toString(), existed: false },
          ],
          expectedPath: join(fixture.outsideFolder, 'empty'),
        }),
      ],
    ];
    for (const [title, createTamperedJournal] of tamperedJournals) {
      for (const decision of ['undo', 'reject'] as const) {
        test(`${title} when the user chooses “${decision}”`, async () => {
          await using fixture = await ReviewFixture.create({ 'a.txt': 'x\n' });
          await mkdir(join(fixture.outsideFolder, 'empty'));
          await writeFile(join(fixture.outsideFolder, 'there.txt'), 'theirs\n');
          await symlink(fixture.outsideFolder, fixture.getUri('door').fsPath);
          await symlink('.', fixture.getUri('root').fsPath);
          const filesBefore = await fixture.readOutsideFiles();
          const { records, expectedPath } = createTamperedJournal(fixture);
          await fixture.writeJournal(records, [maliciousText, 'x\n']);
          const output = (await fixture.decideTurn(decision)) ?? '';
          assert.deepEqual(await fixture.readOutsideFiles(), filesBefore);
          assert.ok(output.includes(expectedPath), output);
          assert.match(output, /not in this workspace/u);
          await assert.rejects(lstat(fixture.getUri('link').fsPath));
          await assert.rejects(async () => vscode.workspace.fs.stat(foreignUri));
        });
      }
    }

    test('changes no file outside the workspace on redo', async () => {
      await using fixture = await ReviewFixture.create({});
      const path = createOutsideUri(fixture, 'there.txt');
      await writeFile(path.fsPath, maliciousText);
      const [before, after] = createEditRecords(path, 'x\n');
      if (before === undefined || after === undefined) throw new Error('No records.');
      await fixture.writeJournal(
        [before, after, { type: 'undo', files: [] }],
        [maliciousText, 'x\n'],
      );
      assert.ok((await fixture.decideTurn('redo'))?.includes(path.fsPath));
      assert.deepEqual(await fixture.readOutsideFiles(), { 'there.txt': maliciousText });
    });

    test('restores a file only if the journal contains its real path', async () => {
      await using fixture = await ReviewFixture.create({});
      const uri = fixture.getUri('x.txt').toString();
      const blobHash = hashBlob(Buffer.from(maliciousText));
      const records: TurnRecord[] = [
        { type: 'before', uri, kept: { blob: blobHash } },
        { type: 'delete', uri },
      ];
      await fixture.writeJournal(records, [maliciousText]);
      assert.match((await fixture.decideTurn('undo')) ?? '', /not recorded: \S*x\.txt\./u);
      assert.deepEqual(await fixture.readFiles(), {});
    });

    test('sets only the executable permission of a file, and does not expose a private file', async () => {
      await using fixture = await ReviewFixture.create({});
      const modes = { open: 0o777, run: 0o755, plain: 0o666, own: 0o600, ownRun: 0o700 };
      const records = Object.entries(modes).flatMap(([name, mode]) =>
        createDeletionRecords(fixture.getUri(name), { mode }),
      );
      await fixture.writeJournal(records, [maliciousText]);
      assert.equal(await fixture.decideTurn('undo'), undefined);
      const results = await Promise.all(
        Object.keys(modes).map(
          async (name) => (await stat(fixture.getUri(name).fsPath)).mode & 0o777,
        ),
      );
      assert.deepEqual(results, [0o755, 0o755, 0o644, 0o600, 0o700]);
    });

    test('changes no lines of an open file outside the workspace on reject', async () => {
      await using fixture = await ReviewFixture.create({});
      const path = createOutsideUri(fixture, 'there.txt');
      await writeFile(path.fsPath, 'theirs\n');
      await vscode.workspace.openTextDocument(path);
      await fixture.writeJournal(createEditRecords(path, 'theirs\n'), [maliciousText, 'theirs\n']);
      await vscode.window.showTextDocument(path);
      await fixture.changes.reviews.waitUntilReady();
      for (const id of ['rejectChange', 'rejectFile'] as const) {
        await fixture.runCommand(`inferenceService.agent.${id}`);
      }
      const document = await vscode.workspace.openTextDocument(path);
      assert.equal(document.getText(), 'theirs\n');
      assert.deepEqual(await fixture.readOutsideFiles(), { 'there.txt': 'theirs\n' });
    });
  });

  suite('the workspace', () => {
    test('must be trusted for every decision about changes', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      const after = await fixture.readFiles();
      fixture.isTrusted = false;
      for (const decision of ['accept', 'reject', 'undo'] as const) {
        assert.match((await fixture.decideTurn(decision)) ?? '', /^Trust this workspace first/u);
      }
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      await fixture.pressCodeLens('a.txt', 0, 'Keep All in File (1)');
      assert.deepEqual(await fixture.readFiles(), after);
      assert.equal(fixture.view?.files[0]?.review, 'pending');
      fixture.isTrusted = true;
      await fixture.decideTurn('undo');
      fixture.isTrusted = false;
      const diskAfterUndo = await fixture.readFiles();
      assert.match((await fixture.decideTurn('redo')) ?? '', /^Trust this workspace first/u);
      assert.deepEqual(await fixture.readFiles(), diskAfterUndo);
    });

    test('is checked before an undo: files that belong to another workspace stay unchanged, and a message names them', async () => {
      await using fixture = await ReviewFixture.create({});
      const path = join(fixture.outsideFolder, 'a.txt');
      await writeFile(path, 'x\n');
      const currentFolders = fixture.folders;
      fixture.folders = [{ uri: vscode.Uri.file(fixture.outsideFolder), name: 'other', index: 0 }];
      const uri = vscode.Uri.file(path);
      await fixture.changes.turns.recordBeforeChange(fixture.turn, uri);
      await rm(path);
      await fixture.changes.turns.recordAfterChange(fixture.turn, { type: 'delete', uri });
      fixture.folders = currentFolders;
      await fixture.simulateRestart();
      const output = (await fixture.decideTurn('undo')) ?? '';
      assert.ok(output.includes(path), output);
      assert.match(output, /not in this workspace/u);
      assert.deepEqual(await fixture.readOutsideFiles(), {});
      assert.equal(fixture.view?.undone, false);
    });

    test('limits undo to its own files: approved changes of other files are listed, but not undone', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      const uri = vscode.Uri.file(join(fixture.outsideFolder, 'made.txt'));
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      await fixture.changes.turns.recordBeforeChange(fixture.turn, uri);
      await writeFile(uri.fsPath, 'made\n');
      await fixture.changes.turns.recordAfterChange(fixture.turn, { type: 'create', uri });
      assert.equal(fixture.view?.files.length, 2);
      assert.ok((await fixture.decideTurn('undo'))?.includes(uri.fsPath));
      assert.deepEqual(await fixture.readOutsideFiles(), { 'made.txt': 'made\n' });
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': tenLinesText });
    });

    test('limits recording: unregistered changes outside are ignored, and changes on another file system are rejected', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      const { turns } = fixture.changes;
      const uri = vscode.Uri.file(join(fixture.outsideFolder, 'made.txt'));
      await writeFile(uri.fsPath, 'made\n');
      await turns.recordAfterChange(fixture.turn, { type: 'create', uri });
      assert.equal(fixture.view, undefined);
      const foreignUri = vscode.Uri.parse('vscode-userdata:/User/settings.json');
      await assert.rejects(turns.recordBeforeChange(fixture.turn, foreignUri), /workspace/u);
    });

    test('can contain files that programs execute, and undo reports the restored files of this kind', async () => {
      await using fixture = await ReviewFixture.create({
        'package.json': '{}\n',
        'a.txt': tenLinesText,
      });
      await fixture.editFile('package.json', () => '{"name":"x"}\n');
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
      const output = (await fixture.decideTurn('undo')) ?? '';
      assert.match(output, /package\.json/u);
      assert.doesNotMatch(output, /a\.txt/u);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText,
        'package.json': '{}\n',
      });
    });
  });

  test('undo does not report a restored file as executable only because the workspace is inside a `.vscode` folder', async () => {
    await using fixture = await ReviewFixture.create({ '.vscode/app/a.txt': tenLinesText });
    fixture.folders = [{ uri: fixture.getUri('.vscode/app'), name: 'app', index: 0 }];
    await fixture.editFile('.vscode/app/a.txt', (text) => text.replace('two', 'TWO'));
    assert.equal(await fixture.decideTurn('undo'), undefined);
    assert.equal((await fixture.readFiles())['.vscode/app/a.txt'], tenLinesText);
  });

  test('undo reports separate reasons for a deleted checkpoint and for lines that the user changed', async () => {
    await using fixture = await ReviewFixture.create({
      'a.txt': tenLinesText,
      'b.txt': tenLinesText,
      'c.txt': tenLinesText,
    });
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await fixture.editFile(name, (text) => text.replace('two', `TWO ${name}`));
    }
    await fixture.typeAndSave('b.txt', (text) => text.replace('TWO', 'TWO and mine'));
    const blobFolder = join(fixture.storageFolder, 'checkpoints', 'chat-1', 'blobs');
    assert.match(
      (await fixture.decideTurn('undo')) ?? '',
      /later changes in the same places: \S*b\.txt\./u,
    );
    await fixture.decideTurn('redo');
    await unlink(join(blobFolder, hashBlob(Buffer.from(tenLinesText))));
    const output = (await fixture.decideTurn('undo')) ?? '';
    assert.match(output, /a\.txt/u);
    assert.match(output, /no longer stored/u);
    assert.doesNotMatch(output, /same places/u);
  });

  suite('hunks', () => {
    const editedText = tenLinesText
      .replace('two', 'TWO')
      .replace('five', 'FIVE\nMORE')
      .replace('nine\n', '');
    const createEditedFixture = async (otherFiles = {}): Promise<ReviewFixture> => {
      const fixture = await ReviewFixture.create({ 'a.txt': tenLinesText, ...otherFiles });
      await fixture.editFile('a.txt', () => editedText);
      return fixture;
    };
    const listTitles = async (fixture: ReviewFixture): Promise<string[]> =>
      (await fixture.readLenses('a.txt')).map(
        ({ command, range }) => `${range.start.line} ${command?.title ?? ''}`,
      );

    test('have code lenses for one hunk and for all hunks', async () => {
      await using fixture = await createEditedFixture();
      assert.deepEqual(await listTitles(fixture), [
        '0 Keep All in File (3)',
        '0 Undo All Changes in File',
        '0 Compare',
        '1 Keep',
        '1 Undo',
        '4 Keep',
        '4 Undo',
        '9 Keep',
        '9 Undo',
      ]);
    });

    test('are accepted or rejected one by one, and the last decision completes the review of the file', async () => {
      await using fixture = await createEditedFixture();
      await fixture.pressCodeLens('a.txt', 1, 'Keep');
      await fixture.pressCodeLens('a.txt', 4, 'Undo');
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('two', 'TWO').replace('nine\n', ''),
      });
      assert.equal(fixture.view?.files[0]?.review, 'pending');
      assert.deepEqual((await listTitles(fixture)).slice(3), ['8 Keep', '8 Undo']);
      await fixture.pressCodeLens('a.txt', 8, 'Undo');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': tenLinesText.replace('two', 'TWO') });
      assert.equal(fixture.view?.files[0]?.review, 'accepted');
      assert.deepEqual(await listTitles(fixture), []);
    });

    test('work at the end of a file without a final newline, with its line endings', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': 'a\r\nb\r\nc' });
      await fixture.editFile('a.txt', () => 'a\r\nB\r\nC\r\nd');
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': 'a\r\nb\r\nc' });
      assert.equal(fixture.view?.files[0]?.review, 'rejected');
    });

    test('add to the line counts of a reviewed file only if the user accepted the hunks', async () => {
      await using fixture = await createEditedFixture({ 'b.txt': 'zero\n' });
      await fixture.editFile('b.txt', () => 'one\n');
      const listLineCounts = (): string[] =>
        (fixture.view?.files ?? []).map(
          ({ added, removed, review }) => `${review} +${added} -${removed}`,
        );
      assert.deepEqual(listLineCounts(), ['pending +3 -3', 'pending +1 -1']);
      await fixture.pressCodeLens('a.txt', 4, 'Keep');
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      await fixture.pressCodeLens('a.txt', 9, 'Undo');
      await fixture.pressCodeLens('b.txt', 0, 'Undo All Changes in File');
      assert.deepEqual(listLineCounts(), ['accepted +2 -1', 'rejected +0 -0']);
      await fixture.simulateRestart();
      assert.deepEqual(listLineCounts(), ['accepted +2 -1', 'rejected +0 -0']);
    });

    test('update the line counts and the number of kept changes of their file after each decision and edit', async () => {
      await using fixture = await createEditedFixture();
      const formatFileReview = (): string => {
        const { review, added, removed, keptChanges: keptCounts } = fixture.view?.files[0] ?? {};
        return `${review} +${added} -${removed}${keptCounts ? `, ${keptCounts.count} of ${keptCounts.total}` : ''}`;
      };
      assert.equal(formatFileReview(), 'pending +3 -3');
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      await eventually(() => assert.equal(formatFileReview(), 'pending +2 -2'));
      await fixture.pressCodeLens('a.txt', 4, 'Keep');
      await eventually(() => assert.equal(formatFileReview(), 'pending +2 -2, 1 of 2'));
      await fixture.type('a.txt', (text) => text.replace('two', 'TWO'));
      await eventually(() => assert.equal(formatFileReview(), 'pending +3 -3, 1 of 3'));
      await fixture.simulateRestart();
      await eventually(() => assert.equal(formatFileReview(), 'pending +3 -3, 1 of 3'));
      await fixture.pressCodeLens('a.txt', 0, 'Keep All in File (2)');
      assert.equal(formatFileReview(), 'accepted +3 -3');
    });

    test('do not count as accepted if the user rejected them before accepting the turn', async () => {
      await using fixture = await createEditedFixture();
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.equal(await fixture.decideTurn('accept'), undefined);
      const [file] = fixture.view?.files ?? [];
      assert.deepEqual([file?.review, file?.added, file?.removed], ['accepted', 2, 2]);
    });

    test('are restored after a restart of VS Code', async () => {
      await using fixture = await createEditedFixture();
      await fixture.pressCodeLens('a.txt', 1, 'Keep');
      const before = await listTitles(fixture);
      await fixture.simulateRestart();
      assert.deepEqual(await listTitles(fixture), before);
    });

    test('move with surrounding edits, and never include lines of the user', async () => {
      await using fixture = await createEditedFixture();
      await fixture.type('a.txt', (text) => `mine\nmine\n${text.replace('seven', 'mine')}`);
      assert.deepEqual((await listTitles(fixture)).slice(3), [
        '3 Keep',
        '3 Undo',
        '6 Keep',
        '6 Undo',
        '11 Keep',
        '11 Undo',
      ]);
      await fixture.pressCodeLens('a.txt', 0, 'Undo All Changes in File');
      const document = await vscode.workspace.openTextDocument(fixture.getUri('a.txt'));
      assert.equal(document.getText(), `mine\nmine\n${tenLinesText.replace('seven', 'mine')}`);
      assert.equal(document.isDirty, true);
      assert.equal(fixture.view?.files[0]?.review, 'rejected');
    });

    test('stay after Undo All if they contain edits by the user', async () => {
      await using fixture = await createEditedFixture();
      await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO mine'));
      await fixture.pressCodeLens('a.txt', 0, 'Undo All Changes in File');
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('two', 'TWO mine'),
      });
      assert.deepEqual((await listTitles(fixture)).slice(3), ['1 Keep', '1 Undo']);
    });

    for (const [outcome, answer, text] of [
      ['stay if the user dismisses the confirmation', undefined, 'TWO // mine'],
      ['are rejected if the user confirms', 'Undo Anyway', 'two'],
    ] as const) {
      test(`that contain edits by the user ${outcome}`, async () => {
        await using fixture = await createEditedFixture();
        using warnings = new FakeWarnings(answer);
        await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO // mine'));
        await fixture.pressCodeLens('a.txt', 1, 'Undo');
        assert.deepEqual(warnings.shownMessages, ['You changed these lines too. Undo anyway?']);
        assert.deepEqual(await fixture.readFiles(), { 'a.txt': editedText.replace('TWO', text) });
      });
    }

    test('that contain edits by the user open as a diff on request', async () => {
      await using fixture = await createEditedFixture();
      using warnings = new FakeWarnings('Compare');
      await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO // mine'));
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.equal(warnings.shownMessages.length, 1);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': editedText.replace('TWO', 'TWO // mine'),
      });
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
    });

    test('stay pending if their lines change while the confirmation dialog is open', async () => {
      await using fixture = await createEditedFixture();
      using _warnings = new FakeWarnings('Undo Anyway', () =>
        fixture.typeAndSave('a.txt', (text) => text.replace('// mine', '// mine, and more')),
      );
      await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO // mine'));
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': editedText.replace('TWO', 'TWO // mine, and more'),
      });
    });

    test('are rejected without confirmation if they contain no edits by the user', async () => {
      await using fixture = await createEditedFixture();
      using warnings = new FakeWarnings(undefined);
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.deepEqual(warnings.shownMessages, []);
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': editedText.replace('TWO', 'two') });
    });

    test('return when the user undoes a rejection in VS Code', async () => {
      await using fixture = await createEditedFixture();
      await fixture.showFile('a.txt');
      await fixture.pressCodeLens('a.txt', 0, 'Undo All Changes in File');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': tenLinesText });
      const pendingReviewPromise = new Promise<void>((resolve) => {
        fixture.changes.turns.onDidChange(() => {
          if (fixture.view?.files[0]?.review === 'pending') resolve();
        });
      });
      await vscode.commands.executeCommand('undo');
      await pendingReviewPromise;
      assert.equal((await listTitles(fixture)).length, 9);
    });

    test('disappear when the turn is undone, and return when the turn is redone', async () => {
      await using fixture = await createEditedFixture();
      await fixture.decideTurn('undo');
      assert.deepEqual(await listTitles(fixture), []);
      await fixture.decideTurn('redo');
      assert.equal((await listTitles(fixture)).length, 9);
    });

    test('of a later turn must be reviewed before hunks of an earlier turn on the same lines', async () => {
      await using fixture = await createEditedFixture();
      const laterTurn = { ...fixture.turn, turnId: 'turn-2' };
      await fixture.editFile('a.txt', (text) => text.replace('TWO', 'twice'), laterTurn);
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': editedText });
      await fixture.pressCodeLens('a.txt', 1, 'Undo');
      assert.deepEqual(await fixture.readFiles(), { 'a.txt': editedText.replace('TWO', 'two') });
    });

    test('can be reached, accepted and rejected by keyboard', async () => {
      await using fixture = await createEditedFixture();
      const editor = await fixture.showFile('a.txt');
      const lineNumbers: number[] = [];
      for (const id of ['next', 'next', 'next', 'next', 'previous'] as const) {
        await fixture.runCommand(`inferenceService.agent.${id}Change`);
        lineNumbers.push(editor.selection.active.line);
      }
      assert.deepEqual(lineNumbers, [1, 4, 9, 1, 9]);
      await fixture.runCommand('inferenceService.agent.rejectChange');
      await fixture.runCommand('inferenceService.agent.previousChange');
      await fixture.runCommand('inferenceService.agent.acceptChange');
      assert.equal((await listTitles(fixture))[0], '0 Keep All in File (1)');
      await fixture.runCommand('inferenceService.agent.acceptFile');
      assert.equal(fixture.view?.files[0]?.review, 'accepted');
    });
  });

  test('navigation moves from the last change of a file to the next file, and back', async () => {
    await using fixture = await ReviewFixture.create({
      'a.txt': tenLinesText,
      'b.txt': tenLinesText,
      'c.bin': 'x',
    });
    await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
    await fixture.create('d.bin', new Uint8Array([0, 1, 2, 0]));
    await fixture.editFile('b.txt', (text) =>
      text.replace('three', 'THREE').replace('nine', 'NINE'),
    );
    await fixture.showFile('a.txt');
    const visitedNames: string[] = [];
    for (const id of ['next', 'next', 'next', 'next', 'previous', 'previous'] as const) {
      await fixture.runCommand(`inferenceService.agent.${id}Change`);
      const editor = vscode.window.activeTextEditor;
      const name = editor?.document.uri.path.split('/').at(-1);
      visitedNames.push(`${name}:${editor?.selection.active.line}`);
    }
    assert.deepEqual(visitedNames, [
      'a.txt:1',
      'b.txt:2',
      'b.txt:8',
      'a.txt:1',
      'b.txt:8',
      'b.txt:2',
    ]);
  });

  suite('a whole turn', () => {
    test('is accepted: files stay unchanged, and no hunk is pending after a restart', async () => {
      await using fixture = await ReviewFixture.create(originalFiles);
      await performAllChanges(fixture);
      const after = await fixture.readFiles();
      assert.equal(await fixture.decideTurn('accept'), undefined);
      await fixture.simulateRestart();
      assert.deepEqual(await fixture.readFiles(), after);
      assert.deepEqual(
        new Set(fixture.view?.files.map(({ review }) => review)),
        new Set(['accepted']),
      );
      assert.deepEqual(await fixture.readLenses('edited.txt'), []);
    });

    test('is rejected: all lines except accepted lines are restored', async () => {
      await using fixture = await ReviewFixture.create(originalFiles);
      const before = await fixture.readFiles();
      await performAllChanges(fixture);
      await fixture.pressCodeLens('edited.txt', 1, 'Keep');
      assert.equal(await fixture.decideTurn('reject'), undefined);
      assert.deepEqual(await fixture.readFiles(), {
        ...before,
        'edited.txt': tenLinesText.replace('two', 'TWO'),
      });
      const [firstReview, ...otherReviews] = fixture.view?.files.map(({ review }) => review) ?? [];
      assert.deepEqual([firstReview, new Set(otherReviews)], ['accepted', new Set(['rejected'])]);
    });

    test('is rejected except for lines that the user also changed, and these lines are reported', async () => {
      await using fixture = await ReviewFixture.create({
        'a.txt': tenLinesText,
        'b.txt': tenLinesText,
      });
      const replaceWords = (text: string): string =>
        text.replace('two', 'TWO').replace('five', 'FIVE').replace('nine', 'NINE');
      await fixture.editFile('a.txt', replaceWords);
      await fixture.editFile('b.txt', replaceWords);
      await fixture.typeAndSave('a.txt', (text) => text.replace('TWO', 'TWO // mine'));
      const refusal = (await fixture.decideTurn('reject')) ?? '';
      assert.match(refusal, /^Not changed back.*a\.txt \(1 of 3 changes\)/u);
      assert.deepEqual(await fixture.readFiles(), {
        'a.txt': tenLinesText.replace('two', 'TWO // mine'),
        'b.txt': tenLinesText,
      });
      assert.deepEqual(
        fixture.view?.files.map(({ review }) => review),
        ['pending', 'rejected'],
      );
    });

    test('is rejected in the editor if the file is unsaved, and the user saves it', async () => {
      await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO').replace('nine', 'NINE'));
      const diskContent = await fixture.readFiles();
      const document = await fixture.type('a.txt', (text) => text.replace('TWO', 'TWO // mine'));
      assert.match((await fixture.decideTurn('reject')) ?? '', /\(1 of 2 changes\)/u);
      assert.equal(document.getText(), tenLinesText.replace('two', 'TWO // mine'));
      assert.deepEqual(await fixture.readFiles(), diskContent);
    });

    test('is not rejected through a link that replaced a file', async () => {
      await using fixture = await ReviewFixture.create({
        'a.txt': tenLinesText,
        'other.txt': 'theirs\n',
      });
      await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO').replace('nine', 'NINE'));
      const editedText = tenLinesText.replace('two', 'TWO // mine').replace('nine', 'NINE');
      await fixture.writeFile('other.txt', editedText);
      await unlink(fixture.getUri('a.txt').fsPath);
      await symlink(fixture.getUri('other.txt').fsPath, fixture.getUri('a.txt').fsPath);
      assert.match((await fixture.decideTurn('reject')) ?? '', /^Not changed back.*a\.txt/u);
      assert.equal((await fixture.readFiles())['other.txt'], editedText);
    });

    test('is rejected by deleting its new files, except for files into which the user typed', async () => {
      await using fixture = await ReviewFixture.create({});
      await fixture.create('a.txt', 'made\n');
      await fixture.create('b.txt', 'made\n');
      await fixture.pressCodeLens('a.txt', 0, 'Undo');
      await fixture.typeAndSave('b.txt', (text) => `${text}mine\n`);
      await fixture.pressCodeLens('b.txt', 0, 'Undo All Changes in File');
      assert.deepEqual(await fixture.readFiles(), { 'b.txt': 'mine\n' });
    });
  });

  test('the diff of a changed file compares the state before the turn with the current file', async () => {
    await using fixture = await ReviewFixture.create({ 'a.txt': tenLinesText, 'b.txt': 'gone\n' });
    await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
    await fixture.deleteFile('b.txt');
    const documentTexts: string[][] = [];
    for (const index of [0, 1]) {
      assert.equal(
        await fixture.changes.previousContentProvider.open(fixture.turn, index),
        undefined,
      );
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      const documentPromises = [input.original, input.modified].map((uri) =>
        vscode.workspace.openTextDocument(uri),
      );
      documentTexts.push(
        (await Promise.all(documentPromises)).map((document) => document.getText()),
      );
    }
    assert.deepEqual(documentTexts, [
      [tenLinesText, tenLinesText.replace('two', 'TWO')],
      ['gone\n', ''],
    ]);
    assert.match(
      (await fixture.changes.previousContentProvider.open(fixture.turn, 9)) ?? '',
      /no longer stored/u,
    );
  });

  test('the state of a file before the turn is found by the file’s current path', async () => {
    await using fixture = await ReviewFixture.create({
      'a.txt': tenLinesText,
      'b.txt': 'b\n',
      'c.txt': '',
    });
    await fixture.editFile('a.txt', (text) => text.replace('two', 'TWO'));
    await fixture.renameFile('b.txt', 'moved.txt');
    const readTextBefore = async (name: string): Promise<string | undefined> => {
      const uri = fixture.changes.previousContentProvider.getOldUri(
        fixture.turn,
        fixture.getUri(name),
      );
      return uri && (await vscode.workspace.openTextDocument(uri)).getText();
    };
    assert.deepEqual(await Promise.all(['a.txt', 'moved.txt', 'c.txt'].map(readTextBefore)), [
      tenLinesText,
      'b\n',
      undefined,
    ]);
  });

  suite('decorations', () => {
    const formatRemovedText = (
      { line, character }: vscode.Position,
      options: vscode.DecorationInstanceRenderOptions | undefined,
    ): string =>
      options?.before === undefined
        ? `${line}: ${options?.after?.contentText}`
        : `${line}:${character}: ${options.before.contentText}`;
    const longLine = 'const height = readings.map(({ metres }) => metres).reduce(sum);';
    const readDecorations = async (
      before: string,
      currentText: string,
    ): Promise<Record<string, readonly (number | string | undefined)[]>> => {
      await using fixture = await ReviewFixture.create({ 'a.txt': before });
      await fixture.editFile('a.txt', () => currentText);
      const { document } = await fixture.showFile('a.txt');
      const decorations = createReviewDecorations(
        document,
        fixture.changes.reviews.listHunks(document),
      );
      return Object.fromEntries(
        decorationKinds.map((kind) => [
          kind,
          decorations[kind].map(({ range, renderOptions }) =>
            kind === 'removedText'
              ? formatRemovedText(range.start, renderOptions)
              : range.start.line,
          ),
        ]),
      );
    };

    for (const [name, before, currentText, expected] of [
      [
        'changed',
        'a\nb\nc',
        'a\nB\nc',
        { added: [1], removedBelow: [], removedAbove: [], removedText: ['1: b'] },
      ],
      [
        'changed in one word, at this word',
        'a\nimport { metresPerFoot } from "./units.ts";\nc',
        'a\nimport { metresInFoot } from "./units.ts";\nc',
        { added: [1], removedBelow: [], removedAbove: [], removedText: ['1:9: metresPerFoot'] },
      ],
      [
        'changed in two words, at each word',
        `a\n${longLine}\nc`,
        `a\n${longLine.replace('height', 'depth').replace('sum', 'max')}\nc`,
        {
          added: [1],
          removedBelow: [],
          removedAbove: [],
          removedText: ['1:6: height', '1:58: sum'],
        },
      ],
      [
        'extended by a word',
        'a\nreturn height;\nc',
        'a\nreturn height + offset;\nc',
        { added: [1], removedBelow: [], removedAbove: [], removedText: [] },
      ],
      [
        'replaced by a long line, before its first word',
        'a\n  throw new Error("The station reports no height.")\nc',
        `a\n  ${longLine}\nc`,
        {
          added: [1],
          removedBelow: [],
          removedAbove: [],
          removedText: ['1:2: throw new Error("The sta…'],
        },
      ],
      [
        'replaced by fewer lines',
        'a\nb\nb2\nb3\nc',
        'a\nB\nc',
        { added: [1], removedBelow: [], removedAbove: [], removedText: ['1: b (+2)'] },
      ],
      [
        'added',
        'a\nc',
        'a\nb\nc',
        { added: [1], removedBelow: [], removedAbove: [], removedText: [] },
      ],
      [
        'removed from the middle',
        'a\nb\nc',
        'a\nc',
        { added: [], removedBelow: [0], removedAbove: [], removedText: ['0: b'] },
      ],
      [
        'removed from the start',
        'a\nb\nc',
        'b\nc',
        { added: [], removedBelow: [], removedAbove: [0], removedText: ['0: a'] },
      ],
      [
        'removed from the end',
        'a\nb\nc',
        'a\nb',
        { added: [], removedBelow: [1], removedAbove: [], removedText: ['1: c'] },
      ],
    ] as const) {
      test(`mark lines that were ${name}`, async () => {
        assert.deepEqual(await readDecorations(before, currentText), expected);
      });
    }

    test('color only removed and added lines, and work without a background color', () => {
      assert.equal(decorationStyles.removedBelow.backgroundColor, undefined);
      assert.equal(decorationStyles.removedAbove.backgroundColor, undefined);
      for (const kind of ['added', 'removedBelow', 'removedAbove'] as const)
        assert.ok(decorationStyles[kind].borderColor);
    });
  });
});
