import * as vscode from 'vscode';
import type { NotebookCellText } from '../text-window.ts';

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
