import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { type EditModel, editModels, type ImageModel, imageModels } from '../image-model.ts';
import { type ImageOptions, persistentOptions, readImageOptions } from '../image-options.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { imageChoiceKey } from '../image-generator.ts';

/** Last used model and options, which the next image in any window uses. */
export class ImageChoice {
  readonly #state: vscode.Memento;
  readonly #catalog: ModelCatalog;

  constructor(state: vscode.Memento, catalog: ModelCatalog) {
    this.#state = state;
    this.#catalog = catalog;
  }

  /** Image models, best first. */
  get models(): readonly ImageModel[] {
    return imageModels(this.#catalog.models);
  }

  get editModels(): readonly EditModel[] {
    return editModels(this.#catalog.models);
  }

  /** Last used model, else the service's default. Undefined without models. */
  get model(): ImageModel | undefined {
    const { models } = this;
    return models.find(({ id }) => id === this.#stored['model']) ?? models[0];
  }

  /** Last used options, without options of a single image. */
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
