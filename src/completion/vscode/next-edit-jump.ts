import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { EditMemory } from '../next-edit/edit-memory.ts';
import { findDifference } from '../next-edit/line-edit.ts';
import { type DocumentLines, findNextLocation, type LastEdit } from '../next-edit/next-location.ts';
import { ContextKeys } from '../../platform/commands.ts';
import { showStatusMessage } from '../../platform/notifications.ts';

export interface NextEditJumpOptions {
  readonly clock: Clock;
  readonly memory: EditMemory;
  /** Checks whether suggestions are allowed in a document. Never rejects. */
  readonly isAllowed: (document: vscode.TextDocument) => Promise<boolean>;
}

/** Edit that is visible at its position. */
interface NextEdit {
  readonly editor: vscode.TextEditor;
  /** Version of the document for which the edit is valid. */
  readonly version: number;
  readonly range: vscode.Range;
  readonly text: string;
  /** Line of the cursor before the jump, 0-based. */
  readonly originLine: number;
  readonly edit: LastEdit;
  /** True after the cursor moved to the edit. */
  isReached: boolean;
}

/**
 * Suggests to repeat the user's last edit at the next location in the document. The first run of the command moves the
 * cursor to the location, the second run makes the edit and suggests the next location. Works without requests.
 * Searches only while the user does not type.
 */
export class NextEditJump implements Disposable {
  readonly #options: NextEditJumpOptions;
  readonly #owned = new DisposableStore();
  readonly #keys = new ContextKeys();
  readonly #decorations = this.#owned.add(new NextEditDecorations());
  #nextEdit: NextEdit | undefined;
  #cancelSearch = (): void => {};
  #dismissedKey = '';

  constructor(options: NextEditJumpOptions) {
    this.#options = options;
  }

  /** `visible`: the edit is shown away from the cursor. `reached`: the cursor is at the edit. */
  get state(): 'hidden' | 'visible' | 'reached' {
    if (!this.#nextEdit) return 'hidden';
    return this.#nextEdit.isReached ? 'reached' : 'visible';
  }

  /** Hides the edit after a change of any document, and schedules a search. Takes a few microseconds. */
  handleChange(): void {
    this.#hide();
    this.#scheduleSearch(idleMs);
  }

  /** Updates the edit after a cursor move that typing did not cause. */
  handleCursorMove(editor: vscode.TextEditor | undefined): void {
    const next = this.#nextEdit;
    if (next && editor === next.editor && editor.selections.length === 1) {
      const { active } = editor.selection;
      if (next.range.contains(active)) return this.#reach(next);
      if (active.line === next.originLine && !next.isReached) return;
    }
    this.#hide();
    this.#scheduleSearch(idleMs);
  }

  /** Moves the cursor to the edit or, if it is there, makes the edit. Inserts a tab if the edit is outdated. */
  async run(): Promise<void> {
    const next = this.#nextEdit;
    if (!next || !this.#isCurrent(next)) return void vscode.commands.executeCommand('tab');
    if (!next.isReached) {
      const { editor, range } = next;
      this.#reach(next);
      editor.selection = new vscode.Selection(range.end, range.end);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    await this.#accept(next);
  }

  /** Hides the edit until the user makes another edit. */
  dismiss(): void {
    const next = this.#nextEdit;
    if (next) this.#dismissedKey = getEditKey(next.edit);
    this.#cancelSearch();
    this.#hide();
  }

  /** Hides the edit and stops the search. */
  reset(): void {
    this.#cancelSearch();
    this.#hide();
  }

  dispose(): void {
    this.reset();
    this.#owned.dispose();
  }

  async #accept({ editor, range, text, edit }: NextEdit): Promise<void> {
    const { document } = editor;
    const { line, character } = range.start;
    const lineText = document.lineAt(line).text;
    const { languageId, uri } = document;
    this.#options.memory.expectRepetition(
      edit,
      { document: uri.toString(), languageId, line, character, text: lineText },
      { line, start: character, end: range.end.character, text },
    );
    this.#hide();
    if (!(await editor.edit((builder) => builder.replace(range, text)))) return;
    const end = range.start.translate(0, text.length);
    editor.selection = new vscode.Selection(end, end);
    this.#scheduleSearch(0);
  }

  #isCurrent({ editor, version }: NextEdit): boolean {
    return vscode.window.activeTextEditor === editor && editor.document.version === version;
  }

  #scheduleSearch(ms: number): void {
    this.#cancelSearch();
    const abortController = new AbortController();
    const cancelTimer = this.#options.clock.after(
      ms,
      () => void this.#search(abortController.signal),
    );
    this.#cancelSearch = () => {
      cancelTimer();
      abortController.abort();
    };
  }

  async #search(signal: AbortSignal): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const edit = this.#options.memory.findLastEdit();
    if (!editor || !edit || getEditKey(edit) === this.#dismissedKey) return;
    const { document, selection } = editor;
    if (!selection.isEmpty || editor.selections.length > 1) return;
    if (!(await this.#options.isAllowed(document)) || signal.aborted) return;
    const steps = findNextLocation(edit, readLines(document));
    let step = steps.next();
    while (step.done !== true) {
      await yieldToEventLoop();
      if (signal.aborted) return;
      step = steps.next();
    }
    if (!step.value) return;
    const { line, start, end, text } = step.value;
    this.#show({
      editor,
      version: document.version,
      range: new vscode.Range(line, start, line, end),
      text,
      originLine: selection.active.line,
      edit,
      isReached: false,
    });
  }

  #show(next: NextEdit): void {
    this.#nextEdit = next;
    this.#keys.set('nextEdit', true);
    const hint = vscode.l10n.t('Tab to go to line {0}', next.range.start.line + 1);
    this.#decorations.show(next, { line: next.originLine, hint });
    showStatusMessage(hint);
  }

  #reach(next: NextEdit): void {
    if (next.isReached) return;
    next.isReached = true;
    const hint = vscode.l10n.t('Tab to apply');
    this.#decorations.show(next, { line: next.range.end.line, hint });
    showStatusMessage(hint);
  }

  #hide(): void {
    if (!this.#nextEdit) return;
    this.#nextEdit = undefined;
    this.#keys.set('nextEdit', false);
    this.#decorations.hide();
  }
}

/** Time without changes after which the document is searched, in milliseconds. */
const idleMs = 300;

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const getEditKey = ({ pattern, count }: LastEdit): string => `${count} ${JSON.stringify(pattern)}`;

const readLines = (document: vscode.TextDocument): DocumentLines => ({
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
  readonly #owned = new DisposableStore();
  #types: DecorationTypes | undefined;
  #redraw = (): void => {};

  constructor() {
    this.#owned.add(
      vscode.window.onDidChangeActiveColorTheme(() => {
        if (!this.#types) return;
        this.hide();
        this.#redraw();
      }),
    );
  }

  show(next: Pick<NextEdit, 'editor' | 'range' | 'text'>, hint: LineHint): void {
    this.#redraw = () => this.show(next, hint);
    this.#types ??= createDecorationTypes();
    this.#draw(this.#types, next, hint);
  }

  #draw(
    types: DecorationTypes,
    { editor, range, text }: Pick<NextEdit, 'editor' | 'range' | 'text'>,
    { line, hint }: LineHint,
  ): void {
    const { document } = editor;
    const { start, removed, inserted } = findDifference(document.getText(range), text);
    const isInsertion = removed === '';
    const newTextRange = isInsertion ? moveTo(range.start.translate(0, start)) : range;
    const contentText = isInsertion ? inserted : text;
    editor.setDecorations(types.old, isInsertion ? [] : [range]);
    editor.setDecorations(types.new, [
      { range: newTextRange, renderOptions: { after: { contentText } } },
    ]);
    editor.setDecorations(types.hint, [
      {
        range: moveTo(document.lineAt(line).range.end),
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
    this.#owned.dispose();
  }
}

const moveTo = (position: vscode.Position): vscode.Range => new vscode.Range(position, position);

/** Creates the decorations for the current theme. Adds borders in high contrast themes, which have no backgrounds. */
function createDecorationTypes(): DecorationTypes {
  const { createTextEditorDecorationType, activeColorTheme } = vscode.window;
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const isHighContrast = [HighContrast, HighContrastLight].includes(activeColorTheme.kind);
  const createBorder = (color: string): { border?: string; borderColor?: vscode.ThemeColor } =>
    isHighContrast ? { border: '1px solid', borderColor: new vscode.ThemeColor(color) } : {};
  const ghostTextColor = new vscode.ThemeColor('editorGhostText.foreground');
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
        color: ghostTextColor,
        backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
        ...createBorder('diffEditor.insertedTextBorder'),
      },
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    hint: createTextEditorDecorationType({
      after: { color: ghostTextColor, margin: '0 0 0 2em' },
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
  };
}
