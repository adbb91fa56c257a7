import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import {
  notebookStyles,
  createSampleCells,
  toSource,
  writeNotebook,
} from '../../src/agent/edit/notebook.fixture.ts';
import type { Tool, ToolArguments, ToolContext } from '../../src/agent/tool.ts';
import { createEditTools, createReadTools } from '../../src/agent/tools/vscode/workspace-tools.ts';
import type { TextChange } from '../../src/workspace/remote-reference.ts';
import { TextDigests } from '../../src/workspace/vscode/file-text.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import { eventually, waitUntil } from '../support/eventually.ts';
import { disableAutoSave } from './auto-save.ts';
import { createLineLog } from './account-fixture.ts';
import { expectToolError } from './edits-fixture.ts';
import { ReviewFixture } from './review-fixture.ts';

/** Workspace folder with a notebook, and the tools of an agent. Changes by the tools are recorded. */
class NotebookFixture implements AsyncDisposable {
  readonly review: ReviewFixture;
  readonly #tools: readonly Tool[];

  private constructor(review: ReviewFixture) {
    this.review = review;
    const paths = new WorkspacePaths({
      folders: () => vscode.workspace.workspaceFolders ?? [],
      isTrusted: () => true,
      forbiddenFolders: [],
    });
    const versions = new TextDigests();
    this.#tools = [
      ...createReadTools({ paths, versions, log: createLineLog(() => {}) }),
      ...createEditTools({ paths, versions, changes: review.changes.turns }),
    ];
  }

  static async create(text: string): Promise<NotebookFixture> {
    return new NotebookFixture(await ReviewFixture.create({ 'n.ipynb': text }));
  }

  get uri(): vscode.Uri {
    return this.review.getUri('n.ipynb');
  }

  readFileText(): Promise<string> {
    return readFile(this.uri.fsPath, 'utf8');
  }

  async readJson(): Promise<{ cells: Record<string, unknown>[] }> {
    return JSON.parse(await this.readFileText());
  }

  readNotebook(): Promise<string> {
    return this.callTool('read_file', {});
  }

  editCell(cell: string | undefined, search: string, replace: string): Promise<string> {
    const edits = [{ search, replace }];
    return this.callTool('edit_file', cell === undefined ? { edits } : { cell, edits });
  }

  changeCells(...changes: { [name: string]: string }[]): Promise<string> {
    return this.callTool('edit_cells', { changes });
  }

  /** Plans a change of cells. Resolves with the texts before and after it, which the permission rules check. */
  async planCellChange(change: { [name: string]: string }): Promise<TextChange | undefined> {
    const tool = this.#tools.find(({ name }) => name === 'edit_cells');
    const args = { path: this.uri.fsPath, changes: [change] };
    const plan = await tool?.plan(args, { ...this.review.turn } as never);
    const [resource] = plan?.resources ?? [];
    return resource?.type === 'path' ? resource.change : undefined;
  }

  async callTool(name: string, args: ToolArguments, path = this.uri.fsPath): Promise<string> {
    const tool = this.#tools.find((tool) => tool.name === name);
    const context: ToolContext = {
      ...this.review.turn,
      messageId: 'm1',
      callId: 'call-1',
      signal: new AbortController().signal,
      supportsVision: false,
    };
    const allArguments = { path, ...args };
    const plan = await tool?.plan(allArguments, context);
    assert.deepEqual(
      plan?.resources.map((resource) => resource.type === 'path' && resource.path),
      [path],
    );
    return (await tool?.run(allArguments, context))?.output ?? '';
  }

  async openNotebook(): Promise<vscode.NotebookDocument> {
    const notebook = await vscode.workspace.openNotebookDocument(this.uri);
    await vscode.window.showNotebookDocument(notebook);
    return notebook;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const notebook of vscode.workspace.notebookDocuments) await notebook.save();
    await this.review[Symbol.asyncDispose]();
  }
}

/** Types at the start of a cell without saving. If VS Code loads the notebook again in the meantime, types again. */
async function typeInto({ notebook, index }: vscode.NotebookCell, text: string): Promise<void> {
  await eventually(async () => {
    const { document } = notebook.cellAt(index);
    if (!document.getText().startsWith(text)) {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), text);
      assert.ok(await vscode.workspace.applyEdit(edit));
    }
    // VS Code tells extensions after the edit that a notebook has unsaved changes.
    assert.ok(notebook.isDirty);
  });
}

/** Blocks the extension host for a while whenever a document changes and then has unsaved changes. */
class DirtyDocumentDelay implements Disposable {
  /** Longer than VS Code waits before it opens an editor for a document with unsaved changes. */
  readonly #delayMs = 3_000;
  readonly #listener: vscode.Disposable;

  constructor(uri: vscode.Uri) {
    this.#listener = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.uri.toString() === uri.toString() && document.isDirty)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.#delayMs);
    });
  }

  [Symbol.dispose](): void {
    this.#listener.dispose();
  }
}

const isOpenAsNotebook = ({ uri }: NotebookFixture): boolean =>
  vscode.workspace.notebookDocuments.some((notebook) => notebook.uri.toString() === uri.toString());

const listCellSources = (notebook: vscode.NotebookDocument): string[] =>
  notebook.getCells().map(({ document }) => document.getText());

/**
 * Selects the cell if one is given, and runs Undo once. Waits until the cells of the notebook have the given sources.
 */
async function undoUntil(
  notebook: vscode.NotebookDocument,
  { cell, expected }: { readonly cell?: number; readonly expected: readonly string[] },
): Promise<void> {
  const editor = await vscode.window.showNotebookDocument(notebook);
  if (cell !== undefined) {
    editor.selection = new vscode.NotebookRange(cell, cell + 1);
    await vscode.commands.executeCommand('notebook.cell.edit');
  }
  await vscode.commands.executeCommand('undo');
  await waitUntil(() => isDeepStrictEqual(listCellSources(notebook), expected));
}

suite('a notebook', () => {
  disableAutoSave();

  for (const style of notebookStyles.filter(({ name }) => !name.includes('one line'))) {
    test(`is edited by cell on disk, without a change to other bytes: ${style.name}`, async () => {
      const cells = createSampleCells(style);
      const notebookBefore = writeNotebook(style, cells);
      await using fixture = await NotebookFixture.create(notebookBefore);
      const output = await fixture.readNotebook();
      const id = style.minorVersion >= 5 ? 'area' : '#2';
      assert.match(output, new RegExp(`\\[cell ${id}: code, python\\]\\n\\d+\\timport math`, 'u'));
      assert.ok(!output.includes('iVBOR'));
      const report = await fixture.editCell(id, 'return math.pi * r ** 2', 'return r * "ä"');
      assert.match(report, new RegExp(`^Changed .*n\\.ipynb, cell ${id}: line 4\\.$`, 'u'));
      const source = 'import math\n\ndef area(r):\n\treturn r * "ä"\nprint(area(1))';
      const changedCells = cells.with(1, { ...cells[1], source: toSource(source, style) });
      assert.equal(await fixture.readFileText(), writeNotebook(style, changedCells));
      const lastCellId = style.minorVersion >= 5 ? 'twice' : '#4';
      await fixture.changeCells({ action: 'delete', cell: lastCellId });
      assert.equal(await fixture.readFileText(), writeNotebook(style, changedCells.slice(0, 3)));
      assert.equal(await fixture.review.decideTurn('undo'), undefined);
      assert.equal(await fixture.readFileText(), notebookBefore);
      assert.equal(await fixture.review.decideTurn('redo'), undefined);
      assert.equal(await fixture.readFileText(), writeNotebook(style, changedCells.slice(0, 3)));
    });
  }

  test('that is closed stays closed while it is edited and the edit is undone, even if VS Code is slow', async () => {
    const [style] = notebookStyles;
    const cells = createSampleCells(style!);
    await using fixture = await NotebookFixture.create(writeNotebook(style!, cells));
    using _delay = new DirtyDocumentDelay(fixture.uri);
    let createdFileCount = 0;
    const createListener = vscode.workspace.onDidCreateFiles(() => (createdFileCount += 1));
    try {
      await fixture.editCell('area', 'return math.pi * r ** 2', 'return r');
      await fixture.changeCells({ action: 'delete', cell: 'twice' });
      const editedText = await fixture.readFileText();
      assert.equal(await fixture.review.decideTurn('undo'), undefined);
      assert.equal(await fixture.readFileText(), writeNotebook(style!, cells));
      assert.equal(await fixture.review.decideTurn('redo'), undefined);
      assert.equal(await fixture.readFileText(), editedText);
      // VS Code would delete a created file if the user undid the restore in the editor.
      assert.equal(createdFileCount, 0);
    } finally {
      createListener.dispose();
    }
    assert.ok(!isOpenAsNotebook(fixture));
    const source = 'import math\n\ndef area(r):\n\treturn r\nprint(area(1))';
    const changedCells = cells.with(1, { ...cells[1], source: toSource(source, style!) });
    assert.equal(await fixture.readFileText(), writeNotebook(style!, changedCells.slice(0, 3)));
  });

  const jupyterStyle = notebookStyles[0]!;
  const sampleJson = writeNotebook(jupyterStyle, createSampleCells(jupyterStyle));

  test('that is closed stays closed when an undo keeps later changes of the user to other lines', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    await fixture.editCell('area', 'print(area(1))', 'print(area(2))');
    await fixture.review.writeFile(
      'n.ipynb',
      (await fixture.readFileText()).replace('"version": "3.12"', '"version": "3.13"'),
    );
    using _delay = new DirtyDocumentDelay(fixture.uri);
    assert.equal(await fixture.review.decideTurn('undo'), undefined);
    assert.equal(await fixture.readFileText(), sampleJson.replace('3.12', '3.13'));
    assert.ok(!isOpenAsNotebook(fixture));
  });

  for (const isOpen of [false, true])
    test(`that ${isOpen ? 'a notebook editor shows' : 'is closed'} loses the changes of a rejected turn, except lines that the user changed`, async () => {
      await using fixture = await NotebookFixture.create(sampleJson);
      await fixture.editCell('area', 'print(area(1))', 'print(area(2))');
      await fixture.editCell('twice', 'x = 1\nx = 1', 'x = 1\nx = 2');
      await fixture.review.writeFile(
        'n.ipynb',
        (await fixture.readFileText()).replace('print(area(2))', 'print(area(3))'),
      );
      if (isOpen) await fixture.openNotebook();
      using _delay = new DirtyDocumentDelay(fixture.uri);
      const report = await fixture.review.decideTurn('reject');
      assert.match(report ?? '', /n\.ipynb \(1 of 2 changes\)/u);
      assert.equal(
        await fixture.readFileText(),
        sampleJson.replace('print(area(1))', 'print(area(3))'),
      );
      assert.equal(isOpenAsNotebook(fixture), isOpen);
    });

  test('with unsaved changes in a notebook editor is not changed when its turn is rejected', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    await fixture.editCell('area', 'print(area(1))', 'print(area(2))');
    const textBefore = await fixture.readFileText();
    const notebook = await fixture.openNotebook();
    await typeInto(notebook.cellAt(0), 'unsaved ');
    assert.match((await fixture.review.decideTurn('reject')) ?? '', /n\.ipynb/u);
    assert.equal(await fixture.readFileText(), textBefore);
    assert.match(notebook.cellAt(0).document.getText(), /^unsaved /u);
  });

  test('that is closed keeps its encoding when an undo keeps later changes, and when a turn is rejected', async () => {
    for (const decision of ['undo', 'reject'] as const) {
      await using fixture = await NotebookFixture.create('');
      const writeText = (text: string): Thenable<void> =>
        fixture.review.writeFile('n.ipynb', Buffer.from(`\uFEFF${text}`, 'utf16le'));
      const readText = async (): Promise<string> =>
        (await readFile(fixture.uri.fsPath)).toString('utf16le').slice(1);
      await writeText(sampleJson);
      await fixture.editCell('area', 'print(area(1))', 'print(area(2))');
      await fixture.editCell('twice', 'x = 1\nx = 1', 'x = 1\nx = 2');
      const editedLine = decision === 'undo' ? '"version": "3.12"' : 'print(area(2))';
      await writeText((await readText()).replace(editedLine, editedLine.replace('2', '3')));
      await fixture.review.decideTurn(decision);
      const keptLine = decision === 'undo' ? editedLine : 'print(area(1))';
      assert.equal(await readText(), sampleJson.replace(keptLine, editedLine.replace('2', '3')));
    }
  });

  for (const decision of ['undo', 'reject'] as const)
    test(`whose path another notebook took is restored on ${decision}`, async () => {
      const files = { 'a.ipynb': sampleJson, 'b.ipynb': sampleJson.replace('3.12', '3.13') };
      for (const isDeleted of [false, true]) {
        await using review = await ReviewFixture.create(files);
        await chmod(review.getUri('b.ipynb').fsPath, 0o600);
        if (isDeleted) await review.deleteFile('b.ipynb');
        else await review.renameFile('b.ipynb', 'c.ipynb');
        await review.renameFile('a.ipynb', 'b.ipynb');
        assert.equal(await review.decideTurn(decision), undefined);
        assert.deepEqual(
          Object.values(await review.readFiles()).map(
            (text) => /"version": "(.*)"/u.exec(text)?.[1],
          ),
          ['3.12', '3.13'],
        );
        assert.deepEqual(Object.keys(await review.readFiles()), ['a.ipynb', 'b.ipynb']);
        const { mode } = await stat(review.getUri('b.ipynb').fsPath);
        assert.equal(mode & 0o077, 0);
      }
    });

  test('that an editor shows is edited in the editor, keeps its outputs, and is restored by one undo', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const notebook = await fixture.openNotebook();
    await fixture.editCell('area', 'print(area(1))', 'print(area(2))');
    assert.match(listCellSources(notebook)[1] ?? '', /print\(area\(2\)\)$/u);
    assert.equal(notebook.isDirty, false);
    const { cells } = await fixture.readJson();
    const [, originalCell] = createSampleCells(jupyterStyle);
    assert.deepEqual(cells[1]?.['outputs'], originalCell?.['outputs']);
    assert.deepEqual(
      cells.map(({ id }) => id),
      ['intro', 'area', 'empty', 'twice'],
    );
    const editedSources = listCellSources(notebook);
    await fixture.editCell('twice', 'x = 1\nx = 1', 'x = 1\nx = 2');
    await undoUntil(notebook, { cell: 3, expected: editedSources });
  });

  test('is returned to the model with the errors that an edit or a new cell causes', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    await fixture.openNotebook();
    const collection = vscode.languages.createDiagnosticCollection('cells');
    const publishDiagnostics = (document: vscode.TextDocument): void => {
      const offset = document.getText().indexOf('bad');
      if (document.uri.scheme !== 'vscode-notebook-cell') return;
      const start = document.positionAt(Math.max(0, offset));
      const range = new vscode.Range(start, start);
      collection.set(document.uri, offset < 0 ? [] : [new vscode.Diagnostic(range, 'Found bad')]);
    };
    const listeners = [
      vscode.workspace.onDidOpenTextDocument(publishDiagnostics),
      vscode.workspace.onDidChangeTextDocument(({ document }) => publishDiagnostics(document)),
    ];
    try {
      const editOutput = await fixture.editCell('area', 'print(area(1))', 'x = 1\nprint(bad)');
      assert.match(
        editOutput,
        /\nNew errors in [^\n]*n\.ipynb, cell area after this change:\n\d+:7 error: Found bad$/u,
      );
      const change = { action: 'insert', cell: 'area', type: 'code', source: 'bad = 1' };
      const insertOutput = await fixture.changeCells(change);
      assert.match(
        insertOutput,
        /\nNew errors in [^\n]*n\.ipynb, cell \S+ after this change:\n1:1 error: Found bad$/u,
      );
    } finally {
      for (const listener of listeners) listener.dispose();
      collection.dispose();
    }
  });

  test('that an editor shows can gain, lose and convert cells, and one undo reverts the changes', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const notebook = await fixture.openNotebook();
    const sourcesBefore = listCellSources(notebook);
    const report = await fixture.changeCells(
      { action: 'insert', cell: 'intro', type: 'code', source: 'a\nb' },
      { action: 'insert', cell: 'intro', type: 'markdown', source: '# B' },
      { action: 'delete', cell: 'empty' },
      { action: 'retype', cell: 'twice', type: 'markdown' },
      { action: 'insert', cell: 'intro', position: 'before', type: 'raw', source: 'top' },
    );
    assert.equal(notebook.isDirty, false);
    const { cells } = await fixture.readJson();
    assert.deepEqual(
      cells.map((cell) => [cell['cell_type'], cell['source']]),
      [
        ['raw', ['top']],
        ['markdown', createSampleCells(jupyterStyle)[0]?.['source']],
        ['code', ['a\n', 'b']],
        ['markdown', ['# B']],
        ['code', createSampleCells(jupyterStyle)[1]?.['source']],
        ['markdown', ['x = 1\n', 'x = 1\n']],
      ],
    );
    const ids = cells.map(({ id }) => String(id));
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual([ids[1], ids[4], ids[5]], ['intro', 'area', 'twice']);
    assert.match(
      report,
      /it has 6 cells now\.\nNew: \w+ \(raw\), \w+ \(code\), \w+ \(markdown\)\./u,
    );
    assert.ok(report.includes(ids[2] ?? '-'));
    await undoUntil(notebook, { expected: sourcesBefore });
  });

  test('keeps unsaved changes of the user when the turn is undone', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const notebook = await fixture.openNotebook();
    await typeInto(notebook.cellAt(3), '# mine\n');
    assert.match(await fixture.readNotebook(), /\[cell twice: code, python\]\n\d+\t# mine/u);
    await fixture.editCell('area', 'area(1)', 'area(2)');
    assert.deepEqual((await fixture.readJson()).cells[3]?.['source'], [
      '# mine\n',
      'x = 1\n',
      'x = 1\n',
    ]);
    assert.equal(await fixture.review.decideTurn('undo'), undefined);
    const { cells } = await fixture.readJson();
    assert.deepEqual(cells[1]?.['source'], createSampleCells(jupyterStyle)[1]?.['source']);
    assert.deepEqual(cells[3]?.['source'], ['# mine\n', 'x = 1\n', 'x = 1\n']);
    await typeInto(notebook.cellAt(0), 'unsaved ');
    const refusal = (await fixture.review.decideTurn('redo')) ?? '';
    assert.match(refusal, /n\.ipynb/u);
    assert.match(notebook.cellAt(0).document.getText(), /^unsaved /u);
    assert.deepEqual((await fixture.readJson()).cells, cells);
  });

  test('stays unchanged if the cell does not exist or the call is invalid', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    await expectToolError('not-found', fixture.editCell('gone', 'a', 'b'));
    const otherCellError = await expectToolError(
      'not-found',
      fixture.editCell('intro', 'import math', 'x'),
    );
    assert.match(otherCellError, /n\.ipynb, cell intro was not changed/u);
    await expectToolError('ambiguous', fixture.editCell('twice', 'x = 1', 'y = 1'));
    await expectToolError(
      'bad-arguments',
      fixture.editCell('area', 'import math', '# ... existing code ...'),
    );
    await expectToolError(
      'bad-arguments',
      fixture.changeCells({ action: 'insert', cell: 'intro' }),
    );
    await expectToolError('not-found', fixture.changeCells({ action: 'delete', cell: 'gone' }));
    assert.equal(await fixture.readFileText(), sampleJson);
  });

  test('rejects a text edit that changes a cell, and the call that the error message suggests succeeds', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const invalidJsonError = await expectToolError(
      'bad-arguments',
      fixture.editCell(undefined, 'import math', 'import "math"'),
    );
    assert.match(invalidJsonError, /no longer be a valid notebook\. Set "cell" to "area"/u);
    const textEditError = await expectToolError(
      'bad-arguments',
      fixture.editCell(undefined, 'import math', 'import cmath'),
    );
    assert.match(
      textEditError,
      /n\.ipynb was not changed\. Notebooks are edited by cell\. Set "cell" to "area"/u,
    );
    const lines = ['import math\n\n', 'import cmath\n\n'] as const;
    const severalLinesError = await expectToolError(
      'not-found',
      fixture.editCell(undefined, ...lines),
    );
    assert.match(severalLinesError, /\n\nSet "cell" to "area" to edit the text of this cell\.$/u);
    const cellTypeError = await expectToolError(
      'bad-arguments',
      fixture.editCell(undefined, '"cell_type": "raw"', '"cell_type": "markdown"'),
    );
    assert.match(cellTypeError, /or use edit_cells to insert, delete or retype cells\.$/u);
    const output = await expectToolError(
      'bad-arguments',
      fixture.editCell(undefined, '"output_type": "stream"', '"output_type": "display_data"'),
    );
    assert.match(output, /n\.ipynb was not changed\. Notebooks are edited by cell\./u);
    assert.equal(await fixture.readFileText(), sampleJson);
    await fixture.editCell('area', 'import math', 'import cmath');
    await fixture.editCell(undefined, '"version": "3.12"', '"version": "3.13"');
    assert.equal(
      await fixture.readFileText(),
      sampleJson.replace('import math', 'import cmath').replace('3.12', '3.13'),
    );
    await fixture.openNotebook();
    const openNotebookError = await expectToolError(
      'failed',
      fixture.editCell(undefined, '3.13', '3.14'),
    );
    assert.match(openNotebookError, /open as a notebook\. Set "cell"/u);
  });

  test('gains no cell with a placeholder for omitted code, and the error names the line', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const insertCell = (type: string, source: string): Promise<string> =>
      fixture.changeCells({ action: 'insert', cell: 'area', type, source });
    const message = await expectToolError(
      'bad-arguments',
      insertCell('code', 'import math\n# ... rest of the code ...'),
    );
    assert.match(
      message,
      /n\.ipynb was not changed\. Change 1: Line 2 is a placeholder for omitted lines: "# \.\.\. rest of the code \.\.\."\./u,
    );
    await expectToolError('bad-arguments', insertCell('code', 'a()\n...\nb()'));
    await expectToolError(
      'bad-arguments',
      insertCell('markdown', '<!-- ... existing text ... -->'),
    );
    assert.equal(await fixture.readFileText(), sampleJson);
    await insertCell('code', 'class A:\n    ...');
    await insertCell('markdown', 'Use:\n\n```py\n# ... existing code ...\n```');
    assert.equal((await fixture.readJson()).cells.length, JSON.parse(sampleJson).cells.length + 2);
  });

  test('is changed with the Markdown cells for the permission rules, also if a code cell becomes Markdown', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    await fixture.readNotebook();
    const retypeChange = { action: 'retype', cell: 'twice', type: 'markdown' };
    const { cells } = (await fixture.planCellChange(retypeChange)) ?? {};
    assert.equal(cells?.after.length, (cells?.before.length ?? 0) + 1);
    assert.ok(cells.after.includes('x = 1\nx = 1\n'));
    const code = { action: 'insert', cell: 'twice', type: 'code', source: '![a](//e.test)' };
    const codeChange = await fixture.planCellChange(code);
    assert.deepEqual(codeChange?.cells?.after, codeChange?.cells?.before);
  });

  for (const isOpen of [false, true])
    test(`that ${isOpen ? 'an editor shows' : 'is closed'} gains only one of two equal cells that one call inserts at one position`, async () => {
      await using fixture = await NotebookFixture.create(sampleJson);
      if (isOpen) await fixture.openNotebook();
      const [, secondId, thirdId] = (await fixture.readJson()).cells.map(({ id }) => String(id));
      assert.ok(secondId !== undefined && thirdId !== undefined);
      const insertion = { action: 'insert', type: 'code', source: 'repeated = 1' };
      const output = await fixture.changeCells(
        { ...insertion, cell: secondId },
        { ...insertion, cell: thirdId, position: 'before' },
        { ...insertion, cell: thirdId },
      );
      assert.match(output, /A cell that repeats the one before it was left out\./u);
      const { cells } = await fixture.readJson();
      const addedIndexes = cells.flatMap(({ source }, index) =>
        [source].flat().join('') === 'repeated = 1' ? [index] : [],
      );
      assert.deepEqual(addedIndexes, [2, 4]);
    });

  test('must be read again before the model can delete a cell that changed since the last read', async () => {
    const olderStyle = { ...jupyterStyle, minorVersion: 4 };
    await using fixture = await NotebookFixture.create(
      writeNotebook(olderStyle, createSampleCells(olderStyle)),
    );
    await fixture.readNotebook();
    await fixture.changeCells({ action: 'delete', cell: '#1' });
    const staleChangePromise = fixture.changeCells({ action: 'delete', cell: '#2' });
    assert.match(await expectToolError('changed', staleChangePromise), /Read it again/u);
    await fixture.readNotebook();
    await fixture.changeCells({ action: 'delete', cell: '#2' });
    assert.equal((await fixture.readJson()).cells.length, 2);
  });

  test('that is malformed is rejected with a reason, but can be edited as text', async () => {
    const malformedJson = sampleJson.replace('"nbformat": 4,', '"nbformat": 4,,');
    await using fixture = await NotebookFixture.create(malformedJson);
    assert.match(await fixture.readNotebook(), /shown as text: it is not valid JSON\.\]$/u);
    const message = await expectToolError('failed', fixture.editCell('area', 'area(1)', 'area(2)'));
    assert.match(
      message,
      /by cell, because it is not valid JSON\. Edit it with edit_file as text/u,
    );
    await expectToolError('failed', fixture.changeCells({ action: 'delete', cell: 'area' }));
    await fixture.editCell(undefined, '"nbformat": 4,,', '"nbformat": 4,');
    assert.equal(await fixture.readFileText(), sampleJson);
  });

  test('outside the workspace does not reveal its text to the model', async () => {
    await using fixture = await NotebookFixture.create(sampleJson);
    const path = join(fixture.review.outsideFolder, 'n.ipynb');
    writeFileSync(path, sampleJson);
    const edits = [{ search: 'print(area(1)) ', replace: 'x' }];
    const inexactEditPromise = fixture.callTool('edit_file', { cell: 'area', edits }, path);
    assert.ok(!(await expectToolError('not-found', inexactEditPromise)).includes('math.pi'));
    const changes = [{ action: 'delete', cell: 'gone' }];
    const message = await expectToolError(
      'not-found',
      fixture.callTool('edit_cells', { changes }, path),
    );
    assert.ok(!message.includes('intro'));
    assert.equal(await readFile(path, 'utf8'), sampleJson);
    await fixture.callTool('edit_cells', { changes: [{ action: 'delete', cell: 'area' }] }, path);
    assert.equal(JSON.parse(await readFile(path, 'utf8')).cells.length, 3);
  });
});
