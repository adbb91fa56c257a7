import type * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import { type ModelCatalog, isPrivateOnly } from '../../models/vscode/model-catalog.ts';
import { setting } from '../../platform/settings.ts';
import type { ChatGuard } from '../../service/chat/protection.ts';
import type { Model } from '../../service/model-types.ts';

/** Whether the person has left encryption on. */
export const isEncryptionEnabled = (): boolean =>
  setting('inferenceService.chat.encrypt') !== 'off';

/** Whether chats with the model are encrypted end to end. */
export const shouldEncryptChats = ({ capabilities }: Pick<Model, 'capabilities'>): boolean =>
  capabilities.supportsE2EE && isEncryptionEnabled();

/** What the lock lets through only for its protection does not go without. */
export const canChatUnprotected = ({ privacy }: Pick<Model, 'privacy'>): boolean =>
  !isPrivateOnly() || privacy === 'private';

/** How chats with a model are protected by what is listed of it, where its enclave is what it should be. */
export const offeredProtection = (
  model: Pick<Model, 'capabilities'> | undefined,
): Exclude<ChatGuard['kind'], 'none'> => {
  if (model === undefined) return 'open';
  if (shouldEncryptChats(model)) return 'encrypted';
  return model.capabilities.supportsTeeAttestation ? 'attested' : 'open';
};

/** What the lock on models and the protection of chats know. */
export interface PrivacyHost {
  /** Where it is kept what was checked; without it, it is not. */
  readonly context?: Pick<vscode.ExtensionContext, 'globalStorageUri'>;
  readonly account: Pick<Account, 'service' | 'state'>;
  readonly models: Pick<ModelCatalog, 'allModels' | 'failure' | 'refresh' | 'onDidChange'>;
}
