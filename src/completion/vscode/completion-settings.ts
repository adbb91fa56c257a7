import { isRecord, stringOr } from '../../base/json.ts';
import { completionModelFor, suggestionPrice } from '../model-choice.ts';
import type { CompletionRoute, CompletionSettings } from '../ports.ts';
import type { Host } from '../../host.ts';
import { setUserSetting, userSetting } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';

/** Where all settings of inline suggestions stand. Only the user's own count, never those of a workspace. */
export const completionSection = 'inferenceService.completion';

export const isCompletionEnabled = (): boolean => setting('enabled') === true;

export const setCompletionEnabled = (enabled: boolean): Promise<void> =>
  setUserSetting(`${completionSection}.enabled`, enabled ? true : undefined);

/** Id or trait of the model; empty for the best one for code. */
export const completionModelName = (): string => stringOr(setting('model'), '').trim();

/** `undefined` leaves the choice to us. */
export const setCompletionModelName = (id: string | undefined): Promise<void> =>
  setUserSetting(`${completionSection}.model`, id);

export const completionRoute = (): CompletionRoute =>
  setting('route') === 'completions' ? 'completions' : 'chat';

/** What the engine wants to know. Reading takes too long for every keystroke. */
export const engineSettings = (): CompletionSettings => ({
  automatic: setting('automatic') !== false,
  inComments: setting('inComments') !== false,
  prefetch: setting('prefetch') !== false,
});

/** As the user says it for this language, else as it is by default, else as the user says it for all (`*`). */
export function isLanguageOn(languageId: string): boolean {
  const own = languages();
  return switchOf(own, languageId) ?? offByDefault.get(languageId) ?? switchOf(own, '*') ?? true;
}

export const setLanguageOn = (languageId: string, isOn: boolean): Promise<void> =>
  setUserSetting(`${completionSection}.languages`, { ...languages(), [languageId]: isOn });

/** Prose, one-line inputs and messages of commits, where a suggestion is seldom wanted and always paid for. */
const offByDefault: ReadonlyMap<string, boolean> = new Map([
  ['plaintext', false],
  ['scminput', false],
  ['git-commit', false],
  ['git-rebase', false],
]);

function languages(): Readonly<Record<string, unknown>> {
  const value = setting('languages');
  return isRecord(value) ? value : {};
}

function switchOf(own: Readonly<Record<string, unknown>>, name: string): boolean | undefined {
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

const setting = (name: string): unknown => userSetting(`${completionSection}.${name}`);

/** The model that makes suggestions; undefined while no models are known, and when the chosen one is gone. */
export const chosenModel = ({ models }: Pick<Host, 'models'>): Model | undefined =>
  completionModelFor(models.models, completionModelName());

/** About what a suggestion of it costs in USD; undefined while that is not known. */
export function chosenPrice(host: Pick<Host, 'models'>): number | undefined {
  const model = chosenModel(host);
  return model && suggestionPrice(model);
}
