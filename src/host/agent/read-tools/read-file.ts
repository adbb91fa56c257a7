import * as vscode from 'vscode';
import { fileContent, isUtf16 } from '../../../agent/reading/file-content.ts';
import { notebookLines, readNotebook } from '../../../agent/reading/notebook-text.ts';
import { moreLines, numberLines, windowLimits } from '../../../agent/reading/text-window.ts';
import {
  type Tool,
  type ToolArguments,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '../../../agent/tool.ts';
import type { ResolvedPath } from '../paths.ts';
import { numberArgument, textArgument } from './call-arguments.ts';
import { readLineRange } from './line-range.ts';
import { openNotebookCells } from './notebook-cells.ts';
import type { ReadTools } from './ports.ts';
import { decodedText, unsavedText } from './workspace-text.ts';

/** Larger files are read line by line, without asking the editor. */
const largestText = 10_000_000;
const largestImage = 4_000_000;

/** What is asked for, 1-based and inclusive. */
interface Lines {
  readonly first: number;
  readonly last: number;
}

export function readFileTool(tools: ReadTools): Tool {
  return {
    name: 'read_file',
    kind: 'read',
    description:
      'Reads a file of the workspace: text with line numbers (number, tab, line), notebooks as cells with their outputs, pictures as pictures. Unsaved changes in open editors are included. Shows up to 2,000 lines; give start_line and end_line for a part of a long file. To find something, use search_text; for the names in a folder, list_directory.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        start_line: { type: 'integer', minimum: 1, description: 'First line, from 1. Default 1.' },
        end_line: { type: 'integer', minimum: 1, description: 'Last line, included.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async plan(args) {
      const path = textArgument(args, 'path');
      const [place] = await tools.judged.resolve(args, [path]);
      const { first, last } = linesOf(args);
      const lines =
        first > 1 || Number.isFinite(last) ? `:${first}-${Number.isFinite(last) ? last : ''}` : '';
      return {
        verb: 'Read',
        done: 'Read',
        target: `${place?.label ?? path}${lines}`,
        ...(place && { uri: place.uri.toString() }),
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args, context) {
      const [place] = await tools.judged.recheck(args, [textArgument(args, 'path')]);
      if (place === undefined) throw new ToolError('not-found', 'There is no such file.');
      return new FileReading(tools, place, context).read(linesOf(args));
    },
  };
}

function linesOf(args: ToolArguments): Lines {
  const limits = { least: 1, most: Number.MAX_SAFE_INTEGER };
  const first = numberArgument(args, 'start_line', { ...limits, fallback: 1 });
  const last = numberArgument(args, 'end_line', { ...limits, fallback: Number.POSITIVE_INFINITY });
  if (last >= first) return { first, last };
  throw new ToolError('bad-arguments', 'end_line is before start_line.');
}

class FileReading {
  readonly #tools: ReadTools;
  readonly #place: ResolvedPath;
  readonly #context: ToolContext;

  constructor(tools: ReadTools, place: ResolvedPath, context: ToolContext) {
    this.#tools = tools;
    this.#place = place;
    this.#context = context;
  }

  async read(lines: Lines): Promise<ToolResult> {
    const { uri } = this.#place;
    const cells = openNotebookCells(uri);
    if (cells !== undefined) return this.#shown(notebookLines(cells), lines, false);
    const unsaved = unsavedText(uri);
    if (unsaved !== undefined) return this.#text(unsaved.text, lines, unsaved.unsaved);
    const size = await this.#size();
    if (size > largestText) return this.#large(lines, size);
    const bytes = await vscode.workspace.fs.readFile(uri);
    const content = fileContent(bytes);
    if (content.kind === 'image') return this.#image(bytes, content.mediaType);
    if (content.kind === 'binary') throw this.#binary(content.what);
    const { text } = await decodedText(uri, bytes).catch(() => {
      throw this.#binary('a binary file');
    });
    const notebook = uri.path.endsWith('.ipynb') ? readNotebook(text) : undefined;
    if (notebook !== undefined) return this.#shown(notebookLines(notebook), lines, false);
    return this.#text(text, lines, false);
  }

  /** @throws ToolError for what is no file. */
  async #size(): Promise<number> {
    const { label, uri } = this.#place;
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
    // A pipe or a device may never end.
    if ((stat.type & vscode.FileType.File) === 0)
      throw new ToolError('failed', `${label} is not a regular file.`);
    return stat.size;
  }

  #text(text: string, lines: Lines, unsaved: boolean): ToolResult {
    this.#tools.versions.saw(this.#context.conversationId, this.#place.uri, text);
    const all = text.split('\n');
    if (all.at(-1) === '') all.pop();
    return this.#shown(all, lines, unsaved);
  }

  #shown(all: readonly string[], { first, last }: Lines, unsaved: boolean): ToolResult {
    if (all.length === 0) return { output: '[The file is empty.]' };
    if (first > all.length)
      throw new ToolError('bad-arguments', `${this.#place.label} has only ${all.length} lines.`);
    const window = numberLines(all.slice(first - 1, last), first);
    const notes = [
      moreLines(window, all.length),
      unsaved ? '[With changes in the editor that are not saved.]' : '',
    ];
    return {
      output: [window.text, ...notes].filter((part) => part !== '').join('\n'),
      target: `${this.#place.label}:${window.first}-${window.last}`,
    };
  }

  async #large({ first, last }: Lines, size: number): Promise<ToolResult> {
    const { label, uri } = this.#place;
    const megabytes = `${Math.round(size / 1e6)} MB`;
    if (uri.scheme !== 'file')
      throw new ToolError(
        'too-large',
        `${label} has ${megabytes}: it is too large to be read from there.`,
      );
    const wanted = Math.min(windowLimits.lines, last - first + 1);
    const most = { lines: wanted, bytes: windowLimits.characters * 4 };
    const { signal } = this.#context;
    const head = await readLineRange(uri.fsPath, {
      first: 1,
      most: { lines: 1_000, bytes: 8_192 },
      signal,
    });
    const content = fileContent(head.bytes);
    if (content.kind === 'image') throw this.#tooLargeImage(size);
    if (content.kind === 'binary') throw this.#binary(content.what);
    if (isUtf16(head.bytes))
      throw new ToolError(
        'too-large',
        `${label} has ${megabytes} in UTF-16: use search_text to look into it.`,
      );
    const range = await readLineRange(uri.fsPath, { first, most, signal });
    if (range.lastLine < first)
      throw new ToolError('bad-arguments', `${label} has only ${range.lastLine} lines.`);
    const { text } = await decodedText(uri, range.bytes);
    const lines = text.split('\n');
    if (text.endsWith('\n')) lines.pop();
    const window = numberLines(lines, first);
    const more = range.more || window.last < first + lines.length - 1;
    return {
      output: more ? `${window.text}\n${moreLines(window, undefined)}` : window.text,
      target: `${label}:${window.first}-${window.last}`,
    };
  }

  #image(
    bytes: Uint8Array,
    mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp',
  ): ToolResult {
    const { label } = this.#place;
    if (bytes.length > largestImage) throw this.#tooLargeImage(bytes.length);
    const about = `${label} is a picture (${mediaType}, ${Math.ceil(bytes.length / 1_024)} KB).`;
    if (!this.#context.vision) return { output: `${about} This model does not take pictures.` };
    return { output: about, images: [{ mediaType, data: Buffer.from(bytes).toString('base64') }] };
  }

  #binary(what: string): ToolError {
    return new ToolError('failed', `${this.#place.label} is ${what}: it cannot be read as text.`);
  }

  #tooLargeImage(size: number): ToolError {
    const megabytes = (size / 1e6).toFixed(1);
    return new ToolError(
      'too-large',
      `${this.#place.label} is a picture of ${megabytes} MB; up to ${largestImage / 1e6} MB can be read.`,
    );
  }
}
