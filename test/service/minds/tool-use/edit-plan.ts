import { type Edit, editsFor, type FileLines, readLines } from './file-lines.ts';
import type { Outcome } from './outcome.ts';
import { insist, type Plan } from './plan.ts';
import type { Toolbox } from './toolbox.ts';

/** What a line becomes; itself when it stays, `undefined` when it goes. Lines count from 1. */
export type LineChange = (text: string, line: number, lastLine: number) => string | undefined;

export type ChangeResult =
  | { readonly kind: 'changed' }
  | { readonly kind: 'nothing' }
  /** Why not, for the person. */
  | { readonly kind: 'failed'; readonly text: string };

/** The edits that make the change in what was read of a file; none when no line changes. */
export function editsOf(file: FileLines, change: LineChange): Edit[] {
  const last = Math.max(0, ...file.keys());
  const changes = new Map<number, string | undefined>();
  for (const [line, text] of file) {
    // Of a line that was shown in part, the rest is not known.
    if (/\[… [\d,]+ more characters\]$/.test(text)) continue;
    const changed = change(text, line, last);
    if (changed !== text) changes.set(line, changed);
  }
  return editsFor(file, changes);
}

/** Reads a file and edits it; once more from its beginning when the edit did not fit the file any longer. */
export function* changeFile(job: {
  readonly path: string;
  readonly change: LineChange;
  readonly toolbox: Toolbox;
  readonly say?: string;
}): Plan<ChangeResult> {
  const { path, toolbox, say } = job;
  let failed: Outcome | undefined;
  for (let round = 0; round < 2; round++) {
    const spoken = round === 0 ? say : `\`${path}\` is not what I read any more; I read it again.`;
    const [read] = yield* insist({
      ...(spoken !== undefined && { say: spoken }),
      calls: [toolbox.call('read_file', { path })],
    });
    if (read?.kind !== 'done') return failure(path, read);
    const edits = editsOf(readLines(read.text), job.change);
    if (edits.length === 0) return { kind: 'nothing' };
    const [edited] = yield* insist({ calls: [toolbox.call('edit_file', { path, edits })] });
    if (edited?.kind === 'done') return { kind: 'changed' };
    failed = edited;
  }
  return failure(path, failed);
}

export const failure = (
  path: string,
  outcome: Outcome | undefined,
): { readonly kind: 'failed'; readonly text: string } => ({
  kind: 'failed',
  text: `I could not change \`${path}\`: ${firstLine(outcome?.text ?? 'there was no result')}`,
});

export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
