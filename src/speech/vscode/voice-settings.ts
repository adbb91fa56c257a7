import { numberOr, stringOr } from '../../base/json.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';
import { userSetting } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';
import { type SpeechFormat, speechSpeeds } from '../../service/speech.ts';
import { chooseFormat, chooseModel, chooseVoice, speechModels } from '../speech-model.ts';

export const speechSettings = {
  model: 'inferenceService.speech.model',
  voice: 'inferenceService.speech.voice',
  speed: 'inferenceService.speech.speed',
} as const;

/** How the next text is read. */
export interface Voice {
  readonly model: Model;
  /** The model's own when absent. */
  readonly voice?: string;
  readonly speed: number;
}

/** As the person's settings say, as far as the service has it; undefined when nothing there speaks. */
export function chosenVoice({ models }: Pick<ModelCatalogue, 'models'>): Voice | undefined {
  const wanted = stringOr(userSetting(speechSettings.model), '');
  const model = chooseModel(speechModels(models), wanted);
  if (model === undefined) return undefined;
  const voice = chooseVoice(model, stringOr(userSetting(speechSettings.voice), ''));
  return { model, speed: chosenSpeed(), ...(voice === undefined ? {} : { voice }) };
}

export function chosenSpeed(): number {
  const { least, most } = speechSpeeds;
  return Math.min(most, Math.max(least, numberOr(userSetting(speechSettings.speed), 1)));
}

/** What can be played while it comes, before what must be there whole. */
export const playedFormat = (model: Model): SpeechFormat =>
  chooseFormat(model, ['wav', 'pcm', 'mp3', 'flac', 'opus', 'aac']);
