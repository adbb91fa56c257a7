import * as vscode from 'vscode';
import { chatModels, findByIdOrTrait } from '../choice.ts';
import type { ModelStatus } from '../../account/vscode/status-bar.ts';
import type { ModelCatalogue } from './model-catalogue.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { abortFailure } from '../../service/http/network-failure.ts';
import type { Model } from '../../service/model-types.ts';

export interface ModelName {
  readonly id: string;
  readonly name: string;
}

type Known = Pick<ModelCatalogue, 'all' | 'chatModel' | 'chosenName'>;

/** The service's own trait names its default model. */
export const serviceDefault: ModelName = { id: 'default', name: 'default' };

/** The model that chats ask for, as far as it is known now: one that was chosen and cannot be found keeps its place. */
export function askedModel(models: Known): ModelName {
  const unlisted = unlistedChoice(models);
  if (unlisted !== undefined) return { id: unlisted, name: unlisted };
  const { chatModel } = models;
  return chatModel === undefined ? serviceDefault : { id: chatModel.id, name: chatModel.name };
}

/** What is known of {@link askedModel}; undefined where it is in no list. */
export const knownAskedModel = (models: Known): Model | undefined =>
  unlistedChoice(models) === undefined ? models.chatModel : undefined;

/** What was chosen, by id or trait, and is not listed: gone, or there is no list yet. */
export const unlistedChoice = ({
  all,
  chosenName,
}: Pick<ModelCatalogue, 'all' | 'chosenName'>): string | undefined =>
  chosenName === undefined || isListed(all, chosenName) ? undefined : chosenName;

/** What the status bar shows of the models. */
export const modelStatus = (models: ModelCatalogue): ModelStatus => ({
  onDidChange: (listener) => models.onDidChange(listener),
  name: () => unlistedChoice(models) ?? models.chatModel?.name,
  failure: () => (models.all.length === 0 ? models.failure?.message : undefined),
  isPrivateOnly: () => models.privateOnly,
});

export const isListed = (all: ModelCatalogue['all'], name: string): boolean =>
  findByIdOrTrait(chatModels(all), name) !== undefined;

/**
 * {@link askedModel}, once there is a list. What was chosen for its privacy gives way to no other model.
 * @throws ServiceError why there is no list, `model-not-found` when the chosen one is not in it, `stopped`
 */
export async function listedModel(
  models: ModelCatalogue,
  signal?: AbortSignal,
): Promise<ModelName> {
  await loadModels(models, signal);
  const asked = askedModel(models);
  await requireListed(models, asked.id, signal);
  return asked;
}

/** @throws ServiceError as {@link listedModel} does, unless `id` leaves the model to the service */
export async function requireListed(
  models: Pick<ModelCatalogue, 'all' | 'failure' | 'refresh'>,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  if (id === serviceDefault.id) return;
  await loadModels(models, signal);
  if (!isListed(models.all, id)) throw notListed(models);
}

/** Waits for a first list, no longer than the person does. @throws ServiceError `stopped` */
export async function loadModels(
  models: Pick<ModelCatalogue, 'all' | 'refresh'>,
  signal?: AbortSignal,
): Promise<void> {
  if (models.all.length > 0) return;
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted !== true) await Promise.race([models.refresh(), stopped.promise]);
  signal?.removeEventListener('abort', stop);
  if (signal?.aborted) throw abortFailure(signal);
}

/** What keeps a model from being known. */
export const notListed = ({
  all,
  failure,
}: Pick<ModelCatalogue, 'all' | 'failure'>): ServiceError =>
  new ServiceError(
    (all.length === 0 ? failure : undefined) ?? {
      code: 'model-not-found',
      message: vscode.l10n.t(
        'The service does not offer the chosen model, or its models are not known yet.',
      ),
    },
  );
