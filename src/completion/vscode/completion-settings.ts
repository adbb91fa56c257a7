import { isRecord, type JsonRecord } from '../../base/json.ts';
import { completionModelFor, suggestionPrice } from '../model-choice.ts';
import type { CompletionSettings } from '../ports.ts';
import type { Host } from '../../host.ts';
import { setSetting, setting, settingDefault } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';

/** Prefix of all inline suggestion settings. Workspace values are ignored. */
export const completionSection = 'inferenceService.completion';

export const setCompletionEnabled = (enabled: boolean): Promise<void> =>
  setSetting('inferenceService.completion.enabled', enabled ? true : undefined);

/** Returns the configured model id or trait; empty for the best code model. */
export const completionModelName = (): string =>
  setting('inferenceService.completion.model').trim();

/** Sets the model; `undefined` selects the best code model. */
export const setCompletionModelName = (id: string | undefined): Promise<void> =>
  setSetting('inferenceService.completion.model', id);

/** Reads the pipeline's settings. Too slow for every keystroke. */
export const pipelineSettings = (): CompletionSettings => ({
  automatic: setting('inferenceService.completion.automatic'),
  inComments: setting('inferenceService.completion.inComments'),
  prefetch: setting('inferenceService.completion.prefetch'),
});

/**
 * Checks whether a language is on: by the user's setting for it, then its default, then the user's setting for `*`.
 */
export function isLanguageOn(languageId: string): boolean {
  const userLanguages = languages();
  const defaultLanguages = recordOf(settingDefault('inferenceService.completion.languages'));
  return (
    switchOf(userLanguages, languageId) ??
    switchOf(defaultLanguages, languageId) ??
    switchOf(userLanguages, '*') ??
    true
  );
}

export const setLanguageOn = (languageId: string, isOn: boolean): Promise<void> =>
  setSetting('inferenceService.completion.languages', { ...languages(), [languageId]: isOn });

const languages = (): JsonRecord => recordOf(setting('inferenceService.completion.languages'));

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

function switchOf(userLanguages: JsonRecord, name: string): boolean | undefined {
  const value = Object.hasOwn(userLanguages, name) ? userLanguages[name] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

/** Returns the configured model; undefined while models are unknown or when it no longer exists. */
export const configuredModel = ({ models }: Pick<Host, 'models'>): Model | undefined =>
  completionModelFor(models.models, completionModelName());

/** Estimates the price of a suggestion in USD; undefined without a price. */
export function configuredModelPrice(host: Pick<Host, 'models'>): number | undefined {
  const model = configuredModel(host);
  return model && suggestionPrice(model);
}
