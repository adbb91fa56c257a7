import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { EditMemory } from '../next-edit/edit-memory.ts';
import type { LineCursor } from '../next-edit/line-edit.ts';
import { NextEditJump, type NextEditJumpOptions } from './next-edit-jump.ts';
import { onDidChangeSettings, getSetting } from '../../platform/settings.ts';

/**
 * Records a document change in `memory`, so that the change can be suggested again on other lines.
 * @param isActive true if the document is in the active editor
 */
export function recordChange(
  { contentChanges, document, reason }: vscode.TextDocumentChangeEvent,
  isActive: boolean,
  memory: EditMemory,
): void {
  const uri = document.uri.toString();
  const [change, ...otherChanges] = contentChanges;
  if (!change) return;
  if (reason !== undefined) {
    for (const { range } of contentChanges) memory.applyUndo(uri, range.start.line);
  } else if (isActive && otherChanges.length === 0 && isWithinLine(change)) {
    const { range, rangeLength, text } = change;
    const { line, character } = range.start;
    memory.applyChange({
      documentUri: uri,
      line,
      character,
      removedLength: rangeLength,
      insertedText: text,
    });
    return;
  }
  for (const change of contentChanges) {
    const delta = countLineFeeds(change.text) - (change.range.end.line - change.range.start.line);
    if (delta !== 0) memory.shiftLines(uri, change.range.start.line, delta);
  }
  if (!isActive || otherChanges.length === 0) return;
  if (reason !== undefined || !contentChanges.every(isWithinLine)) return memory.reset();
  const lines = new Set(contentChanges.map(({ range }) => range.start.line));
  memory.applyMultiLineChange({
    documentUri: uri,
    lines,
    lineAt: (line) => document.lineAt(line).text,
  });
}

const isWithinLine = ({ range, text }: vscode.TextDocumentContentChangeEvent): boolean =>
  range.isSingleLine && !text.includes('\n') && !text.includes('\r');

function countLineFeeds(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) count++;
  return count;
}

/** Setting that turns next edit suggestions on or off. */
export const nextEditSetting = 'inferenceService.completion.nextEdit';

export interface NextEditOptions {
  readonly clock: Clock;
  /**
   * Checks whether the extension's provider is registered for a document. If it is not, {@link NextEdits} does not
   * trigger suggestions, because VS Code would only call other providers.
   */
  readonly isRegisteredFor: (document: vscode.TextDocument) => boolean;
  /** Checks whether suggestions are allowed in a document. Never rejects. */
  readonly isAllowed: (document: vscode.TextDocument) => Promise<boolean>;
  readonly requestEdit: NextEditJumpOptions['requestEdit'];
}

/**
 * Suggests repeating the user's last small edit when the cursor reaches a similar position. Sends no requests. Ghost
 * text cannot delete text, so a replacement is suggested after the user has deleted the old text.
 */
export class NextEdits implements Disposable {
  readonly #options: NextEditOptions;
  readonly #disposables = new DisposableStore();
  readonly #memory: EditMemory;
  /** Suggests an edit at a location away from the cursor. */
  readonly jump: NextEditJump;
  #isOn = getSetting(nextEditSetting);
  /**
   * URI and version of the document at the last cursor move. If the version has changed since then, typing moved the
   * cursor.
   */
  #lastVersionKey = '';
  #cancelTrigger: (() => void) | undefined;
  #ownTrigger: OwnTrigger | undefined;

  constructor(options: NextEditOptions) {
    const { window, workspace } = vscode;
    this.#options = options;
    this.#memory = new EditMemory(options.clock);
    this.jump = this.#disposables.add(new NextEditJump({ ...options, memory: this.#memory }));
    this.#disposables.add(workspace.onDidChangeTextDocument((event) => this.#handleChange(event)));
    this.#disposables.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.#handleCursorMove(textEditor);
      }),
    );
    this.#disposables.add(
      window.onDidChangeActiveTextEditor((editor) => this.#handleCursorMove(editor)),
    );
    this.#disposables.add(
      onDidChangeSettings([nextEditSetting], () => {
        this.#isOn = getSetting(nextEditSetting);
        if (!this.#isOn) this.jump.reset();
      }),
    );
    this.#handleCursorMove(window.activeTextEditor);
  }

  /**
   * Returns the inline completion item for the cursor; undefined if no edit can be repeated. Takes less than a
   * millisecond.
   */
  createItem(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.InlineCompletionItem | undefined {
    if (!this.#isOn || this.jump.state === 'reached' || hasSeveralCursors(document))
      return undefined;
    const insertion = this.#memory.suggestInsertion(createLineCursor(document, position));
    if (!insertion) return undefined;
    const { line } = position;
    const range = new vscode.Range(line, insertion.start, line, insertion.end);
    return new vscode.InlineCompletionItem(insertion.text, range);
  }

  /**
   * Checks whether VS Code requests suggestions only because {@link NextEdits} triggered the request after a cursor
   * move. In this case, only {@link createItem} may provide a suggestion, because the user did not type. Returns true
   * at most once per trigger, before the trigger expires.
   */
  consumeOwnTrigger(document: vscode.TextDocument): boolean {
    const trigger = this.#ownTrigger;
    this.#ownTrigger = undefined;
    return (
      trigger?.versionKey === getDocumentVersionKey(document) &&
      this.#options.clock.now() < trigger.expiresAt
    );
  }

  dispose(): void {
    this.#cancelTrigger?.();
    this.#disposables.dispose();
  }

  #handleChange(event: vscode.TextDocumentChangeEvent): void {
    if (!this.#isOn || event.contentChanges.length === 0) return;
    this.#ownTrigger = undefined;
    this.#cancelTrigger?.();
    // Several changes with a single cursor are not typing, so the next cursor move must be handled.
    if (event.contentChanges.length > 1)
      this.#lastVersionKey = getDocumentVersionKey(event.document);
    const isActive = event.document === vscode.window.activeTextEditor?.document;
    recordChange(event, isActive, this.#memory);
    if (isActive) this.jump.handleChange();
  }

  #handleCursorMove(editor: vscode.TextEditor | undefined): void {
    this.#cancelTrigger?.();
    if (!this.#isOn) return;
    const cursor = editor && getLineCursor(editor);
    this.#memory.moveCursor(cursor);
    const versionKey = editor ? getDocumentVersionKey(editor.document) : '';
    const isTyping =
      versionKey !== this.#lastVersionKey && isSameDocument(versionKey, this.#lastVersionKey);
    this.#lastVersionKey = versionKey;
    if (!isTyping) this.jump.handleCursorMove(editor);
    if (!editor || !cursor || isTyping || !editor.selection.isEmpty) return;
    if (this.jump.state === 'reached') return;
    if (!supportsProviderFilter(vscode.version)) return;
    if (this.#options.isRegisteredFor(editor.document) && this.#memory.hasInsertion(cursor))
      this.#cancelTrigger = this.#options.clock.after(cursorMoveDelayMs, () =>
        this.#triggerSuggestion(editor),
      );
  }

  /**
   * Makes VS Code call only the extension's provider. Necessary, because VS Code calls no provider when only the cursor
   * moves.
   */
  #triggerSuggestion({ document }: vscode.TextEditor): void {
    if (vscode.window.activeTextEditor?.document !== document) return;
    this.#ownTrigger = {
      versionKey: getDocumentVersionKey(document),
      expiresAt: this.#options.clock.now() + ownTriggerExpiryMs,
    };
    void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger', {
      providerId: `${extensionId}:*`,
      explicit: false,
    });
  }
}

interface OwnTrigger {
  readonly versionKey: string;
  /** Time at which the trigger expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Delay in milliseconds between a cursor move and the request for suggestions. Prevents flicker while an arrow key is
 * held down.
 */
const cursorMoveDelayMs = 60;
/** Maximum time in milliseconds between a trigger and the provider call that it causes. */
const ownTriggerExpiryMs = 1_000;
const extensionId = 'inference-service.inference-service';

/**
 * Checks whether a VS Code version can trigger a single provider. Older versions would call all providers as if the
 * user had requested suggestions, which may cost money. In these versions, the edit is suggested at the next provider
 * call.
 */
export function supportsProviderFilter(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 139);
}

const getDocumentVersionKey = ({ uri, version }: vscode.TextDocument): string =>
  `${version} ${uri.toString()}`;

const isSameDocument = (versionKey: string, otherVersionKey: string): boolean =>
  versionKey.slice(versionKey.indexOf(' ')) === otherVersionKey.slice(otherVersionKey.indexOf(' '));

/** Returns the cursor of the editor; undefined if there are multiple cursors or a multi-line selection. */
function getLineCursor({
  document,
  selection,
  selections,
}: vscode.TextEditor): LineCursor | undefined {
  const isSingleCursor = selections.length === 1 && selection.isSingleLine;
  return isSingleCursor ? createLineCursor(document, selection.active) : undefined;
}

function createLineCursor(
  document: vscode.TextDocument,
  { line, character }: vscode.Position,
): LineCursor {
  const { languageId, uri } = document;
  return {
    documentUri: uri.toString(),
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
