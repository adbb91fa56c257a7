import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import type { ContextSnippet } from '../../src/completion/ports.ts';
import { snapshotLimits } from '../../src/completion/snapshot.ts';
import { FileRules } from '../../src/completion/context/vscode/file-rules.ts';
import { findCell, getPathForModel } from '../../src/workspace/vscode/documents.ts';
import {
  takeSnapshot,
  takeSnapshotAfterReplacement,
} from '../../src/completion/vscode/take-snapshot.ts';
import {
  appendText,
  CompletionContextFixture,
  changeSetting,
  showDocument,
} from './completion-context-fixture.ts';
import { eventually, waitUntilRead } from '../support/eventually.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const openTextDocument = (content: string, language = 'plaintext'): Thenable<vscode.TextDocument> =>
  vscode.workspace.openTextDocument({ content, language });

suite('the completion context around the cursor', () => {
  test('normalizes line endings in every document', async () => {
    await using fixture = new CompletionContextFixture({
      'src/crlf.ts': 'one\r\ntwo three\r\nfour',
    });
    const { document } = await fixture.openFile('src/crlf.ts');
    const snapshot = takeSnapshot(document, new vscode.Position(1, 4), {
      tabSize: 2,
      insertSpaces: true,
    });
    assert.deepEqual(snapshot, {
      documentUri: fixture.getUri('src/crlf.ts').toString(),
      languageId: 'typescript',
      path: 'completion/src/crlf.ts',
      position: { line: 1, character: 4 },
      prefix: 'one\ntwo ',
      suffix: 'three\nfour',
      indentUnit: '  ',
    });
  });

  test('includes the selected item of the suggestion list in the prefix', async () => {
    const document = await openTextDocument('const a = Math.fl;\nend');
    const range = new vscode.Range(0, 15, 0, 17);
    const snapshot = takeSnapshotAfterReplacement(document, { range, text: 'floor' }, {});
    assert.equal(snapshot.prefix, 'const a = Math.floor');
    assert.equal(snapshot.suffix, ';\nend');
    assert.deepEqual(snapshot.position, { line: 0, character: 20 });
    const multilineSnapshot = takeSnapshotAfterReplacement(
      document,
      { range, text: 'f(\r\n  x' },
      {},
    );
    assert.equal(multilineSnapshot.prefix, 'const a = Math.f(\n  x');
    assert.deepEqual(multilineSnapshot.position, { line: 1, character: 3 });
  });

  for (const [options, indentUnit] of [
    [{ insertSpaces: false, tabSize: 4 }, '\t'],
    [{ insertSpaces: true, tabSize: 8, indentSize: 2 }, '  '],
    [{ insertSpaces: true, tabSize: 1e9 }, ' '.repeat(16)],
    [{ insertSpaces: 'auto', tabSize: 'auto' }, '    '],
  ] as const) {
    test(`derives one level of indentation from the editor options ${JSON.stringify(options)}`, async () => {
      const document = await openTextDocument('');
      const start = new vscode.Position(0, 0);
      assert.equal(takeSnapshot(document, start, options).indentUnit, indentUnit);
    });
  }

  test('reads a limited number of lines, however long the document or the line is', async () => {
    const manyLinesDocument = await openTextDocument('x = 1\n'.repeat(20_000));
    const longLineDocument = await openTextDocument('😀'.repeat(500_000));
    for (const [document, position, maxReadCount] of [
      [manyLinesDocument, new vscode.Position(10_000, 3), 6_000],
      [longLineDocument, new vscode.Position(0, 500_001), 4],
    ] as const) {
      const countingDocument = countLineReads(document);
      const snapshot = takeSnapshot(countingDocument.document, position, {});
      assert.ok(snapshot.prefix.length >= snapshotLimits.prefix - 1);
      assert.ok(snapshot.suffix.length >= snapshotLimits.suffix - 1);
      assert.ok(
        countingDocument.getReadCount() <= maxReadCount,
        `${countingDocument.getReadCount()} lines`,
      );
      assert.ok(!/^[\uDC00-\uDFFF]/.test(snapshot.prefix), 'no half of a character at the start');
      assert.ok(!/[\uD800-\uDBFF]$/.test(snapshot.suffix), 'nor at the end');
    }
  });

  test('reduces the path of a file outside the workspace to its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'completion-'));
    try {
      writeFileSync(join(folder, 'a b.ts'), '');
      const document = await vscode.workspace.openTextDocument(join(folder, 'a b.ts'));
      assert.equal(getPathForModel(document), 'a b.ts');
      assert.match(getPathForModel(await openTextDocument('')), /^Untitled-\d+$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/**
 * Wraps a document. Counts the lines that code reads through the wrapper, and fails the test if code reads the complete
 * text at once.
 */
function countLineReads(document: vscode.TextDocument) {
  let readCount = 0;
  const failOnFullRead = (): never => assert.fail('The whole document was taken.');
  const countingDocument = Object.create(document, {
    getText: { value: failOnFullRead },
    offsetAt: { value: failOnFullRead },
    lineAt: {
      value: (line: number) => {
        readCount += 1;
        return document.lineAt(line);
      },
    },
  }) as vscode.TextDocument;
  return { document: countingDocument, getReadCount: () => readCount };
}

suite('the completion context in a notebook', () => {
  let cellCount = 0;
  const createCell = (kind: 'code' | 'markdown', source: string, output?: string) => ({
    cell_type: kind,
    id: `cell-${cellCount++}`,
    metadata: {},
    source: [source],
    ...(kind === 'code' && {
      execution_count: null,
      outputs:
        output === undefined ? [] : [{ output_type: 'stream', name: 'stdout', text: [output] }],
    }),
  });
  const notebook = JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: [
      createCell('markdown', '# Tides of the harbour'),
      createCell('code', 'heights = read()', 'secret output'),
      createCell('code', '-----BEGIN PRIVATE KEY-----'),
      createCell('code', ''),
      createCell('code', 'plot('),
      createCell('code', 'below'),
    ],
  });

  test('includes the preceding cells, nearest first, without their outputs', async () => {
    await using fixture = new CompletionContextFixture({ 'tides.ipynb': notebook });
    const notebookDocument = await vscode.workspace.openNotebookDocument(
      fixture.getUri('tides.ipynb'),
    );
    await vscode.window.showNotebookDocument(notebookDocument);
    const { document } = notebookDocument.cellAt(4);
    assert.equal(findCell(document)?.index, 4);
    assert.equal(getPathForModel(document), 'completion/tides.ipynb#cell-5');
    const snippets = await waitUntilRead(
      () => fixture.listSnippets(document),
      (value) => value.length >= 2,
    );
    assert.deepEqual(snippets, [
      { kind: 'cell', path: 'completion/tides.ipynb#cell-2', text: 'heights = read()' },
      { kind: 'cell', path: 'completion/tides.ipynb#cell-1', text: '# Tides of the harbour' },
    ]);
  });

  test('is empty for an excluded notebook', async () => {
    await using fixture = new CompletionContextFixture({
      'tides.ipynb': notebook,
      '.inferenceignore': '*.ipynb\n',
    });
    const notebookDocument = await vscode.workspace.openNotebookDocument(
      fixture.getUri('tides.ipynb'),
    );
    await vscode.window.showNotebookDocument(notebookDocument);
    const { document } = notebookDocument.cellAt(4);
    assert.equal(await fixture.rules.check(document.uri), 'excluded-file');
    assert.deepEqual(fixture.listSnippets(document), []);
  });
});

suite('the file rules of the completion context', () => {
  test('exclude a file by its name, location or content, by an ignore file or by a setting', async () => {
    const outsideFolder = mkdtempSync(join(tmpdir(), 'completion-'));
    writeFileSync(join(outsideFolder, 'notes.txt'), 'text');
    await using fixture = new CompletionContextFixture({
      '.gitignore': '/dist/\n*.local.ts\n!keep.local.ts\n',
      '.inferenceignore': 'private/\n',
      'deep/.inferenceignore': '/own.ts\n',
      'a.ts': 'a',
      'keep.local.ts': 'a',
      '.env': 'a',
      '.ssh/config': 'a',
      'real.pem': 'a',
    });
    symlinkSync(fixture.getAbsolutePath('real.pem'), fixture.getAbsolutePath('innocent.txt'));
    symlinkSync(fixture.getAbsolutePath('a.ts'), fixture.getAbsolutePath('linked.ts'));
    symlinkSync(fixture.getAbsolutePath('loop.ts'), fixture.getAbsolutePath('loop.ts'));
    symlinkSync(join(outsideFolder, 'notes.txt'), fixture.getAbsolutePath('far.txt'));
    await using _ = await changeSetting('files', 'exclude', { '**/hidden': true });
    const cases = [
      ['a.ts', undefined, true],
      ['keep.local.ts', undefined, true],
      ['not-there-yet.ts', undefined, true],
      ['linked.ts', undefined, true],
      ['.env', 'secret-file', false],
      ['.ENV.local', 'secret-file', false],
      ['id_rsa', 'secret-file', false],
      ['secrets.yaml', 'secret-file', false],
      ['.ssh/config', 'secret-file', false],
      ['innocent.txt', 'secret-file', false],
      ['dist/a/b.ts', 'excluded-file', false],
      ['my.local.ts', 'excluded-file', false],
      ['deep/private/x.ts', 'excluded-file', false],
      ['deep/own.ts', 'excluded-file', false],
      ['deep/deeper/own.ts', undefined, true],
      ['deep/hidden/x.ts', 'excluded-file', false],
      ['loop.ts', 'unchecked-file', false],
      ['far.txt', undefined, false],
    ] as const;
    try {
      for (const [path, rule, isShareable] of cases) {
        const uri = fixture.getUri(path);
        assert.equal(await fixture.rules.check(uri), rule, path);
        assert.equal(fixture.rules.isShareable(uri), isShareable, path);
      }
      const outsideUri = vscode.Uri.file(join(outsideFolder, 'notes.txt'));
      assert.equal(await fixture.rules.check(outsideUri), undefined);
      assert.equal(fixture.rules.isShareable(outsideUri), false);
    } finally {
      rmSync(outsideFolder, { recursive: true });
    }
  });

  test('block every file until all file rules are loaded', async () => {
    await using fixture = new CompletionContextFixture({ 'a.ts': 'a' });
    const { document } = await fixture.openFile('a.ts');
    const { rules } = fixture;
    assert.equal(rules.isRuleKnown(document.uri), false);
    assert.equal(rules.getBlockingCause(document.uri), 'unchecked-file');
    assert.equal(rules.isShareable(document.uri), false);
    await waitUntilRead(
      () => rules.isRuleKnown(document.uri),
      (isKnown) => isKnown,
    );
    assert.equal(rules.getBlockingCause(document.uri), undefined);
  });

  test('check a document again when its content changes', async () => {
    await using fixture = new CompletionContextFixture({ 'notes.md': 'a\n' });
    const { document } = await fixture.openFile('notes.md');
    const { rules } = fixture;
    assert.equal(await rules.check(document.uri), undefined);
    let changeCount = 0;
    using _ = toDisposable(rules.onDidChange(() => (changeCount += 1)));
    const edit = new vscode.WorkspaceEdit();
    for (const line of [0, 1]) edit.insert(document.uri, new vscode.Position(line, 0), 'b');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(rules.getBlockingCause(document.uri), undefined, 'at several cursors');
    await appendText(document, 'pasted\n'.repeat(300));
    assert.equal(rules.isRuleKnown(document.uri), false, 'nothing may leave before it was read');
    assert.equal(await rules.check(document.uri), undefined);
    assert.equal(changeCount, 0, 'nothing is forgotten of what stays clean');
    await appendText(document, '-----BEGIN OPENSSH PRIVATE KEY-----\n');
    assert.equal(rules.getBlockingCause(document.uri), 'secret-file');
    assert.equal(rules.isShareable(document.uri), false);
    assert.equal(changeCount, 1);
    const variablesEditor = await showDocument(await openTextDocument('API_TOKEN=abc\n'));
    assert.equal(await rules.check(variablesEditor.document.uri), 'secret-file');
  });

  test('apply changes of ignore files and settings immediately', async () => {
    await using fixture = new CompletionContextFixture({ 'a.ts': 'a', 'b.ts': 'b' });
    const { rules } = fixture;
    const [a, b] = [fixture.getUri('a.ts'), fixture.getUri('b.ts')];
    assert.deepEqual([await rules.check(a), await rules.check(b)], [undefined, undefined]);
    fixture.writeFile('.inferenceignore', 'a.ts\n');
    await waitUntilRead(
      () => [rules.getBlockingCause(a), rules.isRuleKnown(a), rules.getBlockingCause(b)],
      ([rule, isKnown, otherRule]) =>
        rule === 'excluded-file' && isKnown === true && otherRule === undefined,
    );
    fixture.writeFile('.inferenceignore', '');
    fixture.writeFile('.gitignore', 'b.ts\n');
    await waitUntilRead(
      () => [rules.getBlockingCause(a), rules.getBlockingCause(b), rules.isRuleKnown(b)],
      ([rule, otherRule, isKnown]) =>
        rule === undefined && otherRule === 'excluded-file' && isKnown === true,
    );
    await using _ = await changeSetting('files', 'exclude', { '**/a.ts': true });
    assert.equal(await rules.check(a), 'excluded-file');
  });
});

const toDisposable = (disposable: { dispose(): void }): Disposable => ({
  [Symbol.dispose]: () => disposable.dispose(),
});

/**
 * Returns code that contains the marker. All files with this code are similar, because the rest of it is always the
 * same.
 */
const createInvoiceCode = (marker: string): string =>
  [
    'export async function remindCustomer(customer, invoice) {',
    '  const address = await loadInvoiceAddress(customer, invoice);',
    `  const token = '${marker}';`,
    '  await sendInvoiceReminder(address, invoice, token);',
    '}',
    '',
  ].join('\n');

const cursorCode =
  'async function remindCustomer(customer, invoice) {\n' +
  '  const address = await loadInvoiceAddress(customer, invoice);\n  ';

/**
 * Rules that allow every file. A control test with these rules checks that the context then contains the secret
 * content. Only the real rules can therefore have excluded it in the other tests.
 */
class NoRules extends FileRules {
  override getBlockingCause(): undefined {}
  override isShareable(): boolean {
    return true;
  }
  override isRuleKnown(): boolean {
    return true;
  }
  override async check(): Promise<undefined> {}
}

const canaryPaths = [
  '.env',
  'id_rsa',
  'secrets.yaml',
  'hidden/a.ts',
  'my.local.ts',
  'private/a.ts',
  'innocent.txt',
] as const;

/** Opens and edits an allowed file, and one file for each reason to exclude a file. All files have similar content. */
async function openCanaries(
  fixture: CompletionContextFixture,
  outsideFolder: string,
): Promise<readonly vscode.TextDocument[]> {
  symlinkSync(fixture.getAbsolutePath('real.pem'), fixture.getAbsolutePath('innocent.txt'));
  writeFileSync(join(outsideFolder, 'notes.ts'), createInvoiceCode('CANARY-outside'));
  const canaries: vscode.TextDocument[] = [];
  const addCanary = async (document: vscode.TextDocument): Promise<void> => {
    await editCanary(fixture, document);
    canaries.push(document);
  };
  const uris = canaryPaths.map((path) => fixture.getUri(path));
  for (const uri of [...uris, vscode.Uri.file(join(outsideFolder, 'notes.ts'))])
    await addCanary(await vscode.workspace.openTextDocument(uri));
  await addCanary(
    await openTextDocument(`-----BEGIN PRIVATE KEY-----\n${createInvoiceCode('CANARY-untitled')}`),
  );
  const normalEditor = await fixture.openFile('normal.ts');
  await fixture.rules.check(normalEditor.document.uri);
  await appendText(normalEditor.document, 'export const remindedTwice = true;\n');
  return canaries;
}

async function editCanary(
  fixture: CompletionContextFixture,
  document: vscode.TextDocument,
): Promise<void> {
  await showDocument(document);
  await fixture.rules.check(document.uri);
  await appendText(document, `${createCanaryLine(document)}\n`);
}

const createCanaryLine = ({ uri }: vscode.TextDocument): string => `// CANARY-edit of ${uri.path}`;

/**
 * Edits the files again until the context contains all edits, because VS Code may read a new file from disk again and
 * lose an edit.
 * @throws if the context does not contain all edits after five attempts
 */
async function editUntilReported(
  fixture: CompletionContextFixture,
  canaries: readonly vscode.TextDocument[],
): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { document } = await fixture.openFile('main.ts');
    const reportedEdits = fixture.listSnippets(document).filter(({ kind }) => kind === 'edit');
    const unreportedCanaries = canaries.filter(
      (canary) => !reportedEdits.some(({ text }) => text.includes(createCanaryLine(canary))),
    );
    if (unreportedCanaries.length === 0) return;
    for (const canary of unreportedCanaries) await editCanary(fixture, canary);
  }
  throw new Error('Not every edit is told of, though nothing forbids it.');
}

const canaryFiles = {
  '.gitignore': '*.local.ts\n',
  '.inferenceignore': 'private/\n',
  'main.ts': cursorCode,
  'normal.ts': createInvoiceCode('normal'),
  'real.pem': createInvoiceCode('CANARY-link'),
  ...Object.fromEntries(
    canaryPaths.slice(0, -1).map((path) => [path, createInvoiceCode(`CANARY-${path}`)]),
  ),
};

suite('the parts of the completion context', () => {
  for (const isGuarded of [true, false]) {
    test(`${isGuarded ? 'exclude' : 'include'} text of a secret or excluded file ${isGuarded ? 'with' : 'without'} file rules`, async function () {
      const outsideFolder = mkdtempSync(join(tmpdir(), 'completion-'));
      await using _ = await changeSetting('files', 'exclude', { '**/hidden': true });
      const rules = isGuarded ? undefined : new NoRules({ clock: systemClock });
      await using fixture = new CompletionContextFixture(canaryFiles, rules);
      try {
        const canaries = await openCanaries(fixture, outsideFolder);
        if (!isGuarded) return await editUntilReported(fixture, canaries);
        const { document } = await fixture.openFile('main.ts');
        const parts = await waitUntilRead(
          () => fixture.listSnippets(document),
          (value) => value.some(({ kind }) => kind === 'similar'),
        );
        assert.ok(!parts.some(({ text }) => text.includes('CANARY')));
        const kinds = parts.map(({ kind, path }) => `${kind} ${path}`);
        assert.deepEqual(kinds, ['edit completion/normal.ts', 'similar completion/normal.ts']);
        assert.equal(parts[0]?.text, '+export const remindedTwice = true;');
        assert.match(parts[1]?.text ?? '', /sendInvoiceReminder\(address, invoice, token\)/);
      } finally {
        rmSync(outsideFolder, { recursive: true });
      }
    });
  }

  test('omit a file once an ignore rule excludes it, and are empty once the workspace is untrusted', async () => {
    await using fixture = new CompletionContextFixture({
      'main.ts': cursorCode,
      'normal.ts': createInvoiceCode('normal'),
    });
    await fixture.openFile('normal.ts');
    const { document } = await fixture.openFile('main.ts');
    const readSnippets = (): readonly ContextSnippet[] => fixture.listSnippets(document);
    await waitUntilRead(readSnippets, (value) => value.length > 0);
    fixture.writeFile('.inferenceignore', 'normal.ts\n');
    const mainUri = document.uri;
    await waitUntilRead(readSnippets, (value) => value.length === 0);
    assert.equal(await fixture.rules.check(mainUri), undefined);
    assert.deepEqual(readSnippets(), []);
    fixture.writeFile('.inferenceignore', '');
    await waitUntilRead(readSnippets, (value) => value.length > 0);
    using _untrustedWorkspace = simulateUntrustedWorkspace();
    assert.deepEqual(readSnippets(), []);
  });

  test('do not contain an API key that the user pasted and soon removed', async () => {
    await using fixture = new CompletionContextFixture({
      'main.ts': cursorCode,
      'notes.md': 'a\n',
    });
    const { document } = await fixture.openFile('notes.md');
    await fixture.rules.check(document.uri);
    await appendText(document, 'harmless\n');
    await appendText(document, '-----BEGIN PRIVATE KEY-----\nCANARY\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(await fixture.rules.check(document.uri), undefined);
    await appendText(document, 'later\n');
    const { document: mainDocument } = await fixture.openFile('main.ts');
    await fixture.rules.check(mainDocument.uri);
    assert.deepEqual(fixture.listSnippets(mainDocument), [
      { kind: 'edit', path: 'completion/notes.md', text: '+later' },
    ]);
  });

  test('include declarations that language services find in other files, except in secret files', async () => {
    await using fixture = new CompletionContextFixture({
      'main.ts': '// Invoices.\nopenInvoice(secretThing, ignoredThing, farThing);\n',
      'lib.ts': 'const x = 1;\nexport function openInvoice(id) {\n  return id;\n}\nconst y = 2;\n',
      '.env': 'CANARY=1',
      'my.local.ts': 'CANARY\n',
      '.gitignore': '*.local.ts\n',
    });
    const outsideFolder = mkdtempSync(join(tmpdir(), 'completion-'));
    writeFileSync(join(outsideFolder, 'far.ts'), 'CANARY');
    const declarationLocations: Readonly<Record<string, vscode.Location>> = {
      openInvoice: new vscode.Location(fixture.getUri('lib.ts'), new vscode.Position(1, 16)),
      secretThing: new vscode.Location(fixture.getUri('.env'), new vscode.Position(0, 0)),
      ignoredThing: new vscode.Location(fixture.getUri('my.local.ts'), new vscode.Position(0, 0)),
      farThing: new vscode.Location(
        vscode.Uri.file(join(outsideFolder, 'far.ts')),
        new vscode.Position(0, 0),
      ),
    };
    const requestedNames: string[] = [];
    using _provider = toDisposable(
      vscode.languages.registerDefinitionProvider('typescript', {
        provideDefinition(document, position) {
          const name = document.getText(document.getWordRangeAtPosition(position));
          requestedNames.push(name);
          return declarationLocations[name];
        },
      }),
    );
    try {
      const editor = await fixture.openFile('main.ts');
      const { document } = editor;
      const documentEnd = document.lineAt(document.lineCount - 1).range.end;
      const positions = [documentEnd, document.lineAt(documentEnd.line - 1).range.end] as const;
      const symbolNames = Object.keys(declarationLocations);
      let readCount = 0;
      const readSymbols = (): readonly string[] => {
        // On a busy machine, the time limit for one cursor position ends before all symbols are
        // requested.
        const position = positions[(readCount / 50) % positions.length];
        if (position !== undefined) editor.selection = new vscode.Selection(position, position);
        readCount += 1;
        return [...requestedNames];
      };
      await waitUntilRead(readSymbols, (value) =>
        symbolNames.every((name) => value.includes(name)),
      );
      const parts = await waitUntilRead(
        () => fixture.listSnippets(document),
        (value) => value.length > 0,
      );
      assert.deepEqual(parts, [
        {
          kind: 'definition',
          path: 'completion/lib.ts',
          text: 'export function openInvoice(id) {\n  return id;\n}',
        },
      ]);
      const openUris = vscode.workspace.textDocuments.map(({ uri }) => uri.toString());
      assert.ok(
        !openUris.includes(fixture.getUri('lib.ts').toString()),
        'no document is opened for it',
      );
      // Cursor movements reuse the cached results.
      const nameCountBefore = requestedNames.length;
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      editor.selection = new vscode.Selection(documentEnd, documentEnd);
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.equal(requestedNames.length, nameCountBefore);
    } finally {
      rmSync(outsideFolder, { recursive: true });
    }
  });

  test('include exports of imported files, except secret and excluded files', async () => {
    await using fixture = new CompletionContextFixture({
      'src/main.ts': [
        "import { open } from './lib.ts';",
        "import { key } from './secrets.py';",
        "import { own } from './my.local';",
        "import { link } from './innocent';",
        "import { outside } from '../../../../outside';",
        'open(',
      ].join('\n'),
      'src/lib.ts': 'export function open(id: string): void {\n  body();\n}\n',
      'src/secrets.py': 'export const CANARY = 1;\n',
      'src/my.local.ts': 'export const CANARY = 1;\n',
      'real.pem': 'export const CANARY = 1;\n',
      '.gitignore': '*.local.ts\n',
    });
    symlinkSync(fixture.getAbsolutePath('real.pem'), fixture.getAbsolutePath('src/innocent.ts'));
    const { document } = await fixture.openFile('src/main.ts');
    const readSnippets = (): readonly ContextSnippet[] => fixture.listSnippets(document);
    const libImport = { kind: 'import', path: 'completion/src/lib.ts' } as const;
    assert.deepEqual(await waitUntilRead(readSnippets, (value) => value.length > 0), [
      { ...libImport, text: 'export function open(id: string): void' },
    ]);
    const libraryEditor = await fixture.openFile('src/lib.ts');
    await appendText(libraryEditor.document, 'export function close(id: string): void {}\n');
    // The extension reads imports while the cursor is idle, possibly before the event of the edit arrives. The test
    // therefore moves the cursor again.
    const currentSnippets = await eventually(async (timeout) => {
      const editor = await fixture.openFile('src/main.ts');
      const line = editor.selection.active.line === 0 ? 1 : 0;
      editor.selection = new vscode.Selection(line, 0, line, 0);
      const hasImport = (snippets: readonly ContextSnippet[]): boolean =>
        snippets.some(({ kind }) => kind === 'import');
      return waitUntilRead(readSnippets, hasImport, timeout);
    });
    assert.match(
      currentSnippets.find(({ kind }) => kind === 'import')?.text ?? '',
      /function close/,
    );
    assert.ok(!currentSnippets.some(({ text }) => text.includes('CANARY')));
  });

  test('release every listener on disposal', async () => {
    using listenerCounter = createListenerCounter();
    const fixture = new CompletionContextFixture({ 'a.ts': 'a' });
    await fixture.openFile('a.ts');
    assert.ok(listenerCounter.count() > 10, String(listenerCounter.count()));
    await fixture[Symbol.asyncDispose]();
    assert.equal(listenerCounter.count(), 0);
  });
});

/** Counts the VS Code listeners that are registered from now on and not disposed. */
function createListenerCounter(): Disposable & { readonly count: () => number } {
  let count = 0;
  const undoSteps: (() => void)[] = [];
  for (const owner of [vscode.workspace, vscode.window]) {
    for (const [name, originalProperty] of Object.entries(
      Object.getOwnPropertyDescriptors(owner),
    )) {
      const value: unknown = Reflect.get(owner, name);
      if (!/^onDid|^createFileSystemWatcher$/u.test(name) || typeof value !== 'function') continue;
      const register = (...args: unknown[]): unknown => {
        const registration = Reflect.apply(value, owner, args) as vscode.Disposable;
        count += 1;
        return new Proxy(registration, {
          get: (target, key) => {
            if (key === 'dispose') count -= 1;
            const member: unknown = Reflect.get(target, key, target);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
      };
      Object.defineProperty(owner, name, { configurable: true, get: () => register });
      undoSteps.push(() => Object.defineProperty(owner, name, originalProperty));
    }
  }
  return {
    count: () => count,
    [Symbol.dispose]: () => undoSteps.forEach((undoStep) => undoStep()),
  };
}
