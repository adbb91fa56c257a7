import * as l10n from '@vscode/l10n';
import type { Connection, OptionalField } from '../http/connection.ts';
import type { ImageRequest } from './image-types.ts';

/** Request field that sets the size of an image (spec §4.5). `size` is a field of the OpenAI-compatible route. */
export type SizeField = 'width' | 'height' | 'aspect_ratio' | 'resolution' | 'size';

export const getFieldKey = (path: string, model: string): string => `image.${path}:${model}`;

/** Checks whether the service refused a size field for a model. */
export const isSizeRefused = (
  { facts: { fields } }: Connection,
  field: SizeField,
  model: string,
): boolean => fields?.[getFieldKey(field, model)] === false;

/**
 * Returns the fields of an image request that a service or a model may refuse. A refused field is left out only if the
 * user agrees. Exception: the seed is left out without agreement unless the user chose it (`isSeedChosen`).
 */
export function listImageFields(model: string, isSeedChosen = true): readonly OptionalField[] {
  const sizeLabel = l10n.t('Size');
  const labels: Readonly<Record<string, string>> = {
    width: sizeLabel,
    height: sizeLabel,
    aspect_ratio: l10n.t('Aspect ratio'),
    resolution: l10n.t('Resolution'),
    quality: l10n.t('Quality'),
    negative_prompt: l10n.t('Negative prompt'),
    style_preset: l10n.t('Style'),
    style_references: l10n.t('Style'),
    lora_strength: 'lora_strength',
    cfg_scale: l10n.t('Prompt guidance'),
    steps: l10n.t('Steps'),
    seed: l10n.t('Seed'),
    safe_mode: l10n.t('Safe mode'),
    enable_web_search: l10n.t('Web search'),
  };
  // Only public facts define these fields. A deployment accepts them for all models.
  const deploymentLabels: Readonly<Record<string, string>> = {
    hide_watermark: l10n.t('Without watermark'),
    embed_exif_metadata: l10n.t('Request in the file (EXIF)'),
    enhance_prompt: l10n.t('Improved prompt'),
  };
  return [
    ...Object.entries(labels).map(([path, chosenName]) => ({
      path,
      key: getFieldKey(path, model),
      ...(path === 'seed' && !isSeedChosen ? {} : { chosenName }),
    })),
    ...Object.entries(deploymentLabels).map(([path, chosenName]) => ({
      path,
      key: `image.${path}`,
      chosenName,
    })),
  ];
}

/**
 * Returns the request fields of the OpenAI-compatible route that a service may refuse, because not every service
 * supports them.
 */
export const listCreateRouteFields = (model: string): readonly OptionalField[] => [
  { path: 'response_format', key: 'image.response_format' },
  { path: 'size', key: getFieldKey('size', model), chosenName: l10n.t('Size') },
  { path: 'output_format', key: 'image.output_format', chosenName: l10n.t('Format') },
  { path: 'moderation', key: 'image.moderation', chosenName: l10n.t('Safe mode') },
  ...listImageFields(model).filter(({ path }) => path === 'quality'),
];

/** Returns the names of the fields that requests to a model leave out with the user's agreement. */
export const listOmittedImageFields = (
  connection: Connection,
  model: string,
  { isCreateRoute }: { readonly isCreateRoute: boolean },
): readonly string[] =>
  (isCreateRoute ? listCreateRouteFields(model) : listImageFields(model))
    .filter((field) => field.chosenName !== undefined && connection.isOmitted(field))
    .map(({ path }) => path);

/** Reverts the omission of fields, so that further requests to a model contain these fields again. */
export function restoreImageFields(connection: Connection, model: string): void {
  for (const { key } of [...listImageFields(model), ...listCreateRouteFields(model)])
    connection.restoreField(key);
}

type ImageOption = Exclude<keyof ImageRequest, 'model' | 'prompt'>;

/** Names of the image options that determine each body field. Contains the body fields of both image routes. */
const optionsByField: Readonly<Record<string, readonly ImageOption[]>> = {
  width: ['width'],
  height: ['height'],
  size: ['width', 'height'],
  aspect_ratio: ['aspectRatio'],
  resolution: ['resolution'],
  quality: ['quality'],
  negative_prompt: ['negativePrompt'],
  style_preset: ['stylePreset'],
  style_references: ['styleReferences'],
  lora_strength: ['loraStrength'],
  cfg_scale: ['cfgScale'],
  steps: ['steps'],
  seed: ['seed'],
  enable_web_search: ['enableWebSearch'],
  hide_watermark: ['hideWatermark'],
  embed_exif_metadata: ['embedExifMetadata'],
  enhance_prompt: ['enhancePrompt'],
  output_format: ['format'],
  moderation: ['safeMode'],
};

/** Returns the names of the options that determine the given body fields. */
const getFieldOptions = (fields: readonly string[]): readonly ImageOption[] =>
  fields.flatMap((field) => optionsByField[field] ?? []);

/** Removes the options that determine the given body fields from an image request. */
export function removeFieldOptions<T extends object>(request: T, fields: readonly string[]): T {
  const omittedOptions = new Set<string>(getFieldOptions(fields));
  return Object.fromEntries(
    Object.entries(request).filter(([name]) => !omittedOptions.has(name)),
  ) as T;
}
