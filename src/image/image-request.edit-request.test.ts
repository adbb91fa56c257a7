import { expect, test } from 'vitest';
import { type EditOptions, buildEditRequest } from './image-request.ts';
import type { EditModel } from './image-model.ts';

const editModel: EditModel = {
  id: 'retouch',
  name: 'Retouch',
  offline: false,
  traits: [],
  maxPromptChars: 1500,
  ratios: ['auto', '16:9'],
  takesSingleImageRatio: true,
  resolutions: ['1K', '2K'],
  qualities: [],
  maxImages: 3,
};
const singleImageModel: EditModel = {
  ...editModel,
  id: 'solo',
  ratios: [],
  resolutions: [],
  maxImages: 1,
};

const ratioModel: EditModel = {
  ...editModel,
  id: 'rated',
  takesSingleImageRatio: false,
  qualities: ['low', 'high'],
};

test('buildEditRequest omits the aspect ratio for a single image if the edit model accepts ratios only for several images', () => {
  const ratio = { aspectRatio: '16:9' };
  expect(buildEditRequest(ratioModel, 'red', { ...ratio, imageCount: 1 })).not.toHaveProperty(
    'aspectRatio',
  );
  expect(buildEditRequest(ratioModel, 'red', { ...ratio, imageCount: 2 })).toMatchObject(ratio);
});

test('buildEditRequest includes a quality only if the edit model offers the quality', () => {
  expect(buildEditRequest(ratioModel, 'red', { quality: 'low', imageCount: 1 }).quality).toBe(
    'low',
  );
  expect(
    buildEditRequest(ratioModel, 'red', { quality: 'huge', imageCount: 1 }).quality,
  ).toBeUndefined();
});

test.each<[string, EditModel, EditOptions, object]>([
  ['no choices', editModel, {}, {}],
  [
    'supported choices',
    editModel,
    { aspectRatio: '16:9', resolution: '2K' },
    { aspectRatio: '16:9', resolution: '2K' },
  ],
  [
    'an unsupported ratio',
    editModel,
    { aspectRatio: '7:3', resolution: '2K' },
    { resolution: '2K' },
  ],
  [
    'an unsupported resolution',
    editModel,
    { aspectRatio: 'auto', resolution: '4K' },
    { aspectRatio: 'auto' },
  ],
  ['choices for another model', singleImageModel, { aspectRatio: '16:9', resolution: '2K' }, {}],
  [
    'choices that every model supports',
    singleImageModel,
    { format: 'webp', safeMode: false, enhancePrompt: true },
    { format: 'webp', safeMode: false, enhancePrompt: true },
  ],
])(
  'buildEditRequest includes only supported edit options, given %s',
  (_name, model, options, expected) => {
    const request = buildEditRequest(model, ' make it red ', { ...options, imageCount: 1 });
    expect(request).toStrictEqual({ model: model.id, prompt: ' make it red ', ...expected });
  },
);

test.each([
  ['omits the request field `safeMode` for one image', 1, undefined],
  ['sets the request field `safeMode` to true for two images', 2, true],
])('buildEditRequest, given an enabled safe mode, %s', (_name, imageCount, expected) => {
  const { safeMode } = buildEditRequest(editModel, 'make it red', {
    safeMode: true,
    imageCount,
  });
  expect(safeMode).toBe(expected);
  expect(buildEditRequest(editModel, 'make it red', { safeMode: false, imageCount }).safeMode).toBe(
    false,
  );
  expect(buildEditRequest(editModel, 'make it red', { imageCount }).safeMode).toBeUndefined();
});
