import type { Paths } from '../../workspace/vscode/paths.ts';
import type { ChangeRecorder } from '../changes/vscode/change-recorder.ts';
import type { Tool } from '../tool.ts';

/** Dependencies of other features' tools. */
export interface ToolPorts {
  readonly paths: Paths;
  readonly changes: ChangeRecorder;
}

/**
 * Creates the tools of a feature. The returned function lists the tools that are currently
 * available.
 */
export type ToolFactory = (ports: ToolPorts) => () => readonly Tool[];

/**
 * Loads the module that creates a feature's tools, and returns its factory. Called when an agent is first needed, for
 * example when the user starts to type a message. Called again only if loading failed.
 */
export type ToolSource = () => Promise<ToolFactory>;
