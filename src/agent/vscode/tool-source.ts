import type { Paths } from '../../workspace/vscode/paths.ts';
import type { ChangeRecorder } from '../changes/vscode/change-recorder.ts';
import type { Tool } from '../tool.ts';

/** Where tools of other features find files and record what they change. */
export interface ToolPorts {
  readonly paths: Paths;
  readonly changes: ChangeRecorder;
}

/** Creates the tools of a feature. The returned function lists those that can be used now. */
export type ToolFactory = (ports: ToolPorts) => () => readonly Tool[];

/** Loads the tools of another feature. Called once, before the first draft. */
export type ToolSource = () => Promise<ToolFactory>;
