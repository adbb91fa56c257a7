import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { isRequestPermitted } from '../../models/model-selection.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { ModelUse } from '../../service/http/model-gate.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { splitModelId } from '../../service/model-suffix.ts';
import type { Model } from '../../service/model-types.ts';

const encryptionHistoryKey = 'encryptingModels';
const maxStoredBaseUrls = 20;
/**
 * Maximum number of models to record per base URL. Further models are ignored, so that a service cannot replace
 * recorded models by listing invented ids.
 */
const maxModels = 500;

/**
 * Records all models that have ever offered encryption, by base URL of the service. If a later model list no longer
 * offers encryption for a recorded model, the user is warned.
 */
export class EncryptionHistory {
  readonly #state: vscode.Memento;
  readonly #service: Pick<ServiceContext, 'getEndpoint'>;
  #lastWriteEnded: Promise<void> = Promise.resolve();

  constructor(state: vscode.Memento, service: Pick<ServiceContext, 'getEndpoint'>) {
    this.#state = state;
    this.#service = service;
  }

  /** Adds those models of a list that offer encryption. Concurrent calls are processed one after the other. */
  addModels(models: readonly Model[]): Promise<void> {
    const writePromise = this.#lastWriteEnded.then(() => this.#addModels(models));
    this.#lastWriteEnded = writePromise.catch(() => {});
    return writePromise;
  }

  /**
   * Checks whether any of the given models ever offered encryption. Compares the names with and without suffixes
   * such as `:web`.
   */
  async hasOfferedEncryption(...names: readonly string[]): Promise<boolean> {
    const { baseUrl, modelIds } = await this.#readHistory();
    const ids = modelIds.get(baseUrl) ?? [];
    return names.some((name) => ids.includes(name) || ids.includes(splitModelId(name).base));
  }

  async #addModels(models: readonly Model[]): Promise<void> {
    const encryptingModels = models.filter(({ capabilities }) => capabilities.supportsE2EE);
    const { baseUrl, modelIds } = await this.#readHistory();
    const ids = new Set(modelIds.get(baseUrl));
    const previousSize = ids.size;
    for (const { id } of encryptingModels) if (ids.size < maxModels) ids.add(id);
    if (ids.size === previousSize) return;
    modelIds.delete(baseUrl);
    modelIds.set(baseUrl, [...ids]);
    await this.#state.update(
      encryptionHistoryKey,
      Object.fromEntries([...modelIds].slice(-maxStoredBaseUrls)),
    );
  }

  async #readHistory(): Promise<{ baseUrl: string; modelIds: Map<string, readonly string[]> }> {
    const { baseUrl } = await this.#service.getEndpoint();
    const storedState = this.#state.get<unknown>(encryptionHistoryKey);
    const modelIds = Object.entries(isRecord(storedState) ? storedState : {}).map(
      ([storedBaseUrl, ids]) =>
        [storedBaseUrl, (Array.isArray(ids) ? ids : []).filter(isString)] as const,
    );
    return { baseUrl: baseUrl.href, modelIds: new Map(modelIds) };
  }
}

const isString = (value: unknown): value is string => typeof value === 'string';

/**
 * Checks that the private-only setting permits a request.
 * @throws ServiceError `private-only` if the setting does not permit the model
 */
export async function authorizeModel(
  models: Pick<ModelCatalog, 'allModels' | 'refresh'>,
  modelUse: ModelUse,
): Promise<void> {
  if (models.allModels.length === 0) await models.refresh();
  if (!isRequestPermitted(models.allModels, modelUse))
    throw createModelNotPrivateError(modelUse.model);
}

export const createModelNotPrivateError = (model: string | undefined): ServiceError =>
  new ServiceError({
    code: 'private-only',
    message:
      model === undefined
        ? vscode.l10n.t(
            'Nothing was sent: only private models may be used here, and this request leaves the model to the service. Change the setting “Private Models Only” to allow it.',
          )
        : vscode.l10n.t(
            'Nothing was sent: only private models may be used here, and {0} is not known to be one. Choose a private model, or change the setting “Private Models Only”.',
            model.slice(0, 100),
          ),
  });
