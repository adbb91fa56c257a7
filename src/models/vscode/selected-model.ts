import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { ObservableValue } from '../../base/event.ts';
import { selectChatModels, findModelByIdOrTrait } from '../model-selection.ts';
import type { ModelStatus } from '../../account/vscode/status-bar.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { createAbortError } from '../../service/http/network-failure.ts';
import type { Model } from '../../service/model-types.ts';

export interface ModelReference {
  readonly id: string;
  readonly name: string;
}

export type SelectionState = Pick<ModelCatalog, 'allModels' | 'chatModel' | 'selectedName'>;

/** Conversation that stores which model it uses, separately for each profile. */
export interface ConversationWithModel {
  findModel(profile: string): string | undefined;
}

/** Session of a chat, with the model that the user selected for it. */
export interface ModelSession {
  readonly conversation: ConversationWithModel;
  setModel(choice: { readonly model: string; readonly profile: string }): Promise<void>;
}

/**
 * Returns the model selection of a chat: the chat's own model, if it has one that the settings permit, otherwise the
 * model of new chats. Never replaces a model that is not in the list, because another model can cost more or protect
 * the user's privacy less.
 */
export function getChatSelection(
  models: SelectionState & Pick<ModelCatalog, 'models' | 'profileId'>,
  conversation: ConversationWithModel,
): SelectionState {
  const { allModels, chatModel, selectedName } = models;
  const newChatSelection = { allModels, chatModel, selectedName };
  const ownName = conversation.findModel(models.profileId);
  if (ownName === undefined) return newChatSelection;
  const ownModel = findModelByIdOrTrait(selectChatModels(models.models), ownName);
  const isExcluded = ownModel === undefined && isModelListed(allModels, ownName);
  return isExcluded ? newChatSelection : { allModels, chatModel: ownModel, selectedName: ownName };
}

/** Selects the model of a chat. The selection also applies to chats that the user creates later. */
export async function selectModelOfChat(
  models: Pick<ModelCatalog, 'profileId' | 'selectChatModel'>,
  session: ModelSession,
  model: string,
): Promise<void> {
  const { profileId: profile } = models;
  await Promise.all([session.setModel({ model, profile }), models.selectChatModel(model)]);
}

/** Reference to the service's default model, used while no chat model is known. */
export const serviceDefaultModel: ModelReference = { id: 'default', name: 'default' };

/** Returns the model that chats request. This is the selected model even if it is not in the list. */
export function getSelectedModel(models: SelectionState): ModelReference {
  const unlistedName = getUnlistedSelection(models);
  if (unlistedName !== undefined) return { id: unlistedName, name: unlistedName };
  const { chatModel } = models;
  return chatModel === undefined ? serviceDefaultModel : { id: chatModel.id, name: chatModel.name };
}

/** Returns the model that chats request. Returns `undefined` if it is not in the list. */
export const findSelectedModel = (models: SelectionState): Model | undefined =>
  getUnlistedSelection(models) === undefined ? models.chatModel : undefined;

/**
 * Returns the user's selection if no model in the list matches it, otherwise `undefined`. A selection is a model id, or
 * a trait such as `default_code` that the service assigns to one of its models.
 */
export const getUnlistedSelection = ({
  allModels: listedModels,
  selectedName: chosenName,
}: Pick<ModelCatalog, 'allModels' | 'selectedName'>): string | undefined =>
  chosenName === undefined || isModelListed(listedModels, chosenName) ? undefined : chosenName;

/** Chat that is currently visible. `value` is undefined while no chat is visible. */
export type VisibleChat = Pick<
  ObservableValue<ConversationWithModel | undefined>,
  'value' | 'onDidChange'
>;

/**
 * Creates the data source of the model section in the status bar. The section shows the model of the visible chat, or
 * of new chats if no chat is visible.
 */
export const getModelStatus = (models: ModelCatalog, visibleChat: VisibleChat): ModelStatus => ({
  onDidChange: (listener) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(models.onDidChange(listener));
    subscriptions.add(visibleChat.onDidChange(listener));
    return subscriptions;
  },
  getName: () => {
    const { value: chat } = visibleChat;
    const selection = chat === undefined ? models : getChatSelection(models, chat);
    return getUnlistedSelection(selection) ?? selection.chatModel?.name;
  },
  getFailure: () => (models.allModels.length === 0 ? models.failure?.message : undefined),
  isPrivateOnly: () => models.isPrivateOnly,
});

export const isModelListed = (listedModels: ModelCatalog['allModels'], name: string): boolean =>
  findModelByIdOrTrait(selectChatModels(listedModels), name) !== undefined;

/**
 * Loads the model list, and returns the selected model of the conversation or, if it has none, of new chats. Never
 * replaces a selected model that is not in the list, because the user may have selected it for its privacy.
 * @throws ServiceError `model-not-found` if the model is not in the list, `stopped` if the request is aborted, or the
 * failure that prevented loading the list
 */
export async function requireSelectedModel(
  models: ModelCatalog,
  signal?: AbortSignal,
  conversation?: ConversationWithModel,
): Promise<ModelReference> {
  await loadModels(models, signal);
  const selectedModel = getSelectedModel(
    conversation === undefined ? models : getChatSelection(models, conversation),
  );
  await requireListedModel(models, selectedModel.id, signal);
  return selectedModel;
}

/**
 * Loads the model list, and checks that it contains the model `id`. Accepts the service's default model without a check.
 * @throws ServiceError under the same conditions as {@link requireSelectedModel}
 */
export async function requireListedModel(
  models: Pick<ModelCatalog, 'allModels' | 'failure' | 'refresh'>,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  if (id === serviceDefaultModel.id) return;
  await loadModels(models, signal);
  if (!isModelListed(models.allModels, id)) throw createModelNotListedError(models);
}

/**
 * Loads the model list if no list is loaded yet.
 * @throws ServiceError `stopped` if `signal` aborts first
 */
export async function loadModels(
  models: Pick<ModelCatalog, 'allModels' | 'refresh'>,
  signal?: AbortSignal,
): Promise<void> {
  if (models.allModels.length > 0) return;
  const cancellation = Promise.withResolvers<void>();
  const onAbort = (): void => cancellation.resolve();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted !== true) await Promise.race([models.refresh(), cancellation.promise]);
  signal?.removeEventListener('abort', onAbort);
  if (signal?.aborted) throw createAbortError(signal);
}

/**
 * Creates the error for a model that is not in the model list: `model-not-found`, or the failure that prevented loading
 * the list.
 */
export const createModelNotListedError = ({
  allModels,
  failure,
}: Pick<ModelCatalog, 'allModels' | 'failure'>): ServiceError =>
  new ServiceError(
    (allModels.length === 0 ? failure : undefined) ?? {
      code: 'model-not-found',
      message: vscode.l10n.t(
        'The service does not offer the chosen model, or its models are not known yet.',
      ),
    },
  );
