import * as vscode from 'vscode';
import { readOptionalString, readStringArgument } from '../../arguments.ts';
import {
  createEditReport,
  createRefusalError,
  createUnifiedDiff,
  formatHunks,
} from '../../edit/edit-report.ts';
import type { AppliedHunks, Hunk, RefusedHunks } from '../../edit/hunk.ts';
import type {
  ToolPreview,
  Tool,
  ToolArguments,
  ToolContext,
  ToolPlan,
  ToolResult,
} from '../../tool.ts';
import { EditProblems } from './edit-problems.ts';
import {
  type EditTools,
  createFileChangedError,
  createFileNotFoundError,
  isReadable,
  isRefusedPath,
  throwIfAborted,
} from './ports.ts';
import {
  createCellUri,
  openTextFile,
  formatPreview,
  type TextFile,
  convertToLineFeeds,
} from './text-file.ts';
import { omitUndefined, isRecord } from '../../../base/json.ts';
import type { TextChange } from '../../../workspace/remote-reference.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { findOpenDocument, isNotebookPath } from '../../../workspace/vscode/documents.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/**
 * Reads the edits of a call. Also checks their types, because some calls skip the schema check.
 * @throws ToolError `bad-arguments` if an edit is incomplete or has an argument of a wrong type
 */
export function readHunks({ edits }: ToolArguments): Hunk[] {
  if (!Array.isArray(edits) || edits.length === 0) {
    throw new ToolError('bad-arguments', '"edits" must be a list with at least one edit.');
  }
  return edits.map(readHunk);
}

function readHunk(edit: unknown, index: number): Hunk {
  const { search, replace, occurrence, all } = isRecord(edit) ? edit : {};
  if (typeof search !== 'string' || typeof replace !== 'string') {
    throw new ToolError(
      'bad-arguments',
      `Edit ${index + 1} needs the texts "search" and "replace".`,
    );
  }
  return {
    search,
    replace,
    ...omitUndefined({
      occurrence: typeof occurrence === 'number' ? occurrence : undefined,
      all: all === true ? true : undefined,
    }),
  };
}

export function createEditFileTool(tools: EditTools): Tool {
  const editing = new FileEditing(tools);
  return {
    name: 'edit_file',
    kind: 'edit',
    description:
      'Edits a text file: each edit replaces "search", which must occur exactly once, with "replace". Copy whole lines from the file without line numbers, with enough context to be unique. Write every line in full: "..." is not expanded. Edits apply in order, all or none; the file is saved. Returns the changed lines. Create new files with create_file.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        cell: { type: 'string', description: 'Id of a notebook cell.' },
        edits: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              search: { type: 'string', description: 'Exact text of the file.' },
              replace: { type: 'string', description: 'Replacement; may be empty.' },
              occurrence: {
                type: 'integer',
                minimum: 1,
                description: 'Number of the match to replace, from 1, if there are several.',
              },
              all: { type: 'boolean', description: 'Replaces every match. Default false.' },
            },
            required: ['search', 'replace'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    plan: (args, context) => editing.plan(args, context),
    run: (args, context) => editing.run(args, context),
  };
}

class FileEditing {
  readonly #tools: EditTools;
  /** Diff that the user saw before each call; undefined if the edit could not be applied at that time. */
  readonly #previewedDiffs = new WeakMap<ToolArguments, string | undefined>();
  /**
   * Time in milliseconds at which the tool opened the file of each call. Contains no entry if the file was already
   * open.
   */
  readonly #openedTimes = new WeakMap<ToolArguments, number>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments, { conversationId }: ToolContext): Promise<ToolPlan> {
    const path = readStringArgument(args, 'path');
    const request = readRequest(args);
    const [resolvedPath] = await this.#tools.checkedPaths.resolvePaths(args, [path]);
    if (resolvedPath === undefined) throw createFileNotFoundError();
    if (findOpenDocument(resolvedPath.uri.toString()) === undefined)
      this.#openedTimes.set(args, this.#tools.clock.now());
    const { diff, preview, change } = await this.#previewEdit(
      resolvedPath,
      request,
      conversationId,
    );
    this.#previewedDiffs.set(args, diff);
    return {
      verb: vscode.l10n.t('Edit'),
      target: resolvedPath.label,
      uri: resolvedPath.uri.toString(),
      resources: [{ type: 'path', path, access: 'write', change }],
      preview: { ...preview, cwd: '', files: [resolvedPath.label] },
    };
  }

  /**
   * Returns the preview of the edit for the approval request. If the edit is impossible, throws an error for the model.
   * However, if tools may read the file only with approval, the preview shows the error to the user instead, because
   * the error could reveal file content to the model.
   * @throws ToolError for an impossible edit of a file that tools may read without approval
   */
  async #previewEdit(
    resolvedPath: ResolvedPath,
    request: EditRequest,
    conversationId: string,
  ): Promise<PreviewedEdit> {
    try {
      if (isRefusedPath(resolvedPath)) throw createFileNotFoundError();
      const match = await this.#matchHunks(resolvedPath, request, conversationId);
      const diff = formatUnifiedDiff(match);
      const { target } = match;
      const [before, after] = [target.file.text, match.change.text];
      const cells = target.isMarkdownCell
        ? { before: [before], after: [after] }
        : { before: [], after: [] };
      const change = { before, after, ...(target.isCell && { cells }) };
      return {
        diff,
        change,
        preview: { language: 'diff', text: formatPreview(target.file, diff) },
      };
    } catch (error) {
      if (isReadable(resolvedPath)) throw error;
      const reason =
        error instanceof ToolError ? error.message : vscode.l10n.t('It cannot be read.');
      const heading = vscode.l10n.t('This cannot be done as the file is now:');
      const text = `${heading}\n${reason}\n\n${formatHunks(request.hunks)}`;
      return { change: toTextChange(request.hunks), preview: { language: 'plaintext', text } };
    }
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes, checkedPaths, clock, versions } = this.#tools;
    const path = readStringArgument(args, 'path');
    const request = readRequest(args);
    const previewedDiff = this.#previewedDiffs.get(args);
    const [resolvedPath] = await checkedPaths.recheck(args, [path]);
    if (resolvedPath === undefined) throw createFileNotFoundError();
    const match = await this.#matchHunks(resolvedPath, request, context.conversationId);
    const { target, change, isUpToDate } = match;
    const { file, label } = target;
    const { uri } = resolvedPath;
    if (
      previewedDiff === undefined ||
      !isSameChange(previewedDiff, formatUnifiedDiff(match), resolvedPath)
    ) {
      throw createFileChangedError(label, 'The edit would do something else than was shown.');
    }
    using problems = new EditProblems(file.documentUri ?? target.uri, {
      clock,
      signal: context.signal,
    });
    const openedAt = this.#openedTimes.get(args);
    if (openedAt !== undefined) await problems.waitForFirstProblems(openedAt);
    throwIfAborted(context.signal);
    await file.saveChanges?.();
    await changes.recordBeforeChange(context, uri);
    await checkedPaths.recheck(args, [path]);
    throwIfAborted(context.signal);
    const savedText = await file.write(change.edits);
    await changes.recordAfterChange(context, { type: 'edit', uri });
    const canShowLines = isReadable(resolvedPath);
    const report = createEditReport({
      label,
      before: file.text,
      change,
      savedText,
      isUpToDate,
      canShowLines,
    });
    if (report.showsWholeChange)
      versions.recordText(context.conversationId, target.uri, convertToLineFeeds(savedText));
    // Messages quote text of the file.
    const problemText = canShowLines ? await problems.describeNewProblems(label, file.text) : '';
    return { output: [report.text, problemText].filter((part) => part !== '').join('\n') };
  }

  /**
   * Applies the edits to the current text, without writing the file.
   * @throws ToolError for an edit that cannot be applied
   */
  async #matchHunks(
    resolvedPath: ResolvedPath,
    { hunks, cell }: EditRequest,
    conversationId: string,
  ): Promise<MatchedEdit> {
    const target = await openTarget(resolvedPath, cell);
    const { text } = target.file;
    const isUpToDate = !this.#tools.versions.hasChanged(
      conversationId,
      target.uri,
      convertToLineFeeds(text),
    );
    const { applyHunks } = await import('../../edit/apply-hunks.ts');
    const change = applyHunks(text, hunks, target.format);
    // The id of a cell that contains the search would reveal text of the file.
    const visibleHunks = isReadable(resolvedPath) ? hunks : [];
    if (change.type === 'refused') {
      const advice = target.isNotebook ? await createCellAdvice(text, visibleHunks) : '';
      throw toRefusalError(change, { target, resolved: resolvedPath, isUpToDate, advice });
    }
    assertUnambiguousMatches(change, { isUpToDate, target, resolved: resolvedPath });
    if (target.isNotebook) await assertCellsUnchanged(target, change.text, visibleHunks);
    return { target, change, isUpToDate };
  }
}

/** Edits of a text file, or of a notebook cell if `cell` contains its id. */
interface EditRequest {
  readonly hunks: readonly Hunk[];
  readonly cell: string | undefined;
}

const readRequest = (args: ToolArguments): EditRequest => ({
  hunks: readHunks(args),
  cell: readOptionalString(args, 'cell'),
});

/** Text that an edit changes: a text file, or a cell of a notebook. */
interface EditTarget {
  readonly file: TextFile;
  /**
   * Key under which `FileVersions` records the version of the text that the model last read or wrote: the URI of the
   * file, or a URI for the notebook cell.
   */
  readonly uri: vscode.Uri;
  /** Name of the file or cell in messages to the model. */
  readonly label: string;
  /** File name extension, or language of the cell; empty if unknown. */
  readonly format: string;
  readonly isCell: boolean;
  readonly isMarkdownCell: boolean;
  /** True for a valid notebook whose file is edited as text. */
  readonly isNotebook: boolean;
}

async function openTarget(resolvedPath: ResolvedPath, id: string | undefined): Promise<EditTarget> {
  const { uri, label } = resolvedPath;
  if (id === undefined) {
    const file = await openTextFile(resolvedPath);
    const isNotebook = isNotebookPath(uri) && (await isNotebookText(file.text));
    const { getTextFormat } = await import('../../edit/new-text-elision.ts');
    const format = getTextFormat(uri.path);
    return { file, uri, label, format, isCell: false, isMarkdownCell: false, isNotebook };
  }
  const { notebooks } = await import('./cell-editing.ts');
  const { file, cell } = await notebooks.openCell(resolvedPath, id);
  const cellLabel = `${label}, cell ${cell.id}`;
  return {
    file,
    uri: createCellUri(uri, cell.id),
    label: cellLabel,
    format: cell.language ?? '',
    isCell: true,
    isMarkdownCell: cell.type === 'markdown',
    isNotebook: false,
  };
}

async function isNotebookText(text: string): Promise<boolean> {
  const { notebooks } = await import('./cell-editing.ts');
  return 'cells' in notebooks.parse(text);
}

/**
 * Checks that an edit of a notebook's JSON text changes no text, type, language, attachment or output of a cell.
 * @throws ToolError `bad-arguments` if the edit changes a cell, or if the edited text is not a valid notebook
 */
async function assertCellsUnchanged(
  { file, label }: EditTarget,
  text: string,
  hunks: readonly Hunk[],
): Promise<void> {
  const { notebooks } = await import('./cell-editing.ts');
  const [before, after] = [notebooks.parse(file.text), notebooks.parse(text)];
  if ('cells' in after && 'cells' in before && notebooks.haveSameCells(before, after)) return;
  const reason =
    'cells' in after ? 'Notebooks are edited by cell.' : 'It would no longer be a valid notebook.';
  const advice = await createCellAdvice(file.text, hunks);
  throw new ToolError('bad-arguments', `${label} was not changed. ${reason} ${advice}`);
}

/** Returns the advice to edit a notebook by cell. Names the cell if the hunks can be applied to exactly one cell. */
async function createCellAdvice(json: string, hunks: readonly Hunk[]): Promise<string> {
  const { notebooks } = await import('./cell-editing.ts');
  const { applyHunks } = await import('../../edit/apply-hunks.ts');
  const notebook = notebooks.parse(json);
  const cells = 'cells' in notebook ? notebook.cells : [];
  const [foundCell, otherCell] = cells.filter(
    ({ source, language = '' }) => applyHunks(source, hunks, language).type === 'applied',
  );
  if (foundCell !== undefined && otherCell === undefined)
    return `Set "cell" to ${JSON.stringify(foundCell.id)} to edit the text of this cell.`;
  return 'Set "cell" to the id of a cell to edit its text, or use edit_cells to insert, delete or retype cells.';
}

interface PreviewedEdit {
  readonly diff?: string;
  readonly change: TextChange;
  readonly preview: Pick<ToolPreview, 'language' | 'text'>;
}

interface MatchedEdit {
  readonly target: EditTarget;
  readonly change: AppliedHunks;
  /** False if the file changed after the model last read or wrote it in this conversation. */
  readonly isUpToDate: boolean;
}

const formatUnifiedDiff = ({ target, change }: MatchedEdit): string =>
  createUnifiedDiff(target.file.text, change.text);

/**
 * Returns a change that consists of the search and replacement texts of all hunks. Used if the hunks do not match the
 * file.
 */
const toTextChange = (hunks: readonly Hunk[]): TextChange => ({
  before: hunks.map(({ search }) => search).join('\n'),
  after: hunks.map(({ replace }) => replace).join('\n'),
});

/**
 * Checks whether the current diff removes and adds the same lines as the diff that the user approved. Their position in
 * the file may differ.
 */
function isSameChange(
  previewedDiff: string,
  currentDiff: string,
  resolvedPath: ResolvedPath,
): boolean {
  // The whole diff must equal the approved diff if the model must not read the file.
  return isReadable(resolvedPath)
    ? extractChangedLines(previewedDiff) === extractChangedLines(currentDiff)
    : previewedDiff === currentDiff;
}

function toRefusalError(
  refusal: RefusedHunks,
  {
    target,
    resolved: resolvedPath,
    isUpToDate,
    advice,
  }: {
    readonly target: EditTarget;
    readonly resolved: ResolvedPath;
    readonly isUpToDate: boolean;
    /** Advice to edit the notebook by cell, if the call edits the JSON text of a notebook; otherwise empty. */
    readonly advice: string;
  },
): ToolError {
  if (target.isCell && refusal.code === 'empties-file') {
    const message = `${target.label} was not changed. Nothing would be left of it. Use edit_cells to delete it.`;
    return new ToolError('bad-arguments', message);
  }
  // Hides the content of a file that the model must not read.
  const { difference: _, ...withoutDifference } = refusal;
  const visibleRefusal = isReadable(resolvedPath)
    ? refusal
    : { ...withoutDifference, candidates: [] };
  const { code, message } = createRefusalError(visibleRefusal, target.label);
  const isNotFound = refusal.code === 'no-match' || refusal.code === 'ambiguous';
  if (isUpToDate || !isNotFound)
    return new ToolError(code, advice === '' ? message : `${message}\n\n${advice}`);
  return new ToolError(
    'changed',
    `${message}\n\nThe file was changed since you read it: read it again.`,
  );
}

/**
 * Rejects a hunk that matches inexactly or in several locations, if the model has not read the current text. Always
 * rejects an inexact match in a file that tools may not read without approval.
 * @throws ToolError for a rejected hunk
 */
function assertUnambiguousMatches(
  { matches, counts }: AppliedHunks,
  {
    isUpToDate,
    target: { label },
    resolved: resolvedPath,
  }: {
    readonly isUpToDate: boolean;
    readonly target: EditTarget;
    readonly resolved: ResolvedPath;
  },
): void {
  if (!isUpToDate && counts.some((count) => count > 1)) {
    throw createFileChangedError(label, 'The search occurs in several places now.');
  }
  if (matches.every((match) => match === 'exact')) return;
  if (!isReadable(resolvedPath)) {
    throw new ToolError(
      'not-found',
      `${label} was not changed: in a file that needs permission to read, the search must match exactly.`,
    );
  }
  if (!isUpToDate) throw createFileChangedError(label, 'The search no longer matches it exactly.');
}

/** Returns the removed and added lines of a diff, without line numbers. */
const extractChangedLines = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => /^[-+]/u.test(line))
    .join('\n');
