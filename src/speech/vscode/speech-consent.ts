import * as vscode from 'vscode';
import type { Conversation, Message } from '../../conversation/conversation.ts';
import { findModelsByName } from '../../models/model-selection.ts';
import { findSelectedModel, getChatSelection } from '../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { confirm, type Confirmation } from '../../platform/notifications.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import type { Model } from '../../service/model-types.ts';
import { chooseModel, listTranscriptionModels } from '../speech-model.ts';
import type { SelectedVoice } from './voice-settings.ts';

/**
 * Records the chats for which the user agreed to an action, such as reading encrypted answers aloud. A consent remains
 * valid until the window closes.
 */
export class ChatConsent {
  readonly #consentedConversations = new WeakSet<Conversation>();

  /**
   * Asks the user for consent, unless the user has already agreed for this chat.
   * @returns true if the user agrees or has already agreed
   */
  async requestConsent(
    conversation: Conversation,
    question: Confirmation,
    confirmLabel: string,
  ): Promise<boolean> {
    if (this.#consentedConversations.has(conversation)) return true;
    if ((await confirm(question, confirmLabel)) !== confirmLabel) return false;
    this.#consentedConversations.add(conversation);
    return true;
  }
}

/** Text to read aloud. */
export interface SpokenText {
  readonly markdown: string;
  /** Id of the answer. Absent for a text that is not an answer. */
  readonly messageId?: string;
  /**
   * Conversation of an encrypted answer. Reading such an answer aloud requires consent, because its text is sent
   * unencrypted. Absent for other texts.
   */
  readonly encryptedChat?: Conversation;
}

/**
 * Creates the text to read aloud from an answer. While the answer is streaming, it counts as encrypted if chats with
 * its model are encrypted.
 * @param models all models of the service
 */
export function toSpokenText(
  conversation: Conversation,
  message: Message,
  models: readonly Model[],
): SpokenText {
  const { id, text } = message;
  const encryptedFields = isEncryptedAnswer(message, models) ? { encryptedChat: conversation } : {};
  return { markdown: text, messageId: id, ...encryptedFields };
}

function isEncryptedAnswer(message: Message, models: readonly Model[]): boolean {
  if (message.role === 'user') return false;
  const { status, result, model } = message;
  if (result.protection !== undefined) return result.protection.kind === 'encrypted';
  return status !== 'complete' && findModelsByName(models, model.id).some(shouldEncryptChats);
}

/** The user's consents to reading encrypted answers aloud. */
const speechConsent = new ChatConsent();

/**
 * Asks the user for consent before an encrypted answer is sent unencrypted to a speech model. Shows no further prompt
 * for this chat if the user agrees.
 */
export async function confirmSpeech(
  { encryptedChat }: SpokenText,
  { model }: SelectedVoice,
): Promise<boolean> {
  if (encryptedChat === undefined) return true;
  const readLabel = vscode.l10n.t('Read Aloud');
  const question = vscode.l10n.t('Read an encrypted answer aloud?');
  const detail = vscode.l10n.t(
    'It arrived encrypted end to end. To be read aloud, its text is sent unencrypted to {0}, so the service and its operator can read it. This applies to all answers of this chat.',
    model.name,
  );
  return speechConsent.requestConsent(encryptedChat, { question, detail }, readLabel);
}

/** The user's consents to transcribing recordings for encrypted chats. */
const transcriptionConsent = new ChatConsent();

/**
 * Asks the user for consent before a recording for an encrypted chat is sent unencrypted. Call it before the user
 * records speech or selects a file.
 */
export async function confirmTranscription({
  host: { models },
  openChat,
}: TranscriptionContext): Promise<boolean> {
  const { conversation } = (await openChat()).chat.session;
  const chatModel = findSelectedModel(getChatSelection(models, conversation));
  if (chatModel === undefined || !shouldEncryptChats(chatModel)) return true;
  const transcribeLabel = vscode.l10n.t('Transcribe');
  const question = vscode.l10n.t('Transcribe speech for an encrypted chat?');
  const detail = vscode.l10n.t(
    'This chat is encrypted end to end. To be transcribed, a recording is sent unencrypted to {0}, so the service and its operator can hear it. This applies to all recordings for this chat.',
    getTranscriptionModelName(models),
  );
  return transcriptionConsent.requestConsent(conversation, { question, detail }, transcribeLabel);
}

interface TranscriptionContext {
  readonly host: { readonly models: ModelCatalog };
  readonly openChat: () => Promise<{
    readonly chat: { readonly session: { readonly conversation: Conversation } };
  }>;
}

const getTranscriptionModelName = ({ models }: ModelCatalog): string =>
  chooseModel(listTranscriptionModels(models), '')?.name ?? '';
