import { expect, test } from 'vitest';
import { parseNotebook } from '../edit/notebook.ts';
import { formatNotebookLines } from './text-window.ts';

test('formatNotebookLines returns the sources and output texts of notebook cells', () => {
  const notebook = parseNotebook(
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
  expect(formatNotebookLines('cells' in notebook ? notebook.cells : []).join('\n')).toBe(
    [
      '[cell #1: markdown]\n# Tides\nof today\n',
      '[cell #2: code, python]\nprint(1)',
      '[output]\n1\n',
      '[output]\nE: bad',
      '[output]\n<Figure>\n(an image, image/png)\n',
    ].join('\n'),
  );
});

test('formatNotebookLines shortens a long output of a notebook cell', () => {
  const longCell = { id: 'a', type: 'code', source: '', outputs: ['x'.repeat(1e6)] };
  expect(formatNotebookLines([longCell]).join('').length).toBeLessThan(2_200);
});
