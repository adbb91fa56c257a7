import type { Lazy } from '../base/lazy.ts';
import type { ImageFormat } from '../service/images/image-types.ts';
import type { AnswerImage } from '../conversation/conversation.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

/** Storage key for the model and options of the last generated image. */
export const imageChoiceKey = 'image.choice';

/** Extension of an image's file, with its dot. */
export const imageFileExtensions: Readonly<Record<ImageFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};

/** Generates the images that the user requests in a chat. */
export interface ImageGenerator {
  /** Returns the model that the next image would use. */
  readonly model: () => { readonly id: string; readonly name: string };
  /**
   * Generates images. Never throws: the result contains the failure and all images received before
   * it.
   */
  readonly generate: (prompt: string, options: ImageGenerationOptions) => Promise<GeneratedImages>;
}

export interface ImageGenerationOptions {
  readonly signal: AbortSignal;
  /** Called before a retry that starts after `delayMs`. */
  readonly onRetryWait: (failure: ServiceFailure, delayMs: number) => void;
  /** Called when the reply starts to arrive. */
  readonly onReply: () => void;
}

export interface GeneratedImages {
  readonly images: readonly AnswerImage[];
  readonly cost?: Cost;
  readonly failure?: ServiceFailure;
}

/** Actions that a chat offers for one of its images. */
export type ChatImageAction = 'save-file' | 'insert' | 'studio' | 'open';

/** Images in chats: the part of the image feature that the chat page and the chat participant use. */
export interface ChatImages {
  /** Summary of the next image's model, size and price. Empty without a model. */
  readonly hint: string;
  /**
   * Returns the reason why the model rejects the prompt, for the user. Undefined for a valid
   * prompt.
   */
  promptProblem(prompt: string): string | undefined;
  /** Generates images. Never throws. */
  readonly generate: ImageGenerator['generate'];
  /**
   * Runs an action on an image. Returns a message for the user, or undefined when the effect is
   * visible without a message.
   */
  act(id: string, action: ChatImageAction): Promise<string | undefined>;
  /** Returns the path of an image's file in the gallery. Undefined when the image was deleted. */
  filePath(id: string): Promise<string | undefined>;
}

/** {@link ChatImages}, loaded on first use. */
export type LazyChatImages = Lazy<{ readonly chat: ChatImages }>;
