import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import {
  canAskUsAlone,
  NextEdits,
  nextEditSetting,
} from '../../src/completion/vscode/next-edits.ts';
import { setting } from '../../src/platform/settings.ts';
import { withSettings } from './account-fixture.ts';

const callers = ['a = getUser(1);', 'b = getUser(2);', 'c = getUser(3);', ''];

suite('next edit', () => {
  test('is shown when the cursor comes to the next place, and taken with one key', async () => {
    await using typist = await Typist.open(callers);
    await typist.goTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.arrive(1, 0);
    assert.equal(await typist.accept(), 'b = getUserById(2);');
    await typist.arrive(2, 4);
    assert.equal(await typist.accept(), 'c = getUserById(3);');
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.line(2), 'c = getUser(3);');
  });

  test('asks once, and says that it is the one that asks', async () => {
    await using typist = await Typist.open(callers);
    await typist.goTo(0, 'a = getUser'.length);
    await typist.type('ById');
    const before = typist.calls.length;
    await typist.arrive(1, 0);
    const [call, ...more] = typist.calls.slice(before);
    assert.deepEqual(more, []);
    assert.equal(call?.isOwn, true);
    assert.equal(call.kind, vscode.InlineCompletionTriggerKind.Automatic);
    assert.equal(typist.edits.takeOwnCall(typist.document), false);
  });

  test('a call after typing is the person’s own', async () => {
    await using typist = await Typist.open(callers);
    await typist.goTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.arrive(1, 4);
    await typist.type('x');
    assert.equal(typist.calls.at(-1)?.isOwn, false);
  });

  test('offers a replaced word where the old one was erased', async () => {
    await using typist = await Typist.open(['return oldName;', 'return oldName + 1;']);
    await typist.select(0, 7, 14);
    await typist.type('total');
    await typist.select(1, 7, 14);
    await vscode.commands.executeCommand('deleteLeft');
    await typist.asked();
    assert.equal(await typist.accept(), 'return total + 1;');
  });

  test('is not shown for what was undone, nor for what several cursors did', async () => {
    await using typist = await Typist.open(callers);
    await typist.goTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await vscode.commands.executeCommand('undo');
    await typist.goTo(1, 0);
    assert.equal(typist.offered(), undefined);
    const both = [0, 1].map((line) => new vscode.Selection(line, 11, line, 11));
    const moved = next(
      vscode.window.onDidChangeTextEditorSelection,
      ({ selections }) => selections.length === 2,
    );
    typist.editor.selections = both;
    await moved;
    await typist.type('ById');
    assert.equal(typist.line(1), 'b = getUserById(2);');
    await typist.goTo(2, 0);
    assert.equal(typist.offered(), undefined);
  });

  test('finds a place after lines were put in above it, in another file too', async () => {
    await using typist = await Typist.open(callers);
    await typist.goTo(0, 'a = getUser'.length);
    await typist.type('ById');
    await typist.goTo(3, 0);
    await vscode.commands.executeCommand('editor.action.insertLineBefore');
    await using other = await Typist.open(['d = getUser(4);'], typist.edits);
    await other.goTo(0, 1);
    assert.equal(other.offered(), 'ById');
  });

  test('offers a rename where the old word still stands, in another file too', async () => {
    const lines = ['a = getUser(1);', 'b = getUser(2) + getUser(3);', '// See getUser.'];
    await using typist = await Typist.open(lines);
    await typist.goTo(0, 6);
    await typist.rename('getUser', 'getUserById', [0, 1]);
    assert.equal(typist.line(1), 'b = getUserById(2) + getUserById(3);');
    await typist.arrive(2, 0);
    assert.equal(await typist.accept(), '// See getUserById.');
    await using other = await Typist.open(['c = getUser(4);'], typist.edits);
    await other.goTo(0, 1);
    assert.equal(other.offered(), 'ById');
  });

  test('does not offer a rename that was undone', async () => {
    await using typist = await Typist.open(['a = getUser(1);', 'getUser(2);', '// See getUser.']);
    await typist.goTo(0, 6);
    await typist.rename('getUser', 'getUserById', [0, 1]);
    await typist.goTo(2, 0);
    assert.equal(typist.offered(), 'ById');
    await vscode.commands.executeCommand('undo');
    assert.equal(typist.line(1), 'getUser(2);');
    await typist.goTo(2, 1);
    assert.equal(typist.offered(), undefined);
  });

  test('has only those editors ask that ask nobody else', () => {
    const versions = ['1.110.0', '1.138.2', '1.139.0', '1.140.0-insider', '2.0.0', 'unknown'];
    assert.deepEqual(versions.map(canAskUsAlone), [false, false, true, true, true, false]);
    assert.ok(canAskUsAlone(vscode.version), vscode.version);
  });

  test('is not learnt while it is switched off', async () => {
    await using typist = await Typist.open(callers);
    await withSettings({ [nextEditSetting]: false }, async () => {
      await typist.goTo(0, 'a = getUser'.length);
      await typist.type('ById');
      await typist.goTo(1, 0);
      assert.equal(typist.offered(), undefined);
    });
    await typist.goTo(2, 0);
    assert.equal(typist.offered(), undefined);
  });
});

interface Call {
  readonly kind: vscode.InlineCompletionTriggerKind;
  readonly isOwn: boolean;
  readonly version: number;
}

/** Types into a document of its own, with a provider that gives next edits and nothing else. */
class Typist implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly editor: vscode.TextEditor;
  readonly edits: NextEdits;
  readonly #owned: vscode.Disposable[] = [];
  readonly #called = new vscode.EventEmitter<void>();

  private constructor(editor: vscode.TextEditor, edits: NextEdits | undefined) {
    this.editor = editor;
    this.edits = edits ?? new NextEdits({ clock: systemClock, serves: () => true });
    if (!edits) this.#owned.push(this.edits);
    const selector = { pattern: editor.document.uri.path, scheme: editor.document.uri.scheme };
    this.#owned.push(
      vscode.languages.registerInlineCompletionItemProvider(selector, {
        provideInlineCompletionItems: (document, position, { triggerKind }) => {
          const { version } = document;
          this.calls.push({ kind: triggerKind, isOwn: this.edits.takeOwnCall(document), version });
          const item = this.edits.itemFor(document, position);
          setImmediate(() => this.#called.fire());
          return item ? [item] : [];
        },
      }),
    );
  }

  static async open(lines: readonly string[], edits?: NextEdits): Promise<Typist> {
    // It may have been off a moment ago.
    while (!setting(nextEditSetting)) await next(vscode.workspace.onDidChangeConfiguration);
    // A file of its own: what was undone in one without a name comes back in the next of the same name.
    const path = join(mkdtempSync(join(tmpdir(), 'next-edit-')), 'typed.ts');
    writeFileSync(path, lines.join('\n'));
    const document = await vscode.workspace.openTextDocument(path);
    return new Typist(await vscode.window.showTextDocument(document), edits);
  }

  get document(): vscode.TextDocument {
    return this.editor.document;
  }

  line(line: number): string {
    return this.document.lineAt(line).text;
  }

  async goTo(line: number, character: number): Promise<void> {
    await this.select(line, character, character);
  }

  async select(line: number, from: number, to: number): Promise<void> {
    const wanted = new vscode.Selection(line, from, line, to);
    if (this.editor.selection.isEqual(wanted)) return;
    const moved = next(
      vscode.window.onDidChangeTextEditorSelection,
      ({ selections }) => selections[0]?.isEqual(wanted) === true,
    );
    this.editor.selection = wanted;
    await moved;
  }

  /** Resolves when the document changes next; others change all the time. */
  changed(): Promise<void> {
    const { document } = this;
    return next(
      vscode.workspace.onDidChangeTextDocument,
      (event) => event.document === document && event.contentChanges.length > 0,
    );
  }

  /** Resolves with the next call of the provider. */
  called(): Promise<void> {
    return next(this.#called.event);
  }

  /** Resolves when the provider was asked about the text as it is. */
  async asked(): Promise<void> {
    while (this.calls.at(-1)?.version !== this.document.version) await this.called();
  }

  /** The cursor goes there, and the provider is asked because of it. */
  async arrive(line: number, character: number): Promise<void> {
    const called = this.called();
    await this.goTo(line, character);
    await called;
  }

  /** Types key by key, and waits until the provider was asked about that. */
  async type(text: string): Promise<void> {
    for (const character of text) {
      const changed = this.changed();
      await vscode.commands.executeCommand('type', { text: character });
      await changed;
    }
    await this.asked();
  }

  /** At all its places in these lines at once, as the editor's rename does. */
  async rename(old: string, renamed: string, lines: readonly number[]): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    for (const line of lines)
      for (const { index } of this.line(line).matchAll(new RegExp(old, 'gu'))) {
        const range = new vscode.Range(line, index, line, index + old.length);
        edit.replace(this.document.uri, range, renamed);
      }
    const changed = this.changed();
    assert.ok(await vscode.workspace.applyEdit(edit));
    await changed;
  }

  /** What would be shown at the cursor. */
  offered(): string | undefined {
    const item = this.edits.itemFor(this.document, this.editor.selection.active);
    return typeof item?.insertText === 'string' ? item.insertText : undefined;
  }

  /** Takes what is shown; gives the line then. */
  async accept(): Promise<string> {
    const changed = this.changed();
    for (;;) {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
      const isDone = await Promise.race([changed.then(() => true), pause(50).then(() => false)]);
      if (isDone) return this.line(this.editor.selection.active.line);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#owned) each.dispose();
    await vscode.window.showTextDocument(this.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves with the next event that is meant. */
function next<T>(
  event: vscode.Event<T>,
  isMeant: (value: T) => boolean = () => true,
): Promise<void> {
  return new Promise((resolve) => {
    const listening = event((value) => {
      if (!isMeant(value)) return;
      listening.dispose();
      resolve();
    });
  });
}
