import type { ModelRecord } from './catalog/model.ts';
import { ApiError } from './api-error.ts';

/**
 * Checks that the caller can use a model.
 * @throws ApiError 401 if the model requires a subscription, 503 if the model is offline
 */
export function requireAvailableModel(model: {
  readonly record: ModelRecord;
  readonly isProOnly: boolean;
}): void {
  if (model.isProOnly) throw new ApiError(401, 'This model is only available to Pro users');
  if (!model.record.model_spec.offline) return;
  throw new ApiError(503, {
    error: 'The model is offline. Please try another model.',
    code: 'MODEL_OFFLINE',
  });
}
