import { isRecord, parseJson } from '../../base/json.ts';
import { cutEnd, windowLimits } from './text-window.ts';

/** A notebook's cell, wherever it comes from. */
export interface NotebookCellText {
  /** `code, python`, `markdown`. */
  readonly kind: string;
  readonly source: string;
  /** What its outputs say as text, one each. */
  readonly outputs: readonly string[];
}

const longestOutput = 5_000;

/** Cells with their numbers, counted from 1, and the text of their outputs. */
export function notebookLines(cells: readonly NotebookCellText[]): string[] {
  return cells.flatMap(({ kind, source, outputs }, index) => [
    `[cell ${index + 1}: ${kind}]`,
    ...linesOf(source),
    ...outputs.flatMap((output) => ['[output]', ...linesOf(cutEnd(output, longestOutput))]),
    '',
  ]);
}

/** The cells of a notebook file in the format of Jupyter, version 4; undefined for anything else. */
export function readNotebook(json: string): readonly NotebookCellText[] | undefined {
  const notebook = parseJson(json);
  if (!isRecord(notebook) || !Array.isArray(notebook['cells'])) return undefined;
  const language = languageOf(notebook['metadata']);
  return notebook['cells'].filter(isRecord).map((cell) => {
    const type = typeof cell['cell_type'] === 'string' ? cell['cell_type'] : 'unknown';
    const outputs = Array.isArray(cell['outputs']) ? cell['outputs'] : [];
    return {
      kind: type === 'code' && language !== undefined ? `code, ${language}` : type,
      source: textOf(cell['source']),
      outputs: outputs.filter(isRecord).map(outputText),
    };
  });
}

function languageOf(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined;
  const { language_info: info, kernelspec } = metadata;
  if (isRecord(info) && typeof info['name'] === 'string') return info['name'];
  if (isRecord(kernelspec) && typeof kernelspec['language'] === 'string')
    return kernelspec['language'];
  return undefined;
}

function outputText(output: Readonly<Record<string, unknown>>): string {
  if (output['output_type'] === 'stream') return textOf(output['text']);
  if (output['output_type'] === 'error') {
    const trace = textOf(output['traceback'], '\n');
    return trace === '' ? `${textOf(output['ename'])}: ${textOf(output['evalue'])}` : trace;
  }
  const data = isRecord(output['data']) ? output['data'] : {};
  const plain = textOf(data['text/plain']);
  const pictures = Object.keys(data).filter((type) => type.startsWith('image/'));
  return [plain, ...pictures.map((type) => `(a picture, ${type})`)]
    .filter((text) => text !== '')
    .join('\n');
}

/** Multi-line strings are kept as a list of lines, or as one string. */
function textOf(value: unknown, separator = ''): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.filter((line): line is string => typeof line === 'string').join(separator);
}

const linesOf = (text: string): string[] =>
  text.split(/\r\n|\r|\n/u).map((line) => cutEnd(line, windowLimits.lineLength));
