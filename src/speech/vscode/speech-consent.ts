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

/** A consent that applies to a chat for the lifetime of the window. */
export class ChatConsent {
  readonly #consented = new WeakSet<Conversation>();

  /**
   * Asks for consent unless the user has already agreed for this chat.
   * @returns true if the user agrees
   */
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

/** A text to read aloud. */
export interface SpokenText {
  readonly markdown: string;
  /** Id of the answer. Absent for other texts. */
  readonly messageId?: string;
  /** Chat of an encrypted answer. Reading the answer aloud sends its text unencrypted. */
  readonly encryptedChat?: Conversation;
}

/**
 * Prepares an answer for reading aloud.
 * @param models All listed models. For an answer that still streams, only its model indicates the
 *   protection.
 */
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

/** Consent to read encrypted answers aloud. */
const speechConsent = new ChatConsent();

/** Asks for consent, at most once per chat, before an encrypted answer is sent unencrypted to a speech model. */
export async function confirmSpeech(
  { encryptedChat }: SpokenText,
  { model }: SelectedVoice,
): Promise<boolean> {
  if (encryptedChat === undefined) return true;
  const readLabel = vscode.l10n.t('Read aloud');
  const question = vscode.l10n.t('Read an encrypted answer aloud?');
  const detail = vscode.l10n.t(
    'It came encrypted end to end. To be read, its text is sent unencrypted to {0}: the service and whoever runs it can read it. This holds for all answers of this chat.',
    model.name,
  );
  return speechConsent.request(encryptedChat, { question, detail }, readLabel);
}

/** Consent to transcribe recordings for chats with an encrypted model. */
const transcriptionConsent = new ChatConsent();

/**
 * Asks for consent, at most once per chat, before a recording is sent unencrypted for an encrypted chat. Call it before
 * recording or selecting a file.
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
