import type {
  CreateDraft,
  EditDraft,
  InputImage,
  StudioCheck,
  StudioEditModel,
  StudioField,
  StudioModel,
} from '../../src/image/studio/protocol/form.ts';
import { labels } from './labels.ts';

/** Error or warning about a draft. */
export type FormProblem = StudioCheck['problems'][number];

/** Returns the problems of a create draft that the page can detect. The host detects the other problems. */
export function findCreateProblems(
  draft: CreateDraft,
  model: StudioModel | undefined,
): FormProblem[] {
  return [
    ...findTextProblems(draft.prompt, model, labels.promptMissing),
    ...findLengthProblems('negativePrompt', draft.negativePrompt, model),
    ...findModelProblems(model),
  ];
}

/** Returns the problems of an edit draft that the page can detect. The host detects the other problems. */
export function findEditProblems(
  draft: EditDraft,
  model: StudioEditModel | undefined,
  inputs: readonly InputImage[],
): FormProblem[] {
  const maxImages = model?.maxImages ?? Infinity;
  return [
    ...(inputs.length > maxImages
      ? [createError('inputs', labels.formatTooManyInputs(maxImages))]
      : []),
    ...findTextProblems(draft.prompt, model, labels.instructionMissing),
    ...findModelProblems(model),
  ];
}

/**
 * Merges the problems that the page found and the problems that the host found. If both found problems of a field,
 * keeps only those of the page.
 */
export function mergeProblems(
  pageProblems: readonly FormProblem[],
  check: StudioCheck | undefined,
): FormProblem[] {
  const fields = new Set(pageProblems.map(({ field }) => field));
  return [...pageProblems, ...(check?.problems ?? []).filter(({ field }) => !fields.has(field))];
}

/** Returns the problem to show for the given fields: the first error, otherwise the first warning. */
export const findProblem = (
  problems: readonly FormProblem[],
  ...fields: readonly StudioField[]
): FormProblem | undefined => {
  const fieldProblems = problems.filter(({ field }) => fields.includes(field));
  return fieldProblems.find(({ severity }) => severity === 'error') ?? fieldProblems[0];
};

/**
 * Returns a string that contains all values of a draft that affect its price. Drafts with the same string have the same
 * price.
 */
export const getPriceKey = (draft: CreateDraft | EditDraft, inputCount: number): string =>
  JSON.stringify({ ...draft, prompt: '', negativePrompt: '', seed: 0, inputs: inputCount });

/** Returns the width divided by the height: 1.78 for `16:9`. Returns 1 for other texts, such as `auto`. */
export function parseAspectRatio(text: string): number {
  const match = /^(?<width>\d+(?:\.\d+)?):(?<height>\d+(?:\.\d+)?)$/u.exec(text);
  const [width, height] = [Number(match?.groups?.['width']), Number(match?.groups?.['height'])];
  return width > 0 && height > 0 ? width / height : 1;
}

/** Returns the draft's size in pixels. Missing values are the model's defaults. */
export function resolveDraftSize(
  { width, height }: Pick<CreateDraft, 'width' | 'height'>,
  sizing: Extract<StudioModel['sizing'], { kind: 'pixels' }>,
): { readonly width: number; readonly height: number } {
  return { width: width ?? sizing.defaultWidth, height: height ?? sizing.defaultHeight };
}

/**
 * Returns the side length nearest to `pixels` that a model accepts. Call it only for models whose sizes are in pixels.
 */
export function fitPixels(
  pixels: number,
  {
    min,
    max,
    divisor,
  }: Pick<Extract<StudioModel['sizing'], { kind: 'pixels' }>, 'min' | 'max' | 'divisor'>,
): number {
  const stepCount = Math.round(pixels / divisor);
  const [minStepCount, maxStepCount] = [Math.ceil(min / divisor), Math.floor(max / divisor)];
  return Math.max(minStepCount, Math.min(maxStepCount, stepCount)) * divisor;
}

/**
 * Parses a seed. Returns null for an empty text and `undefined` for an invalid text. The range is ±999,999,999, as
 * documented by the service.
 */
export function readSeed(text: string): number | null | undefined {
  const trimmedText = text.trim();
  if (trimmedText === '') return null;
  return /^-?\d{1,9}$/u.test(trimmedText) ? Number(trimmedText) : undefined;
}

const createError = (field: StudioField, text: string): FormProblem => ({
  field,
  severity: 'error',
  text,
});

function findModelProblems(model: StudioModel | StudioEditModel | undefined): FormProblem[] {
  if (model === undefined) return [createError('model', labels.modelMissing)];
  return model.offline ? [createError('model', labels.modelOffline)] : [];
}

function findTextProblems(
  text: string,
  model: { readonly promptLimit: number } | undefined,
  missingText: string,
): FormProblem[] {
  if (text.trim() === '') return [createError('prompt', missingText)];
  return findLengthProblems('prompt', text, model);
}

function findLengthProblems(
  field: StudioField,
  { length }: string,
  model: { readonly promptLimit: number } | undefined,
): FormProblem[] {
  if (model === undefined || length <= model.promptLimit) return [];
  return [createError(field, labels.formatTooLong(length, model.promptLimit))];
}
