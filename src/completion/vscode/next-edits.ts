import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { EditMemory } from '../next-edit/edit-memory.ts';
import type { LineCursor } from '../next-edit/line-edit.ts';
import { onDidChangeSettings, setting } from '../../platform/settings.ts';

/**
 * Tells the memory of a change of a document.
 * @param isActive whether the cursor is in it
 */
export function recordChange(
  { contentChanges, document, reason }: vscode.TextDocumentChangeEvent,
  isActive: boolean,
  memory: EditMemory,
): void {
  const uri = document.uri.toString();
  const [change, ...others] = contentChanges;
  if (!change) return;
  if (reason !== undefined) {
    for (const { range } of contentChanges) memory.applyUndo(uri, range.start.line);
  } else if (isActive && others.length === 0 && isWithinLine(change)) {
    const { range, rangeLength, text } = change;
    const { line, character } = range.start;
    memory.applyChange({
      document: uri,
      line,
      character,
      removedLength: rangeLength,
      inserted: text,
    });
    return;
  }
  for (const each of contentChanges) {
    const delta = countOf(each.text) - (each.range.end.line - each.range.start.line);
    if (delta !== 0) memory.shiftLines(uri, each.range.start.line, delta);
  }
  if (!isActive || others.length === 0) return;
  if (reason !== undefined || !contentChanges.every(isWithinLine)) return memory.reset();
  const lines = new Set(contentChanges.map(({ range }) => range.start.line));
  memory.applyMultiLineChange({
    document: uri,
    lines,
    lineAt: (line) => document.lineAt(line).text,
  });
}

const isWithinLine = ({ range, text }: vscode.TextDocumentContentChangeEvent): boolean =>
  range.isSingleLine && !text.includes('\n') && !text.includes('\r');

/** How many line ends the text has. */
function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** A boolean; whether small edits are offered again. */
export const nextEditSetting = 'inferenceService.completion.nextEdit';

export interface NextEditOptions {
  readonly clock: Clock;
  /** Whether our provider is registered for the document: nothing else may be called because of us. */
  readonly isRegisteredFor: (document: vscode.TextDocument) => boolean;
}

/**
 * Offers the small edit that the person made last where the cursor meets a place like it. Works on this machine alone:
 * no request is made for it. Ghost text can only insert, so an edit that takes something away is offered when the
 * person has erased that.
 */
export class NextEdits implements Disposable {
  readonly #options: NextEditOptions;
  readonly #owned = new DisposableStore();
  readonly #memory: EditMemory;
  #isOn = setting(nextEditSetting);
  /** What the text was when the cursor was last seen: when it differs, the cursor went along with typing. */
  #seen = '';
  #cancelArrival: (() => void) | undefined;
  #ownCall: OwnCall | undefined;

  constructor(options: NextEditOptions) {
    const { window, workspace } = vscode;
    this.#options = options;
    this.#memory = new EditMemory(options.clock);
    this.#owned.add(workspace.onDidChangeTextDocument((event) => this.#changed(event)));
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.#moved(textEditor);
      }),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor((editor) => this.#moved(editor)));
    this.#owned.add(
      onDidChangeSettings([nextEditSetting], () => (this.#isOn = setting(nextEditSetting))),
    );
    this.#moved(window.activeTextEditor);
  }

  /** What to show at the cursor, before anything else; it counts as shown. Takes less than a millisecond. */
  itemFor(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.InlineCompletionItem | undefined {
    if (!this.#isOn || hasSeveralCursors(document)) return undefined;
    const insertion = this.#memory.suggestInsertion(spotAt(document, position));
    if (!insertion) return undefined;
    const { line } = position;
    const range = new vscode.Range(line, insertion.start, line, insertion.end);
    return new vscode.InlineCompletionItem(insertion.text, range);
  }

  /**
   * Whether the editor asks only because the cursor came to such a place. Then nothing but {@link itemFor} may answer,
   * and no request be made: the person has typed nothing. True once for each time.
   */
  consumeOwnTrigger(document: vscode.TextDocument): boolean {
    const own = this.#ownCall;
    this.#ownCall = undefined;
    return own?.state === stateOf(document) && this.#options.clock.now() < own.until;
  }

  dispose(): void {
    this.#cancelArrival?.();
    this.#owned.dispose();
  }

  #changed(event: vscode.TextDocumentChangeEvent): void {
    if (!this.#isOn || event.contentChanges.length === 0) return;
    this.#ownCall = undefined;
    this.#cancelArrival?.();
    // Nobody types at several places with one cursor: wherever it goes next, it goes by itself.
    if (event.contentChanges.length > 1) this.#seen = stateOf(event.document);
    const isActive = event.document === vscode.window.activeTextEditor?.document;
    recordChange(event, isActive, this.#memory);
  }

  #moved(editor: vscode.TextEditor | undefined): void {
    this.#cancelArrival?.();
    if (!this.#isOn) return;
    const spot = editor && cursorOf(editor);
    this.#memory.moveCursor(spot);
    const state = editor ? stateOf(editor.document) : '';
    const isTyping = state !== this.#seen && isSameDocument(state, this.#seen);
    this.#seen = state;
    if (!editor || !spot || isTyping || !editor.selection.isEmpty) return;
    if (!supportsProviderFilter(vscode.version)) return;
    if (this.#options.isRegisteredFor(editor.document) && this.#memory.hasInsertion(spot))
      this.#cancelArrival = this.#options.clock.after(arrivalMs, () => this.#show(editor));
  }

  /** The editor asks nobody when only the cursor moves: it is told to ask us, and nobody else. */
  #show({ document }: vscode.TextEditor): void {
    if (vscode.window.activeTextEditor?.document !== document) return;
    this.#ownCall = {
      state: stateOf(document),
      until: this.#options.clock.now() + ownCallMs,
    };
    void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger', {
      providerId: `${extensionId}:*`,
      explicit: false,
    });
  }
}

interface OwnCall {
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The cursor stays that long where it came to: nothing flickers while an arrow key is held down. */
const arrivalMs = 60;
/** The editor asks within a fraction of that, or never. */
const ownCallMs = 1_000;
const extensionId = 'inference-service.inference-service';

/**
 * Whether an editor of that version asks nobody but whom the command names. Older ones ask everybody, as if the person
 * wanted it: requests of other extensions, which somebody pays for. There an edit waits for the next call.
 */
export function supportsProviderFilter(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 139);
}

const stateOf = ({ uri, version }: vscode.TextDocument): string => `${version} ${uri.toString()}`;

const isSameDocument = (state: string, other: string): boolean =>
  state.slice(state.indexOf(' ')) === other.slice(other.indexOf(' '));

/** Absent where there is no one place: several cursors, or text of several lines is selected. */
function cursorOf({ document, selection, selections }: vscode.TextEditor): LineCursor | undefined {
  const isOne = selections.length === 1 && selection.isSingleLine;
  return isOne ? spotAt(document, selection.active) : undefined;
}

function spotAt(document: vscode.TextDocument, { line, character }: vscode.Position): LineCursor {
  const { languageId, uri } = document;
  return {
    document: uri.toString(),
    languageId,
    line,
    character,
    text: document.lineAt(line).text,
  };
}

function hasSeveralCursors(document: vscode.TextDocument): boolean {
  const editor = vscode.window.activeTextEditor;
  return editor?.document === document && editor.selections.length > 1;
}
