import { expect, test } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import { toModelView } from './model-view.ts';

const createModelView = (capabilities: object) => {
  const model = readModel({ id: 'tide', type: 'text', model_spec: { capabilities } });
  if (model === undefined) throw new Error('The record is invalid');
  return toModelView(model);
};

test.each([
  [{ supportsVision: true, maxImages: 1 }, 1, undefined],
  [{ supportsVision: true, supportsMultipleImages: false, maxImages: 1 }, 1, undefined],
  [{ supportsVision: true, supportsMultipleImages: true, maxImages: 8 }, 8, undefined],
  [{ supportsVision: true, supportsMultipleImages: false }, null, true],
  [{ supportsVision: false, maxImages: 4 }, 0, undefined],
  [{}, null, undefined],
])(
  'toModelView converts the capabilities %j to a maximum of %j images (uses only the last image: %j)',
  (capabilities, maxImages, usesLastImage) => {
    const view = createModelView(capabilities);
    expect(view.maxImagesPerMessage).toBe(maxImages);
    expect(view.usesLastImage).toBe(usesLastImage);
  },
);
