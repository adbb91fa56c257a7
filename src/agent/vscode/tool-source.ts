import type { Paths } from '../../workspace/vscode/paths.ts';
import type { ChangeRecorder } from '../changes/vscode/change-recorder.ts';
import type { Tool } from '../tool.ts';

/** Dependencies of other features' tools: paths and the change recorder. */
export interface ToolPorts {
  readonly paths: Paths;
  readonly changes: ChangeRecorder;
}

/** Creates the tools of a feature. The returned function lists the available ones. */
export type ToolFactory = (ports: ToolPorts) => () => readonly Tool[];

/** Loads the tools of another feature. Called once, before the first draft. */
export type ToolSource = () => Promise<ToolFactory>;
