import * as vscode from 'vscode';
import { textArgument } from '../../arguments.ts';
import { applyHunks } from '../../edit/apply-hunks.ts';
import { refusalError, refusalWords } from '../../edit/edit-errors.ts';
import { editReport, hunkDiff, unifiedDiff } from '../../edit/edit-report.ts';
import type { AppliedHunks, Hunk, RefusedHunks } from '../../edit/hunk.ts';
import type {
  Preview,
  Tool,
  ToolArguments,
  ToolContext,
  ToolPlan,
  ToolResult,
} from '../../tool.ts';
import { type EditTools, isReadable, isRefused, throwIfStopped } from './ports.ts';
import { openTextFile, type TextFile } from './text-file.ts';
import { defined, isRecord } from '../../../base/json.ts';
import type { TextChange } from '../../../workspace/remote-reference.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** The edits of a call, which was checked against the schema; a hand-made one may still be wrong. */
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
    ...defined({
      occurrence: typeof occurrence === 'number' ? occurrence : undefined,
      all: all === true ? true : undefined,
    }),
  };
}

export function editFileTool(tools: EditTools): Tool {
  const editing = new Editing(tools);
  return {
    name: 'edit_file',
    kind: 'edit',
    description:
      'Changes parts of a text file: each edit replaces "search", which must stand in the file exactly once, by "replace". Copy the search from the file, whole lines with a few lines around where they are not unique, without line numbers. Write every line that is to stay: nothing is filled in for "...". Edits apply one after the other, all or none; the file is saved. Returns which lines changed. New files are made with create_file.',
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
              search: { type: 'string', description: 'What stands in the file, exactly.' },
              replace: { type: 'string', description: 'What takes its place; may be empty.' },
              occurrence: {
                type: 'integer',
                minimum: 1,
                description: 'Which one, where the search stands several times.',
              },
              all: { type: 'boolean', description: 'Replaces every place. Default false.' },
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

class Editing {
  readonly #tools: EditTools;
  /** What the person was shown of each call; undefined when it could not be done then. */
  readonly #shown = new WeakMap<ToolArguments, string | undefined>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments, { conversationId }: ToolContext): Promise<ToolPlan> {
    const path = textArgument(args, 'path');
    const hunks = readHunks(args);
    const [place] = await this.#tools.judged.resolve(args, [path]);
    if (place === undefined) throw noFile();
    const { diff, preview, change } = await this.#preview(place, hunks, conversationId);
    this.#shown.set(args, diff);
    return {
      verb: vscode.l10n.t('Edit'),
      done: vscode.l10n.t('Edited'),
      target: place.label,
      uri: place.uri.toString(),
      resources: [{ type: 'path', path, access: 'write', change }],
      preview: { ...preview, cwd: '', files: [place.label] },
    };
  }

  /** @throws ToolError for what cannot be done to a file that may be read; of another one only the person is told. */
  async #preview(
    place: ResolvedPath,
    hunks: readonly Hunk[],
    conversationId: string,
  ): Promise<Previewed> {
    try {
      if (isRefused(place)) throw noFile();
      const matched = await this.#matched(place, hunks, conversationId);
      const diff = diffOf(matched);
      const change = { before: matched.file.text, after: matched.change.text };
      return { diff, change, preview: { language: 'diff', text: shownOf(matched.file, diff) } };
    } catch (error) {
      if (isReadable(place)) throw error;
      const why = error instanceof ToolError ? error.message : vscode.l10n.t('It cannot be read.');
      const what = vscode.l10n.t('This cannot be done as the file is now:');
      const text = `${what}\n${why}\n\n${hunkDiff(hunks)}`;
      return { change: changeBy(hunks), preview: { language: 'plaintext', text } };
    }
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes, judged, versions } = this.#tools;
    const path = textArgument(args, 'path');
    const hunks = readHunks(args);
    const shown = this.#shown.get(args);
    const [place] = await judged.recheck(args, [path]);
    if (place === undefined) throw noFile();
    const matched = await this.#matched(place, hunks, context.conversationId);
    const { file, change, isKnown } = matched;
    const { uri, label } = place;
    if (shown === undefined || !isAsShown(shown, diffOf(matched), place)) {
      throw changed(label, 'The edit would do something else than was shown.');
    }
    throwIfStopped(context.signal);
    await changes.willChange(context, uri);
    await judged.recheck(args, [path]);
    throwIfStopped(context.signal);
    const saved = await file.write(change.places);
    await changes.didChange(context, { type: 'edit', uri });
    const showsLines = isReadable(place);
    const report = editReport({ label, before: file.text, change, saved, isKnown, showsLines });
    if (report.tellsAll) versions.saw(context.conversationId, uri, lineFeeds(saved));
    return { output: report.text };
  }

  /** @throws ToolError: a call that cannot be done is refused before anybody is asked */
  async #matched(
    place: ResolvedPath,
    hunks: readonly Hunk[],
    conversationId: string,
  ): Promise<Matched> {
    const file = await openTextFile(place);
    const text = lineFeeds(file.text);
    const isKnown = !this.#tools.versions.changedSince(conversationId, place.uri, text);
    const change = applyHunks(file.text, hunks);
    if (change.type === 'refused') throw refusalOf(change, place, isKnown);
    assertMeant(change, { isKnown, place });
    return { file, change, isKnown };
  }
}

interface Previewed {
  readonly diff?: string;
  readonly change: TextChange;
  readonly preview: Pick<Preview, 'language' | 'text'>;
}

interface Matched {
  readonly file: TextFile;
  readonly change: AppliedHunks;
  /** The text is the one that the conversation saw last, or it never saw any. */
  readonly isKnown: boolean;
}

/** What is not saved is in no diff to what the editor shows. */
const shownOf = ({ isUnsaved }: TextFile, diff: string): string =>
  isUnsaved
    ? `${vscode.l10n.t('The file has unsaved changes, which will be saved with this edit.')}\n\n${diff}`
    : diff;

const diffOf = ({ file, change }: Matched): string => unifiedDiff(file.text, change.text);

/** What the hunks say of a file that cannot be changed as it is now. */
const changeBy = (hunks: readonly Hunk[]): TextChange => ({
  before: hunks.map(({ search }) => search).join('\n'),
  after: hunks.map(({ replace }) => replace).join('\n'),
});

/** The lines around may have moved; the change itself may not be another one. */
function isAsShown(shown: string, now: string, place: ResolvedPath): boolean {
  // What the model cannot know, it cannot mean: there the person's look alone counts, and that took in all of it.
  return isReadable(place) ? changeOf(shown) === changeOf(now) : shown === now;
}

function refusalOf(refusal: RefusedHunks, place: ResolvedPath, isKnown: boolean): ToolError {
  // A file that may not be read is not read in this way either.
  const told = isReadable(place) ? refusal : { ...refusal, candidates: [] };
  const notThere = refusal.code === 'no-match' || refusal.code === 'ambiguous';
  if (isKnown || !notThere) return refusalError(told, place.label);
  const words = `${refusalWords(told, place.label)}\n\nThe file was changed since you read it: read it again.`;
  return new ToolError('changed', words);
}

/** In a text that the model has not seen, only what stands there exactly, and once, is surely meant. */
function assertMeant(
  { matches, counts }: AppliedHunks,
  { isKnown, place }: { readonly isKnown: boolean; readonly place: ResolvedPath },
): void {
  if (!isKnown && counts.some((count) => count > 1)) {
    throw changed(place.label, 'The search stands in several places now.');
  }
  if (matches.every((match) => match === 'exact')) return;
  if (!isReadable(place)) {
    throw new ToolError(
      'not-found',
      `${place.label} was not changed: in a file that may not be read freely, the search must stand exactly.`,
    );
  }
  if (!isKnown) throw changed(place.label, 'The search no longer stands in it exactly.');
}

/** What a diff removes and adds, wherever it stands. */
const changeOf = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => /^[-+]/u.test(line))
    .join('\n');

const lineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/gu, '\n') : text;

const changed = (label: string, why: string): ToolError =>
  new ToolError('changed', `${label} was changed meanwhile. ${why} Read it again.`);

const noFile = (): ToolError => new ToolError('not-found', 'There is no such file.');
