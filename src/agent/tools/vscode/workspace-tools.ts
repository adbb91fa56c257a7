import * as vscode from 'vscode';
import { AgentChanges } from '../../changes/vscode/agent-changes.ts';
import type { CommandParser, ShellKind } from '../../commands/command-line.ts';
import {
  createReadOutputTool,
  createStopCommandTool,
} from '../../commands/vscode/background-commands.ts';
import { CommandTerminals } from '../../commands/vscode/command-terminals.ts';
import { createCommandParser } from '../../commands/vscode/grammar-parser.ts';
import { createRunCommandTool } from '../../commands/vscode/run-command.ts';
import { RunningCommands } from '../../commands/vscode/running-commands.ts';
import { CommandFiles } from '../../commands/vscode/command-files.ts';
import { findCommandShell } from '../../commands/vscode/shell.ts';
import type { Tool } from '../../tool.ts';
import { createCreateFileTool } from './create-file.ts';
import { createDeleteFileTool } from './delete-file.ts';
import { createEditFileTool } from './edit-file.ts';
import { createFindFilesTool } from './find-files.ts';
import {
  createFindReferencesTool,
  createFindSymbolsTool,
  createGoToDefinitionTool,
} from './find-symbols.ts';
import { createGetProblemsTool } from './get-problems.ts';
import { createListDirectoryTool } from './find-files.ts';
import type { EditToolPorts, EditTools, ReadToolPorts, ReadTools } from './ports.ts';
import { createReadFileTool } from './read-file.ts';
import { createRenameFileTool } from './rename-file.ts';
import { createSearchTextTool } from './search-text.ts';
import { createOpenFileTool, createShowDiffTool } from './show-in-editor.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Lazy } from '../../../base/lazy.ts';
import type { Host } from '../../../host.ts';
import { getSetting } from '../../../platform/settings.ts';
import { TextDigests } from '../../../workspace/vscode/file-text.ts';
import {
  CheckedPaths,
  type PathResolver,
  WorkspacePaths,
} from '../../../workspace/vscode/paths.ts';
import { findRipgrep } from '../../../workspace/vscode/ripgrep.ts';

export interface CommandToolsOptions {
  readonly paths: PathResolver;
  readonly parser: CommandParser;
  /** Returns the full paths of the workspace folders on disk. */
  readonly listFolders: () => readonly string[];
  /**
   * Checks whether at least one workspace folder is on the disk of this machine. Commands can run only in such a
   * folder.
   */
  readonly hasFolderOnDisk: () => boolean;
  /** Checks whether approved commands should run in a terminal that the user can see. */
  readonly prefersTerminal?: () => boolean;
  /** Clock that measures how long a command waits for an idle terminal. */
  readonly clock?: Clock;
}

export interface CommandTools extends Disposable {
  /** Tools that run commands; empty if no workspace folder is on disk. */
  readonly tools: readonly Tool[];
  /** Shell that runs commands. Determines the shell syntax for the permission rules and the system instructions. */
  readonly shell: ShellKind;
  /** Kills the background commands of a deleted conversation. */
  forgetConversation(conversationId: string): void;
}

/** Creates the tools that run commands. Disposing the result kills every command, including background commands. */
export function createCommandTools({
  paths,
  parser,
  listFolders,
  hasFolderOnDisk,
  prefersTerminal,
  clock,
}: CommandToolsOptions): CommandTools {
  const shell = findCommandShell();
  const commands = new RunningCommands(shell, new CommandTerminals(clock));
  const tools = [
    createRunCommandTool({
      ...{ paths, commands, parser, listFolders, shell: shell.kind },
      ...(prefersTerminal && { prefersTerminal }),
    }),
    createReadOutputTool(commands),
    createStopCommandTool(commands),
  ];
  return {
    get tools() {
      return hasFolderOnDisk() ? tools : [];
    },
    shell: shell.kind,
    forgetConversation: (conversationId) => commands.removeCommands(conversationId),
    dispose: () => commands.dispose(),
  };
}

/** Creates the tools that edit, create, delete and rename files. */
export function createEditTools(ports: EditToolPorts): readonly Tool[] {
  const { paths, clock = systemClock } = ports;
  const tools = { ...ports, clock, checkedPaths: new CheckedPaths(paths) };
  return [
    createEditFileTool(tools),
    createEditCellsTool(tools),
    createCreateFileTool(tools),
    createDeleteFileTool(tools),
    createRenameFileTool(tools),
  ];
}

/** Creates the tools that read the workspace or show files in the editor. They change no files. */
export function createReadTools(ports: ReadToolPorts): readonly Tool[] {
  const tools: ReadTools = {
    ...ports,
    clock: ports.clock ?? systemClock,
    getRipgrepPath: ports.getRipgrepPath ?? createRipgrepFinder(ports.log),
    getOldUri: ports.getOldUri,
    checkedPaths: new CheckedPaths(ports.paths),
  };
  return [
    createReadFileTool(tools),
    createListDirectoryTool(tools),
    createFindFilesTool(tools),
    createSearchTextTool(tools),
    createGetProblemsTool(tools),
    createFindSymbolsTool(tools),
    createGoToDefinitionTool(tools),
    createFindReferencesTool(tools),
    createOpenFileTool(tools),
    createShowDiffTool(tools),
  ];
}

/** Returns a function that returns the path of ripgrep. The function searches for ripgrep only in its first call. */
export function createRipgrepFinder(log: ReadToolPorts['log']): () => Promise<string | undefined> {
  let ripgrepPathPromise: Promise<string | undefined> | undefined;
  return () =>
    (ripgrepPathPromise ??= findRipgrep({
      appRoot: vscode.env.appRoot,
      path: process.env['PATH'] ?? '',
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    }).then((program) => {
      if (program === undefined) log.warn('Could not find ripgrep.');
      return program;
    }));
}

/** Tools for the open workspace, with the objects that these tools share. */
export interface WorkspaceTools extends Disposable {
  readonly tools: readonly Tool[];
  readonly paths: PathResolver;
  readonly changes: AgentChanges;
  readonly commandFiles: CommandFiles;
  readonly parser: CommandParser;
  /** Shell that runs commands. */
  readonly shell: ShellKind;
  /** Deletes the in-memory data of a conversation and kills its background commands. */
  forget(conversationId: string): void;
}

export function createWorkspaceTools({ context, log }: Host): WorkspaceTools {
  const disposables = new DisposableStore();
  const storageUri = context.globalStorageUri;
  const workspace = {
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => vscode.workspace.isTrusted,
  };
  const paths = new WorkspacePaths({
    ...workspace,
    // Excludes the storage of all extensions from the paths that tools can access.
    forbiddenFolders: [vscode.Uri.joinPath(storageUri, '..')],
  });
  const parser = createCommandParser(
    vscode.Uri.joinPath(context.extensionUri, 'dist', 'host').fsPath,
  );
  const versions = new TextDigests();
  const clock = systemClock;
  const { folders: listFolders, isTrusted } = workspace;
  const changes = disposables.add(
    new AgentChanges({ listFolders, isTrusted, storage: storageUri, clock, log, paths }),
  );
  const commands = disposables.add(
    createCommandTools({
      ...{ paths, parser, listFolders: listFoldersOnDisk, hasFolderOnDisk },
      prefersTerminal: () => getSetting('inferenceService.agent.commandTerminal'),
    }),
  );
  const readTools = createReadTools({
    paths,
    versions,
    log,
    getOldUri: (uri, turn) => Promise.resolve(changes.previousContentProvider.getOldUri(turn, uri)),
  });
  const editTools = createEditTools({ paths, versions, changes: changes.turns });
  return {
    get tools() {
      const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
      return hasFolder ? [...readTools, ...editTools, ...commands.tools] : [];
    },
    paths,
    changes,
    commandFiles: new CommandFiles(paths, listFoldersOnDisk),
    parser,
    shell: commands.shell,
    forget: (conversationId) => {
      versions.removeConversation(conversationId);
      commands.forgetConversation(conversationId);
    },
    dispose: () => disposables.dispose(),
  };
}

const listFoldersOnDisk = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);

const hasFolderOnDisk = (): boolean => listFoldersOnDisk().length > 0;

/** Creates the tool that changes notebook cells. Its first call loads the code for notebooks. */
function createEditCellsTool(tools: EditTools): Tool {
  const editing = new Lazy(async () => {
    const { notebooks } = await import('./cell-editing.ts');
    return notebooks.createCellEditing(tools);
  });
  return {
    name: 'edit_cells',
    summary: 'inserts, deletes or retypes cells of a notebook',
    kind: 'edit',
    description:
      'Changes the cells of a notebook, all or none; the file is saved. Ids of cells are those that read_file shows. To change the text of a cell, use edit_file with "cell".',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        changes: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              action: { enum: ['insert', 'delete', 'retype'] },
              cell: {
                type: 'string',
                description: 'Id of the cell; for insert, of its neighbor (default: at the end).',
              },
              position: { enum: ['before', 'after'], description: 'For insert; default after.' },
              type: { enum: ['code', 'markdown', 'raw'], description: 'For insert and retype.' },
              source: { type: 'string', description: 'Text of an inserted cell.' },
            },
            required: ['action'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'changes'],
      additionalProperties: false,
    },
    plan: async (args, context) => (await editing.get()).plan(args, context),
    run: async (args, context) => (await editing.get()).run(args, context),
  };
}
