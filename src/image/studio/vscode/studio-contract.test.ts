import { fc } from '../../../../test/support/property.ts';
import { expect, test, vi } from 'vitest';
import { is, parse } from 'valibot';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { listEditModels, listImageModels } from '../../image-model.ts';
import { readImageRecord } from '../../image-record.ts';
import { readImageOptions } from '../../image-options.ts';
import { studioHostMessageSchema } from '../protocol/messages.ts';
import { readModel } from '../../../service/read-model.ts';
import type { Model } from '../../../service/model-types.ts';
import type { ModelCatalog } from '../../../models/vscode/model-catalog.ts';
import type { ImageChoice } from '../../vscode/image-choice.ts';
import type { ImageFailure } from '../../vscode/image-failure.ts';
import { type ImageJob, ImageJobs } from './image-jobs.ts';
import { checkCreateForm, checkEditForm } from './studio-forms.ts';
import {
  createImageDetails,
  createImageView,
  createJobView,
  formatShortPrice,
  StudioImages,
  type StudioImagesOptions,
} from './studio-view.ts';
import { createDraft, emptyEditDraft } from './studio.ts';
import { createStudioModels } from './studio-models.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  env: { language: 'en' },
  Uri: { file: (path: string) => path, parse: (text: string) => text },
  workspace: { asRelativePath: (path: string) => path },
}));

const readModels = (records: readonly unknown[]): Model[] =>
  records.map(readModel).filter((model) => model !== undefined);

function createChoice(models: readonly Model[]): ImageChoice {
  const imageModels = listImageModels(models);
  return {
    models: imageModels,
    editModels: listEditModels(models),
    model: imageModels[0],
  } as ImageChoice;
}

const catalog = { models: [], isLoading: false } as unknown as ModelCatalog;

const createModelsMessage = (...records: readonly unknown[]) => ({
  type: 'models-change',
  models: createStudioModels(createChoice(readModels(records)), catalog),
});

const validModel = { id: 'usual', type: 'image', model_spec: { name: 'Usual' } };
const longText = 'x'.repeat(301);

test.each<[string, Record<string, unknown>]>([
  ['name', { model_spec: { name: longText } }],
  ['price', { model_spec: { pricing: { generation: { usd: 1e60 } } } }],
  ['price for editing', { type: 'inpaint', model_spec: { pricing: { inpaint: { usd: 1e60 } } } }],
  ['name of an edit model', { type: 'inpaint', model_spec: { name: longText } }],
])('the studio host truncates an overlong %s and keeps all models', (_, invalidFields) => {
  const message = parse(
    studioHostMessageSchema,
    createModelsMessage(validModel, { ...validModel, id: 'odd', ...invalidFields }),
  );
  expect(message).toMatchObject({ type: 'models-change' });
  const { create, edit } = (message as ReturnType<typeof createModelsMessage>).models;
  expect([...create, ...edit].map(({ id }) => id).toSorted()).toEqual(['odd', 'usual']);
});

test('the studio host drops a model with an overlong id', () => {
  const message = createModelsMessage({ ...validModel, id: longText }, validModel, {
    ...validModel,
    id: longText,
    type: 'inpaint',
  });
  expect(message.models.create.map(({ id }) => id)).toEqual(['usual']);
  expect(message.models.edit).toEqual([]);
  expect(message.models.suggested).toEqual({ create: 'usual', edit: '' });
  expect(is(studioHostMessageSchema, message)).toBe(true);
});

function createJob(
  task: Parameters<ImageJobs['startJob']>[0],
  shape: { width: number; height: number },
) {
  const run = () => new Promise<never>(() => {});
  const jobs = new ImageJobs({ clock: new ManualClock(), createId: () => 'j', run });
  return createJobView(jobs.startJob(task, shape));
}

test.each([
  [80_000, 80_000, 65_536, 65_536],
  [80_000, 40_000, 65_536, 32_768],
  [131_072, 1, 65_536, 1],
  [1_024, 768, 1_024, 768],
  [0.2, 3.6, 1, 4],
  [Number.NaN, 5, 1, 1],
  [Infinity, 5, 1, 1],
])(
  'createJobView, for a job of %d × %d pixels, returns a size of %d × %d pixels',
  (width, height, expectedWidth, expectedHeight) => {
    const upscale = { operation: { kind: 'upscale', scale: 4, sources: [] } } as const;
    const job = createJob(upscale, { width, height });
    expect(job).toMatchObject({ width: expectedWidth, height: expectedHeight });
    expect(is(studioHostMessageSchema, { type: 'job-put', job })).toBe(true);
  },
);

test.each<[string, Partial<ImageJob>, string]>([
  ['the price of a completed job', { status: 'done' }, '$0.04'],
  [
    'no price for a job that was rejected for lack of funds',
    { status: 'failed', failure: createFailure('out-of-funds') },
    '',
  ],
  [
    'the price of a job that was rejected after its first image',
    { status: 'failed', images: ['i1', null], failure: createFailure('rate-limited') },
    '$0.04',
  ],
  [
    'the price of a job that failed on the server',
    { status: 'failed', failure: createFailure('server-error') },
    '$0.04',
  ],
  ['no price for a job that was canceled in the queue', { status: 'canceled' }, ''],
  [
    'the price of a job that was canceled after its request',
    { status: 'canceled', startedAt: 1 },
    '$0.04',
  ],
])('createJobView returns %s', (_, change, expected) => {
  const operation = { kind: 'upscale', scale: 4, sources: [] } as const;
  const task = { operation, price: { usd: 0.04 } };
  const job = { id: 'j', task, status: 'queued', width: 1, height: 1, images: [null] } as const;
  expect(createJobView({ ...job, ...change }).costText).toBe(expected);
});

function createFailure(code: ImageFailure['code']): ImageFailure {
  return { code, message: '', actions: [] };
}

const textArbitrary = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(longText, 'y'.repeat(200_000), '\uD800', '1K', 'auto', '1:1', '9999:1', '1:9999'),
);
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(1e60, 1.7e308, 5e-324, 0.1, 65_537, 4_294_967_296),
);
const anyValue = fc.oneof(textArbitrary, anyNumber, fc.boolean(), fc.constant(null), fc.anything());
const createMostlyValidArbitrary = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: value }, anyValue);
const priceArbitrary = createMostlyValidArbitrary(
  fc.record(
    { usd: createMostlyValidArbitrary(anyNumber), diem: createMostlyValidArbitrary(anyNumber) },
    { requiredKeys: [] },
  ),
);
const priceTableArbitrary = createMostlyValidArbitrary(
  fc.dictionary(textArbitrary, priceArbitrary, { maxKeys: 4 }),
);
const recordArbitrary = fc.record({
  id: textArbitrary,
  type: fc.constantFrom('image', 'inpaint', 'upscale'),
  model_spec: fc.record(
    {
      name: createMostlyValidArbitrary(textArbitrary),
      description: createMostlyValidArbitrary(textArbitrary),
      privacy: createMostlyValidArbitrary(textArbitrary),
      traits: createMostlyValidArbitrary(
        fc.array(createMostlyValidArbitrary(textArbitrary), { maxLength: 3 }),
      ),
      offline: createMostlyValidArbitrary(fc.boolean()),
      supportsWebSearch: createMostlyValidArbitrary(fc.boolean()),
      pricing: createMostlyValidArbitrary(
        fc.record(
          {
            generation: priceArbitrary,
            inpaint: priceArbitrary,
            resolutions: priceTableArbitrary,
            quality: createMostlyValidArbitrary(
              fc.dictionary(textArbitrary, priceTableArbitrary, { maxKeys: 2 }),
            ),
            inputImages: createMostlyValidArbitrary(
              fc.record({
                included: createMostlyValidArbitrary(anyNumber),
                additional: priceArbitrary,
              }),
            ),
            upscale: createMostlyValidArbitrary(
              fc.record({ '2x': priceArbitrary, '4x': priceArbitrary }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      constraints: createMostlyValidArbitrary(
        fc.record(
          {
            aspectRatios: createMostlyValidArbitrary(
              fc.array(createMostlyValidArbitrary(textArbitrary), { maxLength: 4 }),
            ),
            defaultAspectRatio: createMostlyValidArbitrary(textArbitrary),
            resolutions: createMostlyValidArbitrary(
              fc.array(createMostlyValidArbitrary(textArbitrary), { maxLength: 4 }),
            ),
            defaultResolution: createMostlyValidArbitrary(textArbitrary),
            qualities: createMostlyValidArbitrary(
              fc.array(createMostlyValidArbitrary(textArbitrary), { maxLength: 4 }),
            ),
            defaultQuality: createMostlyValidArbitrary(textArbitrary),
            promptCharacterLimit: createMostlyValidArbitrary(anyNumber),
            widthHeightDivisor: createMostlyValidArbitrary(anyNumber),
            steps: createMostlyValidArbitrary(
              fc.record({
                default: createMostlyValidArbitrary(anyNumber),
                max: createMostlyValidArbitrary(anyNumber),
              }),
            ),
            combineImages: createMostlyValidArbitrary(fc.boolean()),
            maxInputImages: createMostlyValidArbitrary(anyNumber),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
});
const optionsArbitrary = fc
  .record(
    {
      negativePrompt: createMostlyValidArbitrary(textArbitrary),
      width: createMostlyValidArbitrary(anyNumber),
      height: createMostlyValidArbitrary(anyNumber),
      aspectRatio: createMostlyValidArbitrary(textArbitrary),
      resolution: createMostlyValidArbitrary(textArbitrary),
      quality: createMostlyValidArbitrary(textArbitrary),
      steps: createMostlyValidArbitrary(anyNumber),
      cfgScale: createMostlyValidArbitrary(anyNumber),
      seed: createMostlyValidArbitrary(anyNumber),
      stylePreset: createMostlyValidArbitrary(textArbitrary),
      webSearch: createMostlyValidArbitrary(fc.boolean()),
      enhancePrompt: createMostlyValidArbitrary(fc.boolean()),
      variants: createMostlyValidArbitrary(fc.constantFrom(1, 2, 3, 4)),
    },
    { requiredKeys: [] },
  )
  .map((value) => readImageOptions(value));

test('the studio host produces valid messages for any models, options and prices', () => {
  fc.assert(
    fc.property(
      fc.array(recordArbitrary, { maxLength: 4 }),
      textArbitrary,
      optionsArbitrary,
      (records, prompt, options) => {
        const choice = createChoice(readModels(records));
        const messages: unknown[] = [
          { type: 'models-change', models: createStudioModels(choice, catalog) },
        ];
        for (const model of choice.models) {
          const draft = createDraft({ model: model.id, prompt, options });
          const check = checkCreateForm({ draft, model, seq: 0, accountProblem: undefined });
          messages.push({ type: 'create-set', draft }, { type: 'check-change', check });
        }
        for (const model of choice.editModels) {
          const draft = { ...emptyEditDraft, model: model.id, prompt };
          const check = checkEditForm({
            draft,
            model,
            seq: 0,
            accountProblem: undefined,
            inputs: [],
          });
          messages.push({ type: 'check-change', check });
        }
        for (const message of messages)
          expect(parse(studioHostMessageSchema, message)).toEqual(message);
      },
    ),
    { numRuns: 500 },
  );
});

test('the studio host produces a valid message for any job', () => {
  const costArbitrary = fc.record({ usd: anyNumber.filter(Number.isFinite) });
  fc.assert(
    fc.property(
      textArbitrary,
      textArbitrary,
      costArbitrary,
      anyNumber,
      anyNumber,
      (prompt, modelName, price, width, height) => {
        const request = { model: modelName, prompt };
        const task = {
          operation: { kind: 'generate', request, variants: 4 },
          modelName,
          price,
        } as const;
        const job = createJob(task, { width, height });
        expect(parse(studioHostMessageSchema, { type: 'job-put', job })).toEqual({
          type: 'job-put',
          job,
        });
      },
    ),
  );
});

const storedRecordArbitrary = fc.record({
  id: fc.constant('a'),
  createdAt: createMostlyValidArbitrary(anyNumber),
  format: fc.constant('png'),
  width: fc.constantFrom(1, 65_536),
  height: fc.constantFrom(1, 65_536),
  bytes: createMostlyValidArbitrary(anyNumber),
  modelName: createMostlyValidArbitrary(textArbitrary),
  subject: createMostlyValidArbitrary(textArbitrary),
  durationMs: createMostlyValidArbitrary(anyNumber),
  price: priceArbitrary,
  moderation: anyValue,
  origin: fc.oneof(
    fc.record({
      kind: fc.constantFrom('edit', 'combine'),
      prompt: createMostlyValidArbitrary(textArbitrary),
      sources: fc.constant([{ type: 'file', uri: `file:///${longText}` }]),
    }),
    fc.record({
      kind: fc.constant('generate'),
      request: fc.record({
        model: textArbitrary,
        prompt: textArbitrary,
        seed: createMostlyValidArbitrary(anyNumber),
      }),
      variants: createMostlyValidArbitrary(anyNumber),
    }),
  ),
  saved: createMostlyValidArbitrary(fc.array(textArbitrary, { maxLength: 2 })),
});

test('the studio host produces valid messages for any stored record', () => {
  fc.assert(
    fc.property(storedRecordArbitrary, priceArbitrary, (value, upscale) => {
      const record = readImageRecord(value);
      if (record === undefined) return;
      const facts = { src: '', thumb: null, file: 'unsaved', fileLabel: '' } as const;
      const images = [createImageView(record, facts)];
      const pricedModel = readModel({ id: 'm', model_spec: { pricing: { input: upscale } } });
      const formatUpscalePrice = () => formatShortPrice(pricedModel?.pricing.input);
      const formatRerunPrice = formatUpscalePrice;
      const otherFacts = { formatRerunPrice, insertProblem: '', isSaved: true, source: null };
      const details = createImageDetails(record, {
        formatUpscalePrice,
        ...otherFacts,
      });
      for (const message of [
        { type: 'images-put', images },
        { type: 'image-details', details },
      ]) {
        expect(parse(studioHostMessageSchema, message)).toEqual(message);
      }
    }),
    { numRuns: 300 },
  );
});

test('the studio host omits the URI of an input image with an overlong path', async () => {
  const uri = `file:///${'%E6%97%A5'.repeat(1_300)}`;
  const options = { webview: { asWebviewUri: (fileUri: string) => fileUri } };
  const images = new StudioImages(options as unknown as StudioImagesOptions);
  const source = { type: 'file', uri } as const;
  const input = await images.createInputImage({ id: 'i', source, label: uri, width: 1, height: 1 });
  expect(input.src).toBe('');
  expect(is(studioHostMessageSchema, { type: 'inputs-change', inputs: [input] })).toBe(true);
  const origin = { kind: 'upscale', scale: 2, sources: [source] } as const;
  expect(await images.findSource({ origin } as never)).toBeNull();
});

test('checkEditForm reports a missing image, a missing instruction and an unknown quality', () => {
  const record = {
    id: 'retouch',
    type: 'inpaint',
    model_spec: { constraints: { qualities: ['low', 'high'], defaultQuality: 'low' } },
  };
  const [model] = createChoice(readModels([record])).editModels;
  const draft = { ...emptyEditDraft, model: 'retouch', quality: 'ultra' };
  const { problems } = checkEditForm({
    draft,
    model,
    seq: 0,
    accountProblem: undefined,
    inputs: [],
  });
  expect(problems.map(({ text }) => text)).toEqual([
    'Choose an image first.',
    'What should change?',
    'The model does not offer this value. The nearest one, or its default, is used.',
  ]);
});
