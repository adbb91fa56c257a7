import * as vscode from 'vscode';
import type { ProtectionView } from '../protocol.ts';
import type { ModelView } from '../../models/protocol.ts';
import { splitModelId } from '../../service/model-suffix.ts';
import type { Model } from '../../service/model-types.ts';
import type { AnswerProtection, OmittedFeature } from '../../service/chat/protection.ts';
import { getUnlistedSelection } from '../../models/vscode/selected-model.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { toModelView, createUnlistedModelView } from '../../models/vscode/model-view.ts';
import { shouldEncryptChats } from './privacy-settings.ts';

/**
 * Converts the protection of an answer to the texts that the chat page shows. Undefined if the answer has no protection
 * to show.
 */
export function createProtectionView(
  protection: AnswerProtection | undefined,
): ProtectionView | undefined {
  if (protection === undefined) return undefined;
  const { kind } = protection;
  return { kind, label: getProtectionLabel(kind), detail: formatProtectionDetail(protection) };
}

/**
 * Converts the selected model for display in the chat page. If chats with the model are encrypted, adds the features
 * that encryption does not support.
 */
export function createSelectedModelView(
  models: Pick<ModelCatalog, 'allModels' | 'chatModel' | 'selectedName'>,
): ModelView | null {
  const unlistedId = getUnlistedSelection(models);
  if (unlistedId !== undefined)
    return createUnlistedModelView(unlistedId, models.allModels.length > 0);
  const { chatModel } = models;
  return chatModel === undefined
    ? null
    : { ...toModelView(chatModel), ...createEncryptionField(chatModel) };
}

const createEncryptionField = (model: Model): Pick<ModelView, 'encryption'> =>
  shouldEncryptChats(model)
    ? { encryption: `${getProtectionLabel('encrypted')}. ${formatExcludedFeatures()}` }
    : {};

const formatExcludedFeatures = (): string =>
  vscode.l10n.t(
    'Encrypted chats have no tools, web search, images, documents, personas or advanced options.',
  );

/** Properties of a chat message that {@link showMessageAttestation} needs. */
type AttestedMessage =
  | { readonly role: 'user' }
  | {
      readonly role: 'assistant';
      readonly model: { readonly id: string };
      readonly result: { readonly protection?: AnswerProtection };
    };

/** Shows the attestation of the model that answered. Does nothing for a message without protection. */
export async function showMessageAttestation(message: AttestedMessage | undefined): Promise<void> {
  if (message?.role !== 'assistant' || message.result.protection === undefined) return;
  await showModelAttestation(message.model.id, message.result.protection);
}

/**
 * Shows the attestation of a model.
 * @param answer Protection of an answer. If given, shows the attestation that was verified for this answer instead of a
 * new one.
 */
export async function showModelAttestation(
  id: string | undefined,
  answer?: AnswerProtection,
): Promise<void> {
  if (id === undefined) return;
  const { base } = splitModelId(id);
  await vscode.commands.executeCommand('inferenceService.showAttestation', base, answer);
}

function getProtectionLabel(kind: AnswerProtection['kind']): string {
  if (kind === 'encrypted') return vscode.l10n.t('Encrypted end to end');
  return kind === 'attested' ? vscode.l10n.t('Verified enclave') : vscode.l10n.t('Not protected');
}

function formatProtectionDetail(protection: AnswerProtection): string {
  if (protection.kind === 'none') {
    return vscode.l10n.t(
      'The model offers more, but this was sent without: the service could read it.',
    );
  }
  const verifiedText = vscode.l10n.t(
    'The enclave was verified on {0}.',
    new Date(protection.checkedAt).toLocaleString(vscode.env.language),
  );
  if (protection.kind === 'attested') {
    const unencryptedText = vscode.l10n.t(
      'The model ran in a verified enclave; the messages were not encrypted.',
    );
    return `${verifiedText} ${unencryptedText}`;
  }
  const encryptedText = vscode.l10n.t(
    'Only the enclave could read the messages, and only this editor the answer.',
  );
  return [encryptedText, verifiedText, ...formatOmittedFeatures(protection.leftOut)].join(' ');
}

/**
 * Returns a sentence that lists the features that encryption removed from the request, as an array. Empty if none were
 * removed.
 */
function formatOmittedFeatures(omittedFeatures: readonly OmittedFeature[]): readonly string[] {
  if (omittedFeatures.length === 0) return [];
  const names = omittedFeatures.map((name) => getFeatureNames()[name]).join(', ');
  return [vscode.l10n.t('Not sent, because encryption excludes it: {0}.', names)];
}

const getFeatureNames = (): Readonly<Record<OmittedFeature, string>> => ({
  tools: vscode.l10n.t('Tools'),
  'web-search': vscode.l10n.t('Web search'),
  pictures: vscode.l10n.t('Images'),
  files: vscode.l10n.t('Documents'),
  format: vscode.l10n.t('Format of answers'),
  persona: vscode.l10n.t('Persona'),
  options: vscode.l10n.t('Advanced'),
});
