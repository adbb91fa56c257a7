import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { applyEdits } from '../../edit/find-exact.ts';
import type { TextEdit } from '../../edit/hunk.ts';
import {
  createCellIds,
  describeOutput,
  findCell,
  type Notebook,
  type NotebookCell,
  type NotebookFileCell,
  parseNotebook,
} from '../../edit/notebook.ts';
import {
  type CellChange,
  createIdSource,
  createCellListEdit,
  createSourceEdit,
  type PlannedCell,
  planCells,
} from '../../edit/notebook-edits.ts';
import { createToolFailedError } from './ports.ts';
import {
  applyTextEdits,
  createChangedFileError,
  findOpenNotebook,
  openTextFile,
  readWritableFile,
  setText,
  type TextFile,
} from './text-file.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** A notebook whose cells can be edited. */
export interface NotebookFile extends Pick<TextFile, 'isUnsaved' | 'saveChanges'> {
  readonly cells: readonly NotebookCell[];
  /** True if cells keep their ids when other cells are inserted or deleted. */
  readonly hasIds: boolean;
  /**
   * Returns the source of a cell as a text file.
   * @throws ToolError for a cell without a source
   */
  openCell(cell: NotebookCell): TextFile;
  /**
   * Applies the changes and saves the notebook.
   * @returns all cells after the changes
   * @throws ToolError if the changes cannot be applied or saved; the file is then unchanged
   */
  applyChanges(changes: readonly CellChange[]): Promise<readonly NotebookCell[]>;
}

/**
 * Opens a notebook for edits. If VS Code has the notebook open, edits its document, so that the user can undo the edit;
 * otherwise, edits the file.
 * @throws ToolError unless the path is a writable notebook
 */
export async function openNotebook(resolvedPath: ResolvedPath): Promise<NotebookFile> {
  const { uri, label } = resolvedPath;
  if (findOpenNotebook(uri) !== undefined) await readWritableFile(resolvedPath);
  const openDocument = findOpenNotebook(uri);
  if (openDocument !== undefined) return new OpenNotebook(openDocument, label);
  const file = await openTextFile(resolvedPath);
  const notebook = parseNotebook(file.text);
  if ('cells' in notebook) return new StoredNotebook(file, notebook, label);
  throw createToolFailedError(
    `${label} cannot be edited by cell, because ${notebook.problem}. Edit it with edit_file as text, without "cell".`,
  );
}

/** Returns the source of a notebook cell as a text file. */
export async function openCell(
  resolvedPath: ResolvedPath,
  id: string,
): Promise<{ readonly file: TextFile; readonly cell: NotebookCell }> {
  const notebook = await openNotebook(resolvedPath);
  const cell = findCell(notebook.cells, id, resolvedPath.label);
  return { file: notebook.openCell(cell), cell };
}

/** A notebook that is not open in a notebook editor. An edit leaves all other bytes of the file unchanged. */
class StoredNotebook implements NotebookFile {
  readonly #file: TextFile;
  readonly #notebook: Notebook;
  readonly #label: string;

  constructor(file: TextFile, notebook: Notebook, label: string) {
    this.#file = file;
    this.#notebook = notebook;
    this.#label = label;
  }

  get cells(): readonly NotebookFileCell[] {
    return this.#notebook.cells;
  }

  get hasIds(): boolean {
    return this.#notebook.hasIds;
  }

  get isUnsaved(): boolean {
    return this.#file.isUnsaved;
  }

  openCell(cell: NotebookCell): TextFile {
    const index = this.cells.findIndex(({ id }) => id === cell.id);
    const span = this.cells[index]?.sourceSpan;
    if (span === undefined)
      throw createToolFailedError(`${this.#label} was not changed. Cell ${cell.id} has no text.`);
    return {
      text: cell.source,
      isUnsaved: this.isUnsaved,
      write: async (edits) => {
        const source = applyEdits(cell.source, edits);
        const savedCells = await this.#writeEdit(createSourceEdit(this.#notebook, span, source));
        return savedCells[index]?.source ?? source;
      },
    };
  }

  applyChanges(changes: readonly CellChange[]): Promise<readonly NotebookCell[]> {
    const plannedCells = planCells(this.cells, changes, this.#label);
    const createId = createIdSource(this.cells, randomUUID);
    return this.#writeEdit(createCellListEdit(this.#notebook, plannedCells, createId));
  }

  /**
   * Applies an edit to the file.
   * @returns the cells of the saved file
   */
  async #writeEdit(edit: TextEdit): Promise<readonly NotebookCell[]> {
    const savedCells = parseNotebook(await this.#file.write([edit]));
    return 'cells' in savedCells ? savedCells.cells : [];
  }
}

/** Returns the cells of an open notebook, including unsaved changes. */
export function readOpenCells(notebook: vscode.NotebookDocument): readonly OpenCell[] {
  const cells = notebook.getCells();
  const hasIds = hasCellIds(notebook);
  const ids = createCellIds(
    cells.map(({ metadata }) => (hasIds ? (metadata['id'] as unknown) : undefined)),
  );
  return cells.map((cell, index) => {
    const { document, outputs } = cell;
    const type = getCellType(cell);
    return {
      id: ids[index] ?? '',
      type,
      ...(type === 'code' && { language: document.languageId }),
      source: document.getText(),
      outputs: outputs.map(formatCellOutput),
      cell,
    };
  });
}

interface OpenCell extends NotebookCell {
  readonly cell: vscode.NotebookCell;
}

const hasCellIds = ({ metadata }: vscode.NotebookDocument): boolean =>
  metadata['nbformat'] === 4 && Number(metadata['nbformat_minor']) >= 5;

function getCellType({ kind, document }: vscode.NotebookCell): string {
  if (kind === vscode.NotebookCellKind.Markup) return 'markdown';
  return document.languageId === 'raw' ? 'raw' : 'code';
}

const textTypesPattern =
  /^text\/plain$|^application\/vnd\.code\.notebook\.(?:stdout|stderr|error)$/u;

function formatCellOutput({ items }: vscode.NotebookCellOutput): string {
  const textItems = items.filter(({ mime }) => textTypesPattern.test(mime));
  return describeOutput(
    textItems.map(({ data }) => new TextDecoder().decode(data)).join('\n'),
    items.map(({ mime }) => mime),
  );
}

/** A notebook that is open in an editor. Edits go through the editor, which saves the file in its own format. */
class OpenNotebook implements NotebookFile {
  readonly cells: readonly OpenCell[];
  readonly isUnsaved: boolean;
  readonly hasIds: boolean;
  readonly #document: vscode.NotebookDocument;
  readonly #label: string;

  constructor(document: vscode.NotebookDocument, label: string) {
    this.cells = readOpenCells(document);
    this.isUnsaved = document.isDirty;
    this.hasIds = hasCellIds(document);
    this.#document = document;
    this.#label = label;
  }

  async saveChanges(): Promise<void> {
    if (!this.#document.isDirty) return;
    if (await this.#saveNotebook()) return;
    throw createToolFailedError(`${this.#label} has unsaved changes that could not be saved.`);
  }

  openCell({ id, source }: NotebookCell): TextFile {
    const document = this.cells.find((cell) => cell.id === id)?.cell.document;
    if (document === undefined) throw createChangedFileError(this.#label);
    return {
      text: source,
      isUnsaved: this.isUnsaved,
      documentUri: document.uri,
      saveChanges: () => this.saveChanges(),
      write: async (edits) => {
        if (document.isClosed || document.getText() !== source)
          throw createChangedFileError(this.#label);
        if (!(await applyTextEdits(document, edits))) throw createChangedFileError(this.#label);
        await this.#saveOrRevert(() => setText(document, source));
        return document.getText();
      },
    };
  }

  async applyChanges(changes: readonly CellChange[]): Promise<readonly NotebookCell[]> {
    if (!this.#isUnchanged()) throw createChangedFileError(this.#label);
    const plannedCells = planCells(this.cells, changes, this.#label);
    const cellsBefore = this.cells.map(({ cell }) => copyCell(cell));
    if (!(await this.#replaceCells(this.#toEdits(plannedCells))))
      throw createChangedFileError(this.#label);
    await this.#saveOrRevert(() => {
      const wholeRange = new vscode.NotebookRange(0, this.#document.cellCount);
      return this.#replaceCells([vscode.NotebookEdit.replaceCells(wholeRange, cellsBefore)]);
    });
    return readOpenCells(this.#document);
  }

  #isUnchanged(): boolean {
    const currentCells = this.#document.isClosed ? [] : readOpenCells(this.#document);
    return (
      currentCells.length === this.cells.length &&
      this.cells.every(
        ({ cell, source, type }, index) =>
          currentCells[index]?.cell === cell &&
          currentCells[index].source === source &&
          currentCells[index].type === type,
      )
    );
  }

  /**
   * Returns one edit for each group of adjacent changed cells. The edits are ordered from last to first, so that the
   * indexes of the remaining edits stay valid.
   */
  #toEdits(plannedCells: readonly PlannedCell<OpenCell>[]): vscode.NotebookEdit[] {
    const createId = createIdSource(this.cells, randomUUID);
    const edits: vscode.NotebookEdit[] = [];
    let [start, items]: [number, vscode.NotebookCellData[]] = [0, []];
    const addEdit = (end: number): void => {
      const range = new vscode.NotebookRange(start, end);
      if (!range.isEmpty || items.length > 0)
        edits.unshift(vscode.NotebookEdit.replaceCells(range, items));
      [start, items] = [end + 1, []];
    };
    for (const cell of plannedCells) {
      if (cell.before !== undefined && cell.before.type === cell.type)
        addEdit(this.cells.indexOf(cell.before));
      else items.push(this.#createCell(cell, createId));
    }
    addEdit(this.cells.length);
    return edits;
  }

  #createCell(
    { before, type, source }: PlannedCell<OpenCell>,
    createId: () => string,
  ): vscode.NotebookCellData {
    const isMarkdown = type === 'markdown';
    const kind = isMarkdown ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code;
    const language = isMarkdown ? 'markdown' : type === 'raw' ? 'raw' : this.#getLanguage();
    const data = new vscode.NotebookCellData(kind, source, language);
    const { metadata, id } = before?.cell.metadata ?? {};
    // Jupyter's serializer adds missing ids later, which would leave the notebook unsaved.
    const newId: unknown = id ?? (this.hasIds ? createId() : undefined);
    data.metadata = { metadata: metadata ?? {}, ...(newId !== undefined && { id: newId }) };
    return data;
  }

  /** Returns the language for new code cells: that of the first code cell, or else that of the notebook. */
  #getLanguage(): string {
    const { metadata } = this.#document.metadata as { metadata?: { language_info?: unknown } };
    const info = metadata?.language_info as { name?: unknown } | undefined;
    const firstLanguage = this.cells.find(({ type }) => type === 'code')?.cell.document.languageId;
    return firstLanguage ?? (typeof info?.name === 'string' ? info.name : 'python');
  }

  async #replaceCells(edits: vscode.NotebookEdit[]): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    edit.set(this.#document.uri, edits);
    return vscode.workspace.applyEdit(edit);
  }

  async #saveOrRevert(revert: () => Promise<boolean>): Promise<void> {
    if (await this.#saveNotebook()) return;
    await revert();
    throw createToolFailedError(
      `${this.#label} could not be saved: it may be read-only or have changed on disk. The edit was taken back.`,
    );
  }

  async #saveNotebook(): Promise<boolean> {
    const isSaved = await this.#document.save().then(undefined, () => false);
    return isSaved && !this.#document.isDirty;
  }
}

function copyCell(cell: vscode.NotebookCell): vscode.NotebookCellData {
  const { kind, document, metadata, outputs, executionSummary } = cell;
  const data = new vscode.NotebookCellData(kind, document.getText(), document.languageId);
  data.metadata = metadata;
  data.outputs = [...outputs];
  if (executionSummary !== undefined) data.executionSummary = executionSummary;
  return data;
}
