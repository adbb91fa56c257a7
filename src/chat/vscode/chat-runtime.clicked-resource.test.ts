import { expect, test, vi } from 'vitest';
import { Uri } from 'vscode';
import { getItemUris } from './chat-runtime.ts';

vi.mock('vscode', async () => await import('../../../test/support/disk-vscode.ts'));

const uri = Uri.file('/app/src/a.ts');

test.each<[what: string, item: unknown]>([
  ['file of the explorer', uri],
  ['changed file of source control', { resourceUri: uri, decorations: {} }],
  ['test item', { id: 'a', uri, range: {} }],
  ['notebook cell', { kind: 2, document: { uri } }],
])('getItemUris returns the URI of a %s', (_, item) => {
  expect(getItemUris(item)).toEqual([uri]);
});

test.each([undefined, null, 'src/a.ts', {}, { uri: 'file:///a' }, { document: {} }])(
  'getItemUris returns no URI for the item %j',
  (item) => {
    expect(getItemUris(item)).toEqual([]);
  },
);
