import * as vscode from 'vscode';
import type { AnswerImage } from '../../conversation/conversation.ts';
import type {
  ChatImageAction,
  ChatImages,
  GeneratedImages,
  ImageGenerationOptions,
} from '../image-generator.ts';
import { formatPrice } from '../../service/pricing.ts';
import type { ImageRecord } from '../image-record.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import { summarizeGeneration, findPromptProblem } from './prompt-input.ts';
import { type ImageFailure, getContentViolationMessage } from './image-failure.ts';
import type { ImageServices } from './image-services.ts';
import { planGeneration, getPrompt } from './plan-image.ts';
import { getImageCost } from '../image-text.ts';
import type { StudioTab } from '../studio/vscode/studio-tab.ts';

/**
 * Generates images for chats with the most recently used model and options. Also runs the user's actions on these
 * images.
 */
export class ChatImageGenerator implements ChatImages {
  readonly #services: ImageServices;
  readonly #studio: StudioTab;

  constructor(services: ImageServices, studio: StudioTab) {
    this.#services = services;
    this.#studio = studio;
  }

  get nextImageSummary(): string {
    const { model, options } = this.#services.choice;
    return model === undefined ? '' : summarizeGeneration(model, options).slice(0, 300);
  }

  findPromptProblem(prompt: string): string | undefined {
    const { model } = this.#services.choice;
    return model && findPromptProblem(model, prompt);
  }

  async generate(
    prompt: string,
    { signal, onRequest, onRetryWait, onReply }: ImageGenerationOptions,
  ): Promise<GeneratedImages> {
    await this.#services.loadModels();
    const { model, options } = this.#services.choice;
    if (model === undefined) return { images: [], failure: createNoModelFailure() };
    const problem = findPromptProblem(model, prompt);
    if (problem !== undefined) {
      return { images: [], failure: { code: 'invalid-request', message: problem } };
    }
    const seed = this.#services.generateSeed();
    const { task } = planGeneration({ model, prompt, options: { ...options, seed } });
    const { records, failure } = await this.#services.run(task, {
      signal,
      onProgress: (progress) => {
        if (progress.type === 'request-start') onRequest();
        else if (progress.type === 'retry-wait') onRetryWait(progress.failure, progress.delayMs);
        else if (progress.type === 'reply-start') onReply();
      },
    });
    return toGeneratedImages(records, failure);
  }

  async performAction(id: string, action: ChatImageAction): Promise<string | undefined> {
    const record = await this.#services.gallery.find(id);
    if (record === undefined) {
      return vscode.l10n.t('The image is no longer in the gallery.');
    }
    if (action === 'studio') {
      this.#studio.showImage(record);
      return undefined;
    }
    return this.#studio.actions.runAction(record, action === 'save-file' ? 'save' : action);
  }

  async findFilePath(id: string): Promise<string | undefined> {
    const { gallery } = this.#services;
    const record = await gallery.find(id);
    return record && gallery.getImagePath(record);
  }
}

function toGeneratedImages(
  records: readonly ImageRecord[],
  failure: ImageFailure | undefined,
): GeneratedImages {
  const [record] = records;
  if (record === undefined) return { images: [], failure: toServiceFailure(failure) };
  if (record.moderation.contentViolation)
    return { images: [], failure: createContentViolationFailure() };
  return {
    images: records.map(toAnswerImage),
    cost: getImageCost(record),
    ...(failure === undefined ? {} : { failure: toServiceFailure(failure) }),
  };
}

function toAnswerImage({ id, format, width, height, origin, ...record }: ImageRecord): AnswerImage {
  const captionParts = [
    escapeIcons(record.modelName ?? ''),
    `${width} × ${height}`,
    formatPrice(record.price),
    record.moderation.blurred ? vscode.l10n.t('Blurred by safe mode') : '',
  ];
  return {
    id,
    format,
    width,
    height,
    alt: getPrompt(origin),
    caption: captionParts.filter((part) => part !== '').join(' · '),
  };
}

const toServiceFailure = (failure: ImageFailure | undefined): ServiceFailure =>
  failure?.actions.includes('save-image') === true
    ? { code: 'unstored-image', message: failure.message }
    : (failure?.service ?? {
        code: 'internal-error',
        message:
          failure?.message ??
          vscode.l10n.t('The service answered without an image. Retry, or choose another model.'),
      });

const createContentViolationFailure = (): ServiceFailure => ({
  code: 'content-policy',
  message: getContentViolationMessage(),
});

const createNoModelFailure = (): ServiceFailure => ({
  code: 'model-not-found',
  message: vscode.l10n.t('This service has no image model. Switch the connection.'),
});
