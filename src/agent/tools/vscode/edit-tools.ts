import type { Tool } from '../../tool.ts';
import { createFileTool } from './create-file.ts';
import { deleteFileTool } from './delete-file.ts';
import { editFileTool } from './edit-file.ts';
import type { EditToolPorts } from './edits-ports.ts';
import { renameFileTool } from './rename-file.ts';
import { JudgedPaths } from '../../../workspace/vscode/paths.ts';

/** The tools that change files: a part of one, a new one, one that goes, one that moves. */
export function createEditTools(ports: EditToolPorts): readonly Tool[] {
  const parts = { ...ports, judged: new JudgedPaths(ports.paths) };
  return [editFileTool(parts), createFileTool(parts), deleteFileTool(parts), renameFileTool(parts)];
}
