import * as vscode from 'vscode';
import { chatModels, findByIdOrTrait } from '../model-selection.ts';
import type { ModelStatus } from '../../account/vscode/status-bar.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { abortFailure } from '../../service/http/network-failure.ts';
import type { Model } from '../../service/model-types.ts';

export interface ModelReference {
  readonly id: string;
  readonly name: string;
}

type Known = Pick<ModelCatalog, 'allModels' | 'chatModel' | 'selectedName'>;

/** The service's own trait names its default model. */
export const serviceDefaultModel: ModelReference = { id: 'default', name: 'default' };

/** The model that chats ask for, as far as it is known now: one that was chosen and cannot be found keeps its place. */
export function selectedModel(models: Known): ModelReference {
  const unlisted = unlistedSelection(models);
  if (unlisted !== undefined) return { id: unlisted, name: unlisted };
  const { chatModel } = models;
  return chatModel === undefined ? serviceDefaultModel : { id: chatModel.id, name: chatModel.name };
}

/** What is known of {@link selectedModel}; undefined where it is in no list. */
export const findSelectedModel = (models: Known): Model | undefined =>
  unlistedSelection(models) === undefined ? models.chatModel : undefined;

/** What was chosen, by id or trait, and is not listed: gone, or there is no list yet. */
export const unlistedSelection = ({
  allModels: all,
  selectedName: chosenName,
}: Pick<ModelCatalog, 'allModels' | 'selectedName'>): string | undefined =>
  chosenName === undefined || isModelListed(all, chosenName) ? undefined : chosenName;

/** What the status bar shows of the models. */
export const modelStatus = (models: ModelCatalog): ModelStatus => ({
  onDidChange: (listener) => models.onDidChange(listener),
  name: () => unlistedSelection(models) ?? models.chatModel?.name,
  failure: () => (models.allModels.length === 0 ? models.failure?.message : undefined),
  isPrivateOnly: () => models.privateOnly,
});

export const isModelListed = (all: ModelCatalog['allModels'], name: string): boolean =>
  findByIdOrTrait(chatModels(all), name) !== undefined;

/**
 * {@link selectedModel}, once there is a list. What was chosen for its privacy gives way to no other model.
 * @throws ServiceError why there is no list, `model-not-found` when the chosen one is not in it, `stopped`
 */
export async function requireSelectedModel(
  models: ModelCatalog,
  signal?: AbortSignal,
): Promise<ModelReference> {
  await loadModels(models, signal);
  const asked = selectedModel(models);
  await requireListedModel(models, asked.id, signal);
  return asked;
}

/** @throws ServiceError as {@link requireSelectedModel} does, unless `id` leaves the model to the service */
export async function requireListedModel(
  models: Pick<ModelCatalog, 'allModels' | 'failure' | 'refresh'>,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  if (id === serviceDefaultModel.id) return;
  await loadModels(models, signal);
  if (!isModelListed(models.allModels, id)) throw modelNotListedError(models);
}

/** Waits for a first list, no longer than the person does. @throws ServiceError `stopped` */
export async function loadModels(
  models: Pick<ModelCatalog, 'allModels' | 'refresh'>,
  signal?: AbortSignal,
): Promise<void> {
  if (models.allModels.length > 0) return;
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted !== true) await Promise.race([models.refresh(), stopped.promise]);
  signal?.removeEventListener('abort', stop);
  if (signal?.aborted) throw abortFailure(signal);
}

/** What keeps a model from being known. */
export const modelNotListedError = ({
  allModels: all,
  failure,
}: Pick<ModelCatalog, 'allModels' | 'failure'>): ServiceError =>
  new ServiceError(
    (all.length === 0 ? failure : undefined) ?? {
      code: 'model-not-found',
      message: vscode.l10n.t(
        'The service does not offer the chosen model, or its models are not known yet.',
      ),
    },
  );
