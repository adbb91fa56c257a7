import * as vscode from 'vscode';
import type { Conversation } from '../../conversation/conversation.ts';
import { chooseModel, listeningModels } from '../speech-model.ts';
import { knownAskedModel } from '../../models/vscode/asked-model.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';
import { encryptsChats } from '../../privacy/vscode/privacy-settings.ts';
import { OncePerChat } from './once-per-chat.ts';

/** The chats of this window, whose model encrypts, that recordings may be written down for. */
const agreed = new OncePerChat();

/**
 * Asks, once per chat, before a recording is sent in clear to a model that writes it down for a chat whose model is sent
 * nothing in clear. To be asked before anything is recorded or chosen.
 */
export async function mayBeHeard({ host: { models }, shown }: HeardParts): Promise<boolean> {
  const asked = knownAskedModel(models);
  if (asked === undefined || !encryptsChats(asked)) return true;
  const { conversation } = (await shown()).chat.session;
  const transcribe = vscode.l10n.t('Transcribe');
  const question = vscode.l10n.t('Write down speech for an encrypted chat?');
  const detail = vscode.l10n.t(
    'What you send in this chat is encrypted end to end. To be written down, a recording is sent unencrypted to {0}: the service and whoever runs it can hear it. This holds for all recordings for this chat.',
    listenerName(models),
  );
  return agreed.ask(conversation, { question, detail }, transcribe);
}

interface HeardParts {
  readonly host: { readonly models: ModelCatalogue };
  readonly shown: () => Promise<{
    readonly chat: { readonly session: { readonly conversation: Conversation } };
  }>;
}

const listenerName = ({ models }: ModelCatalogue): string =>
  chooseModel(listeningModels(models), '')?.name ?? '';
