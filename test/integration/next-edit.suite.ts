import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import {
  supportsProviderFilter,
  type NextEditOptions,
  NextEdits,
  nextEditSetting,
} from '../../src/completion/vscode/next-edits.ts';
import { eventually } from '../support/eventually.ts';
import { getSetting } from '../../src/platform/settings.ts';

const callerLines = ['a = getUser(1);', 'b = getUser(2);', 'c = getUser(3);', ''];

suite('a predicted next edit', () => {
  test('is shown when the cursor reaches the next position, and accepted with one key', async () => {
    await using typist = await Typist.open(callerLines);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.moveCursorAndWait(1, 0);
    assert.equal(await typist.acceptVisibleEdit(), 'b = getUserById(2);');
    await typist.moveCursorAndWait(2, 4);
    assert.equal(await typist.acceptVisibleEdit(), 'c = getUserById(3);');
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.getLine(2), 'c = getUser(3);');
  });

  test('triggers one suggestion request, which is identified as triggered by the extension', async () => {
    await using typist = await Typist.open(callerLines);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    const callCountBefore = typist.providerCalls.length;
    await typist.moveCursorAndWait(1, 0);
    const [call, ...otherCalls] = typist.providerCalls.slice(callCountBefore);
    assert.deepEqual(otherCalls, []);
    assert.equal(call?.isOwn, true);
    assert.equal(call.kind, vscode.InlineCompletionTriggerKind.Automatic);
    assert.equal(typist.edits.consumeOwnTrigger(typist.document), false);
  });

  test('is not identified as the trigger of a request that follows typing', async () => {
    await using typist = await Typist.open(callerLines);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.moveCursorAndWait(1, 4);
    await typist.type('x');
    assert.equal(typist.providerCalls.at(-1)?.isOwn, false);
  });

  test('inserts the new word at a position where the user has just deleted the old word', async () => {
    await using typist = await Typist.open(['return oldName;', 'return oldName + 1;']);
    await typist.selectInLine(0, 7, 14);
    await typist.type('total');
    await typist.selectInLine(1, 7, 14);
    await vscode.commands.executeCommand('deleteLeft');
    await typist.waitForCurrentCall();
    assert.equal(await typist.acceptVisibleEdit(), 'return total + 1;');
  });

  test('is not shown for undone edits or for edits with several cursors', async () => {
    await using typist = await Typist.open(callerLines);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await vscode.commands.executeCommand('undo');
    await typist.moveCursorTo(1, 0);
    assert.equal(typist.getVisibleEdit(), undefined);
    const cursors = [0, 1].map((line) => new vscode.Selection(line, 11, line, 11));
    const selectionChangePromise = waitForEvent(
      vscode.window.onDidChangeTextEditorSelection,
      ({ selections }) => selections.length === 2,
    );
    typist.editor.selections = cursors;
    await selectionChangePromise;
    await typist.type('ById');
    assert.equal(typist.getLine(1), 'b = getUserById(2);');
    await typist.moveCursorTo(2, 0);
    assert.equal(typist.getVisibleEdit(), undefined);
  });

  test('is found at a position that inserted lines have moved, in the same file and in another file', async () => {
    await using typist = await Typist.open(callerLines);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.moveCursorTo(3, 0);
    await vscode.commands.executeCommand('editor.action.insertLineBefore');
    await using otherTypist = await Typist.open(['d = getUser(4);'], typist.edits);
    await otherTypist.moveCursorTo(0, 1);
    assert.equal(otherTypist.getVisibleEdit(), 'ById');
  });

  test('renames the remaining occurrences of an old name, in the same file and in another file', async () => {
    const lines = ['a = getUser(1);', 'b = getUser(2) + getUser(3);', '// See getUser.'];
    await using typist = await Typist.open(lines);
    await typist.moveCursorTo(0, 6);
    await typist.renameInLines('getUser', 'getUserById', [0, 1]);
    assert.equal(typist.getLine(1), 'b = getUserById(2) + getUserById(3);');
    await typist.moveCursorAndWait(2, 0);
    assert.equal(await typist.acceptVisibleEdit(), '// See getUserById.');
    await using otherTypist = await Typist.open(['c = getUser(4);'], typist.edits);
    await otherTypist.moveCursorTo(0, 1);
    assert.equal(otherTypist.getVisibleEdit(), 'ById');
  });

  test('does not repeat a rename that the user undid', async () => {
    await using typist = await Typist.open(['a = getUser(1);', 'getUser(2);', '// See getUser.']);
    await typist.moveCursorTo(0, 6);
    await typist.renameInLines('getUser', 'getUserById', [0, 1]);
    await typist.moveCursorTo(2, 0);
    assert.equal(typist.getVisibleEdit(), 'ById');
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.getLine(1), 'getUser(2);');
    await typist.moveCursorTo(2, 1);
    assert.equal(typist.getVisibleEdit(), undefined);
  });

  test('triggers requests only in versions of VS Code that can call a single provider', () => {
    const versions = ['1.110.0', '1.138.2', '1.139.0', '1.140.0-insider', '2.0.0', 'unknown'];
    assert.deepEqual(versions.map(supportsProviderFilter), [false, false, true, true, true, false]);
    assert.ok(supportsProviderFilter(vscode.version), vscode.version);
  });

  test('is not derived from any edit if the setting is off', async () => {
    const edits = createDisabledEdits();
    using _ = { [Symbol.dispose]: () => edits.dispose() };
    await using typist = await Typist.open(callerLines, edits);
    await typist.moveCursorTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.moveCursorTo(1, 0);
    assert.equal(typist.getVisibleEdit(), undefined);
  });
});

suite('a next edit away from the cursor', () => {
  const lines = ['let total = 0;', 'log(total);', '', 'use(subtotal, "total");', 'end(total);'];

  test('is reached by the first run of the command and applied by the second run, one location after the other', async () => {
    await using typist = await Typist.open(lines);
    await typist.selectInLine(0, 4, 9);
    await typist.type('sum');
    await typist.waitForState('visible');
    await typist.runJumpCommand();
    assert.equal(typist.edits.jump.state, 'reached');
    await eventually(() => assert.deepEqual(typist.cursor, [1, 9]));
    await typist.runJumpCommandAndWait();
    assert.equal(typist.getLine(1), 'log(sum);');
    await typist.waitForState('visible');
    await typist.runJumpCommand();
    await eventually(() => assert.deepEqual(typist.cursor, [4, 9]));
    await typist.runJumpCommandAndWait();
    assert.equal(typist.getLine(4), 'end(sum);');
    assert.equal(typist.getLine(3), lines[3]);
    await typist.waitForState('hidden');
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.getLine(4), lines[4]);
    assert.equal(typist.getLine(1), 'log(sum);');
  });

  test('wraps from the end of the document to its start', async () => {
    await using typist = await Typist.open([...lines].reverse());
    await typist.selectInLine(4, 4, 9);
    await typist.type('sum');
    await typist.waitForState('visible');
    await typist.runJumpCommand();
    await eventually(() => assert.deepEqual(typist.cursor, [0, 9]));
  });

  test('adds an argument to further calls after the user added the argument twice', async () => {
    await using typist = await Typist.open(['load(1);', 'load(2);', 'load(3, 4);', 'load(5);']);
    for (const line of [0, 1]) {
      await typist.moveCursorTo(line, 6);
      await typist.type(', x');
    }
    await typist.waitForState('visible');
    await typist.runJumpCommand();
    await typist.runJumpCommandAndWait();
    assert.equal(typist.getLine(3), 'load(5, x);');
    assert.equal(typist.getLine(2), 'load(3, 4);');
  });

  test('disappears when the user types, after which the Tab key inserts a tab', async () => {
    await using typist = await Typist.open(lines);
    await typist.selectInLine(0, 4, 9);
    await typist.type('sum');
    await typist.waitForState('visible');
    await typist.moveCursorTo(0, 12);
    await typist.type('1');
    assert.equal(typist.edits.jump.state, 'hidden');
    await typist.runJumpCommandAndWait();
    assert.match(typist.getLine(0), /^let sum = 0;1[ \t]+$/u);
  });

  test('stays hidden after the user dismisses the edit, until the user makes the same change again', async () => {
    await using typist = await Typist.open(lines);
    await typist.selectInLine(0, 4, 9);
    await typist.type('sum');
    await typist.waitForState('visible');
    typist.edits.jump.dismiss();
    assert.equal(typist.edits.jump.state, 'hidden');
    await typist.selectInLine(1, 4, 9);
    await typist.type('sum');
    await typist.waitForState('visible');
    await typist.runJumpCommand();
    await eventually(() => assert.deepEqual(typist.cursor, [4, 9]));
  });

  test('from the model is requested once after a change that does not repeat, and is applied like a predicted edit', async () => {
    const changes: object[] = [];
    const text = 'log(tide.level, tide.unit);\nflush();';
    const requestEdit: NextEditOptions['requestEdit'] = (_, change) => {
      changes.push(change);
      return Promise.resolve({
        startLine: 2,
        startCharacter: 0,
        endLine: 2,
        endCharacter: 16,
        text,
      });
    };
    using edits = new DisposableNextEdits({ ...createOptions(), requestEdit });
    const documentLines = ['type Tide = { level: number };', '', 'log(tide.level);', 'end();'];
    await using typist = await Typist.open(documentLines, edits);
    await typist.moveCursorTo(0, 27);
    await typist.type('; unit: string');
    await typist.waitForState('visible');
    assert.deepEqual(changes, [
      { before: documentLines[0], after: 'type Tide = { level: number; unit: string };' },
    ]);
    await typist.runJumpCommand();
    await eventually(() => assert.deepEqual(typist.cursor, [2, 16]));
    await typist.runJumpCommandAndWait();
    assert.equal(`${typist.getLine(2)}\n${typist.getLine(3)}`, text);
    await eventually(() => assert.deepEqual(typist.cursor, [3, 8]));
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.getLine(2), documentLines[2]);
    assert.equal(changes.length, 1);
  });

  test('is not shown in a document in which suggestions are not allowed', async () => {
    const calls: string[] = [];
    const isAllowed = (document: vscode.TextDocument): Promise<boolean> => {
      calls.push(document.uri.toString());
      return Promise.resolve(false);
    };
    using edits = new DisposableNextEdits({ ...createOptions(), isAllowed });
    await using typist = await Typist.open(lines, edits);
    await typist.selectInLine(0, 4, 9);
    await typist.type('sum');
    await eventually(() => assert.deepEqual(calls, [typist.document.uri.toString()]));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(edits.jump.state, 'hidden');
  });
});

class DisposableNextEdits extends NextEdits implements Disposable {
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Creates the feature that suggests next edits, while its setting is off. Simulates the setting, because VS Code can
 * only write settings that are in the manifest.
 */
function createDisabledEdits(): NextEdits {
  const { getConfiguration } = vscode.workspace;
  const inspect = (): object => ({ globalValue: false });
  Object.assign(vscode.workspace, { getConfiguration: () => ({ inspect }) });
  try {
    return new NextEdits(createOptions());
  } finally {
    Object.assign(vscode.workspace, { getConfiguration });
  }
}

const createOptions = (): NextEditOptions => ({
  clock: systemClock,
  isRegisteredFor: () => true,
  isAllowed: () => Promise.resolve(true),
  requestEdit: () => Promise.resolve(undefined),
});

interface ProviderCall {
  readonly kind: vscode.InlineCompletionTriggerKind;
  readonly isOwn: boolean;
  readonly documentVersion: number;
}

/** Simulates a user who types into a document, for which a suggestion provider returns next edits. */
class Typist implements AsyncDisposable {
  readonly providerCalls: ProviderCall[] = [];
  readonly editor: vscode.TextEditor;
  readonly edits: NextEdits;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #onDidCallEmitter = new vscode.EventEmitter<void>();

  private constructor(editor: vscode.TextEditor, edits: NextEdits | undefined) {
    this.editor = editor;
    this.edits = edits ?? new NextEdits(createOptions());
    if (!edits) this.#disposables.push(this.edits);
    const selector = { pattern: editor.document.uri.path, scheme: editor.document.uri.scheme };
    this.#disposables.push(
      vscode.languages.registerInlineCompletionItemProvider(selector, {
        provideInlineCompletionItems: (document, position, { triggerKind }) => {
          const { version } = document;
          this.providerCalls.push({
            kind: triggerKind,
            isOwn: this.edits.consumeOwnTrigger(document),
            documentVersion: version,
          });
          const item = this.edits.createItem(document, position);
          setImmediate(() => this.#onDidCallEmitter.fire());
          return item ? [item] : [];
        },
      }),
    );
  }

  static async open(lines: readonly string[], edits?: NextEdits): Promise<Typist> {
    // VS Code may apply the changed setting late.
    while (!getSetting(nextEditSetting))
      await waitForEvent(vscode.workspace.onDidChangeConfiguration);
    // Uses a file: VS Code would restore the undone content of an untitled document with the same
    // name.
    const path = join(mkdtempSync(join(tmpdir(), 'next-edit-')), 'typed.ts');
    writeFileSync(path, lines.join('\n'));
    const document = await vscode.workspace.openTextDocument(path);
    return new Typist(await vscode.window.showTextDocument(document), edits);
  }

  get document(): vscode.TextDocument {
    return this.editor.document;
  }

  getLine(line: number): string {
    return this.document.lineAt(line).text;
  }

  async moveCursorTo(line: number, character: number): Promise<void> {
    await this.selectInLine(line, character, character);
  }

  async selectInLine(line: number, start: number, end: number): Promise<void> {
    const selection = new vscode.Selection(line, start, line, end);
    if (this.editor.selection.isEqual(selection)) return;
    const selectionChangePromise = waitForEvent(
      vscode.window.onDidChangeTextEditorSelection,
      ({ selections }) => selections[0]?.isEqual(selection) === true,
    );
    this.editor.selection = selection;
    await selectionChangePromise;
  }

  /** Resolves at the next change of this document. */
  waitForChange(): Promise<void> {
    const { document } = this;
    return waitForEvent(
      vscode.workspace.onDidChangeTextDocument,
      (event) => event.document === document && event.contentChanges.length > 0,
    );
  }

  /** Resolves when the provider is called next. */
  waitForCall(): Promise<void> {
    return waitForEvent(this.#onDidCallEmitter.event);
  }

  /** Resolves when the provider has been called for the current text. */
  async waitForCurrentCall(): Promise<void> {
    while (this.providerCalls.at(-1)?.documentVersion !== this.document.version)
      await this.waitForCall();
  }

  /** Moves the cursor, and waits until the provider is called. */
  async moveCursorAndWait(line: number, character: number): Promise<void> {
    const callPromise = this.waitForCall();
    await this.moveCursorTo(line, character);
    await callPromise;
  }

  /** Types key by key, and waits until the provider is called. */
  async type(text: string): Promise<void> {
    for (const character of text) {
      const changePromise = this.waitForChange();
      await vscode.commands.executeCommand('type', { text: character });
      await changePromise;
    }
    await this.waitForCurrentCall();
  }

  /** Replaces all occurrences in the given lines at once, as VS Code's rename does. */
  async renameInLines(oldName: string, newName: string, lines: readonly number[]): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    for (const line of lines)
      for (const { index } of this.getLine(line).matchAll(new RegExp(oldName, 'gu'))) {
        const range = new vscode.Range(line, index, line, index + oldName.length);
        edit.replace(this.document.uri, range, newName);
      }
    const changePromise = this.waitForChange();
    assert.ok(await vscode.workspace.applyEdit(edit));
    await changePromise;
  }

  /** Line and character of the cursor, both from 0. */
  get cursor(): [number, number] {
    const { line, character } = this.editor.selection.active;
    return [line, character];
  }

  /** Resolves when the edit that is suggested for another position in the document has the given state. */
  waitForState(state: NextEdits['jump']['state']): Promise<void> {
    return eventually(() => assert.equal(this.edits.jump.state, state));
  }

  /**
   * Runs the command for the edit that is suggested for another position in the document. The first call moves the
   * cursor to the edit, and the second call applies it.
   */
  runJumpCommand(): Promise<void> {
    return this.edits.jump.run();
  }

  /** Runs the same command as {@link runJumpCommand}, and waits for the resulting change of the document. */
  async runJumpCommandAndWait(): Promise<void> {
    const changePromise = this.waitForChange();
    await this.runJumpCommand();
    await changePromise;
  }

  /** Returns the text of the edit that VS Code would show at the cursor. Returns undefined if it would show none. */
  getVisibleEdit(): string | undefined {
    const item = this.edits.createItem(this.document, this.editor.selection.active);
    return typeof item?.insertText === 'string' ? item.insertText : undefined;
  }

  /** Accepts the visible edit. Returns the line after the edit. */
  async acceptVisibleEdit(): Promise<string> {
    const changePromise = this.waitForChange();
    for (;;) {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
      const isChanged = await Promise.race([
        changePromise.then(() => true),
        waitMs(50).then(() => false),
      ]);
      if (isChanged) return this.getLine(this.editor.selection.active.line);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const disposable of this.#disposables) disposable.dispose();
    await vscode.window.showTextDocument(this.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

const waitMs = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs));

/** Resolves with the next event that matches. */
function waitForEvent<T>(
  event: vscode.Event<T>,
  matches: (value: T) => boolean = () => true,
): Promise<void> {
  return new Promise((resolve) => {
    const subscription = event((value) => {
      if (!matches(value)) return;
      subscription.dispose();
      resolve();
    });
  });
}
