import type { ImageModel } from '../catalog/image-models.ts';
import {
  createCustomIssue,
  createInvalidRequestError,
  type Issue,
  createTooLongIssue,
} from '../validation.ts';
import type { GenerateBody } from './generate-body.ts';
import { styleNames } from './styles.ts';

/**
 * Checks a generation request against the limits of the model and the service.
 * @throws ApiError 400 if the request exceeds a limit
 */
export function validateGeneration(model: ImageModel, body: GenerateBody): void {
  const issues = [
    ...findLengthIssues(model, body),
    ...findVariantIssues(body),
    ...findSizeIssues(model, body),
    ...findStepIssues(model, body),
    ...findStyleIssues(model, body),
    ...findSearchIssues(model, body),
  ];
  if (issues.length > 0) throw createInvalidRequestError(issues);
}

function findLengthIssues({ constraints }: ImageModel, body: GenerateBody): Issue[] {
  const maxLength = constraints.promptCharacterLimit;
  return (['prompt', 'negative_prompt'] as const)
    .filter((field) => (body[field] ?? '').length > maxLength)
    .map((field) => createTooLongIssue([field], maxLength));
}

function findVariantIssues({ variants, return_binary }: GenerateBody): Issue[] {
  if (variants === undefined || !return_binary) return [];
  return [createCustomIssue(['variants'], 'variants is not supported when return_binary is true')];
}

/**
 * Returns an issue for each resolution or quality that the model does not support. Reports no issue for unknown aspect
 * ratios.
 */
function findSizeIssues(
  { constraints, rejectsPixelSize }: ImageModel,
  body: GenerateBody,
): Issue[] {
  const pixelIssues = (['width', 'height'] as const)
    .filter((field) => rejectsPixelSize && body[field] !== undefined)
    .map((field) => createCustomIssue([field], `${field} is not supported by this model`));
  const resolutionIssues = findOptionIssues(
    'resolution',
    body.resolution,
    constraints.resolutions ?? [],
  );
  const { qualities } = constraints;
  return [
    ...pixelIssues,
    ...resolutionIssues,
    ...(qualities === undefined ? [] : findOptionIssues('quality', body.quality, qualities)),
  ];
}

/** Returns an issue if the value is set but is not one of the options. Otherwise, returns an empty list. */
export function findOptionIssues(
  field: string,
  value: string | undefined,
  options: readonly string[],
): Issue[] {
  if (value === undefined || options.includes(value)) return [];
  if (options.length === 0)
    return [createCustomIssue([field], `${field} is not supported by this model`)];
  const quotedOptions = options.map((option) => `'${option}'`).join(' | ');
  const message = `Invalid enum value. Expected ${quotedOptions}, received '${value}'`;
  return [{ code: 'invalid_enum_value', path: [field], received: value, message }];
}

function findStepIssues(
  { constraints, hasAdjustableSteps }: ImageModel,
  { steps = 1 }: GenerateBody,
): Issue[] {
  const { max } = constraints.steps;
  if (!hasAdjustableSteps || steps <= max) return [];
  return [createCustomIssue(['steps'], `Number must be less than or equal to ${max}`)];
}

function findStyleIssues({ record, constraints }: ImageModel, body: GenerateBody): Issue[] {
  const issues: Issue[] = [];
  const { style_preset: style, style_references: references } = body;
  if (style !== undefined && !styleNames.includes(style)) {
    issues.push(createCustomIssue(['style_preset'], `Style preset not found: ${style}`));
  }
  const maxCount = constraints.maxStyleReferences ?? 0;
  if (references.length === 0) return issues;
  if (record.model_spec['supportsStyleReferences'] !== true) {
    issues.push(
      createCustomIssue(['style_references'], 'style_references is not supported by this model'),
    );
  } else if (references.length > maxCount) {
    const message = `Array must contain at most ${maxCount} element(s)`;
    issues.push(createCustomIssue(['style_references'], message));
  }
  return issues;
}

function findSearchIssues({ record }: ImageModel, { enable_web_search }: GenerateBody): Issue[] {
  if (!enable_web_search || record.model_spec['supportsWebSearch'] === true) return [];
  return [
    createCustomIssue(['enable_web_search'], 'enable_web_search is not supported by this model'),
  ];
}
