import { isRecord, type JsonRecord } from '../../base/json.ts';
import { completionModelFor, suggestionPrice } from '../model-choice.ts';
import type { CompletionSettings } from '../ports.ts';
import type { Host } from '../../host.ts';
import { setSetting, setting, settingDefault } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';

/** Where all settings of inline suggestions stand. Only the user's own count, never those of a workspace. */
export const completionSection = 'inferenceService.completion';

export const setCompletionEnabled = (enabled: boolean): Promise<void> =>
  setSetting('inferenceService.completion.enabled', enabled ? true : undefined);

/** Id or trait of the model; empty for the best one for code. */
export const completionModelName = (): string =>
  setting('inferenceService.completion.model').trim();

/** `undefined` leaves the choice to us. */
export const setCompletionModelName = (id: string | undefined): Promise<void> =>
  setSetting('inferenceService.completion.model', id);

/** What the engine wants to know. Reading takes too long for every keystroke. */
export const pipelineSettings = (): CompletionSettings => ({
  automatic: setting('inferenceService.completion.automatic'),
  inComments: setting('inferenceService.completion.inComments'),
  prefetch: setting('inferenceService.completion.prefetch'),
});

/** As the user says it for this language, else as it is by default, else as the user says it for all (`*`). */
export function isLanguageOn(languageId: string): boolean {
  const own = languages();
  const byDefault = recordOf(settingDefault('inferenceService.completion.languages'));
  return switchOf(own, languageId) ?? switchOf(byDefault, languageId) ?? switchOf(own, '*') ?? true;
}

export const setLanguageOn = (languageId: string, isOn: boolean): Promise<void> =>
  setSetting('inferenceService.completion.languages', { ...languages(), [languageId]: isOn });

const languages = (): JsonRecord => recordOf(setting('inferenceService.completion.languages'));

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

function switchOf(own: JsonRecord, name: string): boolean | undefined {
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

/** The model that makes suggestions; undefined while no models are known, and when the chosen one is gone. */
export const configuredModel = ({ models }: Pick<Host, 'models'>): Model | undefined =>
  completionModelFor(models.models, completionModelName());

/** About what a suggestion of it costs in USD; undefined while that is not known. */
export function configuredModelPrice(host: Pick<Host, 'models'>): number | undefined {
  const model = configuredModel(host);
  return model && suggestionPrice(model);
}
