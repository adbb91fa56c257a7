import { expect, test } from 'vitest';
import { createImageView } from '../../test/support/webview-page/studio-states.ts';
import { filterImages, listModelNames } from './gallery-layout.ts';

const allImages = [
  createImageView(1, { id: 'a', prompt: 'A red boat in Fog', model: 'Pixel' }),
  createImageView(2, { id: 'b', prompt: 'Fog over hills', model: 'Tier' }),
  createImageView(3, { id: 'c', prompt: '', model: '' }),
];

test.each([
  ['', '', ['a', 'b', 'c']],
  ['fog', '', ['a', 'b']],
  ['boat  FOG', '', ['a']],
  ['fog', 'Tier', ['b']],
  ['', 'Pixel', ['a']],
  ['train', '', []],
  ['.*', '', []],
])('filterImages returns for the text %j and the model %j the images %j', (text, model, ids) => {
  expect(filterImages(allImages, { text, model }).map(({ id }) => id)).toEqual(ids);
});

test('listModelNames lists the distinct model names of the images, sorted, without empty names', () => {
  expect(listModelNames([...allImages, ...allImages])).toEqual(['Pixel', 'Tier']);
});
