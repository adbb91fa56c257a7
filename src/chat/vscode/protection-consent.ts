import * as vscode from 'vscode';
import type { Conversation } from '../../conversation/conversation.ts';
import { findNewestProtectedId, type ProtectedChat, getProtectedChat } from '../protected-chat.ts';
import { findChatModelByName } from '../../models/model-selection.ts';
import { type ChatGuard, type ProtectionTerms, isWeaker } from '../../service/chat/protection.ts';
import { loadModels, requireListedModel } from '../../models/vscode/selected-model.ts';
import { confirm } from '../../platform/notifications.ts';
import {
  isEncryptionEnabled,
  canChatUnprotected,
  getOfferedProtection,
  type PrivacyHost,
} from '../../privacy/vscode/privacy-settings.ts';

/** The user's consent to continue one conversation with weaker protection. */
export class ProtectionConsent {
  readonly #models: ModelList;
  #consent: Consent | undefined;

  constructor(models: ModelList) {
    this.#models = models;
  }

  /**
   * Checks whether a conversation may continue with a model. If the model offers less protection than earlier answers
   * had, prompts the user. Does not prompt again until a newer protected answer arrives. Returns true if the extension
   * cannot send a request to the model, because the request then fails with its own error.
   */
  async canContinue(
    { kind: previousKind, newestId }: ProtectedChat,
    modelId: string,
  ): Promise<boolean> {
    if (!(await this.#canSendWithModel(modelId))) return true;
    const model = findChatModelByName(this.#models.allModels, modelId);
    const kind = getOfferedProtection(model);
    if (!isWeaker(kind, previousKind) || this.#hasConsent({ newestId, modelId, kind })) return true;
    if (kind === 'open' && !canChatUnprotected(model ?? {})) return true;
    if (!(await confirmWeakerProtection({ name: model?.name ?? modelId, previousKind, kind })))
      return false;
    this.#consent = { newestId, modelId, kind };
    return true;
  }

  /**
   * Returns the minimum protection that a request to the model must have. The request fails if the model now offers
   * less protection than when the user consented.
   */
  createTerms(conversation: Conversation, modelId: string): ProtectionTerms {
    const newestId = findNewestProtectedId(conversation);
    const hasConsentFor = (kind: ChatGuard['kind']): boolean =>
      newestId !== undefined && this.#hasConsent({ newestId, modelId, kind });
    const { head } = conversation;
    const previousKind = head && getProtectedChat(conversation, head.id)?.kind;
    const acceptsUnprotected = hasConsentFor('open');
    if (previousKind === undefined || acceptsUnprotected) return { acceptsUnprotected };
    return {
      acceptsUnprotected,
      minProtection: hasConsentFor('attested') ? 'attested' : previousKind,
    };
  }

  /**
   * Checks whether the user has consented to this protection for the model since the newest protected answer arrived.
   */
  #hasConsent({ newestId, modelId, kind }: Consent): boolean {
    const consent = this.#consent;
    return (
      consent?.newestId === newestId && consent.modelId === modelId && !isWeaker(kind, consent.kind)
    );
  }

  async #canSendWithModel(modelId: string): Promise<boolean> {
    try {
      await loadModels(this.#models);
      await requireListedModel(this.#models, modelId);
      // Without a model list, the encryption of the default model is unknown, so the request is refused.
      return this.#models.allModels.length > 0 || !isEncryptionEnabled();
    } catch {
      return false;
    }
  }
}

type ModelList = Omit<PrivacyHost['models'], 'onDidChange'>;

interface Consent {
  /** Id of the protected answer that was the newest when the user consented. */
  readonly newestId: string;
  readonly modelId: string;
  readonly kind: ChatGuard['kind'];
}

interface WeakerProtection {
  readonly name: string;
  readonly previousKind: ProtectedChat['kind'];
  readonly kind: ChatGuard['kind'];
}

async function confirmWeakerProtection({
  name,
  previousKind,
  kind,
}: WeakerProtection): Promise<boolean> {
  const sendLabel = vscode.l10n.t('Send Anyway');
  const chooseLabel = vscode.l10n.t('Choose another model');
  const question = vscode.l10n.t('Send this chat with less protection?');
  const choice = await confirm(
    { question, detail: formatConfirmationDetail({ name, previousKind, kind }) },
    sendLabel,
    chooseLabel,
  );
  if (choice === chooseLabel) void vscode.commands.executeCommand('inferenceService.selectModel');
  return choice === sendLabel;
}

function formatConfirmationDetail({ name, previousKind, kind }: WeakerProtection): string {
  if (previousKind === 'encrypted' && kind === 'attested') {
    return vscode.l10n.t(
      'This chat was encrypted end to end. {0} runs in a verified enclave, but without encryption, so the service can read the whole chat, including earlier messages. Nothing was sent yet.',
      name,
    );
  }
  return previousKind === 'encrypted'
    ? vscode.l10n.t(
        'This chat was encrypted end to end. With {0}, the service and its operator can read the whole chat, including earlier messages. Nothing was sent yet.',
        name,
      )
    : vscode.l10n.t(
        'A verified enclave answered in this chat. {0} runs in none, so its operator can read the whole chat, including earlier messages. Nothing was sent yet.',
        name,
      );
}
