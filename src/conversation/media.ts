import * as l10n from '@vscode/l10n';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Attachment, Media, Message, UserMessage } from './conversation.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

export interface MediaPorts {
  /** Reads a media file as Base64. Resolves to undefined if the file does not exist. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** True if the model accepts images. */
  readonly supportsVision: boolean;
}

/** Maximum number of Base64 characters of all media in a request. The service accepts bodies of 35 MB. */
const maxMediaCharacters = 34_000_000;

/**
 * Loads the images and documents of the user messages in `path`. Returns their data URLs by media file name.
 *
 * Includes all media of the newest user message. Adds media of earlier messages, newest first, up to {@link
 * maxMediaCharacters} in total. For a model without vision, includes images only of the newest message, so that the
 * service can report the problem.
 */
export async function loadMedia(
  path: readonly Message[],
  { read, supportsVision }: MediaPorts,
): Promise<ReadonlyMap<string, string>> {
  const loadedMedia = new Map<string, string>();
  const userMessages = path.filter((message) => message.role === 'user').toReversed();
  let remainingCharacters = maxMediaCharacters;
  for (const message of userMessages) {
    for (const media of listMedia(message)) {
      if (loadedMedia.has(media.file)) continue;
      const isNewest = message === userMessages[0];
      if (
        !isNewest &&
        (computeBase64Length(media) > remainingCharacters || (isImage(media) && !supportsVision))
      )
        continue;
      const data = await read(media.file);
      if (data === undefined) continue;
      loadedMedia.set(media.file, `${getDataUrlPrefix(media)}${data}`);
      remainingCharacters -= data.length;
    }
  }
  return loadedMedia;
}

/** Returns the total length of the data URLs of all images in the newest user message, in characters. */
export function countNewestImageCharacters(path: readonly Message[]): number {
  const newestMessage = path.findLast((message) => message.role === 'user');
  return listMedia(newestMessage)
    .filter(isImage)
    .reduce((sum, media) => sum + getDataUrlPrefix(media).length + computeBase64Length(media), 0);
}

const getDataUrlPrefix = ({ mediaType }: Media): string => `data:${mediaType};base64,`;

const listMedia = (message: UserMessage | undefined): readonly Media[] =>
  (message?.attachments ?? []).flatMap(({ media, isRemoved }) =>
    media === undefined || isRemoved === true ? [] : media,
  );

const isImage = ({ mediaType }: Media): boolean => mediaType.startsWith('image/');

/** Returns the length of a file in Base64, in characters. */
const computeBase64Length = ({ bytes }: Media): number => Math.ceil(bytes / 3) * 4;

export interface VisionModel {
  readonly name: string;
  /** Maximum number of images per message. 0 if the model has no vision, absent if unknown. */
  readonly maxImages?: number;
}

/**
 * Returns the failure to show if the model does not accept the images of the newest user message; otherwise
 * undefined.
 */
export function findImageFailure(
  path: readonly Message[],
  { name, maxImages }: VisionModel,
): ServiceFailure | undefined {
  const newestMessage = path.findLast((message) => message.role === 'user');
  const count =
    newestMessage?.attachments.filter(
      ({ kind, isRemoved }) => kind === 'image' && isRemoved !== true,
    ).length ?? 0;
  if (count === 0 || maxImages === undefined) return undefined;
  if (maxImages === 0)
    return createUnsupportedFeatureFailure(
      l10n.t('{0} cannot see images, so nothing was sent. Choose another model, then retry.', name),
    );
  if (count <= maxImages) return undefined;
  return createUnsupportedFeatureFailure(
    l10n.t(
      'Too many images for {0}: at most {1} per message. Choose another model, then retry.',
      name,
      maxImages,
    ),
  );
}

const createUnsupportedFeatureFailure = (message: string): ServiceFailure => ({
  code: 'unsupported-feature',
  message,
});

/** Maximum number of tokens of one image. Services scale larger images down. */
export const maxImageTokens = 1_600;
const pixelsPerToken = 750;
/**
 * Assumed number of bytes per token in a document with images and fonts. A document of mostly plain text has several
 * times as many tokens.
 */
const documentBytesPerToken = 64;
const minDocumentTokens = 100;

/** Estimates the number of tokens that the attachment adds to a request. */
export function estimateAttachmentTokens({ text, media }: Attachment): number {
  if (media === undefined) return estimateTokens(text);
  return media.width === undefined
    ? estimateDocumentTokens(media.bytes)
    : estimateImageTokens(media);
}

/**
 * Estimates the number of tokens of a document.
 * @param bytes Length of the document's file.
 */
export const estimateDocumentTokens = (bytes: number): number =>
  Math.max(minDocumentTokens, Math.ceil(bytes / documentBytesPerToken));

const estimateImageTokens = ({ width = 0, height = 0 }: Media): number =>
  Math.min(maxImageTokens, Math.ceil((width * height) / pixelsPerToken));

/** Pattern of a media file name: the SHA-256 of the content, and the extension of the format. */
export const mediaNamePattern = /^[0-9a-f]{64}\.(?:png|jpg|webp|pdf|epub|docx|pptx|xlsx|xls)$/u;
