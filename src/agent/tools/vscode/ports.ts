import type * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import type { ToolContext } from '../../tool.ts';
import type { Log } from '../../../platform/log.ts';
import type { FileVersions } from '../../../workspace/vscode/file-text.ts';
import type { JudgedPaths, Paths } from '../../../workspace/vscode/paths.ts';

/** What the reading tools are given. */
export interface ReadToolPorts {
  readonly paths: Paths;
  readonly versions: FileVersions;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock?: Clock;
  /** The file as it was before the turn, for a comparison; undefined when the turn did not change it. */
  readonly before?: (
    uri: vscode.Uri,
    turn: Pick<ToolContext, 'conversationId' | 'turnId'>,
  ) => Promise<vscode.Uri | undefined>;
  /** The program that searches; undefined for none, so that the files are read instead. Default: found once. */
  readonly ripgrep?: () => Promise<string | undefined>;
}

/** The same, with what they share among themselves. */
export interface ReadTools extends Required<Omit<ReadToolPorts, 'before'>> {
  readonly before: ReadToolPorts['before'];
  readonly judged: JudgedPaths;
}
