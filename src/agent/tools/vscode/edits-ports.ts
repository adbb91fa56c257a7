import { judgePath } from '../../../workspace/path-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ChangeRecorder } from '../../changes/vscode/change-recorder.ts';
import type { FileVersions } from '../../../workspace/vscode/file-text.ts';
import type { JudgedPaths, Paths, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** What the editing tools are given. */
export interface EditToolPorts {
  readonly paths: Paths;
  readonly versions: FileVersions;
  readonly changes: ChangeRecorder;
}

/** The same, with what they share among themselves. */
export interface EditTools extends EditToolPorts {
  readonly judged: JudgedPaths;
}

/**
 * Whether a tool may read the place without a question. Before the person has said yes, the model is told nothing of
 * any other one: not even whether it is there.
 */
export const isReadable = ({ facts }: ResolvedPath): boolean =>
  judgePath(facts, 'read').decision === 'allow';

/** Whether nobody is even asked about a change of the place: then it is not looked at either. */
export const isRefused = ({ facts }: ResolvedPath): boolean =>
  judgePath(facts, 'write').decision === 'refuse';

/** @throws ToolError `stopped` */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was changed.');
}

/** @throws ToolError for text that no file can hold as it is */
export function textContent(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new ToolError('bad-arguments', `"${name}" must be a text.`);
  if (value.isWellFormed() && !value.includes('\0')) return value;
  throw new ToolError(
    'bad-arguments',
    `"${name}" holds half a character or a null character. Nothing was done.`,
  );
}
