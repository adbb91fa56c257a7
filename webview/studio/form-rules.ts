import type {
  CreateDraft,
  EditDraft,
  InputImage,
  StudioCheck,
  StudioEditModel,
  StudioField,
  StudioModel,
} from '../../src/image/studio/protocol/state.ts';
import { labels } from './labels.ts';

/** Error or warning about a draft. */
export type Problem = StudioCheck['problems'][number];

/** Returns the problems that the page can detect at once. The host checks the rest. */
export function createProblems(draft: CreateDraft, model: StudioModel | undefined): Problem[] {
  const negative = model?.takesGuidance === true ? draft.negativePrompt : '';
  return [
    ...textProblems(draft.prompt, model, labels.promptMissing),
    ...lengthProblems('negativePrompt', negative, model),
    ...modelProblems(model),
  ];
}

/** Returns the problems of an edit that the page can detect. */
export function editProblems(
  draft: EditDraft,
  model: StudioEditModel | undefined,
  inputs: readonly InputImage[],
): Problem[] {
  const maxImages = model?.maxImages ?? Infinity;
  return [
    ...(inputs.length > maxImages ? [error('inputs', labels.inputsTooMany(maxImages))] : []),
    ...textProblems(draft.prompt, model, labels.instructionMissing),
    ...modelProblems(model),
  ];
}

/** Merges the page's problems with the host's. The page's problems win for the same field. */
export function mergeProblems(
  pageProblems: readonly Problem[],
  check: StudioCheck | undefined,
): Problem[] {
  const fields = new Set(pageProblems.map(({ field }) => field));
  return [...pageProblems, ...(check?.problems ?? []).filter(({ field }) => !fields.has(field))];
}

/** Returns the problem to show at a field: errors before warnings. */
export const problemOf = (
  problems: readonly Problem[],
  ...fields: readonly StudioField[]
): Problem | undefined => {
  const fieldProblems = problems.filter(({ field }) => fields.includes(field));
  return fieldProblems.find(({ severity }) => severity === 'error') ?? fieldProblems[0];
};

/** Returns a key of all values that determine the price. */
export const priceKey = (draft: CreateDraft | EditDraft, inputs: number): string =>
  JSON.stringify({ ...draft, prompt: '', negativePrompt: '', seed: 0, inputs });

/** Returns width divided by height: 1.78 for `16:9`, and 1 for anything else, such as `auto`. */
export function ratioOf(text: string): number {
  const match = /^(?<width>\d+(?:\.\d+)?):(?<height>\d+(?:\.\d+)?)$/u.exec(text);
  const [width, height] = [Number(match?.groups?.['width']), Number(match?.groups?.['height'])];
  return width > 0 && height > 0 ? width / height : 1;
}

/** Returns the draft's size, with the defaults of a model sized by pixels. */
export function sizeOf(
  { width, height }: Pick<CreateDraft, 'width' | 'height'>,
  sizing: Extract<StudioModel['sizing'], { kind: 'pixels' }>,
): { readonly width: number; readonly height: number } {
  return { width: width ?? sizing.defaultWidth, height: height ?? sizing.defaultHeight };
}

/** Returns the nearest side length that a model sized by pixels accepts. */
export function fitPixels(
  pixels: number,
  { min, max, divisor }: Extract<StudioModel['sizing'], { kind: 'pixels' }>,
): number {
  const steps = Math.round(pixels / divisor);
  const [minSteps, maxSteps] = [Math.ceil(min / divisor), Math.floor(max / divisor)];
  return Math.max(minSteps, Math.min(maxSteps, steps)) * divisor;
}

/**
 * Parses a typed seed: null for an empty text, `undefined` for an invalid one (public documents:
 * ±999,999,999).
 */
export function readSeed(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^-?\d{1,9}$/u.test(trimmed) ? Number(trimmed) : undefined;
}

const error = (field: StudioField, text: string): Problem => ({ field, severity: 'error', text });

function modelProblems(model: StudioModel | StudioEditModel | undefined): Problem[] {
  if (model === undefined) return [error('model', labels.modelMissing)];
  return model.offline ? [error('model', labels.modelOffline)] : [];
}

function textProblems(
  text: string,
  model: { readonly promptLimit: number } | undefined,
  missing: string,
): Problem[] {
  if (text.trim() === '') return [error('prompt', missing)];
  return lengthProblems('prompt', text, model);
}

function lengthProblems(
  field: StudioField,
  { length }: string,
  model: { readonly promptLimit: number } | undefined,
): Problem[] {
  if (model === undefined || length <= model.promptLimit) return [];
  return [error(field, labels.tooLong(length, model.promptLimit))];
}
