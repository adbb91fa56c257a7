import * as vscode from 'vscode';
import { readIntegerArgument, readStringArgument } from '../../arguments.ts';
import type { NotebookCell } from '../../edit/notebook.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { formatContinuationNote, formatNotebookLines, numberLines } from '../text-window.ts';
import {
  createBinaryFileError,
  maxImageBytes,
  type LineSpan,
  readOrFail,
  readLargeFile,
  createImageTooLargeError,
} from './large-file.ts';
import type { ReadTools } from './ports.ts';
import { isNotebookPath } from '../../../workspace/vscode/documents.ts';
import { createCellUri, findOpenNotebook, convertToLineFeeds } from './text-file.ts';
import type { ToolImage } from '../../../conversation/tool-run.ts';
import { detectFileContent } from '../../../workspace/file-content.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { decodeText, readUnsavedText } from '../../../workspace/vscode/file-text.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** Maximum size in bytes of a file that is opened in VS Code. Larger files are read line by line. */
const maxTextBytes = 10_000_000;

/** Maximum size in bytes of a notebook that tools can edit. */
const maxNotebookBytes = 20 * 1_024 * 1_024;

const unsavedNote = '[With changes in the editor that are not saved.]';
const notebookNote =
  '[A notebook: the numbers are those of this view. Edit it with "cell", the id of a cell.]';

export function createReadFileTool(tools: ReadTools): Tool {
  return {
    name: 'read_file',
    kind: 'read',
    description:
      'Reads a file: text as numbered lines (number, tab, line; up to 2,000), notebooks as cells with outputs, images as images. Includes unsaved changes.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        start_line: { type: 'integer', minimum: 1 },
        end_line: { type: 'integer', minimum: 1 },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async plan(args) {
      const path = readStringArgument(args, 'path');
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, [path]);
      const { firstLine, lastLine } = readLineSpan(args);
      const lineSuffix =
        firstLine > 1 || Number.isFinite(lastLine)
          ? `:${firstLine}-${Number.isFinite(lastLine) ? lastLine : ''}`
          : '';
      return {
        verb: vscode.l10n.t('Read'),
        target: `${resolvedPath?.label ?? path}${lineSuffix}`,
        ...(resolvedPath && { uri: resolvedPath.uri.toString() }),
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args, context) {
      const [resolvedPath] = await tools.checkedPaths.recheck(args, [
        readStringArgument(args, 'path'),
      ]);
      if (resolvedPath === undefined) throw new ToolError('not-found', 'There is no such file.');
      return new FileReader(tools, resolvedPath, context).read(readLineSpan(args));
    },
  };
}

function readLineSpan(args: ToolArguments): LineSpan {
  const limits = { min: 1, max: Number.MAX_SAFE_INTEGER };
  const firstLine = readIntegerArgument(args, 'start_line', { ...limits, fallback: 1 });
  const lastLine = readIntegerArgument(args, 'end_line', {
    ...limits,
    fallback: Number.POSITIVE_INFINITY,
  });
  if (lastLine >= firstLine) return { firstLine, lastLine };
  throw new ToolError('bad-arguments', 'end_line is before start_line.');
}

class FileReader {
  readonly #tools: ReadTools;
  readonly #resolvedPath: ResolvedPath;
  readonly #context: ToolContext;

  constructor(tools: ReadTools, resolvedPath: ResolvedPath, context: ToolContext) {
    this.#tools = tools;
    this.#resolvedPath = resolvedPath;
    this.#context = context;
  }

  async read(lines: LineSpan): Promise<ToolResult> {
    const { uri, label } = this.#resolvedPath;
    const openNotebook = findOpenNotebook(uri);
    if (openNotebook !== undefined) {
      const { notebooks } = await import('./cell-editing.ts');
      return this.#formatCells(notebooks.readOpenCells(openNotebook), lines);
    }
    const unsavedText = readUnsavedText(uri);
    if (unsavedText !== undefined) return this.#formatText(unsavedText.text, lines, unsavedNote);
    const size = await this.#readFileSize();
    const { signal } = this.#context;
    if (size > (isNotebookPath(uri) ? maxNotebookBytes : maxTextBytes))
      return readLargeFile(this.#resolvedPath, lines, { size, signal });
    const bytes = await readOrFail(label, vscode.workspace.fs.readFile(uri));
    const content = detectFileContent(bytes);
    if (content.kind === 'image') return this.#formatImage(bytes, content.mediaType);
    if (content.kind === 'binary') throw createBinaryFileError(label, content.label);
    const { text } = await decodeText(uri, bytes).catch(() => {
      throw createBinaryFileError(label, 'a binary file');
    });
    return this.#formatText(text, lines);
  }

  /**
   * Returns the size of the file in bytes.
   * @throws ToolError if the path is not a regular file
   */
  async #readFileSize(): Promise<number> {
    const { label, uri } = this.#resolvedPath;
    let stat: vscode.FileStat;
    try {
      stat = await vscode.workspace.fs.stat(uri);
    } catch {
      throw new ToolError(
        'not-found',
        `There is no file ${label}. Look for it with find_files or list_directory.`,
      );
    }
    if ((stat.type & vscode.FileType.Directory) !== 0)
      throw new ToolError('bad-arguments', `${label} is a folder: use list_directory.`);
    // Rejects a pipe or a device, whose content may never end.
    if ((stat.type & vscode.FileType.File) === 0)
      throw new ToolError('failed', `${label} is not a regular file.`);
    return stat.size;
  }

  #formatCells(cells: readonly NotebookCell[], span: LineSpan, note = ''): ToolResult {
    const result = this.#formatLines(
      formatNotebookLines(cells),
      span,
      `${notebookNote}\n${note}`.trim(),
    );
    const { versions } = this.#tools;
    const { conversationId } = this.#context;
    for (const { id, source } of cells)
      versions.recordText(
        conversationId,
        createCellUri(this.#resolvedPath.uri, id),
        convertToLineFeeds(source),
      );
    return result;
  }

  async #formatText(text: string, span: LineSpan, textNote = ''): Promise<ToolResult> {
    let note = textNote;
    if (isNotebookPath(this.#resolvedPath.uri)) {
      const { notebooks } = await import('./cell-editing.ts');
      const notebook = notebooks.parse(text);
      if ('cells' in notebook) return this.#formatCells(notebook.cells, span, textNote);
      note = `${textNote}\n[This notebook is shown as text: ${notebook.problem}.]`.trim();
    }
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const result = this.#formatLines(lines, span, note);
    this.#tools.versions.recordText(this.#context.conversationId, this.#resolvedPath.uri, text);
    return result;
  }

  #formatLines(
    lines: readonly string[],
    { firstLine, lastLine }: LineSpan,
    note: string,
  ): ToolResult {
    if (lines.length === 0) return { output: '[The file is empty.]' };
    if (firstLine > lines.length)
      throw new ToolError(
        'bad-arguments',
        `${this.#resolvedPath.label} has only ${lines.length} lines.`,
      );
    const window = numberLines(lines.slice(firstLine - 1, lastLine), firstLine);
    const parts = [window.text, formatContinuationNote(window, lines.length), note];
    return {
      output: parts.filter((part) => part !== '').join('\n'),
      target: `${this.#resolvedPath.label}:${window.firstLine}-${window.lastLine}`,
    };
  }

  #formatImage(bytes: Uint8Array, mediaType: ToolImage['mediaType']): ToolResult {
    const { label } = this.#resolvedPath;
    if (bytes.length > maxImageBytes) throw createImageTooLargeError(label, bytes.length);
    const description = `${label} is an image (${mediaType}, ${Math.ceil(bytes.length / 1_024)} KB).`;
    if (!this.#context.supportsVision)
      return { output: `${description} This model does not take images.` };
    return {
      output: description,
      images: [{ mediaType, data: Buffer.from(bytes).toString('base64') }],
    };
  }
}
