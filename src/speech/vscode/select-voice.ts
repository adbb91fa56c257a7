import * as vscode from 'vscode';
import { parseVoiceName, listSpeechModels } from '../speech-model.ts';
import type { Model } from '../../service/model-types.ts';
import { formatPrice } from '../../service/pricing.ts';
import { restoreSpeechOptions } from '../../service/speech.ts';
import type { Host } from '../../host.ts';
import { showInformation, escapeIcons } from '../../platform/notifications.ts';
import { setSetting } from '../../platform/settings.ts';
import { getNoSpeechModelMessage } from './read-aloud.ts';
import { getSpeed, getSelectedVoice, type SelectedVoice } from './voice-settings.ts';
import { stripEllipsis } from '../../base/amounts.ts';

interface VoiceItem extends vscode.QuickPickItem {
  readonly model?: Model;
  readonly voice?: string;
}

/** Prompts the user for a voice and a speaking rate. Saves both in the settings. */
export async function selectVoice(host: Host): Promise<void> {
  await host.models.refresh();
  const models = listSpeechModels(host.models.models).filter(({ offline }) => !offline);
  if (models.length === 0) return void showInformation(getNoSpeechModelMessage());
  const chosenItem = await vscode.window.showQuickPick(
    toVoiceItems(models, getSelectedVoice(host.models)),
    {
      title: stripEllipsis(vscode.l10n.t('Select Voice…')),
      placeHolder: stripEllipsis(vscode.l10n.t('Select Voice…')),
      matchOnDescription: true,
    },
  );
  if (chosenItem?.model === undefined) return;
  await setSetting('inferenceService.speech.model', chosenItem.model.id);
  await setSetting('inferenceService.speech.voice', chosenItem.voice);
  await selectSpeed();
  restoreSpeechOptions(host.account.connection, chosenItem.model.id);
}

function toVoiceItems(
  models: readonly Model[],
  currentVoice: SelectedVoice | undefined,
): VoiceItem[] {
  return models.flatMap((model) => {
    const voices = model.speech?.voices ?? [];
    const isCurrentVoice = (voice: string | undefined): boolean =>
      currentVoice?.model.id === model.id && currentVoice.voice === voice;
    const items: VoiceItem[] = (voices.length === 0 ? [undefined] : voices).map((voice) => ({
      label:
        voice === undefined ? vscode.l10n.t('Default') : escapeIcons(parseVoiceName(voice).name),
      description: [
        voice === undefined ? '' : describeSpeaker(voice),
        isCurrentVoice(voice) ? vscode.l10n.t('current') : '',
        voice !== undefined && voice === model.speech?.defaultVoice ? vscode.l10n.t('Default') : '',
      ]
        .filter((word) => word !== '')
        .join(', '),
      model,
      ...(voice === undefined ? {} : { voice }),
    }));
    return [
      { label: formatModelHeading(model), kind: vscode.QuickPickItemKind.Separator },
      ...items,
    ];
  });
}

/**
 * Describes the speaker of a voice, such as `American English, female`. Returns an empty string if the voice id does
 * not describe the speaker.
 */
function describeSpeaker(voice: string): string {
  const { speaker } = parseVoiceName(voice);
  if (speaker === undefined) return '';
  const languageNames = new Intl.DisplayNames(vscode.env.language, { type: 'language' });
  const language = languageNames.of(speaker.language) ?? speaker.language;
  return speaker.isFemale
    ? vscode.l10n.t('{0}, female', language)
    : vscode.l10n.t('{0}, male', language);
}

function formatModelHeading({ name, pricing }: Model): string {
  const price = formatPrice(pricing.input);
  if (price === '') return escapeIcons(name);
  return vscode.l10n.t('{0}: {1} per million characters', escapeIcons(name), price);
}

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

async function selectSpeed(): Promise<void> {
  const currentSpeed = getSpeed();
  const items = speeds.map((speed) => ({
    label: `${speed.toLocaleString(vscode.env.language)}×`,
    description: speed === currentSpeed ? vscode.l10n.t('current') : '',
    speed,
  }));
  const chosenItem = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Speed'),
  });
  if (chosenItem !== undefined) {
    await setSetting(
      'inferenceService.speech.speed',
      chosenItem.speed === 1 ? undefined : chosenItem.speed,
    );
  }
}
