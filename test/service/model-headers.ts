import type { ModelRecord } from './catalog/model.ts';
import type { VendorNaming } from './vendor-naming.ts';

/**
 * Returns the headers with the id and name of the model. For a deprecated model, also returns the headers with its
 * replacement and its removal date.
 */
export function createModelHeaders(naming: VendorNaming, { id, model_spec }: ModelRecord) {
  const { name, deprecation } = model_spec;
  return {
    [naming.getHeaderName('model-id')]: id,
    [naming.getHeaderName('model-name')]: name,
    [naming.getHeaderName('model-router')]: 'local',
    ...(deprecation && {
      [naming.getHeaderName('model-deprecation-warning')]:
        `The model ${id} is deprecated and will be removed.`,
      [naming.getHeaderName('model-deprecation-date')]: deprecation.date,
      [naming.getHeaderName('deprecated')]: 'true',
      [naming.getHeaderName('deprecated-replacement')]: deprecation.replacementModelId ?? '',
    }),
  };
}
