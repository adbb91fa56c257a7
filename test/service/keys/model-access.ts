import type { ModelRecord } from '../catalog/model.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';

/** Checks whether the `modelPrivacy` of the key allows the model. */
export function hasModelAccess(
  { modelPrivacy }: ApiKey,
  { type, model_spec }: ModelRecord,
): boolean {
  if (modelPrivacy === 'ALL' || model_spec.privacy === 'private') return true;
  return modelPrivacy === 'PRIVATE_TEXT' && type !== 'text';
}

/**
 * Checks that the key may use the model.
 * @throws ApiError 403 if the key allows only models with more privacy
 */
export function requireModelAccess(key: ApiKey, model: ModelRecord): void {
  if (!hasModelAccess(key, model))
    throw new ApiError(403, 'This API key may only use private models');
}
