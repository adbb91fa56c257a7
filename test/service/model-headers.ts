import type { ModelRecord } from './catalog/model.ts';
import type { VendorNaming } from './vendor-naming.ts';

/**
 * Returns the headers with the id and name of the model and, for a deprecated model, its replacement and the date of
 * its removal.
 */
export function createModelHeaders(naming: VendorNaming, { id, model_spec }: ModelRecord) {
  const { name, deprecation } = model_spec;
  return {
    [naming.header('model-id')]: id,
    [naming.header('model-name')]: name,
    [naming.header('model-router')]: 'local',
    ...(deprecation && {
      [naming.header('model-deprecation-warning')]:
        `The model ${id} is deprecated and will be removed.`,
      [naming.header('model-deprecation-date')]: deprecation.date,
      [naming.header('deprecated')]: 'true',
      [naming.header('deprecated-replacement')]: deprecation.replacementModelId ?? '',
    }),
  };
}
