import type * as vscode from 'vscode';
import type { ChangeRecorder } from '../../changes/vscode/change-recorder.ts';
import type { ToolContext } from '../../tool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { judgePath } from '../../../workspace/path-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { FileVersions } from '../../../workspace/vscode/file-text.ts';
import type { JudgedPaths, Paths, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** What the reading tools are given. */
export interface ReadToolPorts {
  readonly paths: Paths;
  readonly versions: FileVersions;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock?: Clock;
  /** The file as it was before the turn, for a comparison; undefined when the turn did not change it. */
  readonly uriBefore?: (
    uri: vscode.Uri,
    turn: Pick<ToolContext, 'conversationId' | 'turnId'>,
  ) => Promise<vscode.Uri | undefined>;
  /** The program that searches; undefined for none, so that the files are read instead. Default: found once. */
  readonly ripgrep?: () => Promise<string | undefined>;
}

/** The same, with what they share among themselves. */
export interface ReadTools extends Required<Omit<ReadToolPorts, 'uriBefore'>> {
  readonly uriBefore: ReadToolPorts['uriBefore'];
  readonly judged: JudgedPaths;
}

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
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was changed.');
}

/** @throws ToolError for text that no file can hold as it is */
export function fileContentArgument(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new ToolError('bad-arguments', `"${name}" must be a text.`);
  if (value.isWellFormed() && !value.includes('\0')) return value;
  throw new ToolError(
    'bad-arguments',
    `"${name}" holds half a character or a null character. Nothing was done.`,
  );
}

export const toolFailed = (message: string): ToolError => new ToolError('failed', message);

export const pathNotFound = (label: string): ToolError =>
  new ToolError('not-found', `There is no ${label}.`);
