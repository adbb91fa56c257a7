import type { EditModel } from '../catalog/edit-models.ts';
import { createCustomIssue, createInvalidRequestError, createTooLongIssue } from '../validation.ts';
import type { EditBody } from './edit-body.ts';
import { findOptionIssues } from './validate-generation.ts';

/** Maximum number of combined images, for a model whose record contains no maximum. */
const defaultMaxImages = 3;

/**
 * Checks an edit request against the limits of the model.
 * @throws ApiError 400 if the request exceeds a limit
 */
export function validateEdit(model: EditModel, body: EditBody, imageCount: number): void {
  const { constraints } = model;
  const { promptCharacterLimit, combineImages, maxInputImages = defaultMaxImages } = constraints;
  const maxImages = combineImages ? maxInputImages : 1;
  const issues = [
    ...(body.prompt.length > promptCharacterLimit
      ? [createTooLongIssue(['prompt'], promptCharacterLimit)]
      : []),
    ...(imageCount > maxImages
      ? [createCustomIssue(['images'], `Array must contain at most ${maxImages} element(s)`)]
      : []),
    ...findOptionIssues('aspect_ratio', body.aspect_ratio, constraints.aspectRatios),
    ...findOptionIssues('resolution', body.resolution, constraints.resolutions ?? []),
    ...(constraints.qualities === undefined
      ? []
      : findOptionIssues('quality', body.quality, constraints.qualities)),
  ];
  if (issues.length > 0) throw createInvalidRequestError(issues);
}
