import type { ModelRecord } from './catalogue/model.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Which model answered, and that it will be removed when it will. */
export function modelHeaders(words: Vocabulary, { id, model_spec }: ModelRecord) {
  const { name, deprecation } = model_spec;
  return {
    [words.header('model-id')]: id,
    [words.header('model-name')]: name,
    [words.header('model-router')]: 'local',
    ...(deprecation && {
      [words.header('model-deprecation-warning')]:
        `The model ${id} is deprecated and will be removed.`,
      [words.header('model-deprecation-date')]: deprecation.date,
      [words.header('deprecated')]: 'true',
      [words.header('deprecated-replacement')]: deprecation.replacementModelId ?? '',
    }),
  };
}
