import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import {
  type EditModel,
  listEditModels,
  type ImageModel,
  listImageModels,
  limitToBasicOptions,
  removeRefusedSizes,
} from '../image-model.ts';
import type { Connection } from '../../service/http/connection.ts';
import { hasOnlyCreateRoute } from '../../service/images/create-route.ts';
import {
  isSizeRefused,
  listOmittedImageFields,
  restoreImageFields,
} from '../../service/images/image-fields.ts';
import { type ImageOptions, getPersistentOptions, readImageOptions } from '../image-options.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { imageChoiceKey } from '../image-generator.ts';

/** Model and options for the next image, initially those of the previous image. All windows share this choice. */
export class ImageChoice {
  readonly #state: vscode.Memento;
  readonly #catalog: ModelCatalog;
  readonly #getConnection: () => Connection;

  /**
   * @param getConnection returns the connection to the current service; its facts record what earlier replies of the
   * service revealed, such as missing endpoints
   */
  constructor(state: vscode.Memento, catalog: ModelCatalog, getConnection: () => Connection) {
    this.#state = state;
    this.#catalog = catalog;
    this.#getConnection = getConnection;
  }

  /** Image models, the service's default first. */
  get models(): readonly ImageModel[] {
    const models = listImageModels(this.#catalog.models);
    // Without a service address there is no connection, and no model.
    if (models.length === 0) return [];
    const connection = this.#getConnection();
    const isCreateRoute = hasOnlyCreateRoute(connection);
    const limitModel = isCreateRoute ? limitToBasicOptions : removeRefusedSizes;
    return models.map((model) => ({
      ...limitModel(model, (field) => isSizeRefused(connection, field, model.id)),
      omittedFields: listOmittedImageFields(connection, model.id, { isCreateRoute }),
    }));
  }

  get editModels(): readonly EditModel[] {
    const models = listEditModels(this.#catalog.models);
    if (models.length === 0) return [];
    const connection = this.#getConnection();
    return models.map((model) => ({
      ...model,
      omittedFields: listOmittedImageFields(connection, model.id, { isCreateRoute: false }),
    }));
  }

  /** Stops omitting options from further requests to a model. */
  restoreOmittedOptions(model: string): void {
    restoreImageFields(this.#getConnection(), model);
  }

  /**
   * Most recently used model if the service still has it, otherwise the first model. Undefined if the service has no
   * image models.
   */
  get model(): ImageModel | undefined {
    const { models } = this;
    return models.find(({ id }) => id === this.#storedChoices['model']) ?? models[0];
  }

  /** Most recently used options, without options that are specific to one image, such as the seed. */
  get options(): ImageOptions {
    return getPersistentOptions(readImageOptions(this.#storedChoices['options']));
  }

  async storeChoice(model: ImageModel, options: ImageOptions): Promise<void> {
    await this.#state.update(imageChoiceKey, {
      model: model.id,
      options: getPersistentOptions(options),
    });
  }

  get #storedChoices(): Readonly<Record<string, unknown>> {
    const storedValue = this.#state.get(imageChoiceKey);
    return isRecord(storedValue) ? storedValue : {};
  }
}
