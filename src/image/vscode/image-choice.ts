import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { type EditModel, editModels, type ImageModel, imageModels } from '../image-model.ts';
import { type ImageOptions, personalOptions, readImageOptions } from '../image-options.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';
import { imageChoiceKey } from '../chat-images.ts';

/** The model and the options that the person used last, for the next picture in any window. */
export class ImageChoice {
  readonly #state: vscode.Memento;
  readonly #catalogue: ModelCatalogue;

  constructor(state: vscode.Memento, catalogue: ModelCatalogue) {
    this.#state = state;
    this.#catalogue = catalogue;
  }

  /** Best first. */
  get models(): readonly ImageModel[] {
    return imageModels(this.#catalogue.models);
  }

  get editModels(): readonly EditModel[] {
    return editModels(this.#catalogue.models);
  }

  /** The one used last, else the service's default; undefined when there is none. */
  get model(): ImageModel | undefined {
    const { models } = this;
    return models.find(({ id }) => id === this.#stored['model']) ?? models[0];
  }

  /** What the person decided for all of their pictures. */
  get options(): ImageOptions {
    return personalOptions(readImageOptions(this.#stored['options']));
  }

  async set(model: ImageModel, options: ImageOptions): Promise<void> {
    await this.#state.update(imageChoiceKey, {
      model: model.id,
      options: personalOptions(options),
    });
  }

  get #stored(): Readonly<Record<string, unknown>> {
    const stored = this.#state.get(imageChoiceKey);
    return isRecord(stored) ? stored : {};
  }
}
