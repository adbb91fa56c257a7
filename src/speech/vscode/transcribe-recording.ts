import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { chooseModel, listeningCost, listeningModels, longestRecording } from '../speech-model.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { transcribe, type TranscriptionRequest } from '../../service/transcription.ts';
import type { Host } from '../../host.ts';

/** A recording as it is sent. */
export interface Recording extends Pick<TranscriptionRequest, 'audio' | 'kind'> {
  /** Where that is known. */
  readonly seconds?: number;
}

/** What a person would write into a message at once. */
const longestText = 200_000;

/**
 * What is said in a recording, without characters that nobody sees; empty for silence.
 * @throws ServiceError
 */
export async function transcribeRecording(
  { service, models }: Pick<Host, 'service' | 'models'>,
  { audio, kind, seconds }: Recording,
  signal: AbortSignal,
): Promise<string> {
  const model = chooseModel(listeningModels(models.models), '');
  if (model === undefined) throw noModel();
  const priceOf = (length: number) => listeningCost(model, length);
  const price = priceOf(seconds ?? longestRecording(audio.length, kind));
  const request = { model: model.id, audio, kind };
  const { text } = await transcribe(service, request, { signal, price, priceOf });
  return stripHiddenCharacters(text).text.trim().slice(0, longestText);
}

const noModel = (): ServiceError =>
  new ServiceError({
    code: 'model-not-found',
    message: vscode.l10n.t('The service has no model that writes down what is said.'),
  });
