import { expect, test } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import { toModelView } from './model-view.ts';

const createModelView = (capabilities: object) => {
  const model = readModel({ id: 'tide', type: 'text', model_spec: { capabilities } });
  if (model === undefined) throw new Error('The record is invalid');
  return toModelView(model);
};

test.each([
  [
    'a maximum of one image for a model with a stated maximum of one',
    { supportsVision: true, maxImages: 1 },
    1,
    undefined,
  ],
  [
    'a maximum of one image for a model without support for several images',
    { supportsVision: true, supportsMultipleImages: false, maxImages: 1 },
    1,
    undefined,
  ],
  [
    'a maximum of eight images for a model with a stated maximum of eight',
    { supportsVision: true, supportsMultipleImages: true, maxImages: 8 },
    8,
    undefined,
  ],
  [
    'no maximum, but a use of only the last image, for a model that supports only one image',
    { supportsVision: true, supportsMultipleImages: false },
    null,
    true,
  ],
  [
    'a maximum of zero images for a model without vision',
    { supportsVision: false, maxImages: 4 },
    0,
    undefined,
  ],
  ['no maximum for a model without stated capabilities', {}, null, undefined],
])('toModelView returns %s', (_name, capabilities, maxImages, usesLastImage) => {
  const view = createModelView(capabilities);
  expect(view.maxImagesPerMessage).toBe(maxImages);
  expect(view.usesLastImage).toBe(usesLastImage);
});
