import { expect, test } from 'vitest';
import { createImageView } from '../../test/support/webview-page/studio-states.ts';
import { filterImages, listModelNames } from './gallery-layout.ts';

const allImages = [
  createImageView(1, { id: 'a', prompt: 'A red boat in Fog', model: 'Pixel' }),
  createImageView(2, { id: 'b', prompt: 'Fog over hills', model: 'Tier' }),
  createImageView(3, { id: 'c', prompt: '', model: '' }),
];

test.each([
  ['all images for an empty text and model', '', '', ['a', 'b', 'c']],
  ['the images whose prompt contains the text', 'fog', '', ['a', 'b']],
  ['the images whose prompt contains every word of the text', 'boat  FOG', '', ['a']],
  ['only images of the model whose prompt contains the text', 'fog', 'Tier', ['b']],
  ['all images of the model for an empty text', '', 'Pixel', ['a']],
  ['no image if no prompt contains the text', 'train', '', []],
  ['no image for the text ".*", which is not a pattern', '.*', '', []],
])('filterImages returns %s', (_, text, model, ids) => {
  expect(filterImages(allImages, { text, model }).map(({ id }) => id)).toEqual(ids);
});

test('listModelNames lists the distinct model names of the images, sorted, without empty names', () => {
  expect(listModelNames([...allImages, ...allImages])).toEqual(['Pixel', 'Tier']);
});
