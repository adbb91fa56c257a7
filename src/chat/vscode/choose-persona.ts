import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { type Character, listCharacters } from '../../service/characters.ts';
import { userSetting } from '../../platform/settings.ts';
import type { VoiceParts } from '../../speech/vscode/voice-settings.ts';
import { PersonaPick } from './persona-pick.ts';
import { PersonaPictures } from './persona-pictures.ts';

/** Lets the person choose a persona, and starts a chat with it. */
export async function choosePersona(parts: VoiceParts, words: string): Promise<void> {
  const { host } = parts;
  const folder = vscode.Uri.joinPath(host.context.globalStorageUri, 'persona-pictures').fsPath;
  const pick = new PersonaPick({
    clock: systemClock,
    list: (query, signal) => listCharacters(host.service, query, { signal }),
    pictures: new PersonaPictures({ folder, service: host.service }),
    showAdult: userSetting('inferenceService.personas.showAdult') === true,
    nameOf: (modelId) => host.models.models.find(({ id }) => id === modelId)?.name,
    modelName: host.models.chatModel?.name ?? vscode.l10n.t('The chosen model'),
  });
  const chosen = await pick.choose(words);
  if (chosen !== undefined) await chatWith(parts, chosen);
}

/** A new chat, or the one in sight while nothing was said in it: who speaks does not change in the middle of one. */
async function chatWith({ shown, chats }: VoiceParts, character: Character): Promise<void> {
  const view = await shown();
  if (!view.chat.session.conversation.isEmpty) view.show(chats.create());
  const { session } = view.chat;
  const { slug, name } = character;
  await session.setOptions({ ...session.conversation.options, character: { slug, name } });
  view.focusComposer();
}
