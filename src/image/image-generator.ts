import type { ImageFormat } from '../service/images/image-types.ts';
import type { AnswerImage } from '../conversation/conversation.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

/** Where the extension's state keeps the model and the options that the person used last. */
export const imageChoiceKey = 'image.choice';

/** The ending of a picture's file, with its dot. */
export const imageFileExtensions: Readonly<Record<ImageFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};

/** Makes the pictures that a person asks for in a chat. */
export interface ImageGenerator {
  /** The model that would make one now. */
  readonly model: () => { readonly id: string; readonly name: string };
  /** Never throws; pictures that came before a failure are in its outcome. */
  readonly make: (prompt: string, options: ImageGenerationOptions) => Promise<GeneratedImages>;
}

export interface ImageGenerationOptions {
  readonly signal: AbortSignal;
  /** Another try comes after `delayMs`. */
  readonly onRetryWait: (failure: ServiceFailure, delayMs: number) => void;
  /** The service began to answer. */
  readonly onReply: () => void;
}

export interface GeneratedImages {
  readonly images: readonly AnswerImage[];
  readonly cost?: Cost;
  readonly failure?: ServiceFailure;
}
