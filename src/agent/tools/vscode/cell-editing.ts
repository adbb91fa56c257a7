import * as vscode from 'vscode';
import { readStringArgument } from '../../arguments.ts';
import { createUnifiedDiff } from '../../edit/edit-report.ts';
import { findCell, haveSameCells, type NotebookCell, parseNotebook } from '../../edit/notebook.ts';
import { assertNoElision } from '../../edit/new-text-elision.ts';
import {
  type CellChange,
  cellTypes,
  formatPlan,
  hasNewType,
  type PlannedCell,
  planCells,
} from '../../edit/notebook-edits.ts';
import type { ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../tool.ts';
import { EditProblems } from './edit-problems.ts';
import { type NotebookFile, openCell, openNotebook, readOpenCells } from './notebook-file.ts';
import {
  type EditTools,
  createFileChangedError,
  readFileContentArgument,
  createFileNotFoundError,
  isReadable,
  isRefusedPath,
  throwIfAborted,
} from './ports.ts';
import { createCellUri, findOpenNotebook, formatPreview, convertToLineFeeds } from './text-file.ts';
import { isRecord } from '../../../base/json.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { TextChange } from '../../../workspace/remote-reference.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/**
 * Reads the cell changes of a call. Also checks their types, because some calls skip the schema check.
 * @throws ToolError `bad-arguments` if a change is incomplete or has an argument of a wrong type
 */
function readChanges({ changes }: ToolArguments): CellChange[] {
  if (!Array.isArray(changes) || changes.length === 0)
    throw new ToolError('bad-arguments', '"changes" must be a list with at least one change.');
  return changes.map((change, index) => {
    const cellChange = isRecord(change) ? readChange(change) : undefined;
    if (cellChange !== undefined) return cellChange;
    throw new ToolError(
      'bad-arguments',
      `Change ${index + 1} needs "action" and "cell"; insert needs "type" and "source", retype "type".`,
    );
  });
}

function readChange(change: Readonly<Record<string, unknown>>): CellChange | undefined {
  const { action, position } = change;
  const cellId = typeof change['cell'] === 'string' ? change['cell'] : undefined;
  const type = cellTypes.find((cellType) => cellType === change['type']);
  if (action === 'insert' && type !== undefined && typeof change['source'] === 'string') {
    const source = readFileContentArgument(change['source'], 'source');
    return {
      action,
      cell: cellId,
      isBefore: position === 'before',
      type,
      source: convertToLineFeeds(source),
    };
  }
  if (action === 'delete' && cellId !== undefined) return { action, cell: cellId };
  if (action === 'retype' && cellId !== undefined && type !== undefined)
    return { action, cell: cellId, type };
  return undefined;
}

/** Preview of cell changes for the approval request. */
interface CellPreview {
  /** Absent if the changes are impossible. */
  readonly diff?: string;
  readonly change: TextChange;
  readonly language: 'diff' | 'plaintext';
  readonly text: string;
}

const listMarkdownSources = (
  cells: readonly Pick<PlannedCell, 'type' | 'source'>[],
): readonly string[] => cells.flatMap(({ type, source }) => (type === 'markdown' ? [source] : []));

const listInsertedSources = (changes: readonly CellChange[]): readonly string[] =>
  changes.flatMap((change) => (change.action === 'insert' ? [change.source] : []));

/** Implements the tool that inserts and deletes notebook cells, and changes their types. */
class CellEditing {
  readonly #tools: EditTools;
  /** Diff that the user saw before each call; undefined if the changes were impossible at that time. */
  readonly #previewedDiffs = new WeakMap<ToolArguments, string | undefined>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments, { conversationId }: ToolContext): Promise<ToolPlan> {
    const path = readStringArgument(args, 'path');
    const changes = readChanges(args);
    const [resolvedPath] = await this.#tools.checkedPaths.resolvePaths(args, [path]);
    if (resolvedPath === undefined) throw createFileNotFoundError();
    const { label } = resolvedPath;
    const { diff, change, ...preview } = await this.#previewCells(
      resolvedPath,
      changes,
      conversationId,
    );
    this.#previewedDiffs.set(args, diff);
    return {
      verb: vscode.l10n.t('Edit'),
      target: label,
      uri: resolvedPath.uri.toString(),
      resources: [{ type: 'path', path, access: 'write', change }],
      preview: { ...preview, cwd: '', files: [label] },
    };
  }

  /**
   * Returns the preview of the changes for the approval request. If the changes are impossible, throws an error for the
   * model. However, if tools may read the file only with approval, the preview shows the error to the user instead,
   * because the error could reveal file content to the model.
   * @throws ToolError for impossible changes of a file that tools may read without approval
   */
  async #previewCells(
    resolvedPath: ResolvedPath,
    changes: readonly CellChange[],
    conversationId: string,
  ): Promise<CellPreview> {
    try {
      if (isRefusedPath(resolvedPath)) throw createFileNotFoundError();
      const { file, diff, plannedCells } = await this.#matchChanges(
        resolvedPath,
        changes,
        conversationId,
      );
      const cells = {
        before: listMarkdownSources(file.cells),
        after: listMarkdownSources(plannedCells),
      };
      const change = { before: '', after: listInsertedSources(changes).join('\n'), cells };
      return { diff, change, language: 'diff', text: formatPreview(file, diff) };
    } catch (error) {
      if (isReadable(resolvedPath)) throw error;
      const reason =
        error instanceof ToolError ? error.message : vscode.l10n.t('It cannot be read.');
      const heading = vscode.l10n.t('This cannot be done as the file is now:');
      const text = `${heading}\n${reason}\n\n${JSON.stringify(changes, undefined, 2)}`;
      const sources = listInsertedSources(changes);
      const cells = { before: [], after: sources };
      const change = { before: '', after: sources.join('\n'), cells };
      return { change, language: 'plaintext', text };
    }
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes: recorder, checkedPaths, versions } = this.#tools;
    const path = readStringArgument(args, 'path');
    const changes = readChanges(args);
    const [resolvedPath] = await checkedPaths.recheck(args, [path]);
    if (resolvedPath === undefined) throw createFileNotFoundError();
    const { uri, label } = resolvedPath;
    const { file, diff, plannedCells } = await this.#matchChanges(
      resolvedPath,
      changes,
      context.conversationId,
    );
    if (diff !== this.#previewedDiffs.get(args))
      throw createFileChangedError(label, 'The edit would do something else than was shown.');
    throwIfAborted(context.signal);
    await file.saveChanges?.();
    await recorder.recordBeforeChange(context, uri);
    await checkedPaths.recheck(args, [path]);
    throwIfAborted(context.signal);
    const cells = await file.applyChanges(changes);
    await recorder.recordAfterChange(context, { type: 'edit', uri });
    const newCells = cells.filter((_, index) => plannedCells[index]?.before === undefined);
    const checkedCells = cells.filter((_, index) => {
      const cell = plannedCells[index];
      return cell === undefined || hasNewType(cell);
    });
    // Messages quote text of the file.
    const problemText = isReadable(resolvedPath)
      ? await this.#describeProblems(resolvedPath, checkedCells, context)
      : '';
    for (const { id, source } of newCells)
      versions.recordText(
        context.conversationId,
        createCellUri(uri, id),
        convertToLineFeeds(source),
      );
    const requestedCount = changes.filter(({ action }) => action === 'insert').length;
    const hasRepeatedCells = newCells.length < requestedCount;
    const report = formatReport({ label, newCells, cells, hasIds: file.hasIds, hasRepeatedCells });
    return { output: [report, problemText].filter((part) => part !== '').join('\n') };
  }

  /**
   * Describes the errors in new cells, and in cells whose type changed, if the notebook is open. Returns an empty
   * string if none exist.
   */
  async #describeProblems(
    { uri, label }: ResolvedPath,
    cells: readonly NotebookCell[],
    { signal }: ToolContext,
  ): Promise<string> {
    const notebook = findOpenNotebook(uri);
    const openCells = notebook === undefined ? [] : readOpenCells(notebook);
    const descriptionPromises = cells.map(async ({ id }) => {
      const document = openCells.find((cell) => cell.id === id)?.cell.document;
      if (document === undefined) return '';
      using problems = new EditProblems(document.uri, { clock: this.#tools.clock, signal });
      return problems.describeAllProblems(`${label}, cell ${id}`);
    });
    return (await Promise.all(descriptionPromises)).filter((text) => text !== '').join('\n');
  }

  /**
   * Applies the changes to the cells of the current notebook, without writing the file.
   * @throws ToolError for impossible changes
   */
  async #matchChanges(
    resolvedPath: ResolvedPath,
    changes: readonly CellChange[],
    conversationId: string,
  ): Promise<MatchedChanges> {
    const { uri, label } = resolvedPath;
    const file = await openNotebook(resolvedPath);
    const plannedCells = planCells(file.cells, changes, label);
    assertNewCellsComplete(file, changes, label);
    for (const change of changes) {
      if (change.cell === undefined) continue;
      const { id, source } = findCell(file.cells, change.cell, label);
      if (
        this.#tools.versions.hasChanged(
          conversationId,
          createCellUri(uri, id),
          convertToLineFeeds(source),
        )
      )
        throw createFileChangedError(label, `Cell ${id} has another text now.`);
    }
    const cellsBefore = file.cells.map((cell) => ({ ...cell, before: cell }));
    return {
      file,
      plannedCells,
      diff: createUnifiedDiff(formatPlan(cellsBefore), formatPlan(plannedCells)),
    };
  }
}

/**
 * Checks the text of each inserted cell for placeholders for omitted text.
 * @throws ToolError `bad-arguments` for a placeholder
 */
function assertNewCellsComplete(
  { cells }: NotebookFile,
  changes: readonly CellChange[],
  label: string,
): void {
  const language = cells.find(({ type }) => type === 'code')?.language ?? 'python';
  for (const [index, change] of changes.entries()) {
    if (change.action !== 'insert') continue;
    const format = change.type === 'code' ? language.toLowerCase() : 'markdown';
    const prefix = `${label} was not changed. Change ${index + 1}:`;
    assertNoElision(change.source, format, prefix);
  }
}

interface MatchedChanges {
  readonly file: NotebookFile;
  readonly plannedCells: readonly PlannedCell[];
  /** Diff of the notebook's cell list, as shown to the user. */
  readonly diff: string;
}

function formatReport({
  label,
  newCells,
  cells,
  hasIds,
  hasRepeatedCells,
}: {
  readonly label: string;
  readonly newCells: readonly NotebookCell[];
  readonly cells: readonly NotebookCell[];
  readonly hasIds: boolean;
  /** True if a new cell was left out because it equals the new cell directly before it. */
  readonly hasRepeatedCells: boolean;
}): string {
  const newCellText = newCells.map(({ id, type }) => `${id} (${type})`).join(', ');
  return [
    `Changed ${label}: it has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} now.`,
    ...(newCellText === '' ? [] : [`New: ${newCellText}.`]),
    ...(hasRepeatedCells ? ['A cell that repeats the one before it was left out.'] : []),
    ...(hasIds ? [] : ['The numbers of cells may be others now: read it before you edit more.']),
  ].join('\n');
}

/** Functions for notebooks, grouped in one object so that their code is loaded on first use. */
export const notebooks = {
  parse: parseNotebook,
  haveSameCells,
  readOpenCells,
  openCell,
  createCellEditing: (tools: EditTools): CellEditing => new CellEditing(tools),
};
