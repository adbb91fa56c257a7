import * as vscode from 'vscode';
import { numberArgument, textArgument } from '../../arguments.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import {
  moreLines,
  type NotebookCellText,
  notebookLines,
  numberLines,
  readNotebook,
} from '../text-window.ts';
import {
  binaryFile,
  largestImage,
  type LineSpan,
  readable,
  readLargeFile,
  tooLargeImage,
} from './large-file.ts';
import type { ReadTools } from './ports.ts';
import type { ToolImage } from '../../../conversation/tool-run.ts';
import { fileContent } from '../../../workspace/file-content.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { decodedText, unsavedText } from '../../../workspace/vscode/file-text.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** The cells of a notebook that is open, with what is not saved; undefined when it is not open. */
export function openNotebookCells(uri: vscode.Uri): readonly NotebookCellText[] | undefined {
  const key = uri.toString();
  const notebook = vscode.workspace.notebookDocuments.find((each) => each.uri.toString() === key);
  return notebook?.getCells().map(({ kind, document, outputs }) => ({
    kind: kind === vscode.NotebookCellKind.Code ? `code, ${document.languageId}` : 'markdown',
    source: document.getText(),
    outputs: outputs.map(outputText),
  }));
}

const textTypes = /^text\/plain$|^application\/vnd\.code\.notebook\.(?:stdout|stderr|error)$/u;

function outputText({ items }: vscode.NotebookCellOutput): string {
  const text = items.filter(({ mime }) => textTypes.test(mime));
  const pictures = items.filter(({ mime }) => mime.startsWith('image/'));
  return [
    ...text.map(({ data }) => new TextDecoder().decode(data)),
    ...pictures.map(({ mime }) => `(a picture, ${mime})`),
  ].join('\n');
}

/** Larger files are read line by line, without asking the editor. */
const largestText = 10_000_000;

const unsavedNote = '[With changes in the editor that are not saved.]';
const notebookNote = '[A notebook: the numbers are those of this view, not of lines in the file.]';

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
        verb: vscode.l10n.t('Read'),
        done: vscode.l10n.t({ message: 'Read', comment: ['past'] }),
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

function linesOf(args: ToolArguments): LineSpan {
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

  async read(lines: LineSpan): Promise<ToolResult> {
    const { uri, label } = this.#place;
    const cells = openNotebookCells(uri);
    if (cells !== undefined) return this.#shown(notebookLines(cells), lines, notebookNote);
    const unsaved = unsavedText(uri);
    if (unsaved !== undefined) return this.#text(unsaved.text, lines, unsavedNote);
    const size = await this.#size();
    const { signal } = this.#context;
    if (size > largestText) return readLargeFile(this.#place, lines, { size, signal });
    const bytes = await readable(label, vscode.workspace.fs.readFile(uri));
    const content = fileContent(bytes);
    if (content.kind === 'image') return this.#image(bytes, content.mediaType);
    if (content.kind === 'binary') throw binaryFile(label, content.what);
    const { text } = await decodedText(uri, bytes).catch(() => {
      throw binaryFile(label, 'a binary file');
    });
    const notebook = uri.path.endsWith('.ipynb') ? readNotebook(text) : undefined;
    if (notebook !== undefined) return this.#shown(notebookLines(notebook), lines, notebookNote);
    return this.#text(text, lines);
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

  #text(text: string, lines: LineSpan, note = ''): ToolResult {
    const all = text.split('\n');
    if (all.at(-1) === '') all.pop();
    const shown = this.#shown(all, lines, note);
    this.#tools.versions.saw(this.#context.conversationId, this.#place.uri, text);
    return shown;
  }

  #shown(all: readonly string[], { first, last }: LineSpan, note: string): ToolResult {
    if (all.length === 0) return { output: '[The file is empty.]' };
    if (first > all.length)
      throw new ToolError('bad-arguments', `${this.#place.label} has only ${all.length} lines.`);
    const window = numberLines(all.slice(first - 1, last), first);
    const parts = [window.text, moreLines(window, all.length), note];
    return {
      output: parts.filter((part) => part !== '').join('\n'),
      target: `${this.#place.label}:${window.first}-${window.last}`,
    };
  }

  #image(bytes: Uint8Array, mediaType: ToolImage['mediaType']): ToolResult {
    const { label } = this.#place;
    if (bytes.length > largestImage) throw tooLargeImage(label, bytes.length);
    const about = `${label} is a picture (${mediaType}, ${Math.ceil(bytes.length / 1_024)} KB).`;
    if (!this.#context.vision) return { output: `${about} This model does not take pictures.` };
    return { output: about, images: [{ mediaType, data: Buffer.from(bytes).toString('base64') }] };
  }
}
