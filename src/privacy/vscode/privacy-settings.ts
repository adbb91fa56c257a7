import type * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import { isPrivate } from '../../models/model-selection.ts';
import { type ModelCatalog, isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { getSetting } from '../../platform/settings.ts';
import { type ChatGuard, isWeaker } from '../../service/chat/protection.ts';
import type { Model } from '../../service/model-types.ts';

/** Checks whether the user enabled encryption of chats. */
export const isEncryptionEnabled = (): boolean =>
  getSetting('inferenceService.chat.encrypt') !== 'off';

/** Checks whether chats with the model must be encrypted end to end. */
export const shouldEncryptChats = ({ capabilities }: Pick<Model, 'capabilities'>): boolean =>
  capabilities.supportsE2EE === true && isEncryptionEnabled();

/**
 * Checks whether the model may be used without a verified enclave or encryption. While the private-only
 * setting is on, only models with the privacy level `private` may be used in this way.
 */
export const canChatUnprotected = ({ privacy }: Pick<Model, 'privacy'>): boolean =>
  !isPrivateOnly() || privacy === 'private';

/**
 * Returns the protection that a model offers if the attestation of its enclave is valid. Returns `open` (no protection)
 * for a model without an enclave, and if `model` is undefined.
 */
export const getOfferedProtection = (
  model: Pick<Model, 'capabilities'> | undefined,
): Exclude<ChatGuard['kind'], 'none'> => {
  if (model === undefined) return 'open';
  if (shouldEncryptChats(model)) return 'encrypted';
  return model.capabilities.supportsTeeAttestation ? 'attested' : 'open';
};

/**
 * Checks whether `model` protects a chat at least as well as the model `currentModel`. Returns false if either model
 * record does not state the model's privacy.
 */
export const protectsAtLeastAsWell = (model: Model, currentModel: Model): boolean =>
  model.privacy !== undefined &&
  currentModel.privacy !== undefined &&
  !isWeaker(getOfferedProtection(model), getOfferedProtection(currentModel)) &&
  (isPrivate(model) || !isPrivate(currentModel));

/** Objects that the functions for chat protection and the private-only setting need. */
export interface PrivacyHost {
  /** Location for attestation reports. If absent, reports are not stored. */
  readonly context?: Pick<vscode.ExtensionContext, 'globalStorageUri'>;
  readonly account: Pick<Account, 'service' | 'state'>;
  readonly models: Pick<ModelCatalog, 'allModels' | 'failure' | 'refresh' | 'onDidChange'>;
}
