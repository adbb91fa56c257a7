import type { Lazy } from '../base/lazy.ts';
import type { ImageFormat } from '../service/images/image-types.ts';
import type { AnswerImage } from '../conversation/conversation.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

/** Storage key of the most recently used model and options for images. */
export const imageChoiceKey = 'image.choice';

/** File extensions with the dot, by image format. */
export const imageFileExtensions: Readonly<Record<ImageFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};

/** Generates the images that the user requests in a chat. */
export interface ImageGenerator {
  /** Returns the model that generates the next image. */
  readonly getModel: () => { readonly id: string; readonly name: string };
  /**
   * Generates images. Never throws: the result contains the failure, and all images that were received before the
   * failure.
   */
  readonly generate: (prompt: string, options: ImageGenerationOptions) => Promise<GeneratedImages>;
}

export interface ImageGenerationOptions {
  readonly signal: AbortSignal;
  /** Called when the request is sent. The user has then answered all confirmation dialogs. */
  readonly onRequest: () => void;
  /** Called when an attempt has failed. The next attempt starts after `delayMs` milliseconds. */
  readonly onRetryWait: (failure: ServiceFailure, delayMs: number) => void;
  /** Called when the response starts to arrive. */
  readonly onReply: () => void;
}

export interface GeneratedImages {
  readonly images: readonly AnswerImage[];
  readonly cost?: Cost;
  readonly failure?: ServiceFailure;
}

/** Actions that a chat shows for a generated image. */
export type ChatImageAction = 'save-file' | 'insert' | 'studio' | 'open';

/** Image functions that chat pages and the chat participant use. */
export interface ChatImages {
  /** Summary of the next image: its model, size and price. Empty if no model is available. */
  readonly nextImageSummary: string;
  /** Returns the reason why the model rejects the prompt, as a message for the user. Undefined for a valid prompt. */
  findPromptProblem(prompt: string): string | undefined;
  /** Generates images for this chat. Never throws. */
  readonly generate: ImageGenerator['generate'];
  /**
   * Runs an action on the image `id`. Returns a message for the user, or undefined if the effect is visible without a
   * message.
   */
  performAction(id: string, action: ChatImageAction): Promise<string | undefined>;
  /** Returns the path of an image file in the gallery. Undefined if the image was deleted. */
  findFilePath(id: string): Promise<string | undefined>;
}

/** Image functions of chats, loaded on first use. */
export type LazyChatImages = Lazy<{ readonly chat: ChatImages }>;

/**
 * Checks whether the service may have charged for a call. Returns false only if the call failed before the service
 * generated an image.
 * @param code code of the `ImageFailure`; undefined if the call did not fail
 */
export const mayBeCharged = (code: string | undefined): boolean =>
  code === undefined || !unchargedCodes.has(code);

const unchargedServiceCodes: readonly FailureCode[] = [
  'no-address',
  'invalid-address',
  'no-key',
  'payment-required',
  'invalid-key',
  'unauthorized',
  'forbidden',
  'model-access',
  'out-of-funds',
  'wallet-out-of-funds',
  'no-wallet',
  'no-pay-per-request',
  'sign-in-refused',
  'sign-in-stale',
  'over-budget',
  'spend-limit',
  'model-not-found',
  'not-found',
  'invalid-request',
  'unsupported-feature',
  'unsupported-option',
  'payload-too-large',
  'unsupported-media-type',
  'content-policy',
  'rate-limited',
  'offline',
  'tls',
  'proxy',
  'redirected',
];

/** Failure codes of calls that are never charged, because they fail before the service generates an image. */
const unchargedCodes: ReadonlySet<string> = new Set([
  ...unchargedServiceCodes,
  'source',
  'memory-full',
]);
