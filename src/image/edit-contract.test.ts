import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { editModels as served, editRatios } from '../../test/service/catalog/edit-models.ts';
import {
  backgroundBodySchema as acceptedBackground,
  type EditBody,
  editBodySchema as acceptedEdit,
  multiEditBodySchema as acceptedCombine,
  upscaleBodySchema as acceptedUpscale,
} from '../../test/service/images/edit-body.ts';
import { validateEdit } from '../../test/service/images/validate-edit.ts';
import {
  computeEditPrice as takenForEdit,
  getUpscalePrice as takenForUpscale,
} from '../../test/service/images/price.ts';
import { mediaModels } from '../../test/service/catalog/media-models.ts';
import { ApiError } from '../../test/service/api-error.ts';
import { parseClosed } from '../../test/service/validation.ts';
import { toEditOptions, emptyEditDraft } from './studio/vscode/studio.ts';
import { type EditDraft, readEditDraft } from './studio/protocol/form.ts';
import {
  buildBackgroundBody,
  buildCombineBody,
  buildEditBody,
  buildUpscaleBody,
} from '../service/images/image-calls.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { buildEditRequest } from './image-request.ts';
import { type EditModel, readEditModel } from './image-model.ts';
import { estimateEditPrice, findUpscalePrice } from './image-price.ts';

type ServiceModel = (typeof served)[number];

const copyThroughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const editModelCases = served.map(
  (model) =>
    [
      model.record.id,
      model,
      readEditModel(readModel(copyThroughJson(model.record)) as Model) as EditModel,
    ] as const,
);

const inputImage = Buffer.from('an image');

/** Builds the body of an edit request with the given number of input images, as the service receives it. */
function createBody(
  parsedModel: EditModel,
  draft: EditDraft,
  imageCount: number,
): Record<string, unknown> {
  const request = buildEditRequest(parsedModel, draft.prompt, {
    ...toEditOptions(draft),
    imageCount,
  });
  const body =
    imageCount === 1
      ? buildEditBody({ ...request, image: inputImage })
      : buildCombineBody({ ...request, images: Array<Buffer>(imageCount).fill(inputImage) });
  return copyThroughJson(body) as Record<string, unknown>;
}

/**
 * Validates the body of an edit request with the parser of the local test service, and returns the parsed request. The
 * test fails if the parser rejects the request.
 */
function parseAsService(model: ServiceModel, body: Record<string, unknown>): EditBody {
  try {
    if ('images' in body) {
      const { images, modelId, ...parsedBody } = parseClosed(acceptedCombine, body);
      expect(modelId).toBe(model.record.id);
      validateEdit(model, parsedBody, images.length);
      return parsedBody;
    }
    const { image: _, model: name, modelId: __, ...parsedBody } = parseClosed(acceptedEdit, body);
    expect(name).toBe(model.record.id);
    validateEdit(model, parsedBody, 1);
    return parsedBody;
  } catch (error) {
    if (error instanceof ApiError) expect.fail(`${JSON.stringify(body)}: ${JSON.stringify(error)}`);
    throw error;
  }
}

/**
 * Values of each form field. The tests combine the values into drafts. Some values are unsupported, because the form
 * keeps its values when the user selects another model.
 */
const draftFields: readonly (readonly Partial<EditDraft>[])[] = [
  [null, ...editRatios, '7:3'].map((aspectRatio) => ({ aspectRatio })),
  [null, '1K', '2K', '4K', '16K'].map((resolution) => ({ resolution })),
  ([null, 'png', 'jpeg', 'webp'] as const).map((format) => ({ format })),
  [{ safeMode: true }, { safeMode: false }],
  [{ enhancePrompt: false }, { enhancePrompt: true }],
];

const filledDraft: EditDraft = { ...emptyEditDraft, prompt: 'make it red' };

/** Generates edit drafts with every combination of the values in `draftFields`. */
function* generateDrafts(remainingFields = draftFields, draft = filledDraft): Generator<EditDraft> {
  const [fieldChoices, ...otherFields] = remainingFields;
  if (fieldChoices === undefined) yield draft;
  else
    for (const choice of fieldChoices) yield* generateDrafts(otherFields, { ...draft, ...choice });
}

describe.each(editModelCases)('edit request for model %s', (_, model, parsedModel) => {
  const imageCounts = Array.from({ length: parsedModel.maxImages }, (_, index) => index + 1);

  test('is accepted at the displayed price for each combination of form values', () => {
    for (const draft of generateDrafts()) {
      for (const imageCount of imageCounts) {
        const request = buildEditRequest(parsedModel, draft.prompt, {
          ...toEditOptions(draft),
          imageCount,
        });
        const parsedBody = parseAsService(model, createBody(parsedModel, draft, imageCount));
        const price = estimateEditPrice(parsedModel, { ...request, imageCount });
        expect(toMicros(price?.usd)).toBe(takenForEdit(model, parsedBody, imageCount));
      }
    }
  });

  test('contains each selected option that the model supports', () => {
    for (const draft of generateDrafts()) {
      const { aspectRatio, resolution, format, safeMode, enhancePrompt } = draft;
      const omitUnlessOffered = (choices: readonly string[], choice: string | null) =>
        choices.includes(choice ?? '') ? choice : undefined;
      expect(createBody(parsedModel, draft, 1)).toEqual({
        model: model.record.id,
        prompt: 'make it red',
        image: inputImage.toString('base64'),
        ...(safeMode ? {} : { safe_mode: false }),
        ...(copyThroughJson({
          aspect_ratio: omitUnlessOffered(model.constraints.aspectRatios, aspectRatio),
          resolution: omitUnlessOffered(model.constraints.resolutions ?? [], resolution),
          output_format: format ?? undefined,
          enhance_prompt: enhancePrompt || undefined,
        }) as object),
      });
    }
  });

  test('is accepted with a prompt of maximum length', () => {
    const prompt = 'x'.repeat(parsedModel.maxPromptChars);
    for (const imageCount of imageCounts)
      parseAsService(model, createBody(parsedModel, { ...filledDraft, prompt }, imageCount));
  });

  test('is accepted for any valid form message', () => {
    const textArbitrary = fc.option(fc.string({ maxLength: 12 }));
    const draft = fc.record({
      model: fc.constant(''),
      prompt: fc.string({ minLength: 1 }),
      aspectRatio: textArbitrary,
      resolution: textArbitrary,
      format: fc.constantFrom('png', 'jpeg', 'webp', 'gif', null),
      safeMode: fc.boolean(),
      enhancePrompt: fc.boolean(),
    });
    fc.assert(
      fc.property(draft, fc.constantFrom(...imageCounts), (message, imageCount) => {
        const parsedDraft = readEditDraft(message);
        if (parsedDraft !== undefined)
          parseAsService(model, createBody(parsedModel, parsedDraft, imageCount));
      }),
    );
  });
});

test('the local service rejects an edit request with an unsupported option', () => {
  const [, model] = editModelCases.find(([id]) => id === 'retouch-edit') ?? [];
  const body = { image: 'x', model: 'retouch-edit', prompt: 'x' };
  const validateFields = (extraFields: object, imageCount = 1) =>
    validateEdit(
      model as ServiceModel,
      parseClosed(acceptedEdit, { ...body, ...extraFields }),
      imageCount,
    );
  expect(() => validateFields({})).not.toThrow();
  for (const extraField of [
    { resolution: '2K' },
    { aspect_ratio: '7:3' },
    { aspectRatio: '1:1' },
  ]) {
    expect(() => validateFields(extraField)).toThrow(ApiError);
  }
  expect(() => validateFields({}, 4)).toThrow(ApiError);
});

describe('image request without a prompt', () => {
  test.each([2, 4] as const)('is accepted for upscaling by the factor %i', (scale) => {
    const body = copyThroughJson(buildUpscaleBody({ image: inputImage, scale })) as object;
    const { image, ...options } = parseClosed(acceptedUpscale, body);
    expect(image).toBe(inputImage.toString('base64'));
    expect(options).toEqual({ scale, creativity: 0.01 });
    const models = mediaModels.map((record) => readModel(copyThroughJson(record)) as Model);
    expect(toMicros(findUpscalePrice(models, scale)?.usd)).toBe(takenForUpscale(scale));
  });

  test('is accepted for removing a background', () => {
    const body = copyThroughJson(buildBackgroundBody(inputImage));
    expect(parseClosed(acceptedBackground, body)).toEqual({ image: inputImage.toString('base64') });
  });
});

const toMicros = (usd: number | undefined): number => Math.round((usd ?? Number.NaN) * 1_000_000);
