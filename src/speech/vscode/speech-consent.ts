import * as vscode from 'vscode';
import type { Conversation, Message } from '../../conversation/conversation.ts';
import { findModelsByName } from '../../models/model-selection.ts';
import { findSelectedModel } from '../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { confirm, type Confirmation } from '../../platform/notifications.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import type { Model } from '../../service/model-types.ts';
import { chooseModel, listeningModels } from '../speech-model.ts';
import type { Voice } from './voice-settings.ts';

/** A question that holds for a chat as long as the window lives, once the person agreed. */
export class OncePerChat {
  readonly #agreed = new WeakSet<Conversation>();

  /** @returns whether the person presses the button, or did before */
  async ask(conversation: Conversation, question: Confirmation, button: string): Promise<boolean> {
    if (this.#agreed.has(conversation)) return true;
    if ((await confirm(question, button)) !== button) return false;
    this.#agreed.add(conversation);
    return true;
  }
}

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
  return status !== 'complete' && findModelsByName(models, model.id).some(shouldEncryptChats);
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

/** The chats of this window, whose model encrypts, that recordings may be written down for. */
const agreedTranscriptions = new OncePerChat();

/**
 * Asks, once per chat, before a recording is sent in clear to a model that writes it down for a chat whose model is sent
 * nothing in clear. To be asked before anything is recorded or chosen.
 */
export async function mayBeHeard({ host: { models }, shown }: HeardParts): Promise<boolean> {
  const asked = findSelectedModel(models);
  if (asked === undefined || !shouldEncryptChats(asked)) return true;
  const { conversation } = (await shown()).chat.session;
  const transcribe = vscode.l10n.t('Transcribe');
  const question = vscode.l10n.t('Write down speech for an encrypted chat?');
  const detail = vscode.l10n.t(
    'What you send in this chat is encrypted end to end. To be written down, a recording is sent unencrypted to {0}: the service and whoever runs it can hear it. This holds for all recordings for this chat.',
    listenerName(models),
  );
  return agreedTranscriptions.ask(conversation, { question, detail }, transcribe);
}

interface HeardParts {
  readonly host: { readonly models: ModelCatalog };
  readonly shown: () => Promise<{
    readonly chat: { readonly session: { readonly conversation: Conversation } };
  }>;
}

const listenerName = ({ models }: ModelCatalog): string =>
  chooseModel(listeningModels(models), '')?.name ?? '';
