import { expect, test } from 'vitest';
import { notebookLines, readNotebook } from './text-window.ts';

test('formats notebook cells with the text of their outputs', () => {
  const cells = readNotebook(
    JSON.stringify({
      metadata: { kernelspec: { language: 'python' } },
      cells: [
        { cell_type: 'markdown', source: ['# Tides\n', 'of today'] },
        {
          cell_type: 'code',
          source: 'print(1)',
          outputs: [
            { output_type: 'stream', text: ['1\n'] },
            { output_type: 'error', ename: 'E', evalue: 'bad', traceback: [] },
            {
              output_type: 'display_data',
              data: { 'text/plain': ['<Figure>'], 'image/png': 'AAAA' },
            },
          ],
        },
      ],
    }),
  );
  expect(notebookLines(cells ?? []).join('\n')).toBe(
    [
      '[cell 1: markdown]\n# Tides\nof today\n',
      '[cell 2: code, python]\nprint(1)',
      '[output]\n1\n',
      '[output]\nE: bad',
      '[output]\n<Figure>\n(a picture, image/png)\n',
    ].join('\n'),
  );
});

test.each(['', 'null', '[]', '{"cells":1}', '{"worksheets":[]}', 'not json'])(
  'readNotebook returns undefined for %j',
  (text) => {
    expect(readNotebook(text)).toBeUndefined();
  },
);

test('reads the valid parts of an invalid notebook and limits the length of an output', () => {
  const cells = readNotebook(
    '{"cells":[null,1,{"cell_type":7,"source":{"x":1},"outputs":[null,{"data":[]},{"output_type":"stream","text":[1,"a"]}]},{"source":[1]}]}',
  );
  expect(cells).toEqual([
    { kind: 'unknown', source: '', outputs: ['', 'a'] },
    { kind: 'unknown', source: '', outputs: [] },
  ]);
  const long = { kind: 'code', source: '', outputs: ['x'.repeat(1e6)] };
  expect(notebookLines([long]).join('').length).toBeLessThan(10_000);
});
