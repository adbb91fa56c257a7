import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { isLanguageEnabled } from '../../src/completion/vscode/completion-settings.ts';
import { FileRules } from '../../src/completion/context/vscode/file-rules.ts';
import { setVsCodeSetting } from '../../src/platform/settings.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { timeLimits } from '../support/time-limits.ts';
import { CompletionContextFixture, changeSetting } from './completion-context-fixture.ts';

/** Time in milliseconds after which a file is checked against the exclusion rules again. */
const expiryMs = 60_000;

async function setUserExclude(value: unknown): Promise<AsyncDisposable> {
  await setVsCodeSetting('files.exclude', value);
  return { [Symbol.asyncDispose]: () => setVsCodeSetting('files.exclude', undefined) };
}

function createTemporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'completion-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

suite('the completion rules from files.exclude', () => {
  test('add the exclusions of the workspace to the user’s exclusions, and never cancel an exclusion of the user', async () => {
    await using fixture = new CompletionContextFixture({ 'mine.ts': 'a', 'theirs.ts': 'a' });
    await using _userSetting = await setUserExclude({ '**/mine.ts': true, '**/*.md': true });
    await using _workspaceSetting = await changeSetting('files', 'exclude', {
      '**/mine.ts': false,
      '**/theirs.ts': true,
    });
    const { rules } = fixture;
    for (const [path, rule] of [
      ['mine.ts', 'excluded-file'],
      ['theirs.ts', 'excluded-file'],
      ['a.md', 'excluded-file'],
      ['other.ts', undefined],
    ] as const)
      assert.equal(await rules.check(fixture.getUri(path)), rule, path);
  });

  for (const [glob, path] of [
    ['**/a,b.ts', 'a,b.ts'],
    ['**/Private/**', 'private/x.ts'],
    ['**/caf\u00e9.ts', 'cafe\u0301.ts'],
  ] as const) {
    test(`exclude ${path} by the pattern ${glob}`, async () => {
      await using fixture = new CompletionContextFixture();
      await using _ = await setUserExclude({ [glob]: true });
      assert.equal(await fixture.rules.check(fixture.getUri(path)), 'excluded-file');
      assert.equal(await fixture.rules.check(fixture.getUri('other.ts')), undefined);
    });
  }

  test('apply to files outside all workspace folders, together with the ignore files of their repositories', async () => {
    using outsideFolder = createTemporaryFolder();
    for (const [path, text] of [
      ['.gitignore', 'by-git.ts\n'],
      ['.inferenceignore', 'by-own.ts\n'],
      ['.git/info/exclude', 'by-info.ts\n'],
    ] as const) {
      mkdirSync(dirname(join(outsideFolder.path, path)), { recursive: true });
      writeFileSync(join(outsideFolder.path, path), text);
    }
    await using fixture = new CompletionContextFixture();
    await using _ = await setUserExclude({ '**/by-name': true });
    for (const [path, rule] of [
      ['deep/by-git.ts', 'excluded-file'],
      ['deep/by-own.ts', 'excluded-file'],
      ['deep/by-info.ts', 'excluded-file'],
      ['by-name/deep/a.ts', 'excluded-file'],
      ['.git/COMMIT_EDITMSG', 'excluded-file'],
      ['deep/other.ts', undefined],
    ] as const) {
      const uri = vscode.Uri.file(join(outsideFolder.path, path));
      assert.equal(await fixture.rules.check(uri), rule, path);
      assert.equal(fixture.rules.isShareable(uri), false, path);
    }
  });
});

suite('the completion rules from ignore files', () => {
  test('apply from parent folders of the workspace folder, up to the root of the repository', async () => {
    await using fixture = new CompletionContextFixture({ 'own.ts': 'a', 'git.ts': 'a' });
    const parentFolder = dirname(fixture.root.fsPath);
    const files = ['.git', '.inferenceignore', '.gitignore'].map((name) =>
      join(parentFolder, name),
    );
    const [gitFolder = '', inferenceIgnoreFile = '', gitIgnoreFile = ''] = files;
    mkdirSync(gitFolder);
    writeFileSync(inferenceIgnoreFile, '**/completion/own.ts\n');
    writeFileSync(gitIgnoreFile, '**/completion/git.ts\n');
    try {
      for (const path of ['own.ts', 'git.ts'])
        assert.equal(await fixture.rules.check(fixture.getUri(path)), 'excluded-file', path);
      assert.equal(await fixture.rules.check(fixture.getUri('a.ts')), undefined);
    } finally {
      for (const file of files) rmSync(file, { recursive: true });
    }
  });

  test('apply from a nested repository to files of that repository', async () => {
    await using fixture = new CompletionContextFixture({ 'mod/.git/info/exclude': 'x.ts\n' });
    assert.equal(await fixture.rules.check(fixture.getUri('mod/x.ts')), 'excluded-file');
    assert.equal(await fixture.rules.check(fixture.getUri('mod/y.ts')), undefined);
  });

  test('take effect when the last check expires, even if VS Code reports no file event', async () => {
    const clock = new ManualClock();
    const files = { 'a/.git/info/exclude': '', 'a/x.ts': 'a', 'b/y.ts': 'b' };
    await using _watcherExclude = await changeSetting('files', 'watcherExclude', { '**': true });
    void _watcherExclude;
    await using fixture = new CompletionContextFixture(files, new FileRules({ clock }));
    const { rules } = fixture;
    const [x, y] = [fixture.getUri('a/x.ts'), fixture.getUri('b/y.ts')];
    for (const uri of [x, y]) assert.equal(await rules.check(uri), undefined);
    assert.equal(rules.isRuleKnown(x), true);
    fixture.writeFile('a/.git/info/exclude', 'x.ts\n');
    fixture.writeFile('b/.inferenceignore', 'y.ts\n');
    await clock.advance(expiryMs);
    assert.equal(rules.isRuleKnown(x), false);
    assert.equal(await rules.check(x), 'excluded-file');
    assert.equal(await rules.check(y), 'excluded-file');
  });

  test('are checked again for a file in use before the last check expires, so that no key press waits for a check', async () => {
    const clock = new ManualClock();
    await using _watcherExclude = await changeSetting('files', 'watcherExclude', { '**': true });
    void _watcherExclude;
    await using fixture = new CompletionContextFixture({ 'x.ts': 'a' }, new FileRules({ clock }));
    const { rules } = fixture;
    const x = fixture.getUri('x.ts');
    assert.equal(await rules.check(x), undefined);
    fixture.writeFile('.inferenceignore', 'x.ts\n');
    await clock.advance(4_000);
    assert.equal(rules.isRuleKnown(x), true);
    await eventually(() => assert.equal(rules.getBlockingCause(x), 'excluded-file'));
  });

  const toUtf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const [content, bytes, expectedRule] of [
    ['UTF-16', toUtf16('x.ts\r\n'), undefined],
    ['UTF-16 in big-endian order', toUtf16('x.ts\r\n').swap16(), undefined],
    ['UTF-16 without a byte order mark', Buffer.from('x.ts\n', 'utf16le'), 'unchecked-file'],
    ['bytes that are not text', Buffer.from([0x78, 0xff, 0x2e, 0x0a]), 'unchecked-file'],
    ['a comment that is not text', Buffer.from('# \xff\nx.ts\n', 'latin1'), undefined],
    ['more rules than the limit', Buffer.from(`${'z\n'.repeat(5_000)}x.ts\n`), 'unchecked-file'],
    ['a rule that is too long', Buffer.from(`${'z'.repeat(5_000)}\nx.ts\n`), 'unchecked-file'],
    ['names in another letter case', Buffer.from('X.TS\n'), undefined],
  ] as const) {
    test(`block ${expectedRule ? 'every file in the folder of' : 'only the file named in'} an ignore file with ${content}`, async () => {
      await using fixture = new CompletionContextFixture({ 'deep/x.ts': 'a', 'deep/y.ts': 'a' });
      writeFileSync(fixture.getAbsolutePath('deep/.inferenceignore'), bytes);
      const { rules } = fixture;
      assert.equal(await rules.check(fixture.getUri('deep/x.ts')), expectedRule ?? 'excluded-file');
      assert.equal(await rules.check(fixture.getUri('deep/y.ts')), expectedRule);
      assert.equal(await rules.check(fixture.getUri('z.ts')), undefined);
    });
  }
});

suite('the completion rules for replaced files', () => {
  test('block a file replaced by a link to a secret file as soon as VS Code reports the change', async () => {
    const clock = new ManualClock();
    const files = { 'a.ts': 'a', 'real.pem': 'a' };
    await using fixture = new CompletionContextFixture(files, new FileRules({ clock }));
    const { rules } = fixture;
    const a = fixture.getUri('a.ts');
    assert.equal(await rules.check(a), undefined);
    // VS Code may report the creation of the file before it reports the replacement.
    for (let attempt = 0; rules.getBlockingCause(a) === undefined; attempt += 1) {
      assert.ok(attempt < timeLimits.condition / 100, 'The editor told of no change.');
      symlinkSync(fixture.getAbsolutePath('real.pem'), fixture.getAbsolutePath('link.ts'));
      renameSync(fixture.getAbsolutePath('link.ts'), fixture.getAbsolutePath('a.ts'));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // A check of the old file may be running.
    assert.equal(await rules.check(a), 'secret-file');
  });

  test('block a file replaced by a link to a secret file after the last check expires, even if VS Code reports no change', async () => {
    const clock = new ManualClock();
    using outsideFolder = createTemporaryFolder();
    for (const name of ['a.ts', 'real.pem']) writeFileSync(join(outsideFolder.path, name), 'a');
    await using fixture = new CompletionContextFixture({}, new FileRules({ clock }));
    const cursorFile = join(outsideFolder.path, 'a.ts');
    const a = vscode.Uri.file(cursorFile);
    assert.equal(await fixture.rules.check(a), undefined);
    unlinkSync(cursorFile);
    symlinkSync(join(outsideFolder.path, 'real.pem'), cursorFile);
    await clock.advance(expiryMs);
    assert.equal(fixture.rules.isRuleKnown(a), false);
    assert.equal(await fixture.rules.check(a), 'secret-file');
  });
});

suite('the completion rules for notebooks and languages', () => {
  test('apply to a notebook cell according to its own notebook, not to another notebook with the same path', async () => {
    const emptyNotebook = JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [],
    });
    const cell = { cell_type: 'code', source: [''], metadata: {}, execution_count: null };
    const text = emptyNotebook.replace('[]', JSON.stringify([{ ...cell, outputs: [] }]));
    await using fixture = new CompletionContextFixture({
      'tides.ipynb': text,
      '.inferenceignore': '*.ipynb\n',
    });
    using _otherFiles = registerFileSystem(text);
    const uri = fixture.getUri('tides.ipynb');
    // VS Code can reload a notebook without an editor. The cells of its previous version are then unknown.
    const ownCell = await eventually(async () => {
      const otherNotebook = await vscode.workspace.openNotebookDocument(
        uri.with({ scheme: otherSchemeName }),
      );
      const ownNotebook = await vscode.workspace.openNotebookDocument(uri);
      const [otherUri, ownUri] = [
        otherNotebook.cellAt(0).document.uri,
        ownNotebook.cellAt(0).document.uri,
      ];
      assert.equal(otherUri.path, ownUri.path);
      assert.equal(await fixture.rules.check(otherUri), undefined);
      assert.equal(await fixture.rules.check(ownUri), 'excluded-file');
      return ownUri;
    });
    const unknownCell = ownCell.with({ fragment: `${ownCell.fragment}x` });
    assert.equal(await fixture.rules.check(unknownCell), 'secret-file');
  });

  test('exclude commit messages from suggestions', () => {
    assert.deepEqual(['git-commit', 'git-rebase'].map(isLanguageEnabled), [false, false]);
  });
});

const otherSchemeName = 'completion-other';

/** Registers a file system in which every file contains this text. */
function registerFileSystem(text: string): Disposable {
  const stat = { type: vscode.FileType.File, ctime: 0, mtime: 0, size: text.length };
  const failOnWrite = (): never => assert.fail('Nothing is written there.');
  const onDidChangeFileEmitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const registration = vscode.workspace.registerFileSystemProvider(otherSchemeName, {
    onDidChangeFile: onDidChangeFileEmitter.event,
    watch: () => new vscode.Disposable(() => {}),
    stat: () => stat,
    readDirectory: () => [],
    readFile: () => Buffer.from(text),
    createDirectory: failOnWrite,
    writeFile: failOnWrite,
    delete: failOnWrite,
    rename: failOnWrite,
  });
  return {
    [Symbol.dispose]: () => {
      registration.dispose();
      onDidChangeFileEmitter.dispose();
    },
  };
}
