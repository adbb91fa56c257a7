import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { type EditModel, editModels, type ImageModel, imageModels } from '../image-model.ts';
import { type ImageOptions, persistentOptions, readImageOptions } from '../image-options.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { imageChoiceKey } from '../image-generator.ts';

/** The model and the options that the person used last, for the next picture in any window. */
export class ImageChoice {
  readonly #state: vscode.Memento;
  readonly #catalog: ModelCatalog;

  constructor(state: vscode.Memento, catalog: ModelCatalog) {
    this.#state = state;
    this.#catalog = catalog;
  }

  /** Best first. */
  get models(): readonly ImageModel[] {
    return imageModels(this.#catalog.models);
  }

  get editModels(): readonly EditModel[] {
    return editModels(this.#catalog.models);
  }

  /** The one used last, else the service's default; undefined when there is none. */
  get model(): ImageModel | undefined {
    const { models } = this;
    return models.find(({ id }) => id === this.#stored['model']) ?? models[0];
  }

  /** What the person decided for all of their pictures. */
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
