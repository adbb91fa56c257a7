import { expect, test } from 'vitest';
import { type EditOptions, editRequest } from './image-request.ts';
import type { EditModel } from './image-model.ts';

const model: EditModel = {
  id: 'retouch',
  name: 'Retouch',
  offline: false,
  traits: [],
  promptLimit: 1500,
  ratios: ['auto', '16:9'],
  resolutions: ['1K', '2K'],
  qualities: [],
  maxImages: 3,
};
const solo: EditModel = { ...model, id: 'solo', ratios: [], resolutions: [], maxImages: 1 };

test.each<[string, EditModel, EditOptions, object]>([
  ['no choices', model, {}, {}],
  [
    'supported choices',
    model,
    { aspectRatio: '16:9', resolution: '2K' },
    { aspectRatio: '16:9', resolution: '2K' },
  ],
  ['an unsupported ratio', model, { aspectRatio: '7:3', resolution: '2K' }, { resolution: '2K' }],
  [
    'an unsupported resolution',
    model,
    { aspectRatio: 'auto', resolution: '4K' },
    { aspectRatio: 'auto' },
  ],
  ['choices for another model', solo, { aspectRatio: '16:9', resolution: '2K' }, {}],
  [
    'choices that every model supports',
    solo,
    { format: 'webp', safeMode: false, enhancePrompt: true },
    { format: 'webp', safeMode: false, enhancePrompt: true },
  ],
])('sends only supported edit options, given %s', (_name, from, options, expected) => {
  const request = editRequest(from, ' make it red ', options);
  expect(request).toStrictEqual({ model: from.id, prompt: ' make it red ', ...expected });
});
