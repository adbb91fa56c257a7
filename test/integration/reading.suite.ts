import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import type { ToolArguments } from '../../src/agent/tool.ts';
import { ToolError, type ToolErrorCode } from '../../src/workspace/tool-error.ts';
import type { PathResolver } from '../../src/workspace/vscode/paths.ts';
import { openWithUnsavedText, ReadingFixture, revertAllDocuments } from './reading-fixture.ts';

suite('the reading tools:', () => {
  test('the tool `read_file` numbers lines, reads a long file in ranges, and records the whole text as read', async () => {
    const text = Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`).join('\r\n');
    using fixture = new ReadingFixture({ files: { 'long.txt': `\uFEFF${text}\r\n` } });
    const fullOutput = await fixture.callTool('read_file', { path: 'reading/long.txt' });
    assert.match(fullOutput.output, /^1\tline 1\n2\tline 2\n/);
    assert.match(
      fullOutput.output,
      /\n2000\tline 2000\n\[500 more lines: go on with start_line 2001\.\]$/,
    );
    assert.equal(fullOutput.target, 'reading/long.txt:1-2000');
    const readArguments = { path: 'reading/long.txt', start_line: 2_499, end_line: 9_999 };
    assert.equal(
      await fixture.readOutput('read_file', readArguments),
      '2499\tline 2499\n2500\tline 2500',
    );
    const recordedText = fixture.versions.texts.get(fixture.getUri('long.txt').toString());
    const document = await vscode.workspace.openTextDocument(fixture.getUri('long.txt'));
    assert.equal(recordedText, document.getText().replaceAll('\r\n', '\n'));
  });

  test('the tool `read_file` prefers the unsaved text in an editor to the text on disk', async () => {
    using fixture = new ReadingFixture({ files: { 'a.txt': 'old\n' } });
    await using _ = await openWithUnsavedText(fixture.getUri('a.txt'), 'new\n');
    assert.equal(
      await fixture.readOutput('read_file', { path: 'reading/a.txt' }),
      '1\tnew\n[With changes in the editor that are not saved.]',
    );
    assert.deepEqual([...fixture.versions.texts.values()], ['new\n']);
  });

  test('the tool `read_file` uses the encoding that VS Code would use', async () => {
    const latin1Bytes = Buffer.from('Größe\n', 'latin1');
    using fixture = new ReadingFixture({
      files: {
        'sixteen.txt': Buffer.from('\uFEFFGröße\n', 'utf16le'),
        'western.txt': latin1Bytes,
        'utf8.txt': 'Größe\n',
      },
    });
    const read = (name: string): Promise<string> =>
      fixture.readOutput('read_file', { path: `reading/${name}` });
    assert.deepEqual([await read('sixteen.txt'), await read('utf8.txt')], ['1\tGröße', '1\tGröße']);
    await using _ = await changeSetting('files', 'encoding', 'windows1252');
    assert.equal(await read('western.txt'), '1\tGröße');
    const searchArguments = { query: 'größe', path: 'reading' };
    assert.match(
      await fixture.readOutput('search_text', searchArguments),
      /western\.txt\n1: Größe/,
    );
  });

  test('the tool `read_file` reads only the requested lines of a very large file', async () => {
    const lines = Array.from({ length: 1_000_000 }, (_, index) => `row ${index + 1}`);
    using fixture = new ReadingFixture({ files: { 'big.log': `${lines.join('\n')}\n` } });
    const read = (start_line: number, end_line: number): Promise<string> =>
      fixture.readOutput('read_file', { path: 'reading/big.log', start_line, end_line });
    assert.equal(
      await read(700_000, 700_001),
      '700000\trow 700000\n700001\trow 700001\n[More lines: go on with start_line 700002.]',
    );
    assert.equal(await read(1_000_000, 1_000_009), '1000000\trow 1000000');
    await expectToolError(read(1_000_001, 1_000_001), 'bad-arguments', /only 1000000 lines/);
  });

  test('the tool `read_file` reads a notebook as cells, including unsaved cells', async () => {
    const notebook = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', id: 'a', metadata: {}, source: ['# Tides'] },
        {
          cell_type: 'code',
          id: 'b',
          metadata: {},
          execution_count: 1,
          source: ['print(1)'],
          outputs: [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }],
        },
      ],
    };
    using fixture = new ReadingFixture({ files: { 'n.ipynb': JSON.stringify(notebook) } });
    const closedOutput = await fixture.readOutput('read_file', { path: 'reading/n.ipynb' });
    assert.match(closedOutput, /\[cell a: markdown\]\n\d+\t# Tides/);
    assert.match(
      closedOutput,
      /\[cell b: code, python\]\n\d+\tprint\(1\)\n\d+\t\[output\]\n\d+\t1/,
    );
    const notebookDocument = await vscode.workspace.openNotebookDocument(fixture.getUri('n.ipynb'));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(notebookDocument.cellAt(1).document.uri, new vscode.Range(0, 0, 0, 8), 'print(2)');
    assert.ok(await vscode.workspace.applyEdit(edit));
    const unsavedOutput = await fixture.readOutput('read_file', { path: 'reading/n.ipynb' });
    assert.match(unsavedOutput, /print\(2\)\n\d+\t\[output\]\n\d+\t1/);
    await vscode.window.showNotebookDocument(notebookDocument);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('the tool `read_file` returns an image to a vision model, and detects an image by its bytes instead of its name', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const largeImage = Buffer.concat([png, Buffer.alloc(4_100_000)]);
    using fixture = new ReadingFixture({
      files: { 'dot.txt': png, 'fake.png': '<svg/>', 'large.png': largeImage },
    });
    const visionResult = await fixture.callTool('read_file', { path: 'reading/dot.txt' });
    assert.deepEqual(visionResult.images, [
      { mediaType: 'image/png', data: png.toString('base64') },
    ]);
    const textModelResult = await fixture.callTool(
      'read_file',
      { path: 'reading/dot.txt' },
      { supportsVision: false },
    );
    assert.equal(textModelResult.images, undefined);
    assert.match(textModelResult.output, /does not take images/);
    assert.equal(await fixture.readOutput('read_file', { path: 'reading/fake.png' }), '1\t<svg/>');
    await expectToolError(
      fixture.callTool('read_file', { path: 'reading/large.png' }),
      'too-large',
      /4\.1 MB/,
    );
  });

  test('the tool `read_file` refuses a binary file, and returns the reason', async () => {
    using fixture = new ReadingFixture({
      files: { 'a.pdf': '%PDF-1.7', 'a.bin': Buffer.from([1, 0, 2, 0, 0, 3]), 'empty.txt': '' },
    });
    await using _ = await createSocket(fixture.getAbsolutePath('socket'));
    const read = (path: string, extraArguments: ToolArguments = {}) =>
      fixture.readOutput('read_file', { path: `reading/${path}`, ...extraArguments });
    await expectToolError(read('a.pdf'), 'failed', /PDF document/);
    await expectToolError(read('a.bin'), 'failed', /binary/);
    await expectToolError(read('socket'), 'failed', /not a regular file/);
    await expectToolError(read(''), 'bad-arguments', /is a folder/);
    await expectToolError(read('missing.txt'), 'not-found', /no file reading\/missing\.txt/);
    await expectToolError(
      read('empty.txt', { start_line: 3, end_line: 2 }),
      'bad-arguments',
      /before/,
    );
    assert.equal(await read('empty.txt'), '[The file is empty.]');
  });

  test('the tool `read_file` does not read a file that was replaced after its path was checked', async () => {
    using fixture = new ReadingFixture({ files: { 'd/f.txt': 'inside' } });
    const context = { ...toolContext, callId: 'swap' };
    const args = { path: 'reading/d/f.txt' };
    const outsideFolder = join(tmpdir(), `reading-outside-${process.pid}`);
    mkdirSync(outsideFolder, { recursive: true });
    writeFileSync(join(outsideFolder, 'f.txt'), 'outside');
    try {
      await fixture.findTool('read_file').plan(args, context);
      renameSync(fixture.getAbsolutePath('d'), fixture.getAbsolutePath('e'));
      symlinkSync(outsideFolder, fixture.getAbsolutePath('d'));
      await expectToolError(fixture.findTool('read_file').run(args, context), 'refused-path', /./);
      // The tool rejects arguments for which `plan` did not check the path.
      await expectToolError(
        fixture.findTool('read_file').run({ ...args }, context),
        'refused-path',
        /outside/,
      );
    } finally {
      rmSync(outsideFolder, { recursive: true });
    }
  });
});

const toolContext = {
  conversationId: 'c1',
  turnId: 't1',
  messageId: 'm1',
  signal: new AbortController().signal,
  supportsVision: false,
};

const fileTree = {
  '.gitignore': 'dist/\n*.log\n!keep.log\n',
  'src/app.ts': 'export const tide = 1;\nconst other = tide;\n',
  'src/app.test.ts': 'tide;\n',
  'src/deep/.gitignore': 'local.ts\n',
  'src/deep/local.ts': 'tide;\n',
  'src/deep/shown.ts': 'TIDE here\nmore\n',
  'dist/out.ts': 'tide;\n',
  'a.log': 'tide\n',
  'keep.log': 'tide kept\n',
  '.hidden/x.ts': 'tide hidden\n',
  'data.bin': Buffer.from('tide\n\0\0'),
  'sixteen.txt': Buffer.from('\uFEFFa tide\r\n', 'utf16le'),
  '.env': 'KEY=tide-secret\n',
  'keys/id_rsa': 'tide-secret\n',
  '.ssh/config': 'tide-secret\n',
  'node_modules/x/index.js': 'tide\n',
} as const;

for (const usesRipgrep of [true, false]) {
  suite(`workspace search ${usesRipgrep ? 'with' : 'without'} ripgrep`, () => {
    teardown(revertAllDocuments);

    const openFixture = (
      files: Readonly<Record<string, string | Uint8Array>> = fileTree,
    ): ReadingFixture => new ReadingFixture({ files, hasRipgrep: usesRipgrep });

    test('returns lines only from files that are not ignored, hidden or secret', async () => {
      using fixture = openFixture();
      assert.equal(
        await fixture.readOutput('search_text', { query: 'tide', path: 'reading' }),
        [
          'reading/.hidden/x.ts\n1: tide hidden\n',
          'reading/keep.log\n1: tide kept\n',
          'reading/sixteen.txt\n1: a tide\n',
          'reading/src/app.test.ts\n1: tide;\n',
          'reading/src/app.ts\n1: export const tide = 1;\n2: const other = tide;\n',
          'reading/src/deep/shown.ts\n1: TIDE here\n',
          '[Not searched, because they may hold secrets: reading/.env, reading/.ssh/config, reading/keys/id_rsa]',
        ].join('\n'),
      );
    });

    test('lists secret files as skipped, regardless of their content', async () => {
      using fixture = openFixture();
      const skippedPattern = /\[Not searched[^\]]*\]/u;
      for (const query of ['tide-secret', 'KEY=t', 'KEY=x']) {
        const output = await fixture.readOutput('search_text', { query, path: 'reading' });
        assert.match(output, /^No line matches/);
        assert.equal(skippedPattern.exec(output)?.[0].includes('reading/.env'), true, query);
      }
    });

    test('lists all secret files as skipped even if the previous search included only TypeScript files', async () => {
      using fixture = openFixture();
      await fixture.readOutput('search_text', { query: 'tide', include: '*.ts', path: 'reading' });
      const output = await fixture.readOutput('search_text', { query: 'tide', path: 'reading' });
      assert.match(output, /\[Not searched[^\]]*reading\/\.env, [^\]]*reading\/keys\/id_rsa\]/u);
    });

    const queries: readonly (readonly [ToolArguments, string])[] = [
      [{ query: 'tide', case_sensitive: true, include: 'src/deep' }, 'No line matches tide.'],
      [{ query: 'T[I]DE', regex: true, case_sensitive: true }, 'src/deep/shown.ts\n1: TIDE here'],
      [{ query: 'T[I]DE' }, 'No line matches T[I]DE.'],
      [
        { query: 'here$', regex: true, context_lines: 1 },
        'src/deep/shown.ts\n1: TIDE here\n2- more',
      ],
      [{ query: 'tide(?= = )', regex: true }, 'src/app.ts\n1: export const tide = 1;'],
      [{ query: 'tide', include: '*.test.ts' }, 'src/app.test.ts\n1: tide;'],
      [
        { query: 'tide', include: 'src/*.ts', exclude: '*.test.*' },
        'src/app.ts\n1: export const tide = 1;\n2: const other = tide;',
      ],
      [{ query: 'tide', include: '*.log' }, 'keep.log\n1: tide kept'],
      [{ query: 'tide', include: '*.js' }, 'No line matches tide.'],
      [{ query: '--pre=sh', include: '--x,-g' }, 'No line matches --pre=sh.'],
      [{ query: 'a tide', include: '*.{md,txt}' }, 'sixteen.txt\n1: a tide'],
    ];
    for (const [args, expected] of queries) {
      test(`search_text returns exactly the matching lines for ${JSON.stringify(args)}`, async () => {
        using fixture = openFixture();
        const output = await fixture.readOutput('search_text', { ...args, path: 'reading' });
        const foundLines = output
          .replace(/\n*\[Not searched[^\]]*\]/u, '')
          .replaceAll('reading/', '');
        assert.equal(foundLines, expected);
      });
    }

    test('searches a single file or folder, and applies the ignore files of its parent folders', async () => {
      using fixture = openFixture();
      const searchText = (path: string): Promise<string> =>
        fixture.readOutput('search_text', { query: 'tide', path: `reading/${path}` });
      assert.equal(await searchText('src/app.test.ts'), 'reading/src/app.test.ts\n1: tide;');
      assert.equal(await searchText('src/deep'), 'reading/src/deep/shown.ts\n1: TIDE here');
      // A file named in the call is searched even if it is secret, because the permission rules
      // have checked its path.
      assert.equal(await searchText('.env'), 'reading/.env\n1: KEY=tide-secret');
      await expectToolError(searchText('missing'), 'not-found', /no reading\/missing/);
    });

    test('stops at its limit of results', async () => {
      using fixture = openFixture({
        'many.txt': 'word\n'.repeat(5_000),
        'more.txt': 'word\n'.repeat(5_000),
      });
      const args = { query: 'word', path: 'reading', max_results: 7 };
      const { output, target } = await fixture.callTool('search_text', args);
      assert.equal(output.match(/^\d+: word$/gmu)?.length, 7);
      assert.match(output, /\[More than 7 matches: the search ended there\. Narrow it\.\]$/);
      assert.equal(target, '"word" (7+)');
    });

    test('rejects an invalid regular expression or line number with a message', async () => {
      using fixture = openFixture();
      const search = (args: ToolArguments) => fixture.readOutput('search_text', args);
      for (const query of ['(', 'a{2,1}', '(?<=x'])
        await expectToolError(
          search({ query, regex: true }),
          'bad-arguments',
          /regular expression/,
        );
      for (const query of ['a\nb', 'a\0b'])
        await expectToolError(search({ query }), 'bad-arguments', /within one line/);
      await expectToolError(search({ query: 'a', include: 'a\0' }), 'bad-arguments', /pattern/);
    });

    test('searches unsaved text instead of the text on disk', async () => {
      using fixture = openFixture({ ...fileTree, 'dist/open.ts': 'x' });
      await using _ = await openWithUnsavedText(
        fixture.getUri('src/app.test.ts'),
        'first\nnew TIDE 😀 text\n',
      );
      await using _otherDocument = await openWithUnsavedText(
        fixture.getUri('dist/open.ts'),
        'tide, but ignored\n',
      );
      const args = { query: 'tide', path: 'reading', include: '*.test.ts,dist/*.ts' };
      const output = await fixture.readOutput('search_text', args);
      assert.equal(
        output.replace(/\n*\[Not searched[^\]]*\]/u, ''),
        'reading/src/app.test.ts\n2: new TIDE 😀 text',
      );
    });

    test('does not follow symbolic links', async () => {
      using fixture = openFixture({ 'real/a.txt': 'tide' });
      symlinkSync(fixture.getAbsolutePath('real'), fixture.getAbsolutePath('link'));
      symlinkSync(fixture.getAbsolutePath('real/a.txt'), fixture.getAbsolutePath('b.txt'));
      const args = { query: 'tide', path: 'reading' };
      assert.equal(await fixture.readOutput('search_text', args), 'reading/real/a.txt\n1: tide');
      const foundFilesText = await fixture.readOutput('find_files', {
        glob: '*.txt',
        path: 'reading',
      });
      assert.equal(foundFilesText, 'reading/real/a.txt');
    });

    test('ends early when the user stops the call', async () => {
      using fixture = openFixture(
        Object.fromEntries(
          Array.from({ length: 400 }, (_, index) => [`f${index}.txt`, 'x'.repeat(50_000)]),
        ),
      );
      const abortController = new AbortController();
      const completeSearchPromise = fixture.callTool('search_text', { query: 'y' });
      const searchPromise = fixture.callTool(
        'search_text',
        { query: 'y' },
        { signal: abortController.signal },
      );
      abortController.abort();
      const stoppedSearchPromise = expectToolError(searchPromise, 'stopped', /^Stopped/);
      const searchPromises = [
        stoppedSearchPromise.then(() => 'the stopped search'),
        completeSearchPromise.then(() => 'the whole search'),
      ];
      assert.equal(await Promise.race(searchPromises), 'the stopped search');
      await completeSearchPromise;
    });

    test('finds files by path, in order, up to a limit', async () => {
      using fixture = openFixture();
      const findFiles = (args: ToolArguments) => fixture.readOutput('find_files', args);
      assert.equal(
        await findFiles({ glob: '*.ts', path: 'reading' }),
        'reading/.hidden/x.ts\nreading/src/app.test.ts\nreading/src/app.ts\nreading/src/deep/shown.ts',
      );
      assert.equal(
        await findFiles({ glob: 'src/*.ts', path: 'reading', max_results: 1 }),
        'reading/src/app.test.ts\n[1 more: use a narrower glob or a folder.]',
      );
      assert.equal(await findFiles({ glob: 'src/tide.ts' }), 'src/tide.ts');
      assert.equal(await findFiles({ glob: '*.log', path: 'reading' }), 'reading/keep.log');
      assert.match(await findFiles({ glob: 'nothing.*' }), /^No file/);
    });

    test('excludes files that the settings hide', async () => {
      using fixture = openFixture();
      await using _ = await changeSetting('files', 'exclude', {
        '**/deep': true,
        'reading/src/*.ts': true,
      });
      const foundFilesText = await fixture.readOutput('find_files', {
        glob: '*.ts',
        path: 'reading',
      });
      assert.equal(foundFilesText, 'reading/.hidden/x.ts');
      assert.match(
        await fixture.readOutput('list_directory', { path: 'reading/src' }),
        /^\[The folder is empty\.\]\n\[3 hidden/,
      );
    });
  });
}

suite('the reading tools in folders and other file systems', () => {
  test('list a folder without ignored entries, folders first', async () => {
    using fixture = new ReadingFixture({ files: fileTree });
    symlinkSync(fixture.getAbsolutePath('src'), fixture.getAbsolutePath('zlink'));
    assert.equal(
      await fixture.readOutput('list_directory', { path: 'reading' }),
      [
        '.hidden/',
        '.ssh/',
        'keys/',
        'node_modules/',
        'src/',
        'zlink/ (a link)',
        '.env',
        '.gitignore',
        'data.bin',
        'keep.log',
        'sixteen.txt',
        '[2 hidden or ignored entries]',
      ].join('\n'),
    );
    const listingPromise = fixture.callTool('list_directory', { path: 'reading/keep.log' });
    await expectToolError(listingPromise, 'bad-arguments', /use read_file/);
    await expectToolError(
      fixture.callTool('list_directory', { path: 'nowhere' }),
      'not-found',
      /no such folder/,
    );
    assert.match(await fixture.readOutput('list_directory'), /^(?:.*\n)*src\/\n/);
  });

  test('read a virtual file system through VS Code', async () => {
    const files = new MemoryFiles({
      '/w/.gitignore': 'dist\n',
      '/w/src/a.ts': 'const tide = 1;\n',
      '/w/dist/b.ts': 'tide\n',
    });
    const registration = vscode.workspace.registerFileSystemProvider('memory-reading', files);
    const root = vscode.Uri.parse('memory-reading:/w');
    const paths: PathResolver = {
      async resolvePath(path) {
        const uri = path === '.' ? root : vscode.Uri.joinPath(root, path);
        const kind = files.isFolder(uri.path) ? 'directory' : 'file';
        const facts = {
          path,
          isInWorkspace: true,
          realPath: path,
          isRealPathInWorkspace: true,
          isLink: false,
          kind,
        } as const;
        return { uri, label: path, facts };
      },
      async checkPathUnchanged() {},
    };
    try {
      using fixture = new ReadingFixture({ paths });
      assert.equal(
        await fixture.readOutput('read_file', { path: 'src/a.ts' }),
        '1\tconst tide = 1;',
      );
      assert.equal(
        await fixture.readOutput('search_text', { query: 'TIDE', path: '.' }),
        './src/a.ts\n1: const tide = 1;',
      );
      assert.equal(
        await fixture.readOutput('find_files', { glob: '*.ts', path: '.' }),
        './src/a.ts',
      );
      assert.equal(
        await fixture.readOutput('list_directory', { path: '.' }),
        'src/\n.gitignore\n[1 hidden or ignored entry]',
      );
    } finally {
      registration.dispose();
    }
  });

  test('use VS Code’s copy of ripgrep', async () => {
    const { findRipgrep } = await import('../../src/workspace/vscode/ripgrep.ts');
    const ripgrepPath = await findRipgrep({ appRoot: vscode.env.appRoot, path: '', folders: [] });
    assert.ok(ripgrepPath !== undefined && existsSync(ripgrepPath), vscode.env.appRoot);
    assert.match(execFileSync(ripgrepPath, ['--version'], { encoding: 'utf8' }), /^ripgrep \d+/);
  });
});

suite('the reading tools with language features', () => {
  test('return the problems of a file or folder from language services and extensions', async () => {
    using fixture = new ReadingFixture({ files: { 'bad.json': '{"a": }', 'x.txt': 'x\ny\n' } });
    // This language service checks visible files only.
    await fixture.callTool('open_file', { path: 'reading/bad.json' });
    await waitForProblems(fixture.getUri('bad.json'));
    const jsonProblems = await fixture.readOutput('get_problems', { path: 'reading/bad.json' });
    assert.match(jsonProblems, /^reading\/bad\.json:1:7 error \(json \d+\): Value expected/);
    const collection = vscode.languages.createDiagnosticCollection('reading');
    try {
      const range = new vscode.Range(1, 0, 1, 1);
      const warning = new vscode.Diagnostic(range, 'Two\nlines', vscode.DiagnosticSeverity.Warning);
      collection.set(fixture.getUri('x.txt'), [warning]);
      const text = await fixture.readOutput('get_problems', { path: 'reading/x.txt' });
      assert.equal(text, 'reading/x.txt:2:1 warning: Two\n    lines');
      const allProblems = await fixture.callTool('get_problems', {});
      assert.match(allProblems.output, /bad\.json:1:7 error[^]*x\.txt:2:1 warning/);
      const folderProblems = await fixture.readOutput('get_problems', { path: 'src' });
      assert.equal(folderProblems, 'No problems are known in src.');
      await expectToolError(
        fixture.callTool('get_problems', { path: 'none' }),
        'not-found',
        /no none/,
      );
    } finally {
      collection.dispose();
    }
  });

  test('wait for the problems of a file that was not open before', async () => {
    using fixture = new ReadingFixture({ files: { 'late.md': '# x\n' } });
    const collection = vscode.languages.createDiagnosticCollection('reading-late');
    const openListener = vscode.workspace.onDidOpenTextDocument(async ({ uri }) => {
      if (!uri.path.endsWith('late.md')) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
      collection.set(uri, [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'Late')]);
    });
    try {
      const output = await fixture.readOutput('get_problems', { path: 'reading/late.md' });
      assert.equal(output, 'reading/late.md:1:1 error: Late');
    } finally {
      openListener.dispose();
      collection.dispose();
    }
  });

  test('return the outline of a file from a language service', async () => {
    using fixture = new ReadingFixture({
      files: { 'o.json': '{\n  "tide": {\n    "high": 1\n  }\n}\n' },
    });
    const outline = await fixture.readOutput('find_symbols', { path: 'reading/o.json' });
    assert.equal(outline, '2-4 module tide\n  3 number high');
    await expectToolError(fixture.callTool('find_symbols', {}), 'bad-arguments', /either/);
  });

  test('return symbols, definitions and references, without text from outside the workspace', async () => {
    using fixture = new ReadingFixture({
      files: { 'a.tide': 'let high\nuse low, high\n', 'b.tide': 'use high\n' },
    });
    using _ = registerTideLanguage(fixture);
    const symbolArguments = { path: 'reading/a.tide', symbol: 'high' };
    assert.equal(
      await fixture.readOutput('go_to_definition', { ...symbolArguments, line: 2 }),
      'reading/a.tide\n1: let high\n\noutside.tide (outside the workspace):8',
    );
    assert.equal(
      await fixture.readOutput('find_references', { ...symbolArguments, line: 1 }),
      'reading/a.tide\n1: let high\n2: use low, high\n\nreading/b.tide\n1: use high',
    );
    assert.match(
      await fixture.readOutput('find_symbols', { query: 'hig' }),
      /^reading\/a\.tide:1 variable high$/m,
    );
    const unknownSymbolPromise = fixture.callTool('go_to_definition', {
      ...symbolArguments,
      symbol: 'ebb',
      line: 1,
    });
    await expectToolError(unknownSymbolPromise, 'not-found', /is not on line 1/);
  });

  test('return no content of linked or secret files, even if a language service or an unsaved editor provides it', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'inference-service-outside-'));
    writeFileSync(join(outsideFolder, 'far.tide'), 'let canary\n');
    using fixture = new ReadingFixture({ files: { 'a.tide': 'use high\n', 'b.tide': 'let b\n' } });
    symlinkSync(join(outsideFolder, 'far.tide'), fixture.getAbsolutePath('link.tide'));
    symlinkSync(fixture.getAbsolutePath('b.tide'), fixture.getAbsolutePath('inner.tide'));
    const start = new vscode.Position(0, 0);
    const names = ['b.tide', 'link.tide', 'inner.tide'];
    const locations = names.map((name) => new vscode.Location(fixture.getUri(name), start));
    const problems = vscode.languages.createDiagnosticCollection('reading-links');
    const providers = vscode.Disposable.from(
      problems,
      vscode.languages.registerDefinitionProvider(
        { pattern: '**/a.tide' },
        { provideDefinition: () => locations },
      ),
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: () =>
          locations.map(
            (location, index) =>
              new vscode.SymbolInformation(
                `canary${index}`,
                vscode.SymbolKind.Variable,
                '',
                location,
              ),
          ),
      }),
    );
    const range = new vscode.Range(start, start);
    for (const { uri } of locations) problems.set(uri, [new vscode.Diagnostic(range, 'canary')]);
    try {
      const args = { path: 'reading/a.tide', line: 1, symbol: 'high' };
      assert.equal(
        await fixture.readOutput('go_to_definition', args),
        'reading/b.tide\n1: let b\n\nreading/inner.tide\n1: let b\n\nreading/link.tide:1',
      );
      const allProblems = await fixture.readOutput('get_problems', { path: 'reading' });
      assert.deepEqual(allProblems.match(/^\S+\.tide(?=:1:1)/gmu), [
        'reading/b.tide',
        'reading/inner.tide',
      ]);
      assert.doesNotMatch(
        await fixture.readOutput('find_symbols', { query: 'canary' }),
        /link\.tide/,
      );
      await using _ = await openWithUnsavedText(
        fixture.getUri('link.tide'),
        'let canary, unsaved\n',
      );
      await using _otherDocument = await openWithUnsavedText(
        fixture.getUri('b.tide'),
        'let b, unsaved canary\n',
      );
      const searchArguments = { query: 'canary', path: 'reading' };
      assert.equal(
        await fixture.readOutput('search_text', searchArguments),
        'reading/b.tide\n1: let b, unsaved canary',
      );
    } finally {
      providers.dispose();
      rmSync(outsideFolder, { recursive: true });
    }
  });

  test('search unsaved editors in an approved outside folder, without following links out of the folder', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'inference-service-outside-'));
    const linkedFolder = mkdtempSync(join(tmpdir(), 'inference-service-beyond-'));
    writeFileSync(join(outsideFolder, 'a.txt'), 'x\n');
    writeFileSync(join(linkedFolder, 'b.txt'), 'x\n');
    symlinkSync(join(linkedFolder, 'b.txt'), join(outsideFolder, 'b.txt'));
    using fixture = new ReadingFixture();
    try {
      await using _ = await openWithUnsavedText(
        vscode.Uri.file(join(outsideFolder, 'a.txt')),
        'canary\n',
      );
      await using _otherDocument = await openWithUnsavedText(
        vscode.Uri.file(join(outsideFolder, 'b.txt')),
        'canary\n',
      );
      const output = await fixture.readOutput('search_text', {
        query: 'canary',
        path: outsideFolder,
      });
      assert.match(output, /a\.txt\n1: canary$/);
      assert.doesNotMatch(output, /b\.txt/);
    } finally {
      for (const folder of [outsideFolder, linkedFolder]) rmSync(folder, { recursive: true });
    }
  });

  test('work without a language service', async () => {
    using fixture = new ReadingFixture({ files: { 'a.unknown': 'high\n' } });
    const args = { path: 'reading/a.unknown', line: 1, symbol: 'high' };
    assert.match(
      await fixture.readOutput('find_references', args),
      /^No reference of high is known/,
    );
    const outline = await fixture.readOutput('find_symbols', { path: 'reading/a.unknown' });
    assert.match(outline, /use read_file/);
  });

  test('stop waiting for a hanging language service when the user stops the call', async () => {
    using fixture = new ReadingFixture({ files: { 'a.stuck': 'high\n' } });
    const abortController = new AbortController();
    const definitionRequest = Promise.withResolvers<void>();
    const registration = vscode.languages.registerDefinitionProvider(
      { pattern: '**/*.stuck' },
      {
        provideDefinition() {
          definitionRequest.resolve();
          return new Promise(() => {});
        },
      },
    );
    const args = { path: 'reading/a.stuck', line: 1, symbol: 'high' };
    const callPromise = fixture.callTool('go_to_definition', args, {
      signal: abortController.signal,
    });
    await definitionRequest.promise;
    abortController.abort();
    await expectToolError(callPromise, 'stopped', /stopped/);
    registration.dispose();
  });

  test('show a file and a diff without taking the focus', async () => {
    using fixture = new ReadingFixture({ files: { 'a.txt': '1\n2\n3\n', 'b.txt': '1\n' } });
    await fixture.callTool('open_file', { path: 'reading/a.txt', line: 2 });
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === fixture.getUri('a.txt').toString(),
    );
    assert.equal(editor?.selection.start.line, 1);
    await fixture.callTool('show_diff', { path: 'reading/a.txt', other_path: 'reading/b.txt' });
    const activeInput = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(activeInput instanceof vscode.TabInputTextDiff);
    assert.deepEqual(
      [activeInput.original.fsPath, activeInput.modified.fsPath],
      [fixture.getAbsolutePath('a.txt'), fixture.getAbsolutePath('b.txt')],
    );
    await expectToolError(
      fixture.callTool('open_file', { path: 'reading/none' }),
      'not-found',
      /no file/,
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});

test('each reading tool declares which resources it reads, and declares no changes', async () => {
  using fixture = new ReadingFixture({ files: { 'a.txt': 'x\n' } });
  const path = 'reading/a.txt';
  const calls: readonly (readonly [string, ToolArguments, readonly string[]])[] = [
    ['read_file', { path }, [path]],
    ['list_directory', {}, ['.']],
    ['list_directory', { path: 'reading' }, ['reading']],
    ['find_files', { glob: '*' }, ['.']],
    ['search_text', { query: 'x' }, ['.']],
    ['search_text', { query: 'x', path: '/etc' }, ['/etc']],
    ['get_problems', {}, ['.']],
    ['get_problems', { path }, [path]],
    ['find_symbols', { query: 'x' }, ['.']],
    ['find_symbols', { path }, [path]],
    ['go_to_definition', { path, line: 1, symbol: 'x' }, [path]],
    ['find_references', { path, line: 1, symbol: 'x' }, [path]],
    ['open_file', { path }, [path]],
    ['show_diff', { path, other_path: 'README.md' }, [path, 'README.md']],
  ];
  for (const [name, args, paths] of calls) {
    const { resources } = await fixture.findTool(name).plan(args, { ...toolContext, callId: name });
    const expected = paths.map((item) => ({ type: 'path', path: item, access: 'read' }));
    assert.deepEqual(resources, expected, name);
    assert.match(fixture.findTool(name).kind, /^(?:read|editor)$/);
  }
});

/** Opens the file. Resolves when VS Code reports diagnostics for it. */
async function waitForProblems(uri: vscode.Uri): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const checkProblems = (): void => {
    if (vscode.languages.getDiagnostics(uri).length > 0) resolve();
  };
  const subscription = vscode.languages.onDidChangeDiagnostics(checkProblems);
  await vscode.workspace.openTextDocument(uri);
  checkProblems();
  await promise;
  subscription.dispose();
}

/**
 * Registers a language for tests with a language service that recognizes three words. The extension host under test may
 * have no other language service.
 */
function registerTideLanguage(fixture: ReadingFixture): Disposable {
  const files = { pattern: '**/*.tide' };
  const createLocation = (path: string, line: number, column: number): vscode.Location =>
    new vscode.Location(fixture.getUri(path), new vscode.Position(line, column));
  const readWord = (document: vscode.TextDocument, position: vscode.Position): string =>
    document.getText(document.getWordRangeAtPosition(position));
  const references = [
    createLocation('a.tide', 0, 4),
    createLocation('a.tide', 1, 9),
    createLocation('b.tide', 0, 4),
  ];
  const registrations = [
    vscode.languages.registerDefinitionProvider(files, {
      provideDefinition: (document, position) =>
        readWord(document, position) === 'high'
          ? [
              createLocation('a.tide', 0, 4),
              new vscode.Location(
                vscode.Uri.file('/elsewhere/outside.tide'),
                new vscode.Position(7, 0),
              ),
            ]
          : [],
    }),
    vscode.languages.registerReferenceProvider(files, {
      provideReferences: (document, position) =>
        readWord(document, position) === 'high' ? references : [],
    }),
    vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (query) =>
        'high'.startsWith(query)
          ? [
              new vscode.SymbolInformation(
                'high',
                vscode.SymbolKind.Variable,
                '',
                createLocation('a.tide', 0, 4),
              ),
            ]
          : [],
    }),
  ];
  return { [Symbol.dispose]: () => registrations.forEach((item) => void item.dispose()) };
}

/** A read-only file system in memory. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly #files: ReadonlyMap<string, string>;
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map(Object.entries(files));
  }

  isFolder = (path: string): boolean =>
    [...this.#files.keys()].some((file) => file.startsWith(`${path}/`));

  watch = (): vscode.Disposable => new vscode.Disposable(() => {});

  stat({ path }: vscode.Uri): vscode.FileStat {
    const file = this.#files.get(path);
    if (file === undefined && !this.isFolder(path)) throw vscode.FileSystemError.FileNotFound();
    const type = file === undefined ? vscode.FileType.Directory : vscode.FileType.File;
    return { type, ctime: 0, mtime: 0, size: file?.length ?? 0 };
  }

  readDirectory({ path }: vscode.Uri): [string, vscode.FileType][] {
    const childPaths = [...this.#files.keys()].filter((file) => file.startsWith(`${path}/`));
    const names = new Set(
      childPaths.map((file) => file.slice(path.length + 1).split('/')[0] ?? ''),
    );
    return [...names].map((name) => [name, this.stat(vscode.Uri.file(`${path}/${name}`)).type]);
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    const file = this.#files.get(path);
    if (file === undefined) throw vscode.FileSystemError.FileNotFound();
    return new TextEncoder().encode(file);
  }

  createDirectory = (): never => this.#refuseWrite();
  writeFile = (): never => this.#refuseWrite();
  delete = (): never => this.#refuseWrite();
  rename = (): never => this.#refuseWrite();

  #refuseWrite(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
}

/** Creates a socket. A tool that reads it as a file would never finish. */
async function createSocket(path: string): Promise<AsyncDisposable> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function expectToolError(
  callPromise: Promise<unknown>,
  code: ToolErrorCode,
  pattern: RegExp,
): Promise<void> {
  await assert.rejects(callPromise, (error) => {
    assert.ok(error instanceof ToolError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
}

/** Changes a workspace setting, and restores it on disposal. */
async function changeSetting(
  section: string,
  name: string,
  value: unknown,
): Promise<AsyncDisposable> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration(section).update(name, value, target);
  return {
    async [Symbol.asyncDispose]() {
      await vscode.workspace.getConfiguration(section).update(name, undefined, target);
    },
  };
}
