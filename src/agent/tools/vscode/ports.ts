import type * as vscode from 'vscode';
import type { ChangeRecorder } from '../../changes/vscode/change-recorder.ts';
import type { ToolContext } from '../../tool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { judgePath } from '../../../workspace/path-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { FileVersions } from '../../../workspace/vscode/file-text.ts';
import type { CheckedPaths, Paths, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** Dependencies of the read tools. */
export interface ReadToolPorts {
  readonly paths: Paths;
  readonly versions: FileVersions;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock?: Clock;
  /**
   * Returns the file's state before the turn for a comparison; undefined when the turn did not
   * change it.
   */
  readonly uriBefore?: (
    uri: vscode.Uri,
    turn: Pick<ToolContext, 'conversationId' | 'turnId'>,
  ) => Promise<vscode.Uri | undefined>;
  /**
   * Returns the path of ripgrep; undefined to read the files instead. By default, ripgrep is
   * located once.
   */
  readonly ripgrep?: () => Promise<string | undefined>;
}

/** Dependencies of the read tools, with the parts they share. */
export interface ReadTools extends Required<Omit<ReadToolPorts, 'uriBefore'>> {
  readonly uriBefore: ReadToolPorts['uriBefore'];
  readonly checkedPaths: CheckedPaths;
}

/** Dependencies of the edit tools. */
export interface EditToolPorts {
  readonly paths: Paths;
  readonly versions: FileVersions;
  readonly changes: ChangeRecorder;
}

/** Dependencies of the edit tools, with the parts they share. */
export interface EditTools extends EditToolPorts {
  readonly checkedPaths: CheckedPaths;
}

/**
 * Checks whether a tool may read the path without asking. Before the user allows it, the model
 * learns nothing about any other path, not even whether it exists.
 */
export const isReadable = ({ facts }: ResolvedPath): boolean =>
  judgePath(facts, 'read').decision === 'allow';

/**
 * Checks whether a change of the path is rejected without asking. Such a path is not read either.
 */
export const isRefused = ({ facts }: ResolvedPath): boolean =>
  judgePath(facts, 'write').decision === 'refuse';

/** @throws ToolError `stopped` */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was changed.');
}

/** @throws ToolError for text that no file can store unchanged */
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
