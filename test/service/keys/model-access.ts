import type { ModelRecord } from '../catalog/model.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';

/**
 * Checks that the key may use the model.
 * @throws ApiError 403 if the key allows only models with more privacy
 */
export function requireModelAccess(
  { modelPrivacy }: ApiKey,
  { type, model_spec }: ModelRecord,
): void {
  if (modelPrivacy === 'ALL' || model_spec.privacy === 'private') return;
  if (modelPrivacy === 'PRIVATE_TEXT' && type !== 'text') return;
  throw new ApiError(403, 'This API key may only use private models');
}
