import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setup, suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createCodeActions } from '../../src/editor/vscode/code-actions.ts';
import { askAboutCode } from '../../src/chat/vscode/ask-about-code.ts';
import { CommitMessages } from '../../src/editor/vscode/commit-messages.ts';
import type { InlineEdit, RefusedEdit } from '../../src/editor/vscode/inline-edit.ts';
import { InlineEdits } from '../../src/editor/vscode/inline-edits.ts';
import { ChangeReviews } from '../../src/editor/vscode/review-changes.ts';
import { getGitApi } from '../../src/platform/git.ts';
import { runEditCommand, showEditResult } from '../../src/editor/vscode/edit-command.ts';
import { Control } from '../service/control.ts';
import { eventually, waitUntil } from '../support/eventually.ts';
import { Dialogs } from './account-fixture.ts';
import { disableAutoSave } from './auto-save.ts';
import { createChatFixture } from './chat-fixture.ts';
import { EditedLines } from '../../src/editor/vscode/edited-lines.ts';
import { EditorFixture, waitForState, waitForEdit } from './editor-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const tideLines = [
  'const before = 1;',
  'function tide() {',
  '  return 1;',
  '}',
  'const after = 2;',
  '',
];
const floodText = 'function flood() {\n  return 2;\n}';
const floodedLines = [
  'const before = 1;',
  'function flood() {',
  '  return 2;',
  '}',
  'const after = 2;',
  '',
];

suite('an inline edit', () => {
  setup(() => control.reset());

  test('replaces the selected lines, and one undo restores them', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({ steps: [{ content: floodText }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    assert.deepEqual(await resultPromise, { kind: 'changed' });
    assert.deepEqual(fixture.lines, floodedLines);
    assert.deepEqual(await fixture.readLensTitles(), ['1 Accept', '1 Reject', '1 Retry']);
    await edit.accept();
    assert.equal(edit.state, 'completed');
    assert.deepEqual(await fixture.readLensTitles(), []);
    await fixture.undoLastChange();
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('sends the selected lines, the surrounding lines and the instruction', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({ steps: [{ content: floodText }] });
    await (
      await fixture.startEdit(1, 4)
    ).resultPromise;
    const sentRequest = (await control.getRequests()).find(({ path }) =>
      path.endsWith('/chat/completions'),
    );
    const body = JSON.stringify(sentRequest?.body);
    for (const part of ['<lines>', 'const before = 1;', 'const after = 2;', 'Change it'])
      assert.ok(body.includes(part), part);
  });

  test('streams lines into the document, and Reject restores the original lines', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    assert.deepEqual(await fixture.readLensTitles(), ['1 Editing… Stop']);
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    assert.deepEqual(fixture.lines, floodedLines);
    assert.equal(await edit.reject(), true);
    assert.deepEqual(fixture.lines, tideLines);
    assert.equal(edit.state, 'completed');
  });

  test('keeps text that the user types around the edited lines, even if the edit is undone', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    await fixture.type(0, 0, '// high\n');
    await fixture.type(5, 5, ' late');
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    const prefixLines = ['// high', 'const before = 1;'];
    const suffixLines = ['const late after = 2;', ''];
    assert.deepEqual(fixture.lines, [...prefixLines, ...floodedLines.slice(1, 4), ...suffixLines]);
    await edit.accept();
    await fixture.undoLastChange();
    assert.deepEqual(fixture.lines, [...prefixLines, ...tideLines.slice(1, 4), ...suffixLines]);
  });

  test('stops when the user types in lines of the answer, keeps the text, and can still be rejected', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    using dialogs = new Dialogs();
    const { edit, resultPromise } = await startPausedEdit(fixture, 'function flood() {\n');
    await fixture.type(1, 0, '/* mine */ ');
    assert.deepEqual(await resultPromise, { kind: 'incomplete' });
    assert.equal(fixture.lines[1], '/* mine */ function flood() {');
    assert.equal(edit.state, 'waiting');
    await showEditResult(edit, await resultPromise, fixture.edits);
    assert.deepEqual(dialogs.shownMessages, ['The answer is incomplete.']);
    await edit.reject();
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('ends if the user types in the selected lines before the answer appears, and keeps the typed text', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({ steps: [{ hold: 'more' }, { content: floodText }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await waitUntil(async () => (await control.getRequests()).length > 0);
    await fixture.type(1, 0, '/* mine */ ');
    assert.deepEqual(await resultPromise, { kind: 'stopped' });
    assert.equal(edit.state, 'completed');
    const typedLines = tideLines.with(1, '/* mine */ function tide() {');
    assert.deepEqual(fixture.lines, typedLines);
    assert.equal(await edit.reject(), true);
    assert.deepEqual(fixture.lines, typedLines);
  });

  test('keeps text that the user types in the restored lines, and can no longer be retried afterwards', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    await edit.stop();
    await fixture.type(2, 0, '  // mine\n');
    await waitForState(edit, 'completed');
    assert.deepEqual(await edit.retry(), { kind: 'lost' });
    assert.deepEqual(fixture.lines, tideLines.toSpliced(2, 0, '  // mine'));
  });

  test('does not overwrite text that the user types while lines of the answer are written', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const lines = new EditedLines(fixture.document, { start: 1, end: 4 });
    assert.equal(await lines.show(['function flood() {', ...tideLines.slice(2, 4)]), 'written');
    // VS Code applies the user's edit and rejects the extension's edit, which refers to the
    // previous document version.
    const typedEditPromise = fixture.type(1, 0, '/* mine */ ');
    const writtenLinesPromise = lines.show(['function flood() {', '  return 2;', '}']);
    await typedEditPromise;
    assert.equal(await writtenLinesPromise, 'touched');
    assert.equal(fixture.lines[1], '/* mine */ function flood() {');
    assert.ok(await lines.restore());
    assert.deepEqual(fixture.lines, tideLines);
    lines.dispose();
  });

  test('restores the original lines if the user stops it, and can then be retried', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit, resultPromise } = await startPausedEdit(fixture, 'function flood() {\n');
    await edit.stop();
    assert.deepEqual(await resultPromise, { kind: 'stopped' });
    assert.deepEqual(fixture.lines, tideLines);
    assert.equal(edit.state, 'stopped');
    assert.deepEqual(await fixture.readLensTitles(), ['1 Retry', '1 Discard']);
    await control.addScripts({ steps: [{ content: floodText }] });
    assert.deepEqual(await edit.retry(), { kind: 'changed' });
    assert.deepEqual(fixture.lines, floodedLines);
    await edit.reject();
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('writes nothing if the user accepts it or starts another edit before the answer is complete', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const earlyAcceptedEdit = await startPausedEdit(fixture, 'function flood() {\n');
    await earlyAcceptedEdit.edit.accept();
    assert.deepEqual(fixture.lines, tideLines);
    assert.equal(earlyAcceptedEdit.edit.state, 'completed');
    await control.reset();
    const replacedEdit = await startPausedEdit(fixture, 'function flood() {\n');
    await control.addScripts({ steps: [{ content: 'const after = 3;' }] });
    const { resultPromise } = await fixture.startEdit(4, 5);
    assert.deepEqual(await resultPromise, { kind: 'changed' });
    assert.equal(replacedEdit.edit.state, 'completed');
    assert.deepEqual(fixture.lines, tideLines.with(4, 'const after = 3;'));
  });

  test('restores the original lines if the service cuts off the answer, names the reason, and can be retried', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    using dialogs = new Dialogs();
    for (const finishReason of ['length', 'content_filter']) {
      await control.addScripts({
        steps: [
          { content: 'function flood() {\n' },
          { wait: 200 },
          { content: '  return 2;\n' },
          { wait: 200 },
          { content: '  // ... rest of code\n}\n' },
        ],
        finishReason,
      });
      const { edit, resultPromise } = await fixture.startEdit(1, 4);
      assert.partialDeepStrictEqual(await resultPromise, { kind: 'refused', reason: 'cut-off' });
      assert.deepEqual(fixture.lines, tideLines);
      assert.equal(edit.state, 'stopped');
      await showEditResult(edit, await resultPromise, fixture.edits);
      assert.equal(edit.state, 'completed');
    }
    assert.match(dialogs.shownMessages.join('\n'), /incomplete[^]*lines stay unchanged/u);
    await control.addScripts({ steps: [{ content: floodText }], finishReason: 'length' });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await resultPromise;
    await control.addScripts({ steps: [{ content: floodText }] });
    assert.deepEqual(await edit.retry(), { kind: 'changed' });
    assert.deepEqual(fixture.lines, floodedLines);
  });

  test('restores the original lines if a placeholder for omitted code follows lines that are already shown', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({
      steps: [
        { content: 'function flood() {\n' },
        { wait: 200 },
        { content: '  return 2;\n' },
        { hold: 'more' },
        { content: '  // ... rest of code\n}' },
      ],
    });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await waitForEdit(edit, () => fixture.lines.includes('function flood() {'));
    await control.releasePause('more');
    assert.partialDeepStrictEqual(await resultPromise, { kind: 'refused', reason: 'elision' });
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('ends when the user undoes a pending edit', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({ steps: [{ content: floodText }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await resultPromise;
    await fixture.undoLastChange();
    await waitForState(edit, 'completed');
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('continues when the user closes the editor of the document', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'x' }));
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    assert.deepEqual(fixture.lines, floodedLines);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('removes code fences and remarks from the model’s answer, and keeps indentation and line endings', async () => {
    await using fixture = await EditorFixture.open(['class A {\r', '    a() {}\r', '}\r', '']);
    await control.addScripts({
      steps: [{ content: 'Here is the method:\n\n```ts\na() {\n    return 1;\n}\n```\nDone.' }],
    });
    await (
      await fixture.startEdit(1, 2)
    ).resultPromise;
    assert.equal(
      fixture.document.getText(),
      'class A {\r\n    a() {\r\n        return 1;\r\n    }\r\n}\r\n',
    );
  });

  test('changes nothing if the answer is empty, identical to the selection, or rejected', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    for (const [content, expected] of [
      ['\n', { kind: 'nothing' }],
      ['I cannot do that for you.', { kind: 'refused', reason: 'prose' }],
      ['```ts\na();\n```\n\n```ts\nb();\n```', { kind: 'refused', reason: 'several-blocks' }],
      [
        'const <|mask|> = 1;',
        {
          kind: 'refused',
          reason: 'unclear',
          cause: { kind: 'tokens', rule: 'token of a chat template' },
        },
      ],
      [tideLines.slice(1, 4).join('\n'), { kind: 'unchanged' }],
    ] as const) {
      await control.addScripts({ steps: [{ content }] });
      const { edit, resultPromise } = await fixture.startEdit(1, 4);
      const isRefused = expected.kind === 'refused';
      assert.deepEqual(
        await resultPromise,
        isRefused ? { ...expected, answer: content } : expected,
      );
      assert.equal(edit.state, isRefused ? 'stopped' : 'completed');
      assert.deepEqual(fixture.lines, tideLines);
    }
  });

  test('restores the original lines after a failure of the network, shows the reason, and can be retried', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({
      steps: [
        { content: 'function flood() {\n' },
        { wait: 200 },
        { content: '  return 2;\n' },
        { hold: 'more' },
        { cut: 'reset' },
      ],
    });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await waitForEdit(edit, () => fixture.lines.includes('function flood() {'));
    await control.releasePause('more');
    const editResult = await resultPromise;
    assert.ok(editResult.kind === 'failed');
    assert.equal(editResult.outcome.failure.code, 'interrupted');
    assert.deepEqual(fixture.lines, tideLines);
    assert.equal(edit.state, 'stopped');
    await control.addScripts({ steps: [{ content: floodText }] });
    assert.deepEqual(await edit.retry(), { kind: 'changed' });
    assert.deepEqual(fixture.lines, floodedLines);
  });

  test('can change an untitled file and the last line of a file', async () => {
    await using fixture = await EditorFixture.open(['one();', 'two();']);
    await control.addScripts({ steps: [{ content: 'TWO();\nthree();' }] });
    await (
      await fixture.startEdit(1, 2)
    ).resultPromise;
    assert.deepEqual(fixture.lines, ['one();', 'TWO();', 'three();']);
    const document = await vscode.workspace.openTextDocument({
      content: 'one();',
      language: 'typescript',
    });
    await vscode.window.showTextDocument(document);
    await control.addScripts({ steps: [{ content: 'ONE();' }] });
    const editRequest = {
      document,
      span: { start: 0, end: 1 },
      problems: [],
      instruction: 'Shout',
    };
    assert.deepEqual(await (await fixture.edits.start(editRequest)).resultPromise, {
      kind: 'changed',
    });
    assert.equal(document.getText(), 'ONE();');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('does not send the text of a read-only file', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const uri = vscode.Uri.parse('git:/nothing.ts?{}');
    using dialogs = new Dialogs();
    const openTextDocument = vscode.workspace.openTextDocument.bind(vscode.workspace);
    Object.assign(vscode.workspace, {
      openTextDocument: async () => ({
        ...fixture.document,
        uri,
        validateRange: (range: unknown) => range,
        lineCount: 6,
        languageId: 'typescript',
        isUntitled: false,
      }),
    });
    try {
      const parts = { host: fixture.chat.host, edits: fixture.edits };
      await runEditCommand(parts, 'editInline', [uri, new vscode.Range(0, 0, 1, 0)]);
    } finally {
      Object.assign(vscode.workspace, { openTextDocument });
    }
    assert.match(dialogs.shownMessages[0] ?? '', /read-only/u);
    assert.deepEqual(await control.getRequests(), []);
  });
});

suite('a save during an inline edit', () => {
  setup(() => control.reset());
  disableAutoSave();

  const readFileLines = ({ document }: EditorFixture): string[] =>
    readFileSync(document.uri.fsPath, 'utf8').split('\n');

  test('stores the original lines, and the complete answer appears at the end', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    assert.ok(await fixture.document.save());
    assert.deepEqual(readFileLines(fixture), tideLines);
    assert.deepEqual(fixture.lines, tideLines);
    assert.deepEqual([edit.state, edit.answerLineCount], ['streaming', 0]);
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    assert.deepEqual(fixture.lines, floodedLines);
    assert.deepEqual(readFileLines(fixture), tideLines);
    await fixture.undoLastChange();
    assert.deepEqual(fixture.lines, tideLines);
    await waitForState(edit, 'completed');
  });

  test('keeps text that the user types around the edited lines', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    await fixture.type(0, 0, '// high\n');
    assert.ok(await fixture.document.save());
    assert.deepEqual(readFileLines(fixture), ['// high', ...tideLines]);
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    assert.deepEqual(fixture.lines, ['// high', ...floodedLines]);
  });

  test('stores the original lines even if the answer becomes complete during the save', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const lines = new EditedLines(fixture.document, { start: 1, end: 4 });
    const previewPromise = lines.show(['function flood() {', ...tideLines.slice(2, 4)]);
    const textAtSavePromise = lines.prepareSave().then(() => fixture.lines);
    const resultPromise = lines.finish(['function flood() {', '  return 2;', '}']);
    assert.deepEqual(await textAtSavePromise, tideLines);
    assert.deepEqual([await previewPromise, await resultPromise], ['written', 'written']);
    assert.deepEqual(fixture.lines, floodedLines);
    await fixture.undoLastChange();
    assert.deepEqual(fixture.lines, tideLines);
    lines.dispose();
  });

  test('does not change lines that the user typed in', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { resultPromise } = await startPausedEdit(fixture, 'function flood() {\n');
    await fixture.type(1, 0, '/* mine */ ');
    assert.deepEqual(await resultPromise, { kind: 'incomplete' });
    assert.ok(await fixture.document.save());
    assert.deepEqual(readFileLines(fixture), fixture.lines);
    assert.equal(fixture.lines[1], '/* mine */ function flood() {');
  });

  test('stores pending lines of a complete answer', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.addScripts({ steps: [{ content: floodText }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    await resultPromise;
    assert.ok(await fixture.document.save());
    assert.equal(edit.state, 'waiting');
    assert.deepEqual(readFileLines(fixture), floodedLines);
  });

  test('stores no line of an unfinished answer if VS Code saves automatically', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await using _settings = await changeSettings({
      'files.autoSave': 'afterDelay',
      'files.autoSaveDelay': 50,
    });
    const savedLines: string[][] = [];
    using _subscription = toDisposable(
      vscode.workspace.onDidSaveTextDocument(() => savedLines.push(readFileLines(fixture))),
    );
    const { edit } = await startPausedEdit(fixture, 'function flood() {\n');
    await waitUntil(() => savedLines.length > 0 && !fixture.document.isDirty);
    assert.deepEqual(fixture.lines, tideLines);
    for (const lines of savedLines) assert.deepEqual(lines, tideLines);
    await control.releasePause('more');
    await waitForState(edit, 'waiting');
    await waitUntil(() => !fixture.document.isDirty);
    assert.deepEqual(readFileLines(fixture), floodedLines);
  });

  test('stores no line of an unfinished answer if a formatter changes other lines during the save', async () => {
    await using fixture = await EditorFixture.open(tideLines, 'tide.txt');
    await using _settings = await changeSettings({ 'editor.formatOnSave': true });
    using _formatter = toDisposable(
      vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/tide.txt' },
        {
          provideDocumentFormattingEdits: (document) =>
            [...document.getText().matchAll(/const before/gu)].map(({ index, 0: text }) =>
              vscode.TextEdit.insert(document.positionAt(index + text.length), '/* formatted */'),
            ),
        },
      ),
    );
    await startPausedEdit(fixture, 'function flood() {\n');
    assert.ok(await fixture.document.save());
    assert.deepEqual(readFileLines(fixture), tideLines.with(0, 'const before/* formatted */ = 1;'));
  });

  /** Opens a notebook in an editor. Its only cell contains the lines. */
  async function openNotebook(
    fixture: EditorFixture,
    lines: readonly string[],
  ): Promise<{ notebook: vscode.NotebookDocument; document: vscode.TextDocument }> {
    const uri = vscode.Uri.joinPath(fixture.document.uri, '..', 'tides.ipynb');
    const cell = { cell_type: 'code', source: lines.join('\n'), metadata: {}, outputs: [] };
    const content = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 2 };
    writeFileSync(uri.fsPath, JSON.stringify(content));
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    await vscode.window.showNotebookDocument(notebook);
    const { document } = notebook.cellAt(0);
    await waitUntil(() =>
      vscode.window.visibleTextEditors.some((editor) => editor.document === document),
    );
    return { notebook, document };
  }

  test('stores the original text of a notebook cell', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { notebook, document } = await openNotebook(fixture, tideLines);
    const text = document.getText();
    await control.addScripts({
      steps: [
        { content: 'function flood() {\n' },
        { wait: 200 },
        { content: '  return 2;\n' },
        { hold: 'more' },
      ],
    });
    const span = { start: 1, end: 4 };
    const { edit } = await fixture.edits.start({
      ...{ document, span },
      problems: [],
      instruction: 'Rename',
    });
    await waitForEdit(edit, () => document.getText() !== text);
    assert.ok(await notebook.save());
    assert.equal(document.getText(), text);
    assert.ok(!readFileSync(notebook.uri.fsPath, 'utf8').includes('flood'));
    await edit.reject();
  });

  test('still shows lines in a notebook cell that arrive after the save', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { notebook, document } = await openNotebook(fixture, tideLines);
    await control.addScripts({
      steps: [
        { hold: 'first line' },
        { content: 'function flood() {\n' },
        { wait: 200 },
        { content: '  return 2;\n' },
        { hold: 'more' },
      ],
    });
    const { edit } = await fixture.edits.start({
      ...{ document, span: { start: 1, end: 4 } },
      problems: [],
      instruction: 'Rename',
    });
    const workspaceEdit = new vscode.WorkspaceEdit();
    workspaceEdit.insert(document.uri, new vscode.Position(0, 0), '// high\n');
    assert.ok(await vscode.workspace.applyEdit(workspaceEdit));
    assert.ok(await notebook.save());
    await control.releasePause('first line');
    await waitForEdit(edit, () => document.getText().includes('function flood'));
    await edit.reject();
  });
});

/** Changes global settings. Disposing the result restores the default values. */
async function changeSettings(
  settings: Readonly<Record<string, unknown>>,
): Promise<AsyncDisposable> {
  const update = async (key: string, value: unknown): Promise<void> =>
    vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
  const previousValues = Object.keys(settings).map(
    (key) => [key, vscode.workspace.getConfiguration().inspect(key)?.globalValue] as const,
  );
  for (const [key, value] of Object.entries(settings)) await update(key, value);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const [key, value] of previousValues) await update(key, value);
    },
  };
}

const toDisposable = (disposable: vscode.Disposable): Disposable => ({
  [Symbol.dispose]: () => disposable.dispose(),
});

suite('a refused answer to an inline edit', () => {
  setup(() => control.reset());

  const refusedText = 'I cannot do that for you.';

  /**
   * Answer that the extension interprets as a replacement for the selected lines, although its first sentence asks for
   * an insertion.
   */
  const ambiguousAnswer = `Insert this function above the old one:\n\n\`\`\`js\n${floodText}\n\`\`\``;

  /** Starts an edit of lines 1 to 3, in which the model sends an answer that the extension rejects. */
  async function startRefusedEdit(
    fixture: EditorFixture,
    content = refusedText,
  ): Promise<{ edit: InlineEdit; refusal: RefusedEdit }> {
    await control.addScripts({ steps: [{ content }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 4);
    const refusal = await resultPromise;
    assert.ok(refusal.kind === 'refused');
    return { edit, refusal };
  }

  test('can be retried from the notification, without another prompt for the instruction', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit, refusal } = await startRefusedEdit(fixture);
    assert.deepEqual(await fixture.readLensTitles(), ['1 Retry', '1 Discard']);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Retry');
    await control.addScripts({ steps: [{ content: floodText }] });
    await showEditResult(edit, refusal, fixture.edits);
    assert.equal(edit.state, 'waiting');
    assert.deepEqual(fixture.lines, floodedLines);
    const requests = (await control.getRequests()).filter(({ path }) =>
      path.endsWith('/chat/completions'),
    );
    assert.deepEqual(requests[1]?.body, requests[0]?.body);
  });

  test('opens as a read-only document beside the file, and the edit ends when the notification is closed', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit, refusal } = await startRefusedEdit(fixture);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Show Answer');
    await showEditResult(edit, refusal, fixture.edits);
    assert.equal(dialogs.shownMessages.length, 2);
    const openedDocument = vscode.window.activeTextEditor?.document;
    assert.ok(openedDocument);
    assert.equal(openedDocument.getText(), refusedText);
    assert.equal(openedDocument.languageId, 'plaintext');
    assert.deepEqual([openedDocument.isDirty, openedDocument.isUntitled], [false, false]);
    assert.ok(
      vscode.window.visibleTextEditors.some(({ document }) => document === fixture.document),
    );
    assert.equal(edit.state, 'completed');
    assert.equal(edit.refusal, undefined);
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('opens without hidden characters and without links that run commands, even if the user’s settings open text files as Markdown', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await using _settings = await changeSettings({ 'files.associations': { '*.txt': 'markdown' } });
    const address = 'command:workbench.action.files.newUntitledFile?%5B%5D';
    const text = `Sorry. [Read more](${address}) or ${address} at https://example.com/`;
    const { edit, refusal } = await startRefusedEdit(fixture, `${text}\u202E\u200B`);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Show Answer');
    await showEditResult(edit, refusal, fixture.edits);
    dialogs[Symbol.dispose]();
    const openedDocument = vscode.window.activeTextEditor?.document;
    assert.equal(openedDocument?.getText(), text);
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      openedDocument.uri,
    );
    assert.deepEqual(
      links.map(({ target }) => target?.toString()),
      ['https://example.com/'],
    );
  });

  test('stays readable while its tab is hidden, and each answer has its own document', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    using dialogs = new Dialogs();
    for (const content of ['First: I cannot do that.', 'Second: I cannot do that.']) {
      const { edit, refusal } = await startRefusedEdit(fixture, content);
      dialogs.buttonsToPress.push('Show Answer');
      await showEditResult(edit, refusal, fixture.edits);
      const openedDocument = vscode.window.activeTextEditor?.document;
      assert.equal(openedDocument?.getText(), content);
      await vscode.window.showTextDocument(openedDocument, { preview: false });
      await vscode.window.showTextDocument(fixture.document, { preview: false });
      await vscode.window.showTextDocument(openedDocument.uri, { preview: false });
      assert.equal(vscode.window.activeTextEditor?.document.getText(), content);
      await vscode.window.showTextDocument(fixture.document, vscode.ViewColumn.One);
    }
  });

  test('is not retried after the edit ended and the user added lines above, even if the lines at the old position look the same', async () => {
    await using fixture = await EditorFixture.open(['', '', '', '']);
    await control.addScripts({ steps: [{ content: refusedText }] });
    const { edit, resultPromise } = await fixture.startEdit(1, 2);
    const refusal = await resultPromise;
    assert.ok(refusal.kind === 'refused');
    await edit.reject();
    await fixture.type(0, 0, '\n');
    await assertOutdatedMessage(edit, refusal, fixture, 'Retry');
  });

  test('becomes a pending change when the user selects Review Changes, and one undo restores the original lines', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit, refusal } = await startRefusedEdit(fixture, ambiguousAnswer);
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Show Answer', 'Review Changes');
    await showEditResult(edit, refusal, fixture.edits);
    dialogs[Symbol.dispose]();
    assert.deepEqual(dialogs.buttonsToPress, []);
    assert.equal(edit.state, 'waiting');
    assert.deepEqual(fixture.lines, floodedLines);
    assert.deepEqual(await fixture.readLensTitles(), ['1 Accept', '1 Reject', '1 Retry']);
    await edit.accept();
    await fixture.undoLastChange();
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('can be reviewed after its lines moved, and Reject restores the original lines', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { edit, refusal } = await startRefusedEdit(fixture, ambiguousAnswer);
    await fixture.type(0, 0, '// high\n');
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Review Changes');
    await showEditResult(edit, refusal, fixture.edits);
    assert.deepEqual(fixture.lines, ['// high', ...floodedLines]);
    assert.equal(await edit.reject(), true);
    assert.deepEqual(fixture.lines, ['// high', ...tideLines]);
  });

  test('is not written after the user changed its lines, discarded the edit, started another edit, or closed the file', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const typedLines = tideLines.with(1, '/* mine */ function tide() {');
    for (const [change, expected] of [
      [(edit: InlineEdit) => edit.reject(), tideLines],
      [
        async () => {
          await control.addScripts({ steps: [{ content: tideLines[4] ?? '' }] });
          await (
            await fixture.startEdit(4, 5)
          ).resultPromise;
        },
        tideLines,
      ],
      [() => fixture.type(1, 0, '/* mine */ '), typedLines],
    ] as const) {
      const { edit, refusal } = await startRefusedEdit(fixture, ambiguousAnswer);
      await change(edit);
      await assertOutdatedMessage(edit, refusal, fixture);
      assert.deepEqual(fixture.lines, expected);
    }
    const { edit, refusal } = await startRefusedEdit(fixture, ambiguousAnswer);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await waitForState(edit, 'completed');
    await assertOutdatedMessage(edit, refusal, fixture);
    await assertOutdatedMessage(edit, refusal, fixture, 'Retry');
  });

  async function assertOutdatedMessage(
    edit: InlineEdit,
    refusal: RefusedEdit,
    { edits }: EditorFixture,
    label = 'Review Changes',
  ): Promise<void> {
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push(label);
    await showEditResult(edit, refusal, edits);
    assert.equal(
      dialogs.shownMessages.at(-1),
      'The edit has ended or its lines have changed: start it again.',
    );
    assert.equal(edit.state, 'completed');
  }
});

suite('an inline edit in a secret file, a notebook cell or a restricted workspace', () => {
  setup(() => control.reset());

  test('sends nothing from an untrusted workspace', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    const parts = { host: fixture.chat.host, edits: fixture.edits };
    const locationArguments = [fixture.document.uri, new vscode.Range(1, 0, 3, 1)];
    using dialogs = new Dialogs();
    using _untrustedWorkspace = simulateUntrustedWorkspace();
    using _problems = registerProblem(fixture.document.uri, new vscode.Range(2, 2, 2, 8));
    for (const kind of ['editInline', 'document', 'fix'] as const)
      await runEditCommand(parts, kind, locationArguments);
    await repository.generateMessage();
    const { chat, chats } = fixture.chat;
    const showNotice = (text: string): void => void dialogs.shownMessages.push(text);
    const visibleChat = { chat, showNotice, show: () => {} };
    for (const kind of ['explain', 'writeTests'] as const)
      await askAboutCode({
        kind,
        args: locationArguments,
        getPage: async () => visibleChat,
        createChat: () => chats.create(),
      });
    assert.equal(dialogs.shownMessages.length, 6);
    for (const message of dialogs.shownMessages)
      assert.match(message, /until you trust the workspace/u);
    assert.deepEqual(await control.getRequests(), []);
    assert.ok(chat.session.conversation.isEmpty);
    assert.deepEqual(fixture.lines, tideLines);
  });

  test('sends text from a secret file only after confirmation', async () => {
    await using fixture = await EditorFixture.open(['TOKEN=1', ''], '.env');
    const parts = { host: fixture.chat.host, edits: fixture.edits };
    const locationArguments = [fixture.document.uri, new vscode.Range(0, 0, 0, 7)];
    using dialogs = new Dialogs();
    await runEditCommand(parts, 'document', locationArguments);
    assert.match(dialogs.shownMessages[0] ?? '', /may hold secrets/u);
    assert.deepEqual(await control.getRequests(), []);
    dialogs.buttonsToPress.push('Send Anyway');
    await control.addScripts({ steps: [{ content: '# A token\nTOKEN=1' }] });
    await runEditCommand(parts, 'document', locationArguments);
    assert.deepEqual(fixture.lines, ['# A token', 'TOKEN=1', '']);
  });

  test('sends a selection through a link to a secret file only after confirmation', async () => {
    await using fixture = await EditorFixture.open(['TOKEN=1', ''], '.env');
    const { uri } = fixture.document;
    const link = vscode.Uri.joinPath(uri, '..', 'notes.txt');
    symlinkSync(uri.fsPath, link.fsPath);
    const parts = { host: fixture.chat.host, edits: fixture.edits };
    using dialogs = new Dialogs();
    await runEditCommand(parts, 'document', [link, new vscode.Range(0, 0, 0, 7)]);
    assert.match(dialogs.shownMessages[0] ?? '', /notes\.txt may hold secrets/u);
    assert.deepEqual(await control.getRequests(), []);
  });

  test('changes a notebook cell like a text file', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'x = 1', 'python');
    const notebook = await vscode.workspace.openNotebookDocument(
      'jupyter-notebook',
      new vscode.NotebookData([cell]),
    );
    await vscode.window.showNotebookDocument(notebook);
    const { document } = notebook.cellAt(0);
    await control.addScripts({ steps: [{ content: 'y = 2\nz = 3' }] });
    const editRequest = {
      document,
      span: { start: 0, end: 1 },
      problems: [],
      instruction: 'Rename',
    };
    const { edit, resultPromise } = await fixture.edits.start(editRequest);
    assert.deepEqual(await resultPromise, { kind: 'changed' });
    assert.equal(document.getText(), 'y = 2\nz = 3');
    assert.equal(await edit.reject(), true);
    assert.equal(document.getText(), 'x = 1');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});

suite('the code actions of the extension', () => {
  const createContext = (
    overrides: Partial<vscode.CodeActionContext> = {},
  ): vscode.CodeActionContext => ({
    diagnostics: [],
    only: undefined,
    triggerKind: vscode.CodeActionTriggerKind.Automatic,
    ...overrides,
  });
  const listTitles = (actions: readonly vscode.CodeAction[]): string[] =>
    actions.map(({ title }) => title.replace(' with Inference Service', ''));
  const problem = new vscode.Diagnostic(new vscode.Range(2, 2, 2, 8), 'No tide');

  test('match the selection, the diagnostics, the trigger and the requested kind', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { document } = fixture;
    const [cursorRange, selectedRange] = [
      new vscode.Range(2, 3, 2, 3),
      new vscode.Range(1, 0, 3, 1),
    ];
    const listActionTitles = (
      range: vscode.Range,
      overrides?: Partial<vscode.CodeActionContext>,
    ): string[] => listTitles(createCodeActions(document, range, createContext(overrides)));
    assert.deepEqual(listActionTitles(cursorRange), []);
    assert.deepEqual(listActionTitles(selectedRange), ['Explain', 'Document', 'Write Tests']);
    assert.deepEqual(listActionTitles(cursorRange, { diagnostics: [problem] }), ['Fix', 'Explain']);
    const triggerKind = vscode.CodeActionTriggerKind.Invoke;
    assert.deepEqual(listActionTitles(cursorRange, { triggerKind }), [
      'Explain',
      'Document',
      'Write Tests',
    ]);
    const requestedKind = vscode.CodeActionKind.RefactorRewrite;
    assert.deepEqual(listActionTitles(selectedRange, { only: requestedKind, triggerKind }), [
      'Document',
      'Write Tests',
    ]);
    const quickFixContext = { only: vscode.CodeActionKind.QuickFix, triggerKind };
    assert.deepEqual(
      listActionTitles(cursorRange, { ...quickFixContext, diagnostics: [problem] }),
      ['Fix', 'Explain'],
    );
    assert.deepEqual(listActionTitles(selectedRange, quickFixContext), []);
  });

  test('do not run on save, whatever the folder’s settings are', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const { document } = fixture;
    const documentRange = new vscode.Range(0, 0, 5, 0);
    const { Empty, QuickFix, Refactor, RefactorRewrite } = vscode.CodeActionKind;
    for (const requestedKind of [
      Empty,
      QuickFix,
      Refactor,
      RefactorRewrite,
      QuickFix.append('explain'),
    ]) {
      const actionContext = createContext({ only: requestedKind, diagnostics: [problem] });
      assert.deepEqual(
        createCodeActions(document, documentRange, actionContext),
        [],
        requestedKind.value,
      );
    }
  });

  test('appear in VS Code’s code action menu', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const foundActions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      fixture.document.uri,
      new vscode.Range(1, 0, 3, 1),
    );
    const ownActions = foundActions.filter(({ title }) => title.endsWith('with Inference Service'));
    assert.deepEqual(listTitles(ownActions).toSorted(), ['Document', 'Explain', 'Write Tests']);
  });

  test('can fix a problem in the editor', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    const diagnostics = vscode.languages.createDiagnosticCollection('tides');
    diagnostics.set(fixture.document.uri, [problem]);
    await control.reset();
    await control.addScripts({ steps: [{ content: '  return 3;' }] });
    const [fix] = createCodeActions(
      fixture.document,
      problem.range,
      createContext({ diagnostics: [problem] }),
    );
    const parts = { host: fixture.chat.host, edits: fixture.edits };
    try {
      await runEditCommand(parts, 'fix', fix?.command?.arguments ?? []);
    } finally {
      diagnostics.dispose();
    }
    assert.equal(fixture.lines[2], '  return 3;');
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('Error at line 3: No tide'), body);
  });

  test('include Explain, which opens the chat with the selected code', async () => {
    await using fixture = await EditorFixture.open(tideLines);
    await control.reset();
    const { chat, chats, page } = fixture.chat;
    const visibleChat = { chat, showNotice: () => {}, show: () => {} };
    assert.ok(page);
    await askAboutCode({
      kind: 'explain',
      args: [fixture.document.uri, new vscode.Range(1, 0, 3, 1)],
      getPage: async () => visibleChat,
      createChat: () => chats.create(),
    });
    const [question] = chat.session.conversation.listPath();
    assert.ok(question?.role === 'user');
    assert.equal(question.text, 'Explain this code.');
    assert.deepEqual(
      question.attachments.map(({ kind, text }) => [kind, text]),
      [['selection', tideLines.slice(1, 4).join('\n')]],
    );
  });
});

/** Formats a comment as `name:line[-line] text`, with line numbers from 1. */
function formatThread({ uri, range, comments }: vscode.CommentThread): string {
  const { start, end } = range ?? new vscode.Range(0, 0, 0, 0);
  const lines = start.line === end.line ? start.line + 1 : `${start.line + 1}-${end.line + 1}`;
  return `${uri.path.split('/').at(-1)}:${lines} ${comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join()}`;
}

suite('the command Review Changes', () => {
  setup(() => control.reset());

  const addFindingsScript = (...findings: readonly object[]): Promise<void> =>
    control.addScripts({ steps: [{ content: JSON.stringify(findings) }] });

  test('shows findings in changed and new files as comments, and sends no secret file', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    repository.runGit('add', '.');
    repository.writeFile('begin.txt', 'begin\nhigh\nlow\n');
    repository.writeFile('new.txt', 'first\nsecond\n');
    repository.writeFile('.env', 'TOKEN=hidden\n');
    await addFindingsScript(
      { path: 'begin.txt', line: 2, endLine: 3, message: 'The tide is **wrong**.' },
      { path: 'new.txt', line: 2, message: 'Second is last.' },
      { path: 'begin.txt', line: 9, message: 'Not there.' },
      { path: '.env', line: 1, message: 'A secret.' },
    );
    assert.deepEqual(await repository.reviewChanges(), [
      'begin.txt:2-3 The tide is **wrong**.',
      'new.txt:2 Second is last.',
    ]);
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('2+ high') && body.includes('3+ low'), body);
    assert.ok(!body.includes('hidden'), body);
    assert.equal(vscode.window.activeTextEditor?.document.uri.path.split('/').at(-1), 'begin.txt');
  });

  test('sends no text of a secret file that was renamed since the last commit', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    repository.writeFile('.env', 'TOKEN=hidden\nOTHER=value\n');
    repository.runGit('add', '.');
    repository.runGit('commit', '--quiet', '--message', 'Add settings');
    repository.runGit('mv', '.env', 'notes.txt');
    repository.writeFile('begin.txt', 'begin\nlow\n');
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'Low?' });
    assert.deepEqual(await repository.reviewChanges(), ['begin.txt:2 Low?']);
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(!body.includes('hidden'), body);
  });

  test('replaces the findings with those of the next review, and removes a finding that the user discards', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'First.' });
    await repository.reviewChanges();
    await addFindingsScript(
      { path: 'begin.txt', line: 2, message: 'Second.' },
      { path: 'begin.txt', line: 2, message: 'Third.' },
    );
    assert.deepEqual(await repository.reviewChanges(), [
      'begin.txt:2 Second.',
      'begin.txt:2 Third.',
    ]);
    repository.reviews.discardFinding(repository.reviews.threads[0]);
    assert.deepEqual(repository.reviews.threads.map(formatThread), ['begin.txt:2 Third.']);
    using dialogs = new Dialogs();
    await addFindingsScript();
    assert.deepEqual(await repository.reviewChanges(), []);
    assert.deepEqual(dialogs.shownMessages, ['There are no problems.']);
  });

  test('keeps the findings after an unreadable answer, and sends nothing if there are no changes', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    await repository.reviewChanges();
    assert.match(dialogs.shownMessages[0] ?? '', /^Nothing has changed since the last commit\.$/u);
    assert.deepEqual(await control.getRequests(), []);
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'First.' });
    await repository.reviewChanges();
    const unusableMessage = 'The model gave no usable answer. Retry, or choose another model.';
    for (const content of ['Looks good.', '[{"path":"a/begin.txt","line":2,"message":"m"}]']) {
      await control.addScripts({ steps: [{ content }] });
      assert.deepEqual(await repository.reviewChanges(), ['begin.txt:2 First.']);
      assert.equal(dialogs.shownMessages.at(-1), unusableMessage);
    }
  });

  test('moves a finding with its lines, hides Fix when these lines change, and shows Fix again after an undo', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'First.' });
    await repository.reviewChanges();
    const [thread] = repository.reviews.threads;
    const editor = vscode.window.activeTextEditor;
    assert.ok(thread && editor);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new\n'));
    await eventually(async () => assert.equal(formatThread(thread), 'begin.txt:3 First.'));
    assert.equal(thread.contextValue, 'open');
    await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), 'very '));
    await eventually(async () => assert.equal(thread.contextValue, 'changed'));
    await vscode.commands.executeCommand('undo');
    await eventually(async () => assert.equal(thread.contextValue, 'open'));
    assert.equal(formatThread(thread), 'begin.txt:3 First.');
  });

  test('shows a finding at its lines after an edit during the request, and marks lines that changed', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'begin\nhigh\nlow\n');
    await control.addScripts({
      steps: [
        { hold: 'review' },
        {
          content: JSON.stringify([
            { path: 'begin.txt', line: 2, message: 'First.' },
            { path: 'begin.txt', line: 3, message: 'Second.' },
          ]),
        },
      ],
    });
    const reviewPromise = repository.reviewChanges();
    await control.waitForRequest(({ body }) => JSON.stringify(body ?? '').includes('2+ high'));
    const editor = await vscode.window.showTextDocument(
      vscode.Uri.joinPath(repository.root, 'begin.txt'),
    );
    await editor.edit((edit) => {
      edit.insert(new vscode.Position(0, 0), 'new\nhigher\n');
      edit.insert(new vscode.Position(2, 0), 'very ');
    });
    await control.releasePause('review');
    assert.deepEqual(await reviewPromise, ['begin.txt:4 First.', 'begin.txt:3 Second.']);
    assert.deepEqual(
      repository.reviews.threads.map(({ contextValue }) => contextValue),
      ['open', 'changed'],
    );
  });

  test('sends no request for a single file that is too long, and reports omitted files', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    repository.writeFile('long.txt', 'high\n'.repeat(20_000));
    assert.deepEqual(await repository.reviewChanges(), []);
    repository.writeFile('.env', 'TOKEN=hidden\n');
    await repository.reviewChanges();
    assert.deepEqual(await control.getRequests(), []);
    assert.deepEqual(dialogs.shownMessages, [
      '0 of 1 changed files were reviewed, without long.txt.',
      '0 of 2 changed files were reviewed, without .env, long.txt. Files not sent, because they may hold secrets: 1',
    ]);
  });

  test('sends no content of link targets, binary files or nested repositories', async () => {
    await using repository = await Repository.open();
    repository.writeFile('.env', 'TOKEN=hidden\n');
    repository.writeFile('linked.txt', 'text\n');
    repository.runGit('add', '--force', '.');
    repository.runGit('commit', '--quiet', '--message', 'Add files');
    for (const name of ['linked.txt', 'new-link.txt']) {
      rmSync(join(repository.root.fsPath, name), { force: true });
      symlinkSync(join(repository.root.fsPath, '.env'), join(repository.root.fsPath, name));
    }
    symlinkSync(repository.root.fsPath, join(repository.root.fsPath, 'folder-link'));
    repository.writeFile('image.bin', 'hidden\0hidden');
    repository.runGit('init', '--quiet', 'nested');
    repository.writeFile('nested/new.txt', 'hidden\n');
    repository.writeFile('begin.txt', 'begin\nlow\n');
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'Low?' });
    assert.deepEqual(await repository.reviewChanges(), ['begin.txt:2 Low?']);
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('2+ low') && !body.includes('hidden'), body);
  });

  test('does not read huge changes completely, and names the files that are left out', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    for (const name of ['huge.txt', 'large.txt', 'small.txt'])
      repository.writeFile(name, 'high\n'.repeat(60_000));
    repository.runGit('add', '.');
    repository.runGit('commit', '--quiet', '--message', 'Add files');
    repository.writeFile('huge.txt', 'low\n'.repeat(60_000));
    repository.writeFile('large.txt', 'low\n'.repeat(20_000));
    repository.writeFile('small.txt', `low\n${'high\n'.repeat(60_000)}`);
    for (const index of [1, 2, 3, 4, 5])
      repository.writeFile(`new-${index}.txt`, 'high\n'.repeat(20_000));
    await addFindingsScript({ path: 'small.txt', line: 1, message: 'Low?' });
    assert.deepEqual(await repository.reviewChanges(), ['small.txt:1 Low?']);
    const omittedFiles = 'huge.txt, large.txt, new-1.txt, new-2.txt, new-3.txt, …';
    assert.deepEqual(dialogs.shownMessages, [
      `1 of 8 changed files were reviewed, without ${omittedFiles}.`,
    ]);
  });

  test('treats the name of a changed file literally, and does not send the changes of files that match the name as a pattern', async () => {
    await using repository = await Repository.open();
    repository.writeFile('.env', 'TOKEN=old\n');
    repository.writeFile('[.]env', 'old\n');
    repository.runGit('add', '--force', '.');
    repository.runGit('commit', '--quiet', '--message', 'Add files');
    repository.writeFile('.env', 'TOKEN=hidden\n');
    repository.writeFile('[.]env', 'new\n');
    await addFindingsScript({ path: '[.]env', line: 1, message: 'New?' });
    assert.deepEqual(await repository.reviewChanges(), ['[.]env:1 New?']);
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('1+ new') && !body.includes('hidden'), body);
  });

  test('numbers the lines after empty lines correctly if Git omits the leading space of empty lines', async () => {
    await using repository = await Repository.open();
    repository.runGit('config', 'diff.suppressBlankEmpty', 'true');
    repository.writeFile('lines.txt', 'one\n\n\nfour\n');
    repository.runGit('add', '.');
    repository.runGit('commit', '--quiet', '--message', 'Add lines');
    repository.writeFile('lines.txt', 'one\n\n\nfive\n');
    await addFindingsScript({ path: 'lines.txt', line: 4, message: 'Five?' });
    assert.deepEqual(await repository.reviewChanges(), ['lines.txt:4 Five?']);
  });

  test('counts a deleted file as not reviewed', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    repository.removeFile('begin.txt');
    assert.deepEqual(await repository.reviewChanges(), []);
    assert.deepEqual(await control.getRequests(), []);
    assert.deepEqual(dialogs.shownMessages, [
      '0 of 1 changed files were reviewed, without begin.txt.',
    ]);
  });

  test('ends the first review when the user starts a second review', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    repository.writeFile('begin.txt', 'begin\nhigh\n');
    await control.addScripts({ steps: [{ hold: 'review' }, { content: '[]' }] });
    const firstReviewPromise = repository.reviewChanges();
    await control.waitForRequest(({ body }) => JSON.stringify(body ?? '').includes('2+ high'));
    await addFindingsScript({ path: 'begin.txt', line: 2, message: 'Second.' });
    assert.deepEqual(await repository.reviewChanges(), ['begin.txt:2 Second.']);
    await firstReviewPromise;
    assert.deepEqual(repository.reviews.threads.map(formatThread), ['begin.txt:2 Second.']);
    assert.deepEqual(dialogs.shownMessages, []);
  });

  test('fixes a finding with an inline edit, which the user can reject', async () => {
    await using repository = await Repository.open();
    repository.writeFile('tide.ts', "export const tide = 'high';\n");
    await addFindingsScript({ path: 'tide.ts', line: 1, message: 'The tide is wrong.' });
    await repository.reviewChanges();
    const [thread] = repository.reviews.threads;
    assert.ok(thread);
    await control.addScripts({ steps: [{ content: "```ts\nexport const tide = 'low';\n```" }] });
    using dialogs = new Dialogs();
    await repository.reviews.fixFinding(thread);
    const document = await vscode.workspace.openTextDocument(thread.uri);
    assert.equal(document.getText(), "export const tide = 'low';\n", dialogs.shownMessages.join());
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.match(body, /The tide is wrong\./u);
    assert.equal(thread.contextValue, 'changed');
    assert.equal(await repository.inlineEdits.find(thread.uri)?.reject(), true);
    assert.equal(document.getText(), "export const tide = 'high';\n");
    await eventually(async () => assert.equal(thread.contextValue, 'open'));
  });
});

suite('the commit message command', () => {
  setup(() => control.reset());

  test('describes the staged changes in the style of the repository', async () => {
    await using repository = await Repository.open();
    repository.writeFile('tide.txt', 'high\n');
    repository.writeFile('later.txt', 'not yet\n');
    repository.writeFile('.env', 'TOKEN=hidden\n');
    repository.runGit('add', 'tide.txt', '.env');
    await control.addScripts({
      steps: [{ content: '```\nfeat: raise ' }, { content: 'the tide\n```' }],
    });
    assert.equal(await repository.generateMessage(), 'feat: raise the tide');
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('+high') && body.includes('feat: begin'), body);
    assert.ok(!body.includes('not yet') && !body.includes('hidden'), body);
  });

  test('keeps the user’s draft if the answer is cut off', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    repository.inputBox.value = 'about tides';
    using dialogs = new Dialogs();
    await control.addScripts({
      steps: [{ content: 'feat: raise the ti' }],
      finishReason: 'length',
    });
    assert.equal(await repository.generateMessage(), 'about tides');
    assert.match(dialogs.shownMessages[0] ?? '', /answer is incomplete/u);
  });

  test('keeps the user’s draft and names the cause if the answer is not a commit message', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    repository.inputBox.value = 'about tides';
    using dialogs = new Dialogs();
    await control.addScripts({ steps: [{ content: 'feat: raise <|mask|> tides' }] });
    assert.equal(await repository.generateMessage(), 'about tides');
    assert.deepEqual(dialogs.shownMessages, ['The answer contains special tokens of the model.']);
  });

  test('shows a refused answer in a document, and retries after a refusal', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Show Answer', 'Retry');
    const refusedText = 'feat: raise <|mask|> tides';
    await control.addScripts({ steps: [{ content: refusedText }] });
    await repository.generateMessage();
    await waitUntil(() => vscode.window.activeTextEditor?.document.getText() === refusedText);
    await control.addScripts(
      { steps: [{ content: refusedText }] },
      { steps: [{ content: 'feat: raise tides' }] },
    );
    await repository.generateMessage();
    await waitUntil(() => repository.inputBox.value === 'feat: raise tides');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('continues to generate a newer message if the user clicks Retry in the notification of an older answer', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    using dialogs = new Dialogs();
    const pressedButton = Promise.withResolvers<string>();
    const originalShow = vscode.window.showInformationMessage;
    const notificationPromise = new Promise<void>((resolve) => {
      Object.assign(vscode.window, {
        showInformationMessage: () => (resolve(), pressedButton.promise),
      });
    });
    await control.addScripts({ steps: [{ content: 'feat: raise <|mask|> tides' }] });
    const refusedMessagePromise = repository.generateMessage();
    await notificationPromise;
    Object.assign(vscode.window, { showInformationMessage: originalShow });
    await control.addScripts({
      steps: [{ content: 'feat: raise ' }, { hold: 'more' }, { content: 'tides' }],
    });
    const newerMessagePromise = repository.generateMessage();
    await waitUntil(() => repository.inputBox.value === 'feat: raise');
    pressedButton.resolve('Retry');
    await refusedMessagePromise;
    await control.releasePause('more');
    assert.equal(await newerMessagePromise, 'feat: raise tides');
    assert.deepEqual(dialogs.shownMessages, []);
  });

  test('reports the error if Show Answer in its notification cannot open the document', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Show Answer');
    const { openTextDocument } = vscode.workspace;
    using _restoredState = toDisposable(
      new vscode.Disposable(() => Object.assign(vscode.workspace, { openTextDocument })),
    );
    Object.assign(vscode.workspace, {
      openTextDocument: () => Promise.reject(new Error('The document is broken.')),
    });
    await control.addScripts({ steps: [{ content: 'feat: raise <|mask|> tides' }] });
    await assert.rejects(repository.generateMessage(), { message: 'The document is broken.' });
  });

  test('describes all changes when no changes are staged', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    repository.writeFile('new.txt', 'new\n');
    await control.addScripts({ steps: [{ content: 'feat: change it' }] });
    assert.equal(await repository.generateMessage(), 'feat: change it');
    const body = JSON.stringify((await control.getRequests()).at(-1)?.body);
    assert.ok(body.includes('+changed') && body.includes('new.txt'), body);
  });

  test('sends nothing if there are no changes, or all changes are in secret files', async () => {
    await using repository = await Repository.open();
    using dialogs = new Dialogs();
    await repository.generateMessage();
    assert.match(dialogs.shownMessages[0] ?? '', /^Nothing has changed since the last commit\.$/u);
    repository.writeFile('.env', 'TOKEN=hidden\n');
    repository.runGit('add', '.env');
    await repository.generateMessage();
    assert.match(dialogs.shownMessages[1] ?? '', /may hold secrets/u);
    assert.deepEqual(await control.getRequests(), []);
  });

  test('sends the user’s draft with the changes, and can be undone to restore the draft', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    repository.inputBox.value = 'about tides';
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Restore My Text');
    await control.addScripts({ steps: [{ content: 'feat: tides' }] });
    assert.equal(await repository.generateMessage(), 'about tides');
    assert.match(JSON.stringify((await control.getRequests()).at(-1)?.body), /> about tides/u);
  });

  test('stops when the user clicks the button again, and restores the draft', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    repository.inputBox.value = 'mine';
    await control.addScripts({
      steps: [{ content: 'feat: raise ' }, { hold: 'more' }, { content: 'tides' }],
    });
    const generationPromise = repository.generateMessage();
    await waitUntil(() => repository.inputBox.value === 'feat: raise');
    await repository.messages.generate([]);
    assert.equal(await generationPromise, 'mine');
  });

  test('does not overwrite text that the user types during generation', async () => {
    await using repository = await Repository.open();
    repository.writeFile('begin.txt', 'changed\n');
    await control.addScripts({
      steps: [{ content: 'feat: raise ' }, { hold: 'more' }, { content: 'tides' }],
    });
    const generationPromise = repository.generateMessage();
    await waitUntil(() => repository.inputBox.value === 'feat: raise');
    // VS Code reports changes of the input box asynchronously, and reports them before it answers
    // this command.
    await vscode.commands.getCommands();
    repository.inputBox.value = 'my own';
    await control.releasePause('more');
    assert.equal(await generationPromise, 'my own');
  });
});

suite('key bindings', () => {
  test('conflict with no other key binding in an editor, unless they require an inline edit, a next edit or an agent state', async () => {
    const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const rules = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gmu, '')) as readonly Keybinding[];
    const extensionRules = rules.filter(({ command }) => command.startsWith('inferenceService.'));
    assert.ok(
      extensionRules.length >= 10,
      `${extensionRules.length} of ours among ${rules.length}`,
    );
    const otherRules = rules.filter(({ command }) => !command.startsWith('inferenceService.'));
    const requiresOwnState = ({ when = '' }: Keybinding): boolean =>
      /inferenceService\.(?:nextEdit\b|(?:inlineEdit|agent)\.\w+)/u.test(when);
    const conflicts = extensionRules
      .filter((rule) => !requiresOwnState(rule))
      .flatMap((rule) =>
        otherRules.filter(({ key, when = '' }) => key === rule.key && canBeTrueInEditor(when)),
      );
    assert.deepEqual(conflicts, []);
  });
});

interface Keybinding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}

/** Checks whether a `when` clause can be true while a text editor has the focus. */
const canBeTrueInEditor = (when: string): boolean =>
  when === '' || /editorTextFocus|textInputFocus|editorFocus/u.test(when);

function registerProblem(uri: vscode.Uri, range: vscode.Range): Disposable {
  const diagnostics = vscode.languages.createDiagnosticCollection('restricted');
  diagnostics.set(uri, [new vscode.Diagnostic(range, 'No tide')]);
  return { [Symbol.dispose]: () => diagnostics.dispose() };
}

/**
 * Starts an edit that shows `firstChunk` and a part of the remaining text. The edit then waits until the test calls
 * `control.releasePause('more')`.
 */
async function startPausedEdit(
  fixture: EditorFixture,
  firstChunk: string,
): Promise<Awaited<ReturnType<EditorFixture['startEdit']>>> {
  const remainingChunk = floodText.slice(firstChunk.length);
  await control.addScripts({
    // Lines are written at intervals, so the script waits until `firstChunk` is visible.
    steps: [
      { content: firstChunk },
      { wait: 200 },
      { content: remainingChunk.slice(0, 12) },
      { hold: 'more' },
      { content: remainingChunk.slice(12) },
    ],
  });
  const startedEdit = await fixture.startEdit(1, 4);
  await waitForEdit(startedEdit.edit, () =>
    fixture.lines.some((line) => line.startsWith('function flood')),
  );
  return startedEdit;
}

/** Git repository that is open in VS Code, and the command that writes its commit messages. */
class Repository implements AsyncDisposable {
  readonly messages: CommitMessages;
  readonly inlineEdits: InlineEdits;
  readonly reviews: ChangeReviews;
  readonly #folder: string;
  readonly #chat = createChatFixture({
    environment: { INFERENCE_SERVICE_API_KEY: service.apiKey },
  });
  #inputBox: { value: string } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    const { host } = this.#chat;
    this.messages = new CommitMessages(host);
    this.inlineEdits = new InlineEdits(host);
    this.reviews = new ChangeReviews({ host, edits: this.inlineEdits });
  }

  static async open(): Promise<Repository> {
    const repository = new Repository(realpathSync(mkdtempSync(join(tmpdir(), 'repository-'))));
    repository.runGit('init', '--quiet');
    repository.writeFile('begin.txt', 'begin\n');
    repository.runGit('add', '.');
    repository.runGit('commit', '--quiet', '--message', 'feat: begin');
    const git = (await getGitApi()) as unknown as {
      openRepository(root: vscode.Uri): Promise<{ inputBox: { value: string } } | null>;
    };
    const gitRepository = await git.openRepository(repository.root);
    assert.ok(gitRepository, 'Git knows the repository');
    repository.#inputBox = gitRepository.inputBox;
    gitRepository.inputBox.value = '';
    await repository.#chat.account.readKey();
    return repository;
  }

  get root(): vscode.Uri {
    return vscode.Uri.file(this.#folder);
  }

  get inputBox(): { value: string } {
    assert.ok(this.#inputBox);
    return this.#inputBox;
  }

  writeFile(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  removeFile(name: string): void {
    rmSync(join(this.#folder, name));
  }

  runGit(...args: readonly string[]): void {
    const identityArgs = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com'];
    execFileSync('git', [...identityArgs, ...args], { cwd: this.#folder });
  }

  /** Generates a commit message. Resolves with the text of the commit input box. */
  async generateMessage(): Promise<string> {
    await this.#readStatus();
    // VS Code reports each change of the input to the extension host. A late report of an earlier message would look like
    // an edit by the user, so this waits for an answer of VS Code, which follows all such reports.
    await vscode.commands.getCommands();
    await this.messages.generate([{ rootUri: this.root }]);
    return this.inputBox.value;
  }

  /** Reviews the changes. Resolves with the location and the text of each comment. */
  async reviewChanges(): Promise<readonly string[]> {
    await this.#readStatus();
    await this.reviews.review([{ rootUri: this.root }]);
    return this.reviews.threads.map(formatThread);
  }

  async #readStatus(): Promise<void> {
    const git = await getGitApi();
    const gitRepository = git?.getRepository(this.root) as unknown as { status(): Promise<void> };
    await gitRepository.status();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reviews.dispose();
    this.inlineEdits.dispose();
    this.messages.dispose();
    this.#chat[Symbol.dispose]();
    await vscode.commands.executeCommand('git.close', this.root);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
