import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Tool } from '../../tool.ts';
import { findRipgrep } from '../../../workspace/vscode/ripgrep.ts';
import { findFilesTool } from './find-files.ts';
import { findSymbolsTool } from './find-symbols.ts';
import { getProblemsTool } from './get-problems.ts';
import { JudgedPaths } from '../../../workspace/vscode/paths.ts';
import { listDirectoryTool } from './list-directory.ts';
import { findReferencesTool, goToDefinitionTool } from './locate-symbol.ts';
import type { ReadToolPorts, ReadTools } from './ports.ts';
import { readFileTool } from './read-file.ts';
import { searchTextTool } from './search-text.ts';
import { openFileTool, showDiffTool } from './show-in-editor.ts';

/** The tools that read the workspace, or only move what the person sees. None of them changes a file. */
export function createReadTools(ports: ReadToolPorts): readonly Tool[] {
  const tools: ReadTools = {
    ...ports,
    clock: ports.clock ?? systemClock,
    ripgrep: ports.ripgrep ?? ripgrepOfTheEditor(ports.log),
    before: ports.before,
    judged: new JudgedPaths(ports.paths),
  };
  return [
    readFileTool(tools),
    listDirectoryTool(tools),
    findFilesTool(tools),
    searchTextTool(tools),
    getProblemsTool(tools),
    findSymbolsTool(tools),
    goToDefinitionTool(tools),
    findReferencesTool(tools),
    openFileTool(tools),
    showDiffTool(tools),
  ];
}

/** Looks for the program when it is first needed, and once. */
export function ripgrepOfTheEditor(log: ReadToolPorts['log']): () => Promise<string | undefined> {
  let found: Promise<string | undefined> | undefined;
  return () =>
    (found ??= findRipgrep({
      appRoot: vscode.env.appRoot,
      path: process.env['PATH'] ?? '',
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    }).then((program) => {
      if (program === undefined) log.warn('No ripgrep was found: files are searched without it.');
      return program;
    }));
}
