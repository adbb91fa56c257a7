import * as vscode from 'vscode';
import type { Conversation, Message } from '../../conversation/conversation.ts';
import { findModelsByName } from '../../models/model-selection.ts';
import { findSelectedModel } from '../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { confirm, type Confirmation } from '../../platform/notifications.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import type { Model } from '../../service/model-types.ts';
import { chooseModel, transcriptionModels } from '../speech-model.ts';
import type { SelectedVoice } from './voice-settings.ts';

/** A question that holds for a chat as long as the window lives, once the person agreed. */
export class ChatConsent {
  readonly #consented = new WeakSet<Conversation>();

  /** @returns whether the person presses the button, or did before */
  async request(
    conversation: Conversation,
    question: Confirmation,
    button: string,
  ): Promise<boolean> {
    if (this.#consented.has(conversation)) return true;
    if ((await confirm(question, button)) !== button) return false;
    this.#consented.add(conversation);
    return true;
  }
}

/** A text that is to be read, and what is known of it. */
export interface SpokenText {
  readonly markdown: string;
  /** The answer that it is, if it is one. */
  readonly messageId?: string;
  /** The chat whose answer it is, where that came encrypted: whoever reads it gets it in clear. */
  readonly encryptedChat?: Conversation;
}

/** @param models All that are listed: what protects an answer that still comes is known of its model alone. */
export function toSpokenText(
  conversation: Conversation,
  message: Message,
  models: readonly Model[],
): SpokenText {
  const { id, text } = message;
  const encryption = isEncryptedAnswer(message, models) ? { encryptedChat: conversation } : {};
  return { markdown: text, messageId: id, ...encryption };
}

function isEncryptedAnswer(message: Message, models: readonly Model[]): boolean {
  if (message.role === 'user') return false;
  const { status, result, model } = message;
  if (result.protection !== undefined) return result.protection.kind === 'encrypted';
  return status !== 'complete' && findModelsByName(models, model.id).some(shouldEncryptChats);
}

/** The chats of this window whose encrypted answers may be read. */
const speechConsent = new ChatConsent();

/** Asks, once per chat, before an answer that came encrypted is sent in clear to a model that speaks. */
export async function confirmSpeech(
  { encryptedChat }: SpokenText,
  { model }: SelectedVoice,
): Promise<boolean> {
  if (encryptedChat === undefined) return true;
  const read = vscode.l10n.t('Read aloud');
  const question = vscode.l10n.t('Read an encrypted answer aloud?');
  const detail = vscode.l10n.t(
    'It came encrypted end to end. To be read, its text is sent unencrypted to {0}: the service and whoever runs it can read it. This holds for all answers of this chat.',
    model.name,
  );
  return speechConsent.request(encryptedChat, { question, detail }, read);
}

/** The chats of this window, whose model encrypts, that recordings may be written down for. */
const transcriptionConsent = new ChatConsent();

/**
 * Asks, once per chat, before a recording is sent in clear to a model that writes it down for a chat whose model is sent
 * nothing in clear. To be asked before anything is recorded or chosen.
 */
export async function confirmTranscription({
  host: { models },
  openChat,
}: TranscriptionContext): Promise<boolean> {
  const chatModel = findSelectedModel(models);
  if (chatModel === undefined || !shouldEncryptChats(chatModel)) return true;
  const { conversation } = (await openChat()).chat.session;
  const transcribe = vscode.l10n.t('Transcribe');
  const question = vscode.l10n.t('Write down speech for an encrypted chat?');
  const detail = vscode.l10n.t(
    'What you send in this chat is encrypted end to end. To be written down, a recording is sent unencrypted to {0}: the service and whoever runs it can hear it. This holds for all recordings for this chat.',
    transcriptionModelName(models),
  );
  return transcriptionConsent.request(conversation, { question, detail }, transcribe);
}

interface TranscriptionContext {
  readonly host: { readonly models: ModelCatalog };
  readonly openChat: () => Promise<{
    readonly chat: { readonly session: { readonly conversation: Conversation } };
  }>;
}

const transcriptionModelName = ({ models }: ModelCatalog): string =>
  chooseModel(transcriptionModels(models), '')?.name ?? '';
