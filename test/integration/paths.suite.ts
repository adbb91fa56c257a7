import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import {
  evaluatePathAccess,
  type PathAccess,
  type PathFacts,
} from '../../src/workspace/path-rules.ts';
import { ToolError, type ToolErrorCode } from '../../src/workspace/tool-error.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';

suite('the path resolver', () => {
  let parentFolder = '';
  let root = '';
  let paths: WorkspacePaths;
  const getRootPath = (path: string): string => join(root, path);

  setup(() => {
    parentFolder = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-paths-')));
    root = join(parentFolder, 'app');
    for (const path of ['app/src/app.ts', 'app/docs/1.md', 'app/.git/config', 'app/.env']) {
      write(path);
    }
    for (const path of ['app-evil/a.ts', 'home/.bashrc', 'home/hosts', 'state/granted.json']) {
      write(path);
    }
    paths = createPaths([createWorkspaceFolder(root)]);
  });
  teardown(() => rmSync(parentFolder, { recursive: true, force: true }));

  test('resolves every spelling of a file path to the same file', async () => {
    const spellings = [
      'src/app.ts',
      './src/app.ts',
      'src\\app.ts',
      'docs/../src/app.ts',
      'src//app.ts',
      getRootPath('src/app.ts'),
    ];
    for (const path of spellings) {
      const resolvedPath = await paths.resolvePath(path);
      assert.equal(resolvedPath.uri.fsPath, getRootPath('src/app.ts'), path);
      assert.equal(resolvedPath.label, 'src/app.ts', path);
      assert.deepEqual(resolvedPath.facts, createPlainFacts('src/app.ts'), path);
    }
  });

  test('resolves URIs of files with unusual names', async () => {
    for (const path of ['src/app.ts', 'src/new.ts', 'a:b', '-x', 'x~1']) {
      const { uri, facts } = await paths.locate(vscode.Uri.file(getRootPath(path)));
      assert.equal(uri.fsPath, getRootPath(path));
      assert.deepEqual([facts.isInWorkspace, facts.isRealPathInWorkspace], [true, true], path);
    }
    const { facts } = await paths.locate(vscode.Uri.file(join(parentFolder, 'home/.bashrc')));
    assert.deepEqual([facts.isInWorkspace, facts.isRealPathInWorkspace], [false, false]);
    createLink('app/out', join(parentFolder, 'home'));
    const resolvedLink = await paths.locate(vscode.Uri.file(getRootPath('out/new')));
    assert.deepEqual(
      [resolvedLink.facts.isInWorkspace, resolvedLink.facts.isRealPathInWorkspace],
      [true, false],
    );
  });

  test('rejects URIs of other file systems and malformed URIs', async () => {
    const plainUri = vscode.Uri.file(getRootPath('src/app.ts'));
    const rejectedUris = [
      vscode.Uri.parse('vscode-userdata:/User/settings.json'),
      vscode.Uri.parse('untitled:Untitled-1'),
      plainUri.with({ scheme: 'vscode-remote', authority: 'x' }),
      plainUri.with({ authority: 'server' }),
      plainUri.with({ query: 'a' }),
      plainUri.with({ fragment: 'a' }),
      plainUri.with({ path: `${root}/src/../../home/.bashrc` }),
      plainUri.with({ path: `${root}//src/app.ts` }),
      vscode.Uri.file(join(parentFolder, 'state/granted.json')),
    ];
    for (const uri of rejectedUris) {
      await assert.rejects(paths.locate(uri), { code: 'refused-path' }, uri.toString());
    }
    const untrustedPaths = createPaths([createWorkspaceFolder(root)], () => false);
    await assert.rejects(untrustedPaths.locate(plainUri), { code: 'refused-path' });
  });

  test('resolves the path of a missing file to its future location', async () => {
    const { facts, uri } = await paths.resolvePath('new/deep/a.ts');
    assert.deepEqual(facts, { ...createPlainFacts('new/deep/a.ts'), kind: 'missing' });
    assert.equal(uri.fsPath, getRootPath('new/deep/a.ts'));
    assert.equal((await resolveFacts('src/app.ts/a')).kind, 'missing');
  });

  test('resolves folders and the workspace root', async () => {
    assert.deepEqual(await resolveFacts('src/'), { ...createPlainFacts('src'), kind: 'directory' });
    for (const path of ['.', './', 'src/..', root, `${root}/`]) {
      const { facts, label } = await paths.resolvePath(path);
      assert.deepEqual([facts, label], [{ ...createPlainFacts(''), kind: 'directory' }, '.'], path);
    }
  });

  test('treats a sibling folder with the same name prefix as outside the workspace', async () => {
    for (const path of ['../app-evil/a.ts', join(parentFolder, 'app-evil/a.ts')]) {
      const { facts, label } = await paths.resolvePath(path);
      assert.deepEqual([facts.isInWorkspace, facts.isRealPathInWorkspace], [false, false]);
      assert.deepEqual([facts.path, label], [join(parentFolder, 'app-evil/a.ts'), facts.path]);
      assert.deepEqual(await evaluateAccess(path, 'read'), ['ask', 'outside-workspace']);
    }
    assert.equal((await resolveFacts('../../../../../../../../etc/passwd')).path, '/etc/passwd');
  });

  test('requires approval for links out of the workspace, and does not access their targets', async () => {
    createLink('app/link', join(parentFolder, 'home'));
    createLink('app/a', '.git/hooks');
    createLink('app/new', join(parentFolder, 'home/.profile'));
    createLink('app/chain', 'link');
    createLink('app/secret.txt', '.env');
    assert.deepEqual(await evaluateAccess('link/hosts', 'write'), [
      'ask',
      'outside-workspace',
      'write',
    ]);
    assert.deepEqual(await evaluateAccess('link/hosts', 'read'), ['ask', 'outside-workspace']);
    assert.deepEqual(await evaluateAccess('chain/hosts', 'read'), ['ask', 'outside-workspace']);
    assert.deepEqual(await evaluateAccess('link/not/there', 'write'), [
      'ask',
      'outside-workspace',
      'write',
    ]);
    const hookAccess = await evaluateAccess('a/pre-commit', 'write');
    assert.ok(
      hookAccess.includes('ask') && hookAccess.includes('sensitive') && hookAccess.includes('link'),
    );
    assert.equal((await resolveFacts('a/pre-commit')).realPath, '.git/hooks/pre-commit');
    assert.deepEqual(await evaluateAccess('secret.txt', 'read'), ['ask', 'secret']);
    const danglingLinkFacts = await resolveFacts('new');
    assert.deepEqual(
      [
        danglingLinkFacts.isLink,
        danglingLinkFacts.kind,
        danglingLinkFacts.isRealPathInWorkspace,
        danglingLinkFacts.realPath,
      ],
      [true, 'missing', false, join(parentFolder, 'home/.profile')],
    );
    const newFileAccess = await evaluateAccess('new', 'write');
    assert.ok(newFileAccess.includes('refuse') && newFileAccess.includes('link'));
    assert.equal(readFileSync(join(parentFolder, 'home/hosts'), 'utf8'), 'home/hosts');
  });

  test('follows a chain of dangling links', async () => {
    createLink('app/one', 'two/x');
    createLink('app/two', join(parentFolder, 'nowhere'));
    assert.equal((await resolveFacts('one/y')).realPath, join(parentFolder, 'nowhere/x/y'));
    assert.equal((await resolveFacts('one/y')).isRealPathInWorkspace, false);
  });

  test('refuses to write through a link to a workspace file', async () => {
    createLink('app/latest.md', 'docs/1.md');
    assert.deepEqual(await evaluateAccess('latest.md', 'read'), ['allow']);
    assert.ok((await evaluateAccess('latest.md', 'write')).includes('refuse'));
  });

  test('refuses circular links', async () => {
    createLink('app/x', 'y');
    createLink('app/y', 'x');
    await expectRefusal('x');
    await expectRefusal('x/a.ts');
  });

  test('refuses devices, pipes and sockets', async () => {
    execFileSync('mkfifo', [getRootPath('pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(getRootPath('socket'), resolve));
    try {
      for (const path of ['pipe', 'socket', '/dev/null']) {
        assert.equal((await resolveFacts(path)).kind, 'other', path);
        assert.ok((await evaluateAccess(path, 'read')).includes('refuse'), path);
      }
    } finally {
      server.close();
    }
  });

  test('refuses names that have a special meaning on at least one operating system or in a shell', async () => {
    const names = [
      '',
      '~/.bashrc',
      '\\\\evil\\share\\a',
      '//evil/share/a',
      'C:x',
      'C:\\Windows\\win.ini',
      '/c:/Windows/win.ini',
      'a.ts::$DATA',
      'NUL',
      '.git./config',
      'GIT~1/config',
      'a\u0000b',
      'a\nb',
      '.vs\u200Ccode/tasks.json',
      '\uFF0Egit/config',
      '-rf',
      'file:///etc/passwd',
      'a'.repeat(256),
    ];
    for (const name of names) await expectRefusal(name);
  });

  test('accepts a name whose characters have a special meaning only in URIs', async () => {
    for (const name of ['a%2Fb.ts', 'a#b.ts', '100%.ts', 'a&b=c.ts', '%2e%2e/a.ts']) {
      write(`app/${name}`);
      const { uri, facts } = await paths.resolvePath(name);
      assert.equal(uri.fsPath, getRootPath(name));
      assert.deepEqual(facts, createPlainFacts(name));
      assert.equal(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString(), `app/${name}`);
    }
  });

  test('accepts a location that has not changed between the check and the access', async () => {
    for (const path of ['src/app.ts', 'new.ts', 'src', '../home/hosts']) {
      await paths.checkPathUnchanged(await paths.resolvePath(path));
    }
  });

  test('detects a folder that becomes a link after the first check', async () => {
    const resolvedPath = await paths.resolvePath('src/app.ts');
    renameSync(getRootPath('src'), getRootPath('old'));
    mkdirSync(join(parentFolder, 'home/src'));
    writeFileSync(join(parentFolder, 'home/src/app.ts'), 'theirs');
    createLink('app/src', join(parentFolder, 'home/src'));
    await expectRecheckRefusal(resolvedPath);
    assert.equal(readFileSync(join(parentFolder, 'home/src/app.ts'), 'utf8'), 'theirs');
  });

  test('detects a file replaced by a link, another type or another file', async () => {
    const changes: readonly (readonly [string, () => void])[] = [
      ['docs/1.md', () => createLink('app/docs/1.md', join(parentFolder, 'home/.bashrc'))],
      ['docs/1.md', () => createLink('app/docs/1.md', '../src/app.ts')],
      ['docs/1.md', () => mkdirSync(getRootPath('docs/1.md'))],
      ['docs/1.md', () => execFileSync('mkfifo', [getRootPath('docs/1.md')])],
      ['docs/1.md', () => {}],
    ];
    for (const [path, change] of changes) {
      const resolvedPath = await paths.resolvePath(path);
      unlinkSync(getRootPath(path));
      change();
      await expectRecheckRefusal(resolvedPath);
      rmSync(getRootPath(path), { recursive: true, force: true });
      write(`app/${path}`);
    }
  });

  test('detects a file created at a path that was free on the first check', async () => {
    const resolvedPath = await paths.resolvePath('new/a.ts');
    createLink('app/new', join(parentFolder, 'home'));
    await expectRecheckRefusal(resolvedPath);
    unlinkSync(getRootPath('new'));
    await paths.checkPathUnchanged(resolvedPath);
    write('app/new/a.ts');
    await expectRecheckRefusal(resolvedPath);
  });

  test('detects a workspace folder that becomes a link', async () => {
    const resolvedPath = await paths.resolvePath('src/app.ts');
    renameSync(root, join(parentFolder, 'moved'));
    createLink('app', join(parentFolder, 'moved'));
    await expectRecheckRefusal(resolvedPath);
  });

  test('resolves a path through the linked workspace folder and its real path to the same location', async () => {
    createLink('opened', root);
    paths = createPaths([createWorkspaceFolder(join(parentFolder, 'opened'))]);
    for (const path of [
      'src/app.ts',
      join(parentFolder, 'opened/src/app.ts'),
      getRootPath('src/app.ts'),
    ]) {
      const { uri, facts } = await paths.resolvePath(path);
      assert.equal(uri.fsPath, join(parentFolder, 'opened/src/app.ts'), path);
      assert.deepEqual(facts, createPlainFacts('src/app.ts'), path);
    }
  });

  test('treats a link that leads from outside into the workspace as outside the workspace', async () => {
    createLink('home/in', root);
    const facts = await resolveFacts(join(parentFolder, 'home/in/src/app.ts'));
    assert.deepEqual([facts.isInWorkspace, facts.isRealPathInWorkspace], [false, true]);
  });

  test('selects a workspace folder by the first path segment', async () => {
    write('lib/src/lib.ts');
    write('app/lib/inner.ts');
    paths = createPaths([
      createWorkspaceFolder(root),
      createWorkspaceFolder(join(parentFolder, 'lib')),
    ]);
    const cases = [
      ['app/src/app.ts', 'app/src/app.ts', 'app/src/app.ts'],
      ['lib/src/lib.ts', 'lib/src/lib.ts', 'lib/src/lib.ts'],
      ['src/app.ts', 'app/src/app.ts', 'app/src/app.ts'],
      ['lib', 'lib', 'lib'],
      ['app/lib/inner.ts', 'app/lib/inner.ts', 'app/lib/inner.ts'],
      [join(parentFolder, 'lib/src/lib.ts'), 'lib/src/lib.ts', 'lib/src/lib.ts'],
    ] as const;
    for (const [path, expectedPath, label] of cases) {
      const resolvedPath = await paths.resolvePath(path);
      assert.deepEqual(
        [resolvedPath.uri.fsPath, resolvedPath.label],
        [join(parentFolder, expectedPath), label],
        path,
      );
      assert.ok(resolvedPath.facts.isInWorkspace && resolvedPath.facts.isRealPathInWorkspace, path);
    }
    assert.equal((await resolveFacts('lib/../../home/hosts')).isInWorkspace, false);
  });

  test('distinguishes workspace folders with the same name only by full path', async () => {
    write('other/app/a.ts');
    paths = createPaths([
      createWorkspaceFolder(root),
      createWorkspaceFolder(join(parentFolder, 'other/app')),
    ]);
    await expectRefusal('app/a.ts', 'ambiguous');
    const { label, facts } = await paths.resolvePath(join(parentFolder, 'other/app/a.ts'));
    assert.deepEqual([label, facts.path], [join(parentFolder, 'other/app/a.ts'), 'a.ts']);
  });

  test('applies path rules to the full path in nested workspace folders', async () => {
    write('app/.github/workflows/ci.yml');
    paths = createPaths([
      createWorkspaceFolder(getRootPath('.github')),
      createWorkspaceFolder(root),
    ]);
    const resolved = await paths.resolvePath('.github/workflows/ci.yml');
    assert.equal(resolved.facts.path, '.github/workflows/ci.yml');
    assert.ok(
      evaluatePathAccess(resolved.facts, 'write').reasons.some(({ code }) => code === 'sensitive'),
    );
  });

  test('refuses VS Code’s own files, even through links', async () => {
    createLink('app/state', join(parentFolder, 'state'));
    for (const path of [
      join(parentFolder, 'state/granted.json'),
      'state/granted.json',
      'state/new',
    ]) {
      await expectRefusal(path);
    }
  });

  test('does not reveal locations outside the workspace when it refuses a path', async () => {
    createLink('app/x', 'x');
    createLink('app/state', join(parentFolder, 'state'));
    for (const path of ['x', 'state/granted.json', '~/a', `${parentFolder}/state/a`]) {
      const doesHidePath = (error: unknown): boolean =>
        error instanceof ToolError && !error.message.includes(parentFolder);
      await assert.rejects(paths.resolvePath(path), doesHidePath, path);
    }
  });

  test('resolves nothing in an untrusted workspace or an empty window', async () => {
    let isTrusted = true;
    paths = createPaths([createWorkspaceFolder(root)], () => isTrusted);
    const resolved = await paths.resolvePath('src/app.ts');
    isTrusted = false;
    await expectRefusal('src/app.ts');
    await expectRecheckRefusal(resolved);
    paths = createPaths([]);
    await expectRefusal('src/app.ts');
    await expectRefusal(getRootPath('src/app.ts'));
  });

  test('resolves paths in the open folder of this window', async () => {
    const [workspaceFolder] = vscode.workspace.workspaceFolders ?? [];
    paths = createPaths(vscode.workspace.workspaceFolders ?? []);
    const { uri, facts } = await paths.resolvePath('src/server.ts');
    assert.equal(
      uri.toString(),
      vscode.Uri.joinPath(workspaceFolder?.uri ?? uri, 'src/server.ts').toString(),
    );
    assert.deepEqual(facts, createPlainFacts('src/server.ts'));
  });

  test('resolves paths in a virtual workspace', async () => {
    const types: Readonly<Record<string, vscode.FileType>> = {
      '/': vscode.FileType.Directory,
      '/repo': vscode.FileType.Directory,
      '/repo/a.ts': vscode.FileType.File,
      '/repo/link': vscode.FileType.Directory | vscode.FileType.SymbolicLink,
      '/repo/link/b.ts': vscode.FileType.File,
      '/repo/file-link': vscode.FileType.File | vscode.FileType.SymbolicLink,
      '/repo/device': vscode.FileType.Unknown,
    };
    const registration = vscode.workspace.registerFileSystemProvider(
      'paths-test',
      createTypesOnlyFileSystem(types),
    );
    try {
      const uri = vscode.Uri.from({ scheme: 'paths-test', authority: 'host', path: '/repo' });
      paths = createPaths([{ uri, name: 'repo', index: 0 }]);
      const resolved = await paths.resolvePath('a.ts');
      assert.equal(resolved.uri.toString(), 'paths-test://host/repo/a.ts');
      assert.deepEqual([resolved.label, resolved.facts], ['a.ts', createPlainFacts('a.ts')]);
      assert.deepEqual((await paths.resolvePath('/repo/a.ts')).facts, createPlainFacts('a.ts'));
      assert.equal((await resolveFacts('new/a.ts')).kind, 'missing');
      assert.deepEqual(await evaluateAccess('link/b.ts', 'read'), ['ask', 'outside-workspace']);
      assert.ok((await evaluateAccess('file-link', 'write')).includes('refuse'));
      assert.ok((await evaluateAccess('device', 'read')).includes('refuse'));
      const outsidePath = await paths.resolvePath('/etc/passwd');
      assert.equal(
        outsidePath.uri.toString(),
        'paths-test://host/etc/passwd',
        'not of this machine',
      );
      assert.deepEqual(
        [outsidePath.facts.isInWorkspace, outsidePath.facts.kind],
        [false, 'missing'],
      );
      assert.equal((await resolveFacts('../repo-evil/a.ts')).isInWorkspace, false);
      await paths.checkPathUnchanged(resolved);
      Object.assign(types, { '/repo/a.ts': vscode.FileType.Directory });
      await expectRecheckRefusal(resolved);
      await expectRefusal('forbidden');
    } finally {
      registration.dispose();
    }
  });

  function write(path: string): void {
    mkdirSync(dirname(join(parentFolder, path)), { recursive: true });
    writeFileSync(join(parentFolder, path), path);
  }

  function createLink(path: string, target: string): void {
    symlinkSync(target, join(parentFolder, path));
  }

  function createPaths(
    folders: readonly vscode.WorkspaceFolder[],
    isTrusted = (): boolean => true,
  ): WorkspacePaths {
    const forbiddenFolders = [vscode.Uri.file(join(parentFolder, 'state'))];
    return new WorkspacePaths({ folders: () => folders, isTrusted, forbiddenFolders });
  }

  const resolveFacts = async (path: string): Promise<PathFacts> =>
    (await paths.resolvePath(path)).facts;

  /** Returns the decision about this access to the path, followed by the codes of the reasons for it. */
  async function evaluateAccess(path: string, access: PathAccess): Promise<string[]> {
    const { decision, reasons } = evaluatePathAccess(await resolveFacts(path), access);
    return [decision, ...reasons.map(({ code }) => code)];
  }

  async function expectRefusal(path: string, code: ToolErrorCode = 'refused-path'): Promise<void> {
    const isRefusal = (error: unknown): boolean =>
      error instanceof ToolError && error.code === code;
    await assert.rejects(paths.resolvePath(path), isRefusal, path);
  }

  async function expectRecheckRefusal(
    resolvedPath: Awaited<ReturnType<WorkspacePaths['resolvePath']>>,
  ): Promise<void> {
    await assert.rejects(paths.checkPathUnchanged(resolvedPath), {
      name: 'ToolError',
      code: 'refused-path',
    });
  }
});

const createWorkspaceFolder = (path: string): vscode.WorkspaceFolder => ({
  uri: vscode.Uri.file(path),
  name: path.slice(path.lastIndexOf('/') + 1),
  index: 0,
});

const createPlainFacts = (path: string): PathFacts => ({
  path,
  isInWorkspace: true,
  realPath: path,
  isRealPathInWorkspace: true,
  isLink: false,
  kind: 'file',
});

/** Creates a file system that reports the type of each path, but contains no file contents. */
function createTypesOnlyFileSystem(
  types: Readonly<Record<string, vscode.FileType>>,
): vscode.FileSystemProvider {
  const failIfUsed = (): never => {
    throw vscode.FileSystemError.NoPermissions();
  };
  return {
    onDidChangeFile: () => new vscode.Disposable(() => {}),
    watch: () => new vscode.Disposable(() => {}),
    stat: (uri) => {
      if (uri.path === '/repo/forbidden') throw vscode.FileSystemError.NoPermissions(uri);
      const type = types[uri.path];
      if (type === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return { type, ctime: 0, mtime: 0, size: 0 };
    },
    readDirectory: failIfUsed,
    createDirectory: failIfUsed,
    readFile: failIfUsed,
    writeFile: failIfUsed,
    delete: failIfUsed,
    rename: failIfUsed,
  };
}
