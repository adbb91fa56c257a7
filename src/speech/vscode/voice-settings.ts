import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { setting } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';
import { type SpeechFormat, speechSpeeds } from '../../service/speech.ts';
import { chooseFormat, chooseModel, chooseVoice, speechModels } from '../speech-model.ts';

/** How the next text is read. */
export interface SelectedVoice {
  readonly model: Model;
  /** The model's own when absent. */
  readonly voice?: string;
  readonly speed: number;
}

/** As the person's settings say, as far as the service has it; undefined when nothing there speaks. */
export function getSelectedVoice({
  models,
}: Pick<ModelCatalog, 'models'>): SelectedVoice | undefined {
  const model = chooseModel(speechModels(models), setting('inferenceService.speech.model'));
  if (model === undefined) return undefined;
  const voice = chooseVoice(model, setting('inferenceService.speech.voice'));
  return { model, speed: getSpeed(), ...(voice === undefined ? {} : { voice }) };
}

export function getSpeed(): number {
  const { least: min, most: max } = speechSpeeds;
  return Math.min(max, Math.max(min, setting('inferenceService.speech.speed')));
}

/** What can be played while it comes, before what must be there whole. */
export const choosePlaybackFormat = (model: Model): SpeechFormat =>
  chooseFormat(model, ['wav', 'pcm', 'mp3', 'flac', 'opus', 'aac']);
