import * as vscode from 'vscode';
import type { Conversation, Message } from '../../conversation/conversation.ts';
import { modelsNamed } from '../../models/choice.ts';
import type { Model } from '../../service/model-types.ts';
import { encryptsChats } from '../../privacy/vscode/privacy-settings.ts';
import { OncePerChat } from './once-per-chat.ts';
import type { Voice } from './voice-settings.ts';

/** A text that is to be read, and what is known of it. */
export interface SpokenText {
  readonly markdown: string;
  /** The answer that it is, if it is one. */
  readonly messageId?: string;
  /** The chat whose answer it is, where that came encrypted: whoever reads it gets it in clear. */
  readonly sealedIn?: Conversation;
}

/** @param models All that are listed: what protects an answer that still comes is known of its model alone. */
export function spokenAnswer(
  conversation: Conversation,
  message: Message,
  models: readonly Model[],
): SpokenText {
  const { id, text } = message;
  const sealed = isSealed(message, models) ? { sealedIn: conversation } : {};
  return { markdown: text, messageId: id, ...sealed };
}

function isSealed(message: Message, models: readonly Model[]): boolean {
  if (message.role === 'user') return false;
  const { status, result, model } = message;
  if (result.protection !== undefined) return result.protection.kind === 'encrypted';
  return status !== 'complete' && modelsNamed(models, model.id).some(encryptsChats);
}

/** The chats of this window whose encrypted answers may be read. */
const agreed = new OncePerChat();

/** Asks, once per chat, before an answer that came encrypted is sent in clear to a model that speaks. */
export async function mayBeSpoken({ sealedIn }: SpokenText, { model }: Voice): Promise<boolean> {
  if (sealedIn === undefined) return true;
  const read = vscode.l10n.t('Read aloud');
  const question = vscode.l10n.t('Read an encrypted answer aloud?');
  const detail = vscode.l10n.t(
    'It came encrypted end to end. To be read, its text is sent unencrypted to {0}: the service and whoever runs it can read it. This holds for all answers of this chat.',
    model.name,
  );
  return agreed.ask(sealedIn, { question, detail }, read);
}
