import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Model } from '../../service/model-types.ts';
import { type SpeechFormat, speechSpeeds } from '../../service/speech.ts';
import { chooseFormat, chooseModel, chooseVoice, listSpeechModels } from '../speech-model.ts';

/** Model, voice and speed for reading aloud. */
export interface SelectedVoice {
  readonly model: Model;
  /** Voice id. Absent if the service selects the voice. */
  readonly voice?: string;
  readonly speed: number;
}

/**
 * Returns the model, voice and speed from the settings. Replaces a model or voice that the service does not have, and
 * limits the speed to its valid range. Returns undefined if the service has no speech model.
 */
export function getSelectedVoice({
  models,
}: Pick<ModelCatalog, 'models'>): SelectedVoice | undefined {
  const model = chooseModel(listSpeechModels(models), getSetting('inferenceService.speech.model'));
  if (model === undefined) return undefined;
  const voice = chooseVoice(model, getSetting('inferenceService.speech.voice'));
  return { model, speed: getSpeed(), ...(voice === undefined ? {} : { voice }) };
}

export function getSpeed(): number {
  const { min, max } = speechSpeeds;
  return Math.min(max, Math.max(min, getSetting('inferenceService.speech.speed')));
}

/**
 * Returns the best format for playback that the model supports. Prefers WAV and PCM, because their playback can start
 * before all audio is received.
 */
export const choosePlaybackFormat = (model: Model): SpeechFormat =>
  chooseFormat(model, ['wav', 'pcm', 'mp3', 'flac', 'opus', 'aac']);
