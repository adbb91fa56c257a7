import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { imageModels as served } from '../../test/service/catalog/image-models.ts';
import {
  type GenerateBody,
  generateBodySchema as accepted,
} from '../../test/service/images/generate-body.ts';
import { validateGeneration } from '../../test/service/images/validate-generation.ts';
import { computeGenerationPrice } from '../../test/service/images/price.ts';
import { getLongSidePx, computeRatioSize } from '../../test/service/images/sizes.ts';
import { styleNames } from '../../test/service/images/styles.ts';
import { ApiError } from '../../test/service/api-error.ts';
import { parseClosed } from '../../test/service/validation.ts';
import { createDraft, toImageOptions } from './studio/vscode/studio.ts';
import { type CreateDraft, readCreateDraft } from './studio/protocol/form.ts';
import { buildGenerateBody } from '../service/images/image-calls.ts';
import type { VariantCount } from '../service/images/image-types.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { type ImageModel, readImageModel } from './image-model.ts';
import { type ImageOptions, type OptionProblem, findOptionProblems } from './image-options.ts';
import { estimateImagePrice } from './image-price.ts';
import { buildImageRequest } from './image-request.ts';
import { listSizeChoices, resolveImageSize } from './image-size.ts';

type ServiceModel = (typeof served)[number];

const modelCases = served.map(
  (model) =>
    [
      model.record.id,
      model,
      readImageModel(readModel(JSON.parse(JSON.stringify(model.record))) as Model) as ImageModel,
    ] as const,
);

/**
 * Builds an image request from the options and validates it with the parser of the local test service. Returns the
 * parsed request. The test fails if the parser rejects the request.
 */
function parseAsService(
  model: ServiceModel,
  parsedModel: ImageModel,
  options: ImageOptions,
  prompt = 'a cat',
) {
  const { variants = 1 } = options;
  const body = JSON.parse(
    JSON.stringify(buildGenerateBody(buildImageRequest(parsedModel, prompt, options), variants)),
  );
  try {
    const parsedBody = parseClosed(accepted, body);
    validateGeneration(model, parsedBody);
    return { requestFields: Object.keys(body as object), parsedBody };
  } catch (error) {
    if (error instanceof ApiError) expect.fail(`${JSON.stringify(body)}: ${JSON.stringify(error)}`);
    throw error;
  }
}

/** Returns the values to test for each form field of a model: the default first, then limits and unsupported values. */
function listEdgeValues(model: ImageModel): readonly (readonly ImageOptions[])[] {
  const { sizing, steps, maxPromptChars } = model;
  const flags = ['safeMode', 'hideWatermark', 'embedExifMetadata', 'webSearch', 'enhancePrompt'];
  return [
    sizing.kind === 'pixels'
      ? [
          {},
          ...listSizeChoices(model),
          { width: sizing.min, height: sizing.max },
          { width: sizing.max, height: sizing.min },
          { width: sizing.max + 1000, height: 1 },
        ]
      : [{}, ...[...sizing.ratios, 'x'].map((aspectRatio) => ({ aspectRatio }))],
    sizing.kind === 'tier'
      ? [{}, ...[...sizing.resolutions, '16K'].map((resolution) => ({ resolution }))]
      : [{}, { resolution: '2K' }],
    [{}, ...[...model.qualities, 'ultra'].map((quality) => ({ quality }))],
    [{}, { steps: 1 }, { steps: steps?.max ?? 100 }, { steps: 1000 }],
    [{}, { cfgScale: 0 }, { cfgScale: 0.1 }, { cfgScale: 20 }, { cfgScale: 30 }],
    [{}, { seed: 0 }, { seed: -999_999_999 }, { seed: 999_999_999 }],
    [{}, { negativePrompt: 'x'.repeat(maxPromptChars) }],
    [{}, ...styleNames.slice(0, 2).map((stylePreset) => ({ stylePreset }))],
    [{}, ...(['png', 'jpeg', 'webp'] as const).map((format) => ({ format }))],
    ...flags.map((flag) => [{}, { [flag]: true }, { [flag]: false }]),
    ([undefined, 1, 2, 4] as const).map((variants) => (variants ? { variants } : {})),
  ];
}

/** Generates option sets for every combination of values of two fields. All other fields have their default values. */
function* generateOptionPairs(
  fields: readonly (readonly ImageOptions[])[],
): Generator<ImageOptions> {
  for (const [index, fieldValues] of fields.entries()) {
    for (const otherFieldValues of fields.slice(index + 1)) {
      for (const firstValue of fieldValues)
        for (const secondValue of otherFieldValues) yield { ...firstValue, ...secondValue };
    }
  }
}

const createOptionsArbitrary = (model: ImageModel): fc.Arbitrary<ImageOptions> =>
  fc
    .tuple(...listEdgeValues(model).map((fieldValues) => fc.constantFrom(...fieldValues)))
    .map((optionSets) => Object.assign({}, ...optionSets) as ImageOptions);

/** Returns the names of the request fields that the model supports according to its entry in the model list. */
function listSupportedFields({ constraints, record }: ServiceModel): ReadonlySet<string> {
  const sizeFields =
    constraints.aspectRatios === undefined ? ['width', 'height'] : ['aspect_ratio'];
  return new Set([
    ...['model', 'prompt', 'format', 'safe_mode', 'seed', 'variants', 'return_binary'],
    ...['hide_watermark', 'embed_exif_metadata', 'enhance_prompt', ...sizeFields],
    ...(constraints.resolutions ? ['resolution'] : []),
    ...(constraints.qualities ? ['quality'] : []),
    ...['negative_prompt', 'cfg_scale', 'style_preset'],
    ...(constraints.steps.max > 1 ? ['steps'] : []),
    ...(record.model_spec['supportsWebSearch'] === true ? ['enable_web_search'] : []),
  ]);
}

/**
 * Generates valid and invalid contents of the create form. The message schema or the check against the model rejects
 * the invalid contents.
 */
function createDraftArbitrary(model: ImageModel): fc.Arbitrary<CreateDraft> {
  const nameArbitrary = fc.option(
    fc.constantFrom('1:1', '16:9', '1K', '2K', '4K', 'high', 'low', 'x', '__proto__'),
  );
  const countArbitrary = fc.option(fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer()));
  const flag = fc.boolean();
  return fc.record({
    model: fc.constant(model.id),
    prompt: fc.string({ minLength: 1, maxLength: 50 }),
    negativePrompt: fc.string({ maxLength: 50 }),
    width: countArbitrary,
    height: countArbitrary,
    aspectRatio: nameArbitrary,
    resolution: nameArbitrary,
    quality: nameArbitrary,
    steps: countArbitrary,
    cfgScale: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    seed: fc.option(fc.integer()),
    stylePreset: fc.option(fc.constantFrom(...styleNames)),
    format: fc.option(fc.constantFrom('png' as const, 'jpeg' as const, 'webp' as const)),
    safeMode: flag,
    webSearch: flag,
    enhancePrompt: flag,
    hideWatermark: flag,
    embedExifMetadata: flag,
    variants: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const),
  });
}

/** Checks whether a form problem blocks the request. Only problems of the prompt block a request. */
const blocksRequest = ({ code }: OptionProblem): boolean => code === 'empty' || code === 'too-long';

test('the local service has image models for sizes in pixels, by aspect ratio and by resolution', () => {
  expect(new Set(modelCases.map(([, , { sizing }]) => sizing.kind))).toEqual(
    new Set(['pixels', 'ratio', 'tier']),
  );
});

describe.each(modelCases)('image request for model %s', (_, model, parsedModel) => {
  const supportedNames = listSupportedFields(model);

  test('is accepted at the displayed price for each combination of two form values', () => {
    for (const options of generateOptionPairs(listEdgeValues(parsedModel))) {
      const { requestFields, parsedBody } = parseAsService(model, parsedModel, options);
      expect(requestFields.filter((field) => !supportedNames.has(field))).toEqual([]);
      expect(toMicros(estimateImagePrice(parsedModel, options)?.usd)).toBe(
        computeGenerationPrice(model, parsedBody),
      );
    }
  });

  test('is accepted for any combination of form values', () => {
    fc.assert(
      fc.property(createOptionsArbitrary(parsedModel), (options) => {
        const { requestFields } = parseAsService(model, parsedModel, options);
        expect(requestFields.filter((field) => !supportedNames.has(field))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('contains each selected option that the model supports', () => {
    const options = Object.assign(
      { webSearch: true, aspectRatio: '16:9', resolution: '1K', quality: 'low', variants: 2 },
      parsedModel.sizing.kind === 'pixels' ? { width: 512, height: 512 } : {},
      ...listEdgeValues(parsedModel)
        .slice(3, 9)
        .map((fieldValues) => fieldValues[1] ?? {}),
      { cfgScale: 5, safeMode: false, hideWatermark: true, embedExifMetadata: true },
      { enhancePrompt: true },
    ) as ImageOptions;
    const { requestFields } = parseAsService(model, parsedModel, options);
    expect(new Set([...requestFields, 'return_binary'])).toEqual(supportedNames);
  });

  test('is accepted with a prompt of maximum length', () => {
    parseAsService(model, parsedModel, {}, 'x'.repeat(parsedModel.maxPromptChars));
  });

  test('has a price that contains the price of each extra option once, regardless of the number of images', () => {
    const extras = {
      enhancePrompt: true,
      ...(parsedModel.supportsWebSearch && { webSearch: true }),
    };
    const getPrice = (options: ImageOptions): number => {
      const { parsedBody } = parseAsService(model, parsedModel, options);
      const chargedPrice = computeGenerationPrice(model, parsedBody);
      expect(toMicros(estimateImagePrice(parsedModel, options)?.usd)).toBe(chargedPrice);
      return chargedPrice;
    };
    const extraPrice = getPrice({ ...extras, variants: 1 }) - getPrice({ variants: 1 });
    expect(extraPrice).toBe(parsedModel.supportsWebSearch ? 50_000 : 40_000);
    for (const variants of [2, 3, 4] as const) {
      expect(getPrice({ ...extras, variants })).toBe(
        variants * getPrice({ variants: 1 }) + extraPrice,
      );
    }
  });

  test('is accepted at the displayed price for any valid form message', () => {
    fc.assert(
      fc.property(createDraftArbitrary(parsedModel), (message) => {
        const draft = readCreateDraft(JSON.parse(JSON.stringify(message)));
        if (draft === undefined) return;
        const options = toImageOptions(draft);
        if (findOptionProblems(parsedModel, draft.prompt, options).some(blocksRequest)) return;
        const { requestFields, parsedBody } = parseAsService(
          model,
          parsedModel,
          options,
          draft.prompt,
        );
        expect(requestFields.filter((field) => !supportedNames.has(field))).toEqual([]);
        expect(toMicros(estimateImagePrice(parsedModel, options)?.usd)).toBe(
          computeGenerationPrice(model, parsedBody),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('does not change if the options are converted to a form draft and back', () => {
    for (const options of listEdgeValues(parsedModel).flat()) {
      const draft = createDraft({ model: parsedModel.id, prompt: 'a cat', options });
      const reparsedBody = parseAsService(model, parsedModel, toImageOptions(draft)).parsedBody;
      expect(reparsedBody).toEqual(parseAsService(model, parsedModel, options).parsedBody);
    }
  });

  test('results in an image of the predicted size', () => {
    for (const options of generateOptionPairs(listEdgeValues(parsedModel).slice(0, 2))) {
      const { parsedBody } = parseAsService(model, parsedModel, options);
      expect(resolveImageSize(parsedModel, options)).toEqual(getReceivedSize(parsedBody));
    }
  });
});

test('the local service rejects an image request with an unsupported option', () => {
  const [, model] = modelCases.find(([id]) => id === 'painter-print') ?? [];
  const body = { model: 'painter-print', prompt: 'a cat', variants: 1 as VariantCount };
  const parsedBody = parseClosed(accepted, body);
  for (const extraField of [{ width: 8 }, { enable_web_search: true }, { resolution: '16K' }]) {
    expect(() =>
      validateGeneration(model as ServiceModel, { ...parsedBody, ...extraField }),
    ).toThrow(ApiError);
  }
  expect(() => parseClosed(accepted, { ...body, aspectRatio: '1:1' })).toThrow(ApiError);
});

const toMicros = (usd: number | undefined): number => Math.round((usd ?? Number.NaN) * 1_000_000);

const getReceivedSize = ({ width = 1024, height = 1024, aspect_ratio, resolution }: GenerateBody) =>
  aspect_ratio === undefined && resolution === undefined
    ? { width, height }
    : computeRatioSize(aspect_ratio ?? '1:1', getLongSidePx(resolution));
