import type { ModelRecord } from './catalog/model.ts';
import { ApiError } from './api-error.ts';

/**
 * Checks that a model can be used.
 * @throws ApiError 401 for a model that requires a subscription, 503 for an offline model
 */
export function checkAvailable(model: {
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
