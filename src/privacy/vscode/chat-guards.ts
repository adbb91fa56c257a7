import * as vscode from 'vscode';
import { findChatModelByName, findModelsByName } from '../../models/model-selection.ts';
import type { Attestation } from '../../service/privacy/verify-attestation.ts';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { createAbortError } from '../../service/http/network-failure.ts';
import { type ChatGuard, type GuardedChat, isWeaker } from '../../service/chat/protection.ts';
import { loadModels, createModelNotListedError } from '../../models/vscode/selected-model.ts';
import { confirm } from '../../platform/notifications.ts';
import { type EncryptionHistory, createModelNotPrivateError } from './model-gate.ts';
import { AttestationReports, AttestationCache } from './attestations.ts';
import { listAttestationProblems, formatAttestation } from './show-attestation.ts';
import {
  shouldEncryptChats,
  isEncryptionEnabled,
  canChatUnprotected,
  getOfferedProtection,
  type PrivacyHost,
} from './privacy-settings.ts';

/** Model properties that the dialogs of {@link ChatGuards} need. */
type NamedModel = Pick<Model, 'name' | 'privacy'>;

/**
 * Determines how each chat request is protected: by end-to-end encryption, only by an attested (verified) enclave, or
 * not at all. If the protection that the model offers fails, the user decides whether to continue without it.
 */
export class ChatGuards {
  readonly #host: PrivacyHost;
  readonly #attestationCache: AttestationCache;
  readonly #encryptionHistory: EncryptionHistory;

  constructor(host: PrivacyHost, encryptionHistory: EncryptionHistory) {
    this.#host = host;
    this.#encryptionHistory = encryptionHistory;
    this.#attestationCache = new AttestationCache(host.account.service, (attestation) =>
      this.#saveReport(attestation),
    );
  }

  /**
   * Returns the protection with which to send a chat request.
   * @throws ServiceError `protection-failed` if the required protection is unavailable, `private-only` if a setting
   * requires a private model, or the failure of the attestation request
   */
  async guard(chat: GuardedChat, signal: AbortSignal): Promise<ChatGuard> {
    const model = await this.#findModel(chat.model, signal);
    if (await this.#hasLostEncryption(chat, model)) {
      const namedModel: NamedModel = model ?? { name: chat.model };
      if (chat.acceptsUnprotected === true && canChatUnprotected(namedModel))
        return { kind: 'none' };
      const { failure } = createProtectionError(vscode.l10n.t('It has no key to encrypt to.'));
      return this.#confirmUnprotectedChat(namedModel, failure, chat);
    }
    requireMinimumProtection(getOfferedProtection(model), chat, model);
    if (model === undefined) return { kind: 'open' };
    const { supportsE2EE, supportsTeeAttestation } = model.capabilities;
    if (!shouldEncryptChats(model) && !supportsTeeAttestation) {
      return supportsE2EE ? allowUnprotectedChat(model) : { kind: 'open' };
    }
    const guard = await this.#attestModel(model, chat, signal);
    // The user may have turned off encryption during the attestation. For `none`, the user has just agreed to an
    // unprotected chat.
    if (guard.kind !== 'none') requireMinimumProtection(guard.kind, chat, model);
    return guard;
  }

  /**
   * Requests the attestation of the model's enclave, and returns the protection that the enclave provides. If the
   * verification fails, the user decides whether to continue unprotected.
   */
  async #attestModel(model: Model, chat: GuardedChat, signal: AbortSignal): Promise<ChatGuard> {
    try {
      return createGuard(await this.#attestationCache.get(model.id, signal), model);
    } catch (error) {
      if (signal.aborted) throw createAbortError(signal);
      if (!(error instanceof ServiceError) || !isEnclaveVerificationFailure(error.failure))
        throw error;
      return this.#confirmUnprotectedChat(model, error.failure, chat);
    }
  }

  /** Discards the cached attestations of all models with the given name. */
  discardAttestations(name: string): void {
    for (const { id } of findModelsByName(this.#host.models.allModels, name)) {
      void this.#attestationCache.discardAttestation(id).catch(() => {});
    }
  }

  /**
   * Returns the chat model to which the name refers in the current list. Undefined for a name that only the service
   * can resolve.
   * @throws ServiceError if encryption is enabled and the list is empty, because the offered protection is then
   * unknown
   */
  async #findModel(name: string, signal: AbortSignal): Promise<Model | undefined> {
    const { models } = this.#host;
    await loadModels(models, signal);
    if (models.allModels.length === 0 && isEncryptionEnabled())
      throw createModelNotListedError(models);
    return findChatModelByName(models.allModels, name);
  }

  /**
   * Checks whether the model offered encryption in an earlier model list, but does not offer it in the current list.
   */
  async #hasLostEncryption(chat: GuardedChat, model: Model | undefined): Promise<boolean> {
    if (!isEncryptionEnabled()) return false;
    await this.#encryptionHistory.addModels(this.#host.models.allModels);
    if (model?.capabilities.supportsE2EE === true) return false;
    return this.#encryptionHistory.hasOfferedEncryption(
      chat.model,
      ...(model === undefined ? [] : [model.id]),
    );
  }

  /**
   * Stores the report of a verified attestation. If the report cannot be stored, "Show Attestation" later verifies the
   * enclave again and informs the user.
   */
  async #saveReport(attestation: Attestation): Promise<void> {
    const { context, models } = this.#host;
    const { model } = attestation;
    const { name } = findChatModelByName(models.allModels, model) ?? { name: model };
    if (context === undefined) return;
    const text = formatAttestation(attestation, name);
    await new AttestationReports(context).storeReport(attestation, text).catch(() => {});
  }

  async #confirmUnprotectedChat(
    model: NamedModel,
    failure: ServiceFailure,
    chat: GuardedChat,
  ): Promise<ChatGuard> {
    const refusal = new ServiceError(createRefusalFailure(model, failure));
    if (chat.isBackground) throw refusal;
    const sendLabel = vscode.l10n.t('Send Anyway');
    const chooseLabel = vscode.l10n.t('Choose another model');
    const buttonLabels = canChatUnprotected(model) ? [sendLabel, chooseLabel] : [chooseLabel];
    const choice = await confirm(createConfirmation(model, failure), ...buttonLabels);
    if (choice === sendLabel) return { kind: 'none' };
    if (choice === chooseLabel) void vscode.commands.executeCommand('inferenceService.selectModel');
    throw refusal;
  }
}

/**
 * Checks that the protection is at least `minProtection`, which is derived from earlier answers of the chat. The model
 * may now offer less protection than for those answers.
 * @throws ServiceError if the protection is weaker than the minimum: `private-only` if a setting requires a private
 * model, otherwise `protection-failed`
 */
function requireMinimumProtection(
  kind: ChatGuard['kind'],
  { model: id, minProtection }: GuardedChat,
  model?: NamedModel,
): void {
  if (minProtection === undefined || !isWeaker(kind, minProtection)) return;
  if (kind === 'open' && !canChatUnprotected(model ?? {}))
    throw createModelNotPrivateError(model?.name ?? id);
  const { failure } = createProtectionError(
    vscode.l10n.t('This chat was protected better than it would be now.'),
  );
  throw new ServiceError(createRefusalFailure(model ?? { name: id }, failure));
}

/**
 * Converts an attestation to the protection of a chat.
 * @throws ServiceError if the verification failed or the encryption key is missing
 */
function createGuard(attestation: Attestation, model: Model): ChatGuard {
  const { verdict, checkedAt, publicKey } = attestation;
  if (verdict === 'failed')
    throw createProtectionError(listAttestationProblems(attestation).join(' '));
  if (!shouldEncryptChats(model)) {
    return { kind: 'attested', checkedAt, ...(publicKey !== undefined && { publicKey }) };
  }
  if (publicKey === undefined)
    throw createProtectionError(vscode.l10n.t('It has no key to encrypt to.'));
  return { kind: 'encrypted', checkedAt, publicKey };
}

const createProtectionError = (message: string): ServiceError =>
  new ServiceError({ code: 'protection-failed', message });

/**
 * Checks whether a failure means that the enclave could not be verified, so that the user may choose to continue
 * unprotected. Any other failure ends the request.
 */
const isEnclaveVerificationFailure = ({ code, status }: ServiceFailure): boolean =>
  code === 'protection-failed' ||
  code === 'unexpected-response' ||
  code === 'model-not-found' ||
  (status !== undefined && status >= 400 && ![401, 402, 403, 429].includes(status));

/**
 * Returns the protection `none` if the model may be used without protection.
 * @throws ServiceError `private-only` if a setting requires a private model
 */
function allowUnprotectedChat(model: Model): ChatGuard {
  if (!canChatUnprotected(model)) throw createModelNotPrivateError(model.name);
  return { kind: 'none' };
}

const createConfirmation = (model: NamedModel, { message }: ServiceFailure) => ({
  question: vscode.l10n.t('The enclave of {0} could not be verified', model.name),
  detail: `${message}\n\n${vscode.l10n.t(
    'Nothing was sent yet. Without a verified enclave, the service and its operator can read the messages.',
  )}`,
});

const createRefusalFailure = (
  model: NamedModel,
  { message, requestId }: ServiceFailure,
): ServiceFailure => ({
  code: 'protection-failed',
  message: vscode.l10n.t(
    'Nothing was sent: the enclave of {0} could not be verified. Retry, or choose another model.',
    model.name.slice(0, 100),
  ),
  detail: message.slice(0, 300),
  ...(requestId !== undefined && { requestId }),
});
