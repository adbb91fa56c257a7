import * as vscode from 'vscode';
import { type Clock, wait } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { EditMemory } from '../next-edit/edit-memory.ts';
import { findDifference, maxGhostTextLength, toGhostText } from '../next-edit/line-edit.ts';
import type { ChangedLine, ModelEdit } from '../next-edit/model-edit.ts';
import { type DocumentLines, findNextLocation, type LastEdit } from '../next-edit/next-location.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { showStatusMessage } from '../../platform/notifications.ts';

export interface NextEditJumpOptions {
  readonly clock: Clock;
  readonly memory: EditMemory;
  /** Checks whether suggestions are allowed in a document. Never rejects. */
  readonly isAllowed: (document: vscode.TextDocument) => Promise<boolean>;
  /**
   * Requests the next edit from the model after the user changed a document. Returns undefined if the model finds no
   * edit, or if the user did not turn these requests on. Never rejects.
   */
  readonly requestEdit: (
    editor: vscode.TextEditor,
    change: ChangedLine,
    signal: AbortSignal,
  ) => Promise<ModelEdit | undefined>;
}

/** Next edit that is shown as decorations at its location in the document. */
interface NextEdit {
  readonly editor: vscode.TextEditor;
  /** Version of the document for which the edit is valid. */
  readonly version: number;
  readonly range: vscode.Range;
  readonly text: string;
  /** Line of the cursor before the jump, 0-based. */
  readonly originLine: number;
  /** The user's last edit, which this edit repeats; absent if the model suggested this edit. */
  readonly edit?: LastEdit;
  /** True after the cursor moved to the edit. */
  isReached: boolean;
}

/**
 * Suggests repeating the user's last edit at the next location in the document. The first call of {@link run} moves the
 * cursor to the location. The second call makes the edit and suggests the next location. Searches only while the user
 * does not type.
 *
 * Sends requests only if the user turned on next edits from the model. In that case, sends at most one request after a
 * change that cannot be repeated elsewhere in the document.
 */
export class NextEditJump implements Disposable {
  readonly #options: NextEditJumpOptions;
  readonly #disposables = new DisposableStore();
  readonly #keys = new ContextKeys();
  readonly #decorations = this.#disposables.add(new NextEditDecorations());
  readonly #onDidShowEmitter = this.#disposables.add(new vscode.EventEmitter<void>());
  /** Fires when an edit appears away from the cursor. */
  readonly onDidShow = this.#onDidShowEmitter.event;
  #nextEdit: NextEdit | undefined;
  #cancelSearch = (): void => {};
  #dismissedKey = '';
  /** True if the last change has not caused a request to the model yet. */
  #isNewChange = false;

  constructor(options: NextEditJumpOptions) {
    this.#options = options;
  }

  /**
   * `hidden`: no edit is shown. `visible`: the edit is shown away from the cursor. `reached`: the cursor is at the
   * edit.
   */
  get state(): 'hidden' | 'visible' | 'reached' {
    if (!this.#nextEdit) return 'hidden';
    return this.#nextEdit.isReached ? 'reached' : 'visible';
  }

  /**
   * Hides the suggested edit after a change of any document, and schedules a search for the next edit. Takes a few
   * microseconds.
   */
  handleChange(): void {
    this.#hideNextEdit();
    this.#isNewChange = true;
    this.#scheduleSearch(idleMs);
  }

  /** Updates the suggested edit after a cursor move without typing. */
  handleCursorMove(editor: vscode.TextEditor | undefined): void {
    const nextEdit = this.#nextEdit;
    if (nextEdit && editor === nextEdit.editor && editor.selections.length === 1) {
      const { active: cursor } = editor.selection;
      if (nextEdit.range.contains(cursor)) return this.#markReached(nextEdit);
      if (cursor.line === nextEdit.originLine && !nextEdit.isReached) return;
    }
    this.#hideNextEdit();
    this.#scheduleSearch(idleMs);
  }

  /**
   * Moves the cursor to the suggested edit. If the cursor is already there, makes the edit. Without a suggested edit,
   * inserts a tab, because the command is bound to the Tab key.
   */
  async run(): Promise<void> {
    const nextEdit = this.#nextEdit;
    if (!nextEdit || !this.#isCurrent(nextEdit)) return void vscode.commands.executeCommand('tab');
    if (!nextEdit.isReached) {
      const { editor, range } = nextEdit;
      this.#markReached(nextEdit);
      editor.selection = new vscode.Selection(range.end, range.end);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    await this.#acceptNextEdit(nextEdit);
  }

  /**
   * Hides the suggested edit. Then suggests no repetitions of the user's last edit until the user makes another edit.
   */
  dismiss(): void {
    const nextEdit = this.#nextEdit;
    if (nextEdit?.edit) this.#dismissedKey = getEditKey(nextEdit.edit);
    this.#isNewChange = false;
    this.#cancelSearch();
    this.#hideNextEdit();
  }

  /** Hides the suggested edit and stops the search for another edit. */
  reset(): void {
    this.#cancelSearch();
    this.#hideNextEdit();
  }

  dispose(): void {
    this.reset();
    this.#disposables.dispose();
  }

  async #acceptNextEdit({ editor, range, text, edit }: NextEdit): Promise<void> {
    if (edit) this.#expectRepetition(edit, editor.document, { range, text });
    this.#hideNextEdit();
    if (!(await editor.edit((builder) => builder.replace(range, text)))) return;
    const lines = text.split('\n');
    const length = lines.at(-1)?.length ?? 0;
    const endPosition =
      lines.length === 1
        ? range.start.translate(0, length)
        : new vscode.Position(range.start.line + lines.length - 1, length);
    editor.selection = new vscode.Selection(endPosition, endPosition);
    this.#isNewChange = false;
    this.#scheduleSearch(0);
  }

  #expectRepetition(
    edit: LastEdit,
    document: vscode.TextDocument,
    { range, text }: Pick<NextEdit, 'range' | 'text'>,
  ): void {
    const { line, character } = range.start;
    const { languageId, uri } = document;
    const lineText = document.lineAt(line).text;
    this.#options.memory.expectRepetition(
      edit,
      { documentUri: uri.toString(), languageId, line, character, text: lineText },
      { line, start: character, end: range.end.character, text },
    );
  }

  #isCurrent({ editor, version }: NextEdit): boolean {
    return vscode.window.activeTextEditor === editor && editor.document.version === version;
  }

  #scheduleSearch(delayMs: number): void {
    this.#cancelSearch();
    this.#cancelSearch = this.#options.clock.after(delayMs, () => {
      const abortController = new AbortController();
      this.#cancelSearch = () => abortController.abort();
      void this.#searchNextEdit(abortController.signal);
    });
  }

  async #searchNextEdit(signal: AbortSignal): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { memory, isAllowed } = this.#options;
    if (!editor?.selection.isEmpty || editor.selections.length > 1) return;
    const edit = memory.findLastEdit();
    const change = this.#isNewChange ? memory.changedLine : undefined;
    if (!edit && !change) return;
    const { version } = editor.document;
    if (!(await isAllowed(editor.document)) || signal.aborted) return;
    const foundEdit =
      (edit && (await this.#findRepetition(editor.document, edit, signal))) ??
      (change && (await this.#requestEdit(editor, change, signal)));
    if (!foundEdit || signal.aborted || editor.document.version !== version) return;
    this.#showNextEdit({
      ...foundEdit,
      editor,
      version,
      originLine: editor.selection.active.line,
      isReached: false,
    });
  }

  async #findRepetition(
    document: vscode.TextDocument,
    edit: LastEdit,
    signal: AbortSignal,
  ): Promise<Pick<NextEdit, 'range' | 'text' | 'edit'> | undefined> {
    if (getEditKey(edit) === this.#dismissedKey) return undefined;
    const steps = findNextLocation(edit, toDocumentLines(document));
    let step = steps.next();
    while (step.done !== true) {
      await yieldToEventLoop();
      if (signal.aborted) return undefined;
      step = steps.next();
    }
    if (!step.value) return undefined;
    const { line, start, end, text } = step.value;
    return { range: new vscode.Range(line, start, line, end), text, edit };
  }

  /** Requests an edit from the model after a further pause, at most once per change. */
  async #requestEdit(
    editor: vscode.TextEditor,
    change: ChangedLine,
    signal: AbortSignal,
  ): Promise<Pick<NextEdit, 'range' | 'text'> | undefined> {
    const { clock, requestEdit } = this.#options;
    await wait(requestDelayMs, { clock, signal }).catch(() => {});
    if (signal.aborted) return undefined;
    this.#isNewChange = false;
    const edit = await requestEdit(editor, change, signal);
    if (!edit) return undefined;
    const { startLine, startCharacter, endLine, endCharacter, text } = edit;
    return { range: new vscode.Range(startLine, startCharacter, endLine, endCharacter), text };
  }

  #showNextEdit(nextEdit: NextEdit): void {
    this.#nextEdit = nextEdit;
    this.#keys.set('nextEdit', true);
    const hint = vscode.l10n.t('Tab to go to line {0}', nextEdit.range.start.line + 1);
    this.#decorations.show(nextEdit, { line: nextEdit.originLine, hint });
    showStatusMessage(hint);
    this.#onDidShowEmitter.fire();
  }

  #markReached(nextEdit: NextEdit): void {
    if (nextEdit.isReached) return;
    nextEdit.isReached = true;
    const hint = vscode.l10n.t('Tab to apply');
    this.#decorations.show(nextEdit, { line: nextEdit.range.end.line, hint });
    showStatusMessage(hint);
  }

  #hideNextEdit(): void {
    if (!this.#nextEdit) return;
    this.#nextEdit = undefined;
    this.#keys.set('nextEdit', false);
    this.#decorations.hide();
  }
}

/** Time without changes after which the document is searched, in milliseconds. */
const idleMs = 300;
/** Further time without changes after which an edit is requested from the model, in milliseconds. */
const requestDelayMs = 700;

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const getEditKey = ({ pattern, useCount }: LastEdit): string =>
  `${useCount} ${JSON.stringify(pattern)}`;

const toDocumentLines = (document: vscode.TextDocument): DocumentLines => ({
  languageId: document.languageId,
  lineCount: document.lineCount,
  lineAt: (line) => document.lineAt(line).text,
});

type DecorationTypes = Readonly<Record<'old' | 'new' | 'hint', vscode.TextEditorDecorationType>>;

interface LineHint {
  /** 0-based line at whose end the hint is shown. */
  readonly line: number;
  readonly hint: string;
}

/** Shows the old text struck through, the new text as ghost text, and a hint at the end of a line. */
class NextEditDecorations implements Disposable {
  readonly #disposables = new DisposableStore();
  #types: DecorationTypes | undefined;
  #redraw = (): void => {};

  constructor() {
    this.#disposables.add(
      vscode.window.onDidChangeActiveColorTheme(() => {
        if (!this.#types) return;
        this.hide();
        this.#redraw();
      }),
    );
  }

  show(nextEdit: Pick<NextEdit, 'editor' | 'range' | 'text'>, hint: LineHint): void {
    this.#redraw = () => this.show(nextEdit, hint);
    this.#types ??= createDecorationTypes();
    this.#draw(this.#types, nextEdit, hint);
  }

  #draw(
    types: DecorationTypes,
    { editor, range, text }: Pick<NextEdit, 'editor' | 'range' | 'text'>,
    { line, hint }: LineHint,
  ): void {
    const { document } = editor;
    const { start, removedText, insertedText } = findDifference(document.getText(range), text);
    const isInsertion = range.isSingleLine && removedText === '';
    const newTextRange = isInsertion ? createEmptyRange(range.start.translate(0, start)) : range;
    const contentText = formatGhostText(isInsertion ? insertedText : text);
    editor.setDecorations(types.old, isInsertion ? [] : [range]);
    editor.setDecorations(types.new, [
      { range: newTextRange, renderOptions: { after: { contentText } } },
    ]);
    editor.setDecorations(types.hint, [
      {
        range: createEmptyRange(document.lineAt(line).range.end),
        renderOptions: { after: { contentText: hint } },
      },
    ]);
  }

  hide(): void {
    for (const type of Object.values(this.#types ?? {})) type.dispose();
    this.#types = undefined;
  }

  dispose(): void {
    this.hide();
    this.#disposables.dispose();
  }
}

const createEmptyRange = (position: vscode.Position): vscode.Range =>
  new vscode.Range(position, position);

function formatGhostText(text: string): string {
  const line = toGhostText(text);
  return line.length > maxGhostTextLength ? `${line.slice(0, maxGhostTextLength)}…` : line;
}

/** Creates the decorations for the current theme. Adds borders in high contrast themes, which have no backgrounds. */
function createDecorationTypes(): DecorationTypes {
  const { createTextEditorDecorationType, activeColorTheme } = vscode.window;
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const isHighContrast = [HighContrast, HighContrastLight].includes(activeColorTheme.kind);
  const createBorder = (color: string): { border?: string; borderColor?: vscode.ThemeColor } =>
    isHighContrast ? { border: '1px solid', borderColor: new vscode.ThemeColor(color) } : {};
  // High contrast themes define no color for ghost text.
  const hintColor = isHighContrast ? 'editor.foreground' : 'editorGhostText.foreground';
  return {
    old: createTextEditorDecorationType({
      textDecoration: 'line-through',
      backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'),
      ...createBorder('diffEditor.removedTextBorder'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    new: createTextEditorDecorationType({
      after: {
        color: new vscode.ThemeColor('editor.foreground'),
        fontStyle: 'italic',
        backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
        ...createBorder('diffEditor.insertedTextBorder'),
      },
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    hint: createTextEditorDecorationType({
      after: { color: new vscode.ThemeColor(hintColor), margin: '0 0 0 2em' },
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
  };
}
