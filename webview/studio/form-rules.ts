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

/** What stands in the way of a draft, or should be known. */
export type Problem = StudioCheck['problems'][number];

/** What the page itself sees at once; everything else is the host's to say. */
export function createProblems(draft: CreateDraft, model: StudioModel | undefined): Problem[] {
  const negative = model?.takesGuidance === true ? draft.negativePrompt : '';
  return [
    ...textProblems(draft.prompt, model, labels.promptMissing),
    ...lengthProblems('negativePrompt', negative, model),
    ...modelProblems(model),
  ];
}

/** The same of an edit. */
export function editProblems(
  draft: EditDraft,
  model: StudioEditModel | undefined,
  inputs: readonly InputImage[],
): Problem[] {
  const most = model?.maxImages ?? Infinity;
  return [
    ...(inputs.length > most ? [error('inputs', labels.inputsTooMany(most))] : []),
    ...textProblems(draft.prompt, model, labels.instructionMissing),
    ...modelProblems(model),
  ];
}

/** The page's own problems, then those of the host about other fields: it would say the same in other words. */
export function mergeProblems(own: readonly Problem[], check: StudioCheck | undefined): Problem[] {
  const fields = new Set(own.map(({ field }) => field));
  return [...own, ...(check?.problems ?? []).filter(({ field }) => !fields.has(field))];
}

/** The problem to show at a field: an error before a warning. */
export const problemOf = (
  problems: readonly Problem[],
  ...fields: readonly StudioField[]
): Problem | undefined => {
  const here = problems.filter(({ field }) => fields.includes(field));
  return here.find(({ severity }) => severity === 'error') ?? here[0];
};

/** What the price depends on: as long as it is the same, so is the price. */
export const priceKey = (draft: CreateDraft | EditDraft, inputs: number): string =>
  JSON.stringify({ ...draft, prompt: '', negativePrompt: '', seed: 0, inputs });

/** Width over height: `16:9` is 1.78; 1 for what is no ratio, like `auto`. */
export function ratioOf(text: string): number {
  const match = /^(?<width>\d+(?:\.\d+)?):(?<height>\d+(?:\.\d+)?)$/u.exec(text);
  const [width, height] = [Number(match?.groups?.['width']), Number(match?.groups?.['height'])];
  return width > 0 && height > 0 ? width / height : 1;
}

/** The width and height that a draft means with a model sized by pixels. */
export function sizeOf(
  { width, height }: Pick<CreateDraft, 'width' | 'height'>,
  sizing: Extract<StudioModel['sizing'], { kind: 'pixels' }>,
): { readonly width: number; readonly height: number } {
  return { width: width ?? sizing.defaultWidth, height: height ?? sizing.defaultHeight };
}

/** The nearest width or height to `pixels` that a model sized by pixels takes. */
export function fitPixels(
  pixels: number,
  { min, max, divisor }: Extract<StudioModel['sizing'], { kind: 'pixels' }>,
): number {
  const steps = Math.round(pixels / divisor);
  const [least, most] = [Math.ceil(min / divisor), Math.floor(max / divisor)];
  return Math.max(least, Math.min(most, steps)) * divisor;
}

/** A seed that the user wrote: null for none, `undefined` for what is no seed (public documents: ±999,999,999). */
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
