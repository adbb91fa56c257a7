import * as vscode from 'vscode';
import { CommandFiles } from './command-files.ts';
import { commandParser } from '../command-gate.fixture.ts';
import type { ShellKind } from '../command-line.ts';
import { Grants } from '../../permissions/grants.ts';
import { type Permission, PermissionRules } from '../../permissions/permission-rules.ts';
import {
  createChatScope,
  createGrantStore,
  createPlan,
  createTool,
} from '../../permissions/permission-rules.fixture.ts';
import { WorkspacePaths } from '../../../workspace/vscode/paths.ts';

interface DiskRulesOptions {
  /** Folder on disk that is open as the workspace. */
  readonly root: string;
  /** First words of commands that are granted in the workspace folder itself. */
  readonly grantedCommands?: readonly string[];
  readonly isReadOnlyAllowed?: boolean;
  readonly shell?: ShellKind;
}

/** Applies the permission rules to a command line that runs in `cwd`, by default in the workspace folder itself. */
export type EvaluateOnDisk = (
  commandLine: string,
  options?: { readonly cwd?: string; readonly isBackground?: boolean },
) => Promise<Permission>;

/**
 * Creates the real permission rules for a workspace on disk. The test must replace `vscode` with
 * `test/support/disk-vscode.ts`.
 */
export function createDiskRules({
  root,
  grantedCommands = [],
  isReadOnlyAllowed = true,
  shell = 'bash',
}: DiskRulesOptions): EvaluateOnDisk {
  const paths = new WorkspacePaths({
    folders: () => [{ uri: vscode.Uri.file(root), name: 'app', index: 0 }],
    isTrusted: () => true,
    forbiddenFolders: [],
  });
  const commands = grantedCommands.map((prefix) => ({ folder: '.', words: prefix.split(' ') }));
  const rules = new PermissionRules({
    grants: new Grants(createGrantStore({ version: 2, tools: [], commands })),
    inspectPath: async (path) => (await paths.resolvePath(path)).facts,
    parser: commandParser,
    commandFiles: new CommandFiles(paths, () => [root]),
    getShell: () => shell,
    listUnreviewedEdits: () => Promise.resolve([]),
    confirmedEditStore: createGrantStore(),
    isReadOnlyAllowed: () => isReadOnlyAllowed,
  });
  return (commandLine, { cwd = '.', isBackground = false } = {}) =>
    rules.evaluateCall(
      createTool('run_command', 'command'),
      createPlan({ type: 'command', commandLine, cwd, isBackground }),
      createChatScope('c1'),
    );
}
