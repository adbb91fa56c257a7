/** JSON formatting that a particular program uses for notebooks. */
export interface NotebookStyle {
  readonly name: string;
  readonly minorVersion: number;
  readonly indent: string | number;
  readonly newline: '\n' | '\r\n';
  readonly finalNewline: string;
  readonly isSourceList: boolean;
  readonly isAsciiOnly: boolean;
}

const jupyterStyle: NotebookStyle = {
  name: 'Jupyter',
  minorVersion: 5,
  indent: 1,
  newline: '\n',
  finalNewline: '\n',
  isSourceList: true,
  isAsciiOnly: false,
};

export const notebookStyles: readonly NotebookStyle[] = [
  jupyterStyle,
  { ...jupyterStyle, name: 'version 4.4', minorVersion: 4 },
  {
    ...jupyterStyle,
    name: 'version 4.0 without a final newline',
    minorVersion: 0,
    finalNewline: '',
  },
  { ...jupyterStyle, name: 'CRLF', newline: '\r\n', finalNewline: '\r\n' },
  { ...jupyterStyle, name: 'two spaces', indent: 2 },
  { ...jupyterStyle, name: 'tabs and CRLF', indent: '\t', newline: '\r\n', finalNewline: '' },
  {
    ...jupyterStyle,
    name: 'Colab',
    minorVersion: 0,
    indent: 2,
    isAsciiOnly: true,
    finalNewline: '',
  },
  { ...jupyterStyle, name: 'sources as strings', isSourceList: false },
  { ...jupyterStyle, name: 'one line', indent: 0, finalNewline: '' },
  { ...jupyterStyle, name: 'one line, sources as strings', indent: 0, isSourceList: false },
];

export type CellJson = Record<string, unknown>;

/** Returns the JSON value of a cell source in the style: a list of lines, as nbformat writes it, or one string. */
export const toSource = (
  source: string,
  { isSourceList }: Pick<NotebookStyle, 'isSourceList'>,
): unknown => (isSourceList ? source.split(/(?<=\n)/u).filter((line) => line !== '') : source);

export const toCell = (
  style: NotebookStyle,
  { type, source, id }: { readonly type: string; readonly source: string; readonly id: string },
): CellJson => ({
  cell_type: type,
  ...(type === 'code' && { execution_count: null }),
  ...(style.minorVersion >= 5 && { id }),
  metadata: {},
  ...(type === 'code' && { outputs: [] }),
  source: toSource(source, style),
});

const imageBase64 = 'iVBORw0KGgo'.repeat(2_000);

/** Creates cells of every type, with outputs that contain quotes, brackets, escapes and an image. */
export function createSampleCells(style: NotebookStyle): CellJson[] {
  const createCell = (
    type: string,
    source: string,
    id: string,
    otherFields: CellJson = {},
  ): CellJson => ({
    ...toCell(style, { type, source, id }),
    ...otherFields,
  });
  return [
    // VS Code removes attachments without a reference when it saves.
    createCell(
      'markdown',
      '# Gezeiten 🌊\n\nA "quoted" \\ word, größer.\n![](attachment:a.png)',
      'intro',
      {
        attachments: { 'a.png': { 'image/png': imageBase64 } },
      },
    ),
    createCell(
      'code',
      'import math\n\ndef area(r):\n\treturn math.pi * r ** 2\nprint(area(1))',
      'area',
      {
        execution_count: 3,
        metadata: { tags: ['}', ']', '\\"'], scrolled: true },
        outputs: [
          { name: 'stdout', output_type: 'stream', text: ['3.14\n', '{"a": [1, "]"]}\\'] },
          {
            data: { 'image/png': imageBase64, 'text/plain': ['<Figure>'] },
            metadata: {},
            output_type: 'display_data',
          },
        ],
      },
    ),
    createCell('raw', '', 'empty'),
    createCell('code', 'x = 1\nx = 1\n', 'twice'),
  ];
}

/** Writes a notebook as JSON, without using the code under test. */
export function writeNotebook(style: NotebookStyle, cells: readonly CellJson[]): string {
  const notebook = {
    cells,
    metadata: { language_info: { name: 'python', version: '3.12' } },
    nbformat: 4,
    nbformat_minor: style.minorVersion,
  };
  const json = JSON.stringify(notebook, undefined, style.indent).replaceAll('\n', style.newline);
  const text = style.isAsciiOnly
    ? json.replaceAll(
        /[^\0-\u007F]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : json;
  return text + style.finalNewline;
}
