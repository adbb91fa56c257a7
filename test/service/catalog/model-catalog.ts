import { ApiError } from '../api-error.ts';
import { type EditModel, editModels } from './edit-models.ts';
import { type ImageModel, imageModels } from './image-models.ts';
import { mediaModels } from './media-models.ts';
import { type ModelRecord, modelTypes, type TextModel } from './model.ts';
import { textModels as ownTextModels } from './text-models.ts';

/**
 * Names of other services' models, which clients may send. Each name maps to a trait, and the model with this trait
 * answers in place of the named model.
 */
const modelAliases = {
  text: { 'gpt-4o': 'default', 'gpt-4o-mini': 'default', 'gpt-3.5-turbo': 'default' },
  embedding: { 'text-embedding-ada-002': 'default', 'text-embedding-3-small': 'default' },
} as const;

interface ContextChange {
  readonly contextTokens: number;
  /**
   * True if the model list contains the changed context length. False if the list still contains the original context
   * length.
   */
  readonly listed: boolean;
}

interface CatalogOptions {
  readonly textModels?: readonly TextModel[];
  /** Prefix of the deployment, which clients can put before the name of a text model, as in `service/default`. */
  readonly vendorPrefix?: string;
}

/** Models of this service. Clients can use several names for each. */
export class ModelCatalog {
  readonly #textModels: readonly TextModel[];
  readonly #vendorPrefixPattern: RegExp;
  readonly #contextChanges = new Map<string, ContextChange>();

  constructor({ textModels = ownTextModels, vendorPrefix = 'service' }: CatalogOptions = {}) {
    this.#textModels = textModels;
    this.#vendorPrefixPattern = new RegExp(`^${vendorPrefix}[-_.:/ ]`, 'i');
  }

  get textModels(): readonly TextModel[] {
    return this.#textModels.map((model) =>
      applyContextChange(model, this.#contextChanges.get(model.record.id)),
    );
  }

  /**
   * Changes the context length of a text model.
   * @throws ApiError 404 if the model does not exist
   */
  changeContextLength({ model, ...change }: ContextChange & { readonly model: string }): void {
    this.#contextChanges.set(this.findTextModel(model).record.id, change);
  }

  reset(): void {
    this.#contextChanges.clear();
  }

  /** Returns the models of a type. `all` selects every model, `code` the text models that are optimized for code. */
  listRecords(type: string): readonly ModelRecord[] {
    const records = [...this.textModels.map((model) => model.record), ...mediaModels];
    if (type === 'all') return records;
    if (type === 'code') {
      return records.filter(({ model_spec }) => model_spec.capabilities?.optimizedForCode);
    }
    return records.filter((record) => record.type === type);
  }

  /** Returns a map from each trait to the id of the first model with this trait. */
  mapTraits(type: string): Record<string, string> {
    const entries = this.listRecords(type).flatMap(({ id, model_spec }) =>
      model_spec.traits.map((trait) => [trait, id] as const),
    );
    return Object.fromEntries(entries.reverse());
  }

  /** Returns a map from model names of other services to the ids of the models that answer in their place. */
  mapCompatibleNames(type: string): Record<string, string> {
    const idsByTrait = this.mapTraits(type);
    const aliasEntries = Object.entries(modelAliases[type as keyof typeof modelAliases] ?? {});
    return Object.fromEntries(aliasEntries.map(([name, trait]) => [name, idsByTrait[trait] ?? '']));
  }

  /**
   * Finds a text model by its id, by a trait, or by the name of another service's model. The deployment's prefix may
   * precede each of these.
   * @throws ApiError 404 with the name of a similar model if no model has this name
   */
  findTextModel(name: string): TextModel {
    const nameWithoutPath = name.slice(name.lastIndexOf('/') + 1);
    const nameWithoutVendor = name.replace(this.#vendorPrefixPattern, '');
    for (const candidateName of new Set([name, nameWithoutVendor, nameWithoutPath])) {
      const foundModel = this.#findExactTextModel(candidateName);
      if (foundModel !== undefined) return foundModel;
    }
    throw createNotFoundError(name, this.textModels);
  }

  #findExactTextModel(name: string): TextModel | undefined {
    const id = this.mapTraits('text')[name] ?? this.mapCompatibleNames('text')[name] ?? name;
    const normalizedId = normalizeName(id);
    return (
      this.textModels.find(({ record }) => record.id === id) ??
      this.textModels.find(({ record }) => normalizeName(record.id) === normalizedId)
    );
  }

  /**
   * Finds an image model by its exact id or trait.
   * @throws ApiError 404 with the name of a similar model if no model has this name
   */
  findImageModel(name: string): ImageModel {
    return this.#findModel(imageModels, name);
  }

  /** Variant of {@link findImageModel} for models that edit images. */
  findEditModel(name: string): EditModel {
    return this.#findModel(editModels, name);
  }

  /**
   * Finds an embedding model by its exact id, by a trait, or by the name of another service's model.
   * @throws ApiError 404 with the name of a similar model if no model has this name
   */
  findEmbeddingModel(name: string): ModelRecord {
    const id =
      this.mapTraits('embedding')[name] ?? this.mapCompatibleNames('embedding')[name] ?? name;
    const records = this.listRecords('embedding');
    const foundRecord = records.find((record) => record.id === id);
    if (foundRecord !== undefined) return foundRecord;
    throw createNotFoundError(
      name,
      records.map((record) => ({ record })),
    );
  }

  #findModel<M extends ImageModel | EditModel>(models: readonly M[], name: string): M {
    const type = models[0]?.record.type ?? '';
    const id = this.mapTraits(type)[name] ?? name;
    const foundModel = models.find(({ record }) => record.id === id);
    if (foundModel === undefined) throw createNotFoundError(name, models);
    return foundModel;
  }
}

function createNotFoundError(
  name: string,
  models: readonly { readonly record: ModelRecord }[],
): ApiError {
  const nameWords = new Set(normalizeName(name).split('-'));
  const countSharedWords = (id: string): number =>
    id.split('-').filter((word) => nameWords.has(word)).length;
  const [suggestion] = models
    .map(({ record }) => record.id)
    .sort((a, b) => countSharedWords(b) - countSharedWords(a));
  const hint = suggestion === undefined ? '' : `. Did you mean ${suggestion}?`;
  return new ApiError(404, `Specified model not found: ${name}${hint}`);
}

function applyContextChange(model: TextModel, change: ContextChange | undefined): TextModel {
  if (change === undefined) return model;
  const { contextTokens, listed } = change;
  const { record } = model;
  const spec = { ...record.model_spec, availableContextTokens: contextTokens };
  const changedRecord = { ...record, context_length: contextTokens, model_spec: spec };
  return { ...model, contextTokens, ...(listed && { record: changedRecord }) };
}

export const isListType = (type: string): boolean =>
  type === 'all' || type === 'code' || isModelType(type);

export const isModelType = (type: string): boolean =>
  (modelTypes as readonly string[]).includes(type);

/**
 * Converts a model name of a chat request to the form of model ids. Chat requests accept capital letters, dots,
 * underscores and spaces in model names.
 */
const normalizeName = (name: string): string => name.toLowerCase().replace(/[._ ]/g, '-');
