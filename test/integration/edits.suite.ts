import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { addsRemoteReference } from '../../src/workspace/remote-reference.ts';
import type { ToolArguments } from '../../src/agent/tool.ts';
import { disableAutoSave } from './auto-save.ts';
import { EditsFixture, expectToolError, typeInto } from './edits-fixture.ts';

suite('the target file of an edit tool', () => {
  disableAutoSave();

  test('keeps its line endings, byte order mark and missing final newline', async () => {
    const files = {
      'crlf.txt': 'one\r\ntwo\r\nthree',
      'bom.txt': '\uFEFFone\ntwo\nthree\n',
      'mixed.txt': 'one\r\ntwo\nthree\r\n',
      'old.txt': 'zero\rone\ntwo\nthree\n',
    };
    await using fixture = new EditsFixture(files);
    for (const [name, textBefore] of Object.entries(files)) {
      await fixture.editFile(name, [['two\nthree', 'TWO\nthree']]);
      assert.equal(fixture.readFile(name), textBefore.replace('two', 'TWO'), name);
    }
  });

  test('keeps mixed line endings and shows the new text if it is open in an editor', async () => {
    await using fixture = new EditsFixture({ 'mixed.txt': 'one\r\ntwo\nthree\r\n' });
    const document = await vscode.workspace.openTextDocument(fixture.getUri('mixed.txt'));
    await vscode.window.showTextDocument(document);
    const documentChangePromise = new Promise<void>((resolve) => {
      const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document !== document || !document.getText().includes('TWO')) return;
        subscription.dispose();
        resolve();
      });
    });
    await fixture.editFile('mixed.txt', [['two', 'TWO']]);
    assert.equal(fixture.readFile('mixed.txt'), 'one\r\nTWO\nthree\r\n');
    await documentChangePromise;
    assert.equal(document.isDirty, false);
  });

  test('keeps its encoding', async () => {
    const encodeUtf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
    await using fixture = new EditsFixture({
      'utf16.txt': encodeUtf16('größe\r\nzwei\r\n'),
      'latin.txt': Buffer.from('größe\nzwei\n', 'latin1'),
    });
    await vscode.workspace.openTextDocument(fixture.getUri('latin.txt'), {
      encoding: 'windows1252',
    });
    for (const name of ['utf16.txt', 'latin.txt']) {
      await fixture.editFile(name, [['zwei', 'zwölf']]);
    }
    assert.deepEqual(fixture.readBytes('utf16.txt'), encodeUtf16('größe\r\nzwölf\r\n'));
    assert.deepEqual(fixture.readBytes('latin.txt'), Buffer.from('größe\nzwölf\n', 'latin1'));
  });

  test('is not edited if its bytes are not text, or if saving would lose characters', async () => {
    const files = {
      'latin.txt': Buffer.from('größe\nzwei\n', 'latin1'),
      'zero.bin': Buffer.from('zwei\0'),
      'image.png': Buffer.from('\x89PNG\r\n\x1a\nzwei', 'latin1'),
    };
    await using fixture = new EditsFixture(files);
    for (const [name, bytes] of Object.entries(files)) {
      await expectToolError('failed', fixture.editFile(name, [['zwei', 'drei']]));
      assert.deepEqual(fixture.readBytes(name), bytes, name);
    }
    assert.deepEqual(fixture.recorder.recordedCalls, []);
  });

  test('is recorded before and after the edit, and the model gets the current line numbers', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' });
    const output = await fixture.editFile('a.txt', [
      ['five', 'FIVE'],
      ['one\n', 'zero\none\n'],
    ]);
    assert.match(output, /^Changed edits-\d+\/a\.txt: line 1, line 6\.$/);
    assert.equal(fixture.readFile('a.txt'), 'zero\none\ntwo\nthree\nfour\nFIVE\n');
    assert.deepEqual(fixture.recorder.recordedCalls, [
      'before a.txt: "one\\ntwo\\nthree\\nfour\\nfive\\n"',
      'edit a.txt',
    ]);
  });

  test('is previewed as a diff before the approval, which is not requested if a hunk does not match', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\n' });
    const { preview, resources, target } = await fixture.planCall(
      'edit_file',
      fixture.createEditArguments('a.txt', [['two', 'TWO']]),
    );
    assert.equal(preview?.text, '@@ -1,2 +1,2 @@\n one\n-two\n+TWO');
    assert.deepEqual(preview?.files, [target]);
    const change = { before: 'one\ntwo\n', after: 'one\nTWO\n' };
    const path = fixture.getAbsolutePath('a.txt');
    assert.deepEqual(resources, [{ type: 'path', path, access: 'write', change }]);
    const message = await expectToolError(
      'not-found',
      fixture.planCall('edit_file', fixture.createEditArguments('a.txt', [['two three', 'x']])),
    );
    assert.match(message, /was not changed\. Edit 1: .*\nThe nearest lines:\n1\tone\n2\ttwo/s);
    assert.equal(fixture.readFile('a.txt'), 'one\ntwo\n');
  });

  test('is not created from a text with placeholders for omitted code, and the error names the line', async () => {
    await using fixture = new EditsFixture();
    const create = (name: string, content: string): Promise<unknown> =>
      fixture.planCall('create_file', { path: fixture.getAbsolutePath(name), content });
    const message = await expectToolError(
      'bad-arguments',
      create('a.ts', 'export function a() {\n  // ... rest of the implementation\n}\n'),
    );
    assert.match(
      message,
      /a\.ts was not created\. Line 2 is a placeholder for omitted lines: "\/\/ \.\.\. rest of the implementation"\. Write every line in full\.$/,
    );
    await expectToolError('bad-arguments', create('b.ts', 'a();\n...\nb();\n'));
    assert.deepEqual(fixture.recorder.recordedCalls, []);
    const files = {
      'guide.md': '# Use\n\n```ts\n// ... existing code ...\n```\n',
      'stub.pyi': 'class A:\n    def b(self) -> int:\n        ...\n',
      'all.yaml': 'a: 1\n...\n---\nb: 2\n',
      'rest.ts': 'export const c = {\n  ...d,\n};\n',
    };
    for (const [name, content] of Object.entries(files)) {
      await fixture.callTool('create_file', { path: fixture.getAbsolutePath(name), content });
      assert.equal(fixture.readFile(name), content);
    }
  });

  test('matches a search text that lacks the file’s hidden characters, and keeps these characters', async () => {
    await using fixture = new EditsFixture({
      'a.txt': 'a\u200Bb = 1;\n\u{1F600}\u{E0101}\ufe01\n',
    });
    await fixture.editFile('a.txt', [['ab = 1;\n\u{1F600}', 'ab = 2;\n\u{1F600}']]);
    assert.equal(fixture.readFile('a.txt'), 'a\u200Bb = 2;\n\u{1F600}\u{E0101}\ufe01\n');
  });

  test('requires approval if the resulting text refers to a remote schema', async () => {
    await using fixture = new EditsFixture({ 'a.json': '{\n  "$schema":\n    "./a.json"\n}\n' });
    const remoteSchema = '{ "$schema": "https://e.test/?d=1" }';
    const plans = [
      await fixture.planCall(
        'edit_file',
        fixture.createEditArguments('a.json', [['./a', 'https://e.test/a']]),
      ),
      await fixture.planCall('create_file', {
        path: fixture.getAbsolutePath('b.json'),
        content: remoteSchema,
      }),
    ];
    for (const { resources } of plans) {
      const [resource] = resources;
      assert.ok(resource?.type === 'path' && resource.change);
      assert.equal(addsRemoteReference(resource.change), true);
    }
  });

  test('stays hidden from the model before the approval if reading requires approval', async () => {
    await using fixture = new EditsFixture({ '.env': 'TOKEN=abc\nOTHER=def\n' });
    const { preview } = await fixture.planCall(
      'edit_file',
      fixture.createEditArguments('.env', [['TOKEN=xyz', 'TOKEN=1']]),
    );
    assert.match(
      preview?.text ?? '',
      /cannot be done.*does not occur.*-TOKEN=xyz\n.*\+TOKEN=1\n/su,
    );
    const message = await expectToolError(
      'not-found',
      fixture.editFile('.env', [['TOKEN=xyz', 'TOKEN=1']]),
    );
    assert.doesNotMatch(message, /abc|def|of the file/);
    await expectToolError(
      'changed',
      fixture.editFile('.env', [['TOKEN=xyz', 'TOKEN=1']], () =>
        fixture.writeFile('.env', 'TOKEN=xyz\nOTHER=def\n'),
      ),
    );
    assert.equal(fixture.readFile('.env'), 'TOKEN=xyz\nOTHER=def\n');
    await fixture.editFile('.env', [['OTHER=def', 'OTHER=1']]);
    assert.equal(fixture.readFile('.env'), 'TOKEN=xyz\nOTHER=1\n');
  });

  test('is previewed to the user with all changed lines if reading requires approval', async () => {
    await using fixture = new EditsFixture({
      '.env': 'A=0\nB=0\nADMIN=0\n',
      '.git/config': '[a]\n\turl = x\n[b]\n\turl = x\n',
    });
    const readPreview = async (name: string, edit: ToolArguments): Promise<string | undefined> =>
      (await fixture.planCall('edit_file', { path: fixture.getAbsolutePath(name), edits: [edit] }))
        .preview?.text;
    assert.equal(
      await readPreview('.env', { search: '=0', replace: '=1', all: true }),
      '@@ -1,3 +1,3 @@\n-A=0\n-B=0\n-ADMIN=0\n+A=1\n+B=1\n+ADMIN=1',
    );
    assert.equal(
      await readPreview('.git/config', { search: 'url = x', replace: 'url = y', occurrence: 2 }),
      '@@ -1,4 +1,4 @@\n [a]\n \turl = x\n [b]\n-\turl = x\n+\turl = y',
    );
  });

  test('is not edited if reading requires approval and its text has changed since the preview', async () => {
    const originalText = 'user {\n  role = guest\n}\n';
    await using fixture = new EditsFixture({ '.env': originalText });
    const changedText = 'admin {\n  role = guest\n}\n';
    const message = await expectToolError(
      'changed',
      fixture.editFile('.env', [['role = guest', 'role = root']], () =>
        fixture.writeFile('.env', changedText),
      ),
    );
    assert.doesNotMatch(message, /admin/);
    assert.equal(fixture.readFile('.env'), changedText);
  });

  test('is reported to the model without its lines if reading requires approval', async () => {
    await using fixture = new EditsFixture({ '.env': 'SECRET=abc\n  two = 2\nTOKEN=def\n' });
    const tolerantError = await expectToolError(
      'not-found',
      fixture.editFile('.env', [['two =  2', 'two = 3']]),
    );
    assert.doesNotMatch(tolerantError, /abc|def/);
    const formattingListener = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document.uri.fsPath !== fixture.getAbsolutePath('.env')) return;
      const start = new vscode.Position(0, 0);
      event.waitUntil(Promise.resolve([vscode.TextEdit.insert(start, '# formatted\n')]));
    });
    const output = await fixture.editFile('.env', [['two = 2', 'two = 3']]);
    formattingListener.dispose();
    assert.equal(fixture.readFile('.env'), '# formatted\nSECRET=abc\n  two = 3\nTOKEN=def\n');
    assert.match(output, /Saving changed it further\./);
    assert.doesNotMatch(output, /abc|def/);
  });

  test('is edited including its unsaved text, which the preview mentions', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\n' });
    const document = await typeInto(fixture.getUri('a.txt'), 'typed\n');
    const readPreview = async (name: string): Promise<string | undefined> =>
      (await fixture.planCall('edit_file', fixture.createEditArguments(name, [['one', '1']])))
        .preview?.text;
    assert.equal(
      await readPreview('a.txt'),
      'The file has unsaved changes, which will be saved with this edit.\n\n@@ -1,3 +1,3 @@\n typed\n-one\n+1\n two',
    );
    assert.equal(await readPreview('b.txt'), '@@ -1 +1 @@\n-one\n+1');
    await fixture.editFile('a.txt', [['typed\none', 'TYPED\none']]);
    assert.equal(fixture.readFile('a.txt'), 'TYPED\none\ntwo\n');
    assert.equal(document.isDirty, false);
  });

  test('keeps the cursor at the same word, and is restored by one undo', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\nthree\n' });
    const editor = await vscode.window.showTextDocument(fixture.getUri('a.txt'));
    const wordPosition = new vscode.Position(1, 2);
    editor.selection = new vscode.Selection(wordPosition, wordPosition);
    const cursorMovePromise = waitForCursorLine(editor, 2);
    await fixture.editFile('a.txt', [
      ['one\n', 'zero\none\n'],
      ['three', 'THREE'],
    ]);
    await cursorMovePromise;
    assert.equal(editor.document.getText(), 'zero\none\ntwo\nTHREE\n');
    assert.deepEqual(editor.selection.active, new vscode.Position(2, 2));
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'one\ntwo\nthree\n');
  });

  test('is edited at the new position if the text moved while the approval was pending', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\n' });
    await fixture.editFile('a.txt', [['two', 'TWO']], () =>
      fixture.writeFile('a.txt', 'new\none\ntwo\n'),
    );
    assert.equal(fixture.readFile('a.txt'), 'new\none\nTWO\n');
  });

  test('is not edited if the text disappeared or changed its indentation while the approval was pending', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one  \ntwo\nthree\n' });
    const removedText = 'one  \n2\nthree\n';
    await expectToolError(
      'not-found',
      fixture.editFile('a.txt', [['two', 'TWO']], () => fixture.writeFile('a.txt', removedText)),
    );
    assert.equal(fixture.readFile('a.txt'), removedText);
    fixture.writeFile('a.txt', '  a\n  b\n');
    const movedText = '    a\n    b\n';
    await expectToolError(
      'changed',
      fixture.editFile('a.txt', [['a \nb', 'a \nc']], () => fixture.writeFile('a.txt', movedText)),
    );
    assert.equal(fixture.readFile('a.txt'), movedText);
  });

  test('requires an exact match if the model last read an older text', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\n  two\nthree\n' });
    fixture.versions.recordText('c1', fixture.getUri('a.txt'), 'one\n  two\n');
    const tolerantError = await expectToolError(
      'changed',
      fixture.editFile('a.txt', [['  one\n    two', '  one\n    2']]),
    );
    assert.match(tolerantError, /Read it again/);
    const missingEditPromise = fixture.editFile('a.txt', [['one\n  two', 'x']], () =>
      fixture.writeFile('a.txt', 'one\nzwei\n'),
    );
    assert.match(await expectToolError('changed', missingEditPromise), /1\tone\n2\tzwei/);
    fixture.writeFile('a.txt', 'one\n  two\nthree\n');
    assert.match(await fixture.editFile('a.txt', [['two', '2']]), /changed since you read it/);
    assert.equal(fixture.readFile('a.txt'), 'one\n  2\nthree\n');
  });

  test('requires a unique match if the model last read an older text', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\nelsewhere\none\n' });
    fixture.versions.recordText('c1', fixture.getUri('a.txt'), 'one\ntwo\none\n');
    const applyEdit = (edit: ToolArguments): Promise<string> =>
      fixture.callTool('edit_file', { path: fixture.getAbsolutePath('a.txt'), edits: [edit] });
    for (const options of [{ occurrence: 1 }, { occurrence: 2 }, { all: true }]) {
      const message = await expectToolError(
        'changed',
        applyEdit({ search: 'one', replace: 'ONE', ...options }),
      );
      assert.match(message, /several places.*Read it again/);
    }
    assert.equal(fixture.readFile('a.txt'), 'one\ntwo\nelsewhere\none\n');
    const output = await applyEdit({ search: 'two', replace: 'TWO', all: true });
    assert.match(output, /changed since you read it/);
    assert.equal(fixture.readFile('a.txt'), 'one\nTWO\nelsewhere\none\n');
  });

  test('is reported with the changes that VS Code made on save', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\ntwo\n' });
    const formattingListener = vscode.workspace.onWillSaveTextDocument((event) => {
      const { document } = event;
      if (document.uri.fsPath !== fixture.getAbsolutePath('a.txt')) return;
      const end = document.lineAt(document.lineCount - 1).range.end;
      event.waitUntil(Promise.resolve([vscode.TextEdit.insert(end, 'formatted\n')]));
    });
    const output = await fixture.editFile('a.txt', [['two', 'TWO']]);
    formattingListener.dispose();
    assert.equal(fixture.readFile('a.txt'), 'one\nTWO\nformatted\n');
    assert.match(output, /Saving changed it further:\n@@ .*\n one\n TWO\n\+formatted/);
    assert.equal(
      fixture.versions.hasChanged('c1', fixture.getUri('a.txt'), 'one\nTWO\nformatted\n'),
      false,
    );
  });

  test('is not edited if it is read-only, and has no unsaved changes afterwards', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\n' });
    chmodSync(fixture.getAbsolutePath('a.txt'), 0o444);
    assert.match(
      await expectToolError('failed', fixture.editFile('a.txt', [['one', 'two']])),
      /read-only/,
    );
    assert.equal(fixture.readFile('a.txt'), 'one\n');
    assert.deepEqual(fixture.recorder.recordedCalls, []);
  });

  test('is not edited if a setting makes it read-only, even if it is written without an editor', async () => {
    // An editor would change the mixed line endings.
    const text = 'one\r\ntwo\n';
    await using fixture = new EditsFixture({
      'a.txt': text,
      'b.txt': text,
      'c.txt': text,
      'd.txt': 'two\n',
    });
    const settings = vscode.workspace.getConfiguration('files');
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const aboveFolder = `**/${basename(dirname(folder?.uri.fsPath ?? ''))}/**`;
    const relativePath = vscode.workspace.asRelativePath(fixture.getUri('a.txt'), false);
    const edit = (name: string): Promise<string> => fixture.editFile(name, [['two', 'TWO']]);
    try {
      // As in VS Code, only the path in the workspace folder counts.
      await settings.update('readonlyExclude', { '**/b.txt': true, [aboveFolder]: true }, true);
      for (const glob of [relativePath, '**/a.txt', fixture.getAbsolutePath('a.txt'), '**/*.txt']) {
        await settings.update('readonlyInclude', { [glob]: true }, true);
        assert.match(await expectToolError('failed', edit('a.txt')), /read-only/);
      }
      assert.match(await expectToolError('failed', edit('d.txt')), /read-only/);
      await edit('b.txt');
      await settings.update('readonlyInclude', { [aboveFolder]: true }, true);
      await edit('c.txt');
    } finally {
      await settings.update('readonlyInclude', undefined, true);
      await settings.update('readonlyExclude', undefined, true);
    }
    assert.equal(fixture.readFile('a.txt'), text);
    assert.equal(fixture.readFile('b.txt'), 'one\r\nTWO\n');
    assert.match(await edit('a.txt'), /^Changed/);
  });

  test('has its previous text in the editor and on disk if saving fails', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\n' });
    const document = await typeInto(fixture.getUri('a.txt'), 'typed\n');
    // VS Code asks the user to choose a version when the file on disk is newer than the document.
    fixture.writeFile('a.txt', 'one\nfrom elsewhere\n');
    assert.match(
      await expectToolError('failed', fixture.editFile('a.txt', [['one', 'two']])),
      /taken back/,
    );
    assert.equal(fixture.readFile('a.txt'), 'one\nfrom elsewhere\n');
    assert.equal(document.getText(), 'typed\none\n');
    assert.deepEqual(fixture.recorder.recordedCalls, ['before a.txt: "typed\\none\\n"']);
  });

  test('is not edited if its checkpoint cannot be stored, or if its text changes before the edit', async () => {
    await using fixture = new EditsFixture({
      'a.txt': 'one\n',
      'b.txt': 'one\n',
      'c.txt': 'one\n',
    });
    fixture.recorder.beforeChange = () => {
      throw new Error('The disk is full.');
    };
    await assert.rejects(fixture.editFile('a.txt', [['one', 'two']]), /disk is full/);
    assert.equal(fixture.readFile('a.txt'), 'one\n');
    fixture.recorder.beforeChange = (uri) => typeInto(uri, 'typed\n');
    await expectToolError('changed', fixture.editFile('b.txt', [['one', 'two']]));
    assert.equal(fixture.readFile('b.txt'), 'one\n');
    fixture.recorder.beforeChange = () => fixture.writeFile('c.txt', 'two\n');
    await expectToolError('changed', fixture.editFile('c.txt', [['one', 'three']]));
    assert.equal(fixture.readFile('c.txt'), 'two\n');
  });

  test('is changed only at the matching position if the file has ten megabytes', async () => {
    const line = 'a line of the log that says nothing at all\n';
    const halfText = line.repeat(120_000);
    await using fixture = new EditsFixture({ 'large.log': `${halfText}the needle\n${halfText}` });
    await fixture.editFile('large.log', [['the needle', 'THE NEEDLE']]);
    assert.equal(fixture.readFile('large.log'), `${halfText}THE NEEDLE\n${halfText}`);
  });

  test('must exist, but can be empty', async () => {
    await using fixture = new EditsFixture({ 'empty.txt': '' });
    await expectToolError('not-found', fixture.editFile('missing.txt', [['a', 'b']]));
    await expectToolError('bad-arguments', fixture.editFile('.', [['a', 'b']]));
    await fixture.editFile('empty.txt', [['', 'one\n']]);
    assert.equal(fixture.readFile('empty.txt'), 'one\n');
  });
});

suite('a file tool', () => {
  disableAutoSave();

  test('creates a new file with its parent folders, and never overwrites an existing file', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'mine\n' });
    const create = (path: string, duringApproval?: () => unknown): Promise<string> =>
      fixture.callTool(
        'create_file',
        { path: fixture.getAbsolutePath(path), content: 'new\n' },
        duringApproval,
      );
    assert.match(await create('x/y/z.txt'), /^Created edits-\d+\/x\/y\/z\.txt\.$/);
    assert.equal(fixture.readFile('x/y/z.txt'), 'new\n');
    assert.deepEqual(fixture.recorder.recordedCalls, [
      'before x/y/z.txt: undefined',
      'create x/y/z.txt',
    ]);
    assert.match(await expectToolError('failed', create('a.txt')), /exists already/);
    await expectToolError('failed', create('x'));
    const racingCallPromise = create('b.txt', () => fixture.writeFile('b.txt', 'mine\n'));
    await expectToolError('refused-path', racingCallPromise);
    fixture.recorder.beforeChange = () => fixture.writeFile('c.txt', 'mine\n');
    await expectToolError('refused-path', create('c.txt'));
    for (const name of ['a.txt', 'b.txt', 'c.txt']) assert.equal(fixture.readFile(name), 'mine\n');
  });

  test('creates a new file with the encoding and line ending of the settings', async () => {
    await using fixture = new EditsFixture();
    const settings = vscode.workspace.getConfiguration('files');
    await settings.update('encoding', 'utf16le', vscode.ConfigurationTarget.Workspace);
    await settings.update('eol', '\r\n', vscode.ConfigurationTarget.Workspace);
    try {
      await fixture.callTool('create_file', {
        path: fixture.getAbsolutePath('a.txt'),
        content: 'größe\n',
      });
      assert.deepEqual(fixture.readBytes('a.txt'), Buffer.from('\uFEFFgröße\r\n', 'utf16le'));
    } finally {
      await settings.update('eol', undefined, vscode.ConfigurationTarget.Workspace);
      await settings.update('encoding', undefined, vscode.ConfigurationTarget.Workspace);
      rmSync(join(fixture.root, '..', '.vscode'), { recursive: true, force: true });
    }
  });

  test('deletes files, deletes folders only if the call requests it, and never deletes unsaved text', async () => {
    await using fixture = new EditsFixture({
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'd/e.txt': 'e\n',
      'd/f/g.txt': 'g\n',
    });
    const deletePath = (path: string, recursive?: boolean): Promise<string> =>
      fixture.callTool('delete_file', {
        path: fixture.getAbsolutePath(path),
        ...(recursive !== undefined && { recursive }),
      });
    await deletePermanently(() => deletePath('a.txt'));
    assert.equal(existsSync(fixture.getAbsolutePath('a.txt')), false);
    assert.match(await expectToolError('bad-arguments', deletePath('d')), /recursive/);
    const { preview, resources } = await fixture.planCall('delete_file', {
      path: fixture.getAbsolutePath('d'),
      recursive: true,
    });
    assert.match(preview?.text ?? '', /d\n.*d\/e\.txt\n.*d\/f\/g\.txt$/);
    assert.deepEqual(resources, [
      { type: 'path', path: fixture.getAbsolutePath('d'), access: 'delete' },
    ]);
    const dirtyDocument = await typeInto(fixture.getUri('d/e.txt'), 'typed\n');
    assert.match(await expectToolError('failed', deletePath('d', true)), /not saved/);
    await dirtyDocument.save();
    await deletePermanently(() => deletePath('d', true));
    assert.deepEqual(readdirSync(fixture.root), ['b.txt']);
    await expectToolError('not-found', deletePath('a.txt'));
    assert.deepEqual(
      fixture.recorder.recordedCalls.filter((call) => call.startsWith('delete')),
      ['delete a.txt', 'delete d'],
    );
  });

  test('moves a file, and updates, saves and records the imports that refer to it', async () => {
    await using fixture = new EditsFixture({
      'old.ts': 'export const a = 1;\n',
      'user.ts': "import { a } from './old';\n",
      'taken.ts': 'mine\n',
    });
    // Edits imports as a language service does when a file is renamed.
    const renameListener = vscode.workspace.onWillRenameFiles((event) => {
      if (!event.files.some(({ oldUri }) => oldUri.fsPath === fixture.getAbsolutePath('old.ts')))
        return;
      const edit = new vscode.WorkspaceEdit();
      edit.replace(fixture.getUri('user.ts'), new vscode.Range(0, 21, 0, 24), 'sub/new');
      event.waitUntil(Promise.resolve(edit));
    });
    const renameFile = (from: string, to: string): Promise<string> =>
      fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath(from),
        to: fixture.getAbsolutePath(to),
      });
    try {
      const output = await renameFile('old.ts', 'sub/new.ts');
      assert.match(output, /^Renamed \S+old\.ts to \S+sub\/new\.ts\. Also updated: \S+user\.ts\.$/);
    } finally {
      renameListener.dispose();
    }
    assert.equal(fixture.readFile('sub/new.ts'), 'export const a = 1;\n');
    assert.equal(existsSync(fixture.getAbsolutePath('old.ts')), false);
    assert.equal(fixture.readFile('user.ts'), "import { a } from './sub/new';\n");
    assert.deepEqual(fixture.recorder.recordedCalls, [
      'before old.ts: "export const a = 1;\\n"',
      'before sub/new.ts: undefined',
      'rename old.ts → sub/new.ts',
      'before user.ts: "import { a } from \'./old\';\\n"',
      'edit user.ts',
    ]);
    await expectToolError('failed', renameFile('user.ts', 'taken.ts'));
    await expectToolError('not-found', renameFile('old.ts', 'other.ts'));
    await expectToolError('bad-arguments', renameFile('sub', 'sub/deeper'));
    assert.equal(fixture.readFile('taken.ts'), 'mine\n');
  });

  test('records updated imports that VS Code saved automatically before the tool could', async () => {
    const imports = "import { a } from './old';\n";
    await using fixture = new EditsFixture({ 'old.ts': 'a\n', 'user.ts': imports });
    const renameListener = vscode.workspace.onWillRenameFiles((event) => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(fixture.getUri('user.ts'), new vscode.Range(0, 21, 0, 24), 'new');
      event.waitUntil(Promise.resolve(edit));
    });
    const { recorder } = fixture;
    const recordAfterChange = recorder.recordAfterChange.bind(recorder);
    recorder.recordAfterChange = async (turn, change) => {
      if (change.type === 'rename')
        await (await vscode.workspace.openTextDocument(fixture.getUri('user.ts'))).save();
      return recordAfterChange(turn, change);
    };
    try {
      const output = await fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath('old.ts'),
        to: fixture.getAbsolutePath('new.ts'),
      });
      assert.match(output, /Also updated: \S+user\.ts\.$/);
    } finally {
      renameListener.dispose();
    }
    assert.equal(fixture.readFile('user.ts'), "import { a } from './new';\n");
    assert.deepEqual(recorder.recordedCalls.slice(-2), [
      `before user.ts: ${JSON.stringify(imports)}`,
      'edit user.ts',
    ]);
  });

  for (const eol of ['\n', '\r\n']) {
    test(`keeps the user’s unsaved text and the updated imports of a file with the line ending ${JSON.stringify(eol)}, and does not save the file`, async () => {
      const content = ['one', 'two', ''].join(eol);
      await using fixture = new EditsFixture({ 'old.ts': 'a\n', 'user.ts': content });
      const service = vscode.workspace.onWillRenameFiles((event) => {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(fixture.getUri('user.ts'), new vscode.Position(1, 0), 'new ');
        event.waitUntil(Promise.resolve(edit));
      });
      fixture.recorder.beforeChange = (uri) =>
        uri.path.endsWith('user.ts') ? typeInto(uri, 'typed\n') : undefined;
      try {
        const output = await fixture.callTool('rename_file', {
          from: fixture.getAbsolutePath('old.ts'),
          to: fixture.getAbsolutePath('new.ts'),
        });
        assert.match(output, /Also changed, but not saved: \S+user\.ts\.$/);
      } finally {
        service.dispose();
      }
      assert.equal(fixture.readFile('user.ts'), content);
      const document = await vscode.workspace.openTextDocument(fixture.getUri('user.ts'));
      assert.equal(document.getText(), ['typed', 'one', 'new two', ''].join(eol));
    });
  }

  test('neither saves nor records a file into which the user types before its imports are updated', async () => {
    await using fixture = new EditsFixture({ 'old.ts': 'a\n', 'user.ts': 'one\n' });
    const service = vscode.workspace.onWillRenameFiles((event) => {
      const createEdit = async (): Promise<vscode.WorkspaceEdit> => {
        await typeInto(fixture.getUri('user.ts'), 'typed\n');
        const edit = new vscode.WorkspaceEdit();
        edit.insert(fixture.getUri('user.ts'), new vscode.Position(1, 0), 'new ');
        return edit;
      };
      event.waitUntil(createEdit());
    });
    try {
      const output = await fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath('old.ts'),
        to: fixture.getAbsolutePath('new.ts'),
      });
      assert.match(output, /Also changed, but not saved: \S+user\.ts\.$/);
    } finally {
      service.dispose();
    }
    assert.equal(fixture.readFile('user.ts'), 'one\n');
    assert.deepEqual(
      fixture.recorder.recordedCalls.filter((call) => call.includes('user.ts')),
      [],
    );
    const document = await vscode.workspace.openTextDocument(fixture.getUri('user.ts'));
    assert.equal(document.getText(), 'typed\nnew one\n');
  });

  test('lists a file as not updated if the user edits an import line during the update', async () => {
    await using fixture = new EditsFixture({ 'old.ts': 'a\n', 'user.ts': 'one\n' });
    const service = vscode.workspace.onWillRenameFiles((event) => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(fixture.getUri('user.ts'), new vscode.Position(0, 0), 'new ');
      event.waitUntil(Promise.resolve(edit));
    });
    fixture.recorder.beforeChange = (uri) =>
      uri.path.endsWith('user.ts') ? typeInto(uri, 'typed ') : undefined;
    try {
      const output = await fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath('old.ts'),
        to: fixture.getAbsolutePath('new.ts'),
      });
      assert.match(output, /new\.ts\. Not updated: \S+user\.ts\.$/);
    } finally {
      service.dispose();
    }
    assert.equal(fixture.readFile('user.ts'), 'one\n');
    const document = await vscode.workspace.openTextDocument(fixture.getUri('user.ts'));
    assert.equal(document.getText(), 'typed one\n');
  });

  test('keeps updated imports if their checkpoint cannot be stored', async () => {
    await using fixture = new EditsFixture({ 'old.ts': 'a\n', 'user.ts': 'one\n' });
    const service = vscode.workspace.onWillRenameFiles((event) => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(fixture.getUri('user.ts'), new vscode.Position(0, 0), 'new ');
      event.waitUntil(Promise.resolve(edit));
    });
    fixture.recorder.beforeChange = ({ path }) => {
      if (path.endsWith('user.ts')) throw new Error('no space');
    };
    try {
      const renamePromise = fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath('old.ts'),
        to: fixture.getAbsolutePath('new.ts'),
      });
      await assert.rejects(renamePromise, /no space/);
    } finally {
      service.dispose();
    }
    const document = await vscode.workspace.openTextDocument(fixture.getUri('user.ts'));
    assert.equal(document.getText(), 'new one\n');
  });

  test('does not save updated imports in sensitive files or in files outside the workspace', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'inference-service-outside-'));
    writeFileSync(join(outsideFolder, 'far.ts'), 'far\n');
    const filesBefore = {
      'old.ts': 'a\n',
      'user.ts': 'one\n',
      '.env': 'A=0\n',
      'package.json': '{}\n',
    };
    await using fixture = new EditsFixture(filesBefore);
    symlinkSync(join(outsideFolder, 'far.ts'), fixture.getAbsolutePath('link.ts'));
    const outsideUri = vscode.Uri.file(join(outsideFolder, 'far.ts'));
    const uris = [
      ...['user.ts', '.env', 'package.json', 'link.ts'].map((name) => fixture.getUri(name)),
      outsideUri,
    ];
    const service = vscode.workspace.onWillRenameFiles((event) => {
      const edit = new vscode.WorkspaceEdit();
      for (const uri of uris) edit.insert(uri, new vscode.Position(0, 0), ' ');
      event.waitUntil(Promise.resolve(edit));
    });
    try {
      const output = await fixture.callTool('rename_file', {
        from: fixture.getAbsolutePath('old.ts'),
        to: fixture.getAbsolutePath('new.ts'),
      });
      assert.match(output, /Also updated: \S+user\.ts\. Also changed, but not saved: /);
      for (const name of ['.env', 'package.json', 'link.ts', 'far.ts (outside the workspace)']) {
        assert.ok(output.includes(name), `${name}: ${output}`);
      }
      assert.ok(!output.includes(outsideFolder), output);
      assert.equal(fixture.readFile('user.ts'), ' one\n');
      assert.equal(fixture.readFile('.env'), filesBefore['.env']);
      assert.equal(fixture.readFile('package.json'), filesBefore['package.json']);
      assert.equal(fixture.readFile('link.ts'), 'far\n');
      assert.deepEqual(
        fixture.recorder.recordedCalls.filter((call) => call.startsWith('edit')),
        ['edit user.ts'],
      );
    } finally {
      service.dispose();
      await vscode.window.showTextDocument(outsideUri);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      rmSync(outsideFolder, { recursive: true });
    }
  });

  test('moves the unsaved text of a file with the file', async () => {
    await using fixture = new EditsFixture({ 'a.txt': 'one\n' });
    await typeInto(fixture.getUri('a.txt'), 'typed\n');
    await fixture.callTool('rename_file', {
      from: fixture.getAbsolutePath('a.txt'),
      to: fixture.getAbsolutePath('b.txt'),
    });
    const document = await vscode.workspace.openTextDocument(fixture.getUri('b.txt'));
    assert.equal(document.getText(), 'typed\none\n');
  });
});

suite('a file tool with links that appear later', () => {
  disableAutoSave();

  test('does not follow a link that replaces a folder before the user answers the approval', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'inference-service-outside-'));
    writeFileSync(join(outsideFolder, 'a.txt'), 'one\n');
    const calls: readonly (readonly [string, (fixture: EditsFixture) => Promise<unknown>])[] = [
      ['edit', (f) => f.editFile('d/a.txt', [['one', 'two']], () => replaceWithLink(f))],
      [
        'create',
        (f) =>
          f.callTool('create_file', { path: f.getAbsolutePath('d/new.txt'), content: 'x' }, () =>
            replaceWithLink(f),
          ),
      ],
      [
        'delete',
        (f) =>
          f.callTool('delete_file', { path: f.getAbsolutePath('d/a.txt') }, () =>
            replaceWithLink(f),
          ),
      ],
      [
        'rename',
        (f) =>
          f.callTool(
            'rename_file',
            { from: f.getAbsolutePath('d/a.txt'), to: f.getAbsolutePath('b.txt') },
            () => replaceWithLink(f),
          ),
      ],
      [
        'rename to',
        (f) =>
          f.callTool(
            'rename_file',
            { from: f.getAbsolutePath('b/a.txt'), to: f.getAbsolutePath('d/b.txt') },
            () => replaceWithLink(f),
          ),
      ],
    ];
    const replaceWithLink = (fixture: EditsFixture): void => {
      renameSync(fixture.getAbsolutePath('d'), fixture.getAbsolutePath('aside'));
      symlinkSync(outsideFolder, fixture.getAbsolutePath('d'));
    };
    try {
      for (const [name, call] of calls) {
        await using fixture = new EditsFixture({ 'd/a.txt': 'one\n', 'b/a.txt': 'one\n' });
        await expectToolError('refused-path', call(fixture));
        assert.deepEqual(readdirSync(outsideFolder), ['a.txt'], name);
        assert.deepEqual(fixture.recorder.recordedCalls, [], name);
      }
    } finally {
      rmSync(outsideFolder, { recursive: true });
    }
  });

  test('does not follow a link that replaces a folder during the storage of a checkpoint', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'inference-service-outside-'));
    mkdirSync(join(outsideFolder, 'sub'));
    try {
      await using fixture = new EditsFixture({ 'd/a.txt': 'one\n' });
      fixture.recorder.beforeChange = () => {
        renameSync(fixture.getAbsolutePath('d'), fixture.getAbsolutePath('aside'));
        symlinkSync(outsideFolder, fixture.getAbsolutePath('d'));
      };
      const content = { path: fixture.getAbsolutePath('d/new.txt'), content: 'x' };
      await expectToolError('refused-path', fixture.callTool('create_file', content));
      assert.deepEqual(readdirSync(outsideFolder), ['sub']);
    } finally {
      rmSync(outsideFolder, { recursive: true });
    }
  });
});

suite('edit tool results with errors of language services', () => {
  test('contain the errors that the edit caused, and no errors from before the edit', async () => {
    const before = '{\n  "a": ,\n  "b": 1,\n  "c": 2\n}\n';
    await using fixture = new EditsFixture({ 'bad.json': before });
    // This language service checks visible files only.
    await vscode.window.showTextDocument(fixture.getUri('bad.json'));
    await waitForErrors(fixture.getUri('bad.json'));
    const output = await fixture.editFile('bad.json', [
      ['{\n', '{\n  "z": 0,\n'],
      ['"c": 2', '"c": [2'],
    ]);
    assert.match(
      output,
      /^Changed .*\nNew errors in edits-\d+\/bad\.json after this change:\n6:1 error \(json \d+\): Expected[^\n]*$/,
    );
    const fixedOutput = await fixture.editFile('bad.json', [['"c": [2', '"c": 2']]);
    assert.match(fixedOutput, /^Changed [^\n]*$/);
  });

  test('list each error on one line, and no warnings, for a file that no editor shows', async () => {
    await using fixture = new EditsFixture({ 'a.md': '# one\n\ntwo\n' });
    const collection = vscode.languages.createDiagnosticCollection('edits');
    const publishDiagnostics = (document: vscode.TextDocument): void => {
      const { Error, Warning } = vscode.DiagnosticSeverity;
      const diagnostics = ['two', 'bad'].flatMap((word) => {
        const offset = document.getText().indexOf(word);
        const start = document.positionAt(Math.max(0, offset));
        const range = new vscode.Range(start, start);
        return [
          new vscode.Diagnostic(range, `Found\n${word}`, Error),
          new vscode.Diagnostic(range, `Maybe ${word}`, Warning),
        ].filter(() => offset >= 0);
      });
      setTimeout(() => collection.set(document.uri, diagnostics), 50);
    };
    const listeners = [
      vscode.workspace.onDidOpenTextDocument(publishDiagnostics),
      vscode.workspace.onDidChangeTextDocument(({ document }) => publishDiagnostics(document)),
    ];
    try {
      const editOutput = await fixture.editFile('a.md', [['# one\n', '# one\nbad\n']]);
      assert.match(editOutput, /^Changed [^\n]*\nNew errors in [^\n]*:\n2:1 error: Found bad$/);
      const path = fixture.getAbsolutePath('b.md');
      const creationOutput = await fixture.callTool('create_file', { path, content: 'x\nbad\n' });
      assert.match(creationOutput, /^Created [^\n]*\nNew errors in [^\n]*:\n2:1 error: Found bad$/);
    } finally {
      for (const listener of listeners) listener.dispose();
      collection.dispose();
    }
  });
});

async function waitForErrors(uri: vscode.Uri): Promise<void> {
  while (vscode.languages.getDiagnostics(uri).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/**
 * Calls `remove` so that a file is deleted permanently. If the system has no trash, the first call reports this, and a
 * second call deletes the file.
 */
async function deletePermanently(remove: () => Promise<string>): Promise<void> {
  const firstResult = await remove().catch((error: unknown) => String(error));
  if (firstResult.startsWith('Deleted')) return;
  assert.match(firstResult, /trash/);
  assert.match(await remove(), /^Deleted/);
}

/** Waits until the cursor of the editor is in this line. */
function waitForCursorLine(editor: vscode.TextEditor, line: number): Promise<void> {
  return new Promise((resolve) => {
    const subscription = vscode.window.onDidChangeTextEditorSelection((event) => {
      if (event.textEditor !== editor || event.selections[0]?.active.line !== line) return;
      subscription.dispose();
      resolve();
    });
  });
}
