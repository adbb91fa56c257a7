import * as vscode from 'vscode';
import type { ShellKind } from '../../commands/command-line.ts';
import type { Tool } from '../../tool.ts';
import { systemClock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { Host } from '../../../host.ts';
import { AgentChanges, type AgentChangesOptions } from '../../changes/vscode/agent-changes.ts';
import { createCommandTools } from './command-tools.ts';
import { createEditTools } from './edit-tools.ts';
import { type Paths, WorkspacePaths } from '../../../workspace/vscode/paths.ts';
import { createReadTools } from './create-read-tools.ts';
import { SeenTexts } from '../../../workspace/vscode/file-text.ts';

/** The tools that work on the open workspace, and what they share. */
export interface WorkspaceTools extends Disposable {
  readonly tools: readonly Tool[];
  readonly paths: Paths;
  readonly changes: AgentChanges;
  /** Of the shell that runs commands. */
  readonly shell: ShellKind;
  /** Lets go of what is only in memory of a conversation, and ends what it runs in the background. */
  forget(conversationId: string): void;
}

export function createWorkspaceTools(
  { context, log }: Host,
  registerCommand: AgentChangesOptions['registerCommand'],
): WorkspaceTools {
  const owned = new DisposableStore();
  const storage = context.globalStorageUri;
  const workspace = {
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => vscode.workspace.isTrusted,
  };
  const paths = new WorkspacePaths({
    ...workspace,
    // What other extensions keep is nobody's business either.
    closed: [vscode.Uri.joinPath(storage, '..')],
  });
  const versions = new SeenTexts();
  const clock = systemClock;
  const changes = owned.add(
    new AgentChanges({ ...workspace, storage, clock, log, paths, registerCommand }),
  );
  const commands = owned.add(createCommandTools({ paths, onDisk: isOnDisk }));
  const reading = createReadTools({
    paths,
    versions,
    log,
    before: (uri, turn) => Promise.resolve(changes.before(turn, uri)),
  });
  const editing = createEditTools({ paths, versions, changes: changes.recorder });
  return {
    get tools() {
      const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
      return hasFolder ? [...reading, ...editing, ...commands.tools] : [];
    },
    paths,
    changes,
    shell: commands.shell,
    forget: (conversationId) => {
      versions.forget(conversationId);
      commands.forget(conversationId);
    },
    dispose: () => owned.dispose(),
  };
}

const isOnDisk = (): boolean =>
  (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.scheme === 'file');
