import { fc } from '../../../../test/support/property.ts';
import { is, parse } from 'valibot';
import { expect, test } from 'vitest';
import {
  createStudioCheck,
  createDraft,
  createImageDetails,
  createEditDraft,
  createGalleryView,
  createImageView,
  createImageViews,
  createInputImage,
  createStudioJob,
  createStudioState,
  createStudioModels,
} from '../../../../test/support/webview-page/studio-states.ts';
import {
  imagesPerMessage,
  type StudioHostMessage,
  studioHostMessageSchema,
  studioVersion,
} from './messages.ts';

/** One valid message of each type. */
const messageSamples: {
  readonly [Type in StudioHostMessage['type']]: Omit<
    Extract<StudioHostMessage, { type: Type }>,
    'type'
  >;
} = {
  'state-set': {
    version: studioVersion,
    state: createStudioState({
      jobs: [createStudioJob()],
      images: createImageViews(2),
      inputs: [createInputImage(1)],
    }),
  },
  'models-change': { models: createStudioModels() },
  'styles-change': { styles: { status: 'ready', names: ['Anime'], problem: null } },
  'check-change': {
    check: createStudioCheck({
      problems: [{ field: 'size', severity: 'error', text: 'Too wide.' }],
    }),
  },
  'create-set': { draft: createDraft({ seed: -3, cfgScale: 7.5 }) },
  'edit-set': { draft: createEditDraft() },
  'inputs-change': { inputs: [createInputImage(1), createInputImage(2)] },
  'job-put': {
    job: createStudioJob({ status: 'running', images: [null, 'i0'], durationMs: null }),
  },
  'job-remove': { id: 'j1' },
  'images-put': { images: createImageViews(3) },
  'images-remove': { ids: ['i1'] },
  'gallery-change': { gallery: createGalleryView({ status: 'ready', count: 3, bytes: 12 }) },
  'image-details': { details: createImageDetails({ source: { src: 'data:,', label: 'Before' } }) },
  'image-show': { id: 'i1' },
  'section-show': { section: 'gallery', focus: true },
  'account-change': { account: createStudioState().account },
  'notice-show': { text: 'Saved.' },
};
const sampleMessages = Object.entries(messageSamples).map(([type, fields]) => ({
  type,
  ...fields,
}));

test('studioHostMessageSchema reads a host message of each type unchanged', () => {
  for (const message of sampleMessages)
    expect(parse(studioHostMessageSchema, message)).toStrictEqual(message);
});

test('studioHostMessageSchema rejects any value without a message type', () => {
  const anyValue = fc.anything({ withNullPrototype: true, withObjectString: true });
  fc.assert(fc.property(anyValue, (value) => !is(studioHostMessageSchema, value)));
});

test.each([
  ['a state of another version', { type: 'state-set', version: 0, state: createStudioState() }],
  [
    'more images than one message can contain',
    { type: 'images-put', images: createImageViews(imagesPerMessage + 1) },
  ],
  ['a width of zero', { type: 'images-put', images: [createImageView(1, { width: 0 })] }],
  [
    'an infinite height',
    { type: 'images-put', images: [createImageView(1, { height: Infinity })] },
  ],
  ['markup as an id', { type: 'job-remove', id: '<img src=x>' }],
  [
    'an overlong prompt for search',
    { type: 'images-put', images: [createImageView(1, { prompt: 'x'.repeat(501) })] },
  ],
  ['five variants', { type: 'create-set', draft: { ...createDraft(), variants: 5 } }],
  ['an unknown image format', { type: 'create-set', draft: { ...createDraft(), format: 'svg' } }],
  ['an additional field', { type: 'image-show', id: 'i1', command: 'workbench.action.quit' }],
  ['a prototype field', JSON.parse('{"type":"image-show","id":"i1","__proto__":{}}')],
])('studioHostMessageSchema rejects a host message with %s', (_description, value) => {
  expect(is(studioHostMessageSchema, value)).toBe(false);
});
