import { asRecord, type JsonRecord } from '../../base/json.ts';
import { chooseCompletionModel, estimateSuggestionPrice } from '../model-choice.ts';
import type { CompletionSettings } from '../ports.ts';
import type { Host } from '../../host.ts';
import { setSetting, getSetting, getSettingDefault } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';

/** Prefix of the settings for inline suggestions. Workspace values of these settings are ignored. */
export const completionSection = 'inferenceService.completion';

export const setCompletionEnabled = (isEnabled: boolean): Promise<void> =>
  setSetting('inferenceService.completion.enabled', isEnabled ? true : undefined);

/** Returns the model id or trait that the user configured. Empty if the extension selects the model. */
export const getCompletionModelName = (): string =>
  getSetting('inferenceService.completion.model').trim();

/** Configures the model. `undefined` lets the extension select the best code model. */
export const setCompletionModelName = (id: string | undefined): Promise<void> =>
  setSetting('inferenceService.completion.model', id);

/** Reads the settings of the pipeline. Too slow to be called on every key press. */
export const getPipelineSettings = (): CompletionSettings => ({
  isAutomatic: getSetting('inferenceService.completion.automatic'),
  canSuggestInComments: getSetting('inferenceService.completion.inComments'),
  canPrefetch: getSetting('inferenceService.completion.prefetch'),
});

/**
 * Checks whether suggestions are on for a language. The user's setting for the language applies first, then the default
 * for the language, then the user's setting for `*`.
 */
export function isLanguageEnabled(languageId: string): boolean {
  const userLanguages = getLanguageSettings();
  const defaultLanguages = asRecord(getSettingDefault('inferenceService.completion.languages'));
  return (
    getLanguageSetting(userLanguages, languageId) ??
    getLanguageSetting(defaultLanguages, languageId) ??
    getLanguageSetting(userLanguages, '*') ??
    true
  );
}

export const setLanguageOn = (languageId: string, isOn: boolean): Promise<void> =>
  setSetting('inferenceService.completion.languages', {
    ...getLanguageSettings(),
    [languageId]: isOn,
  });

const getLanguageSettings = (): JsonRecord =>
  asRecord(getSetting('inferenceService.completion.languages'));

function getLanguageSetting(userLanguages: JsonRecord, name: string): boolean | undefined {
  const value = Object.hasOwn(userLanguages, name) ? userLanguages[name] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

/** Returns the model to use; undefined if the model list is not loaded or does not contain the configured model. */
export const getConfiguredModel = ({ models }: Pick<Host, 'models'>): Model | undefined =>
  chooseCompletionModel(models.models, getCompletionModelName());

/** Estimates the price of one suggestion in USD. Returns undefined if the price is unknown. */
export function getConfiguredModelPrice(host: Pick<Host, 'models'>): number | undefined {
  const model = getConfiguredModel(host);
  return model && estimateSuggestionPrice(model);
}
