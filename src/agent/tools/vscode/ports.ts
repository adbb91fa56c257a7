import type * as vscode from 'vscode';
import type { ChangeRecorder } from '../../changes/vscode/change-recorder.ts';
import type { ToolContext } from '../../tool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { evaluatePathAccess } from '../../../workspace/path-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { FileVersions } from '../../../workspace/vscode/file-text.ts';
import type { CheckedPaths, PathResolver, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** Dependencies of the tools that read the workspace. */
export interface ReadToolPorts {
  readonly paths: PathResolver;
  readonly versions: FileVersions;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock?: Clock;
  /**
   * Returns a URI that provides the content of a file from before the turn; undefined if the turn did not change the
   * file.
   */
  readonly getOldUri?: (
    uri: vscode.Uri,
    turn: Pick<ToolContext, 'conversationId' | 'turnId'>,
  ) => Promise<vscode.Uri | undefined>;
  /** Returns the path of ripgrep; undefined to search without it. By default, the first search locates ripgrep. */
  readonly getRipgrepPath?: () => Promise<string | undefined>;
}

/** Dependencies of the tools that read the workspace, with the objects that these tools share. */
export interface ReadTools extends Required<Omit<ReadToolPorts, 'getOldUri'>> {
  readonly getOldUri: ReadToolPorts['getOldUri'];
  readonly checkedPaths: CheckedPaths;
}

/** Dependencies of the tools that edit files. */
export interface EditToolPorts {
  readonly paths: PathResolver;
  readonly versions: FileVersions;
  readonly changes: ChangeRecorder;
  readonly clock?: Clock;
}

/** Dependencies of the tools that edit files, with the objects that these tools share. */
export interface EditTools extends Required<EditToolPorts> {
  readonly checkedPaths: CheckedPaths;
}

/**
 * Checks whether a tool may read the path without approval. Tool output must not reveal anything about other paths, not
 * even whether they exist.
 */
export const isReadable = ({ facts }: ResolvedPath): boolean =>
  evaluatePathAccess(facts, 'read').decision === 'allow';

/**
 * Checks whether the permission rules refuse every change to the path, even with approval. Tools then do not read the
 * path either.
 */
export const isRefusedPath = ({ facts }: ResolvedPath): boolean =>
  evaluatePathAccess(facts, 'write').decision === 'refuse';

/**
 * Checks that the user has not stopped the turn.
 * @throws ToolError `stopped` if the user stopped the turn
 */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was changed.');
}

/**
 * Returns a string argument whose value a tool writes to a file.
 * @throws ToolError for a value that is not a string, or that contains an unpaired surrogate or a null character
 */
export function readFileContentArgument(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new ToolError('bad-arguments', `"${name}" must be a text.`);
  if (value.isWellFormed() && !value.includes('\0')) return value;
  throw new ToolError(
    'bad-arguments',
    `"${name}" contains an unpaired surrogate or a null character.`,
  );
}

export const createToolFailedError = (message: string): ToolError =>
  new ToolError('failed', message);

export const createPathNotFoundError = (label: string): ToolError =>
  new ToolError('not-found', `There is no ${label}.`);

export const createFileChangedError = (label: string, reason: string): ToolError =>
  new ToolError('changed', `${label} was changed meanwhile. ${reason} Read it again.`);

export const createFileNotFoundError = (): ToolError =>
  new ToolError('not-found', 'There is no such file.');
