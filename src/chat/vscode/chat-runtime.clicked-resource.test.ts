import { expect, test, vi } from 'vitest';
import { Uri } from 'vscode';
import { getItemUris } from './chat-runtime.ts';

vi.mock('vscode', async () => await import('../../../test/support/disk-vscode.ts'));

const clickedUri = Uri.file('/app/src/a.ts');

test.each<[what: string, item: unknown]>([
  ['file of the explorer', clickedUri],
  ['changed file of source control', { resourceUri: clickedUri, decorations: {} }],
  ['test item', { id: 'a', uri: clickedUri, range: {} }],
  ['notebook cell', { kind: 2, document: { uri: clickedUri } }],
])('getItemUris returns the URI of a %s', (_, item) => {
  expect(getItemUris(item)).toEqual([clickedUri]);
});

test.each([undefined, null, 'src/a.ts', {}, { uri: 'file:///a' }, { document: {} }])(
  'getItemUris returns no URI for the item %j',
  (item) => {
    expect(getItemUris(item)).toEqual([]);
  },
);
