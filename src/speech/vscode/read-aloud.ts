import * as vscode from 'vscode';
import { formatCount, formatUsd } from '../../base/amounts.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { speakableText, speechParts } from '../speakable-text.ts';
import { speechCost } from '../speech-model.ts';
import { longestSpeechInput } from '../../service/speech.ts';
import type { SpeechMessage } from '../protocol.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';
import { ask } from '../../platform/notifications.ts';
import { Reading } from './reading.ts';
import { mayBeSpoken, type SpokenText } from './speech-consent.ts';
import { chosenVoice, type Voice } from './voice-settings.ts';

/** Of a part that is read: long enough for few requests, short enough that little is paid and not heard. */
const partLength = 2_000;

/** Where something is read. */
export interface ReadingPlace {
  readonly host: { readonly service: ServiceContext; readonly models: ModelCatalogue };
  readonly post: (message: SpeechMessage) => void;
}

interface Current {
  readonly reading: Reading;
  readonly place: ReadingPlace;
}

let current: Current | undefined;

/**
 * Reads Markdown aloud on a page; what was read before, on any page, falls silent.
 * @returns why not, for the person
 */
export async function readAloud(
  place: ReadingPlace,
  spoken: SpokenText,
): Promise<string | undefined> {
  stopReading();
  const { host, post } = place;
  const { markdown, messageId } = spoken;
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = chosenVoice(host.models);
  if (voice === undefined) return noVoice();
  const text = speakableText(markdown, { codeBlock: vscode.l10n.t('Code block.') });
  if (text === '') return vscode.l10n.t('There is nothing to read aloud.');
  if (!(await mayBeSpoken(spoken, voice)) || !(await mayCost(voice, text))) return undefined;
  stopReading();
  const parts = speechParts(text, Math.min(partLength, longestSpeechInput));
  const reading = new Reading({ service: host.service, voice, parts, messageId, post });
  current = { reading, place };
  void setContext(true);
  void reading.run();
  return undefined;
}

/** Silence everywhere, at once. */
export function stopReading(): void {
  if (current === undefined) return;
  const { reading, place } = current;
  current = undefined;
  reading.stop();
  place.post({ type: 'speech-close', id: reading.id });
  void setContext(false);
}

/** The page itself says that a reading is over, or is gone. */
export function readingOver(id: string): void {
  if (current?.reading.id === id) stopReading();
}

/** The page that something is read on is gone. */
export function placeGone(place: ReadingPlace): void {
  if (current?.place === place) stopReading();
}

export function readingWantsMore(id: string): void {
  if (current?.reading.id === id) current.reading.wantMore();
}

/** Whether this answer is being read. */
export const isReading = (messageId: string): boolean => current?.reading.reads(messageId) === true;

export const noVoice = (): string =>
  vscode.l10n.t('The service has no model that speaks. Choose another profile, or refresh models.');

/** Asks before a long text, which costs more than a person expects of a button. */
export async function mayCost({ model }: Voice, text: string): Promise<boolean> {
  if (text.length <= longestSpeechInput) return true;
  const read = vscode.l10n.t('Read aloud');
  const characters = formatCount(text.length);
  const usd = speechCost(model, text.length)?.usd;
  const question = vscode.l10n.t('Read {0} characters aloud?', characters);
  const detail =
    usd === undefined
      ? vscode.l10n.t('{0} names no price.', model.name)
      : vscode.l10n.t(
          'With {0} that costs about {1} when you listen to the end.',
          model.name,
          formatUsd(usd),
        );
  return (await ask({ question, detail }, read)) === read;
}

const setContext = (isReadingNow: boolean): Thenable<unknown> =>
  vscode.commands.executeCommand('setContext', 'inferenceService.reading', isReadingNow);
