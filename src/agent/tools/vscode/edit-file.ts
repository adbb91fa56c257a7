import * as vscode from 'vscode';
import { stringArgument } from '../../arguments.ts';
import { applyHunks } from '../../edit/apply-hunks.ts';
import { createRefusalError, formatRefusalMessage } from '../../edit/edit-errors.ts';
import { createEditReport, formatHunks, createUnifiedDiff } from '../../edit/edit-report.ts';
import type { AppliedHunks, Hunk, RefusedHunks } from '../../edit/hunk.ts';
import type {
  Preview,
  Tool,
  ToolArguments,
  ToolContext,
  ToolPlan,
  ToolResult,
} from '../../tool.ts';
import { type EditTools, isReadable, isRefused, throwIfAborted } from './ports.ts';
import { openTextFile, type TextFile } from './text-file.ts';
import { omitUndefined, isRecord } from '../../../base/json.ts';
import type { TextChange } from '../../../workspace/remote-reference.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/**
 * Reads the edits of a call. Also checks their types, because some callers skip the schema check.
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

export function editFileTool(tools: EditTools): Tool {
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
  /**
   * Diff shown to the user for each call; undefined if the edit could not be applied at that time.
   */
  readonly #previewedDiffs = new WeakMap<ToolArguments, string | undefined>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments, { conversationId }: ToolContext): Promise<ToolPlan> {
    const path = stringArgument(args, 'path');
    const hunks = readHunks(args);
    const [resolved] = await this.#tools.checkedPaths.resolve(args, [path]);
    if (resolved === undefined) throw noSuchFile();
    const { diff, preview, change } = await this.#preview(resolved, hunks, conversationId);
    this.#previewedDiffs.set(args, diff);
    return {
      verb: vscode.l10n.t('Edit'),
      pastVerb: vscode.l10n.t('Edited'),
      target: resolved.label,
      uri: resolved.uri.toString(),
      resources: [{ type: 'path', path, access: 'write', change }],
      preview: { ...preview, cwd: '', files: [resolved.label] },
    };
  }

  /**
   * @throws ToolError for an impossible edit of a readable file. For other files, the preview shows
   *   the problem to the user.
   */
  async #preview(
    resolved: ResolvedPath,
    hunks: readonly Hunk[],
    conversationId: string,
  ): Promise<Previewed> {
    try {
      if (isRefused(resolved)) throw noSuchFile();
      const match = await this.#match(resolved, hunks, conversationId);
      const diff = formatUnifiedDiff(match);
      const change = { before: match.file.text, after: match.change.text };
      return { diff, change, preview: { language: 'diff', text: previewText(match.file, diff) } };
    } catch (error) {
      if (isReadable(resolved)) throw error;
      const reason =
        error instanceof ToolError ? error.message : vscode.l10n.t('It cannot be read.');
      const heading = vscode.l10n.t('This cannot be done as the file is now:');
      const text = `${heading}\n${reason}\n\n${formatHunks(hunks)}`;
      return { change: toTextChange(hunks), preview: { language: 'plaintext', text } };
    }
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes, checkedPaths, versions } = this.#tools;
    const path = stringArgument(args, 'path');
    const hunks = readHunks(args);
    const previewedDiff = this.#previewedDiffs.get(args);
    const [resolved] = await checkedPaths.recheck(args, [path]);
    if (resolved === undefined) throw noSuchFile();
    const match = await this.#match(resolved, hunks, context.conversationId);
    const { file, change, isUpToDate } = match;
    const { uri, label } = resolved;
    if (
      previewedDiff === undefined ||
      !isSameChange(previewedDiff, formatUnifiedDiff(match), resolved)
    ) {
      throw changedSince(label, 'The edit would do something else than was shown.');
    }
    throwIfAborted(context.signal);
    await changes.willChange(context, uri);
    await checkedPaths.recheck(args, [path]);
    throwIfAborted(context.signal);
    const savedText = await file.write(change.edits);
    await changes.didChange(context, { type: 'edit', uri });
    const canShowLines = isReadable(resolved);
    const report = createEditReport({
      label,
      before: file.text,
      change,
      savedText,
      isUpToDate,
      canShowLines,
    });
    if (report.showsWholeChange)
      versions.recordText(context.conversationId, uri, normalizeLineFeeds(savedText));
    return { output: report.text };
  }

  /** @throws ToolError for an edit that cannot be applied */
  async #match(
    resolved: ResolvedPath,
    hunks: readonly Hunk[],
    conversationId: string,
  ): Promise<MatchedEdit> {
    const file = await openTextFile(resolved);
    const text = normalizeLineFeeds(file.text);
    const isUpToDate = !this.#tools.versions.hasChanged(conversationId, resolved.uri, text);
    const change = applyHunks(file.text, hunks);
    if (change.type === 'refused') throw toRefusalError(change, resolved, isUpToDate);
    assertUnambiguous(change, { isUpToDate, resolved });
    return { file, change, isUpToDate };
  }
}

interface Previewed {
  readonly diff?: string;
  readonly change: TextChange;
  readonly preview: Pick<Preview, 'language' | 'text'>;
}

interface MatchedEdit {
  readonly file: TextFile;
  readonly change: AppliedHunks;
  /** True unless the file changed after the conversation's last read. */
  readonly isUpToDate: boolean;
}

/** Returns the diff, with a note about unsaved text, which the diff does not contain. */
const previewText = ({ isUnsaved }: TextFile, diff: string): string =>
  isUnsaved
    ? `${vscode.l10n.t('The file has unsaved changes, which will be saved with this edit.')}\n\n${diff}`
    : diff;

const formatUnifiedDiff = ({ file, change }: MatchedEdit): string =>
  createUnifiedDiff(file.text, change.text);

/** Returns the change described by the hunks, for a file that they do not match. */
const toTextChange = (hunks: readonly Hunk[]): TextChange => ({
  before: hunks.map(({ search }) => search).join('\n'),
  after: hunks.map(({ replace }) => replace).join('\n'),
});

/**
 * Checks whether the change is the one that the user approved. Its position in the file may differ.
 */
function isSameChange(previewed: string, current: string, resolved: ResolvedPath): boolean {
  // The whole diff must equal the approved diff if the model must not read the file.
  return isReadable(resolved)
    ? extractChangedLines(previewed) === extractChangedLines(current)
    : previewed === current;
}

function toRefusalError(
  refusal: RefusedHunks,
  resolved: ResolvedPath,
  isUpToDate: boolean,
): ToolError {
  // Hides the content of a file that the model must not read.
  const visible = isReadable(resolved) ? refusal : { ...refusal, candidates: [] };
  const isNotFound = refusal.code === 'no-match' || refusal.code === 'ambiguous';
  if (isUpToDate || !isNotFound) return createRefusalError(visible, resolved.label);
  const message = `${formatRefusalMessage(visible, resolved.label)}\n\nThe file was changed since you read it: read it again.`;
  return new ToolError('changed', message);
}

/** Rejects inexact and repeated matches in a text that the model has not read. */
function assertUnambiguous(
  { matches, counts }: AppliedHunks,
  { isUpToDate, resolved }: { readonly isUpToDate: boolean; readonly resolved: ResolvedPath },
): void {
  if (!isUpToDate && counts.some((count) => count > 1)) {
    throw changedSince(resolved.label, 'The search occurs in several places now.');
  }
  if (matches.every((match) => match === 'exact')) return;
  if (!isReadable(resolved)) {
    throw new ToolError(
      'not-found',
      `${resolved.label} was not changed: in a file that needs permission to read, the search must match exactly.`,
    );
  }
  if (!isUpToDate) throw changedSince(resolved.label, 'The search no longer matches it exactly.');
}

/** Returns the removed and added lines of a diff without their positions. */
const extractChangedLines = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => /^[-+]/u.test(line))
    .join('\n');

const normalizeLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/gu, '\n') : text;

const changedSince = (label: string, reason: string): ToolError =>
  new ToolError('changed', `${label} was changed meanwhile. ${reason} Read it again.`);

const noSuchFile = (): ToolError => new ToolError('not-found', 'There is no such file.');
