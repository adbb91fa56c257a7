import { chatModels, findByIdOrTrait } from '../choice.ts';
import type { Model } from '../../service/model-types.ts';
import type { ModelCatalogue } from './models-model-catalogue.ts';

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

export const isListed = (all: ModelCatalogue['all'], name: string): boolean =>
  findByIdOrTrait(chatModels(all), name) !== undefined;
