import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { ImageOptions } from './image-options.ts';
import { buildImageRequest } from './image-request.ts';
import { chooseOptionsForShape, type RequestedShape } from './image-size.ts';

test.each<[RequestedShape, ImageOptions]>([
  [{}, {}],
  [{ aspectRatio: 'wide', size: 'huge' }, {}],
  [{ aspectRatio: '0:0', size: '0x0' }, {}],
  [{ size: '800x600' }, { width: 800, height: 600 }],
  [{ size: '800 × 600' }, { width: 800, height: 600 }],
  [{ size: '1K' }, { width: 1_024, height: 1_024 }],
  [{ size: '2K' }, { width: 1_280, height: 1_280 }],
  [{ aspectRatio: '1:1' }, { width: 1_024, height: 1_024 }],
  [{ aspectRatio: '16:9' }, { width: 1_280, height: 720 }],
  [{ aspectRatio: '9:16' }, { width: 720, height: 1_280 }],
  [
    { aspectRatio: '1:1', size: '800x600' },
    { width: 693, height: 693 },
  ],
  [{ size: '99999x1' }, { width: 1_280, height: 0 }],
])(
  'chooseOptionsForShape converts the requested shape %j to the options %j for a model with sizes in pixels',
  (shape, options) => {
    expect(chooseOptionsForShape(pixelImageModel, shape)).toEqual(options);
  },
);

test('chooseOptionsForShape converts any aspect ratio to a size within the range and steps of the model', () => {
  for (const size of ['99999x1', '1x1', '1000x999', '9999x9999']) {
    const { width = 0, height = 0 } = buildImageRequest(
      pixelImageModel,
      'x',
      chooseOptionsForShape(pixelImageModel, { size }),
    );
    for (const side of [width, height]) {
      expect([side >= 16, side <= 1_280, side % 16], size).toEqual([true, true, 0]);
    }
  }
});

test.each<[RequestedShape, ImageOptions]>([
  [{}, {}],
  [{ aspectRatio: '16:9' }, { aspectRatio: '16:9' }],
  [{ aspectRatio: '2:1' }, { aspectRatio: '16:9' }],
  [{ size: '1024x1024' }, { aspectRatio: '1:1' }],
  [{ size: '720x1280' }, { aspectRatio: '9:16' }],
  [{ size: '4K' }, {}],
])(
  'chooseOptionsForShape converts the requested shape %j to the options %j for a model with aspect ratios',
  (shape, options) => {
    expect(chooseOptionsForShape(ratioModel, shape)).toEqual(options);
  },
);

test.each<[RequestedShape, ImageOptions]>([
  [{ size: '4K' }, { resolution: '4K' }],
  [{ size: '2500x2500' }, { aspectRatio: '1:1', resolution: '2K' }],
  [
    { aspectRatio: '16:9', size: '1K' },
    { aspectRatio: '16:9', resolution: '1K' },
  ],
])(
  'chooseOptionsForShape converts the requested shape %j to the options %j for a model with aspect ratios and resolutions',
  (shape, options) => {
    expect(chooseOptionsForShape(tierModel, shape)).toEqual(options);
  },
);

test('chooseOptionsForShape returns no options for a model without aspect ratios', () => {
  const model = { ...ratioModel, sizing: { kind: 'ratio', ratios: [], defaultRatio: '' } } as const;
  expect(chooseOptionsForShape(model, { aspectRatio: '16:9' })).toEqual({});
});
