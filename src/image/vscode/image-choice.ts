import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { type EditModel, editModels, type ImageModel, imageModels } from '../image-model.ts';
import { type ImageOptions, persistentOptions, readImageOptions } from '../image-options.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { imageChoiceKey } from '../image-generator.ts';

/** Model and options for the next image: those of the last image. All windows share them. */
export class ImageChoice {
  readonly #state: vscode.Memento;
  readonly #catalog: ModelCatalog;

  constructor(state: vscode.Memento, catalog: ModelCatalog) {
    this.#state = state;
    this.#catalog = catalog;
  }

  /** Image models, the service's default first. */
  get models(): readonly ImageModel[] {
    return imageModels(this.#catalog.models);
  }

  get editModels(): readonly EditModel[] {
    return editModels(this.#catalog.models);
  }

  /** Last used model, or the first model if none was used. Undefined without models. */
  get model(): ImageModel | undefined {
    const { models } = this;
    return models.find(({ id }) => id === this.#stored['model']) ?? models[0];
  }

  /** Last used options. Omits options that belong to one image, such as the seed. */
  get options(): ImageOptions {
    return persistentOptions(readImageOptions(this.#stored['options']));
  }

  async set(model: ImageModel, options: ImageOptions): Promise<void> {
    await this.#state.update(imageChoiceKey, {
      model: model.id,
      options: persistentOptions(options),
    });
  }

  get #stored(): Readonly<Record<string, unknown>> {
    const stored = this.#state.get(imageChoiceKey);
    return isRecord(stored) ? stored : {};
  }
}
