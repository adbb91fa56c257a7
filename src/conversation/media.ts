import * as l10n from '@vscode/l10n';
import { estimateTokens } from '../base/token-estimate.ts';
import type { Attachment, Media, Message, UserMessage } from './conversation.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

export interface MediaPorts {
  /** The file as Base64; undefined when it is gone. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** Whether the model sees pictures. */
  readonly vision: boolean;
}

/** Media of one request, in characters of Base64: the service takes bodies of 35 MB (service facts §0). */
const maxMediaCharacters = 34_000_000;

/**
 * What goes along of the pictures and documents of `path`, as data URLs by file: everything of the newest message, and
 * of those before it, newest first, what still fits. For a model that is not known to see, only the newest has its pictures: the
 * service says then what is wrong.
 */
export async function loadMedia(
  path: readonly Message[],
  { read, vision }: MediaPorts,
): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  const userMessages = path.filter((message) => message.role === 'user').toReversed();
  let remaining = maxMediaCharacters;
  for (const message of userMessages) {
    for (const media of listMedia(message)) {
      if (loaded.has(media.file)) continue;
      const isNewest = message === userMessages[0];
      if (!isNewest && (base64Length(media) > remaining || (isImage(media) && !vision))) continue;
      const data = await read(media.file);
      if (data === undefined) continue;
      loaded.set(media.file, `${dataUrlPrefix(media)}${data}`);
      remaining -= data.length;
    }
  }
  return loaded;
}

/** Pictures of the newest message of the person, in characters of their data URLs. */
export function countNewestImageCharacters(path: readonly Message[]): number {
  const newest = path.findLast((message) => message.role === 'user');
  return listMedia(newest)
    .filter(isImage)
    .reduce((sum, media) => sum + dataUrlPrefix(media).length + base64Length(media), 0);
}

const dataUrlPrefix = ({ mediaType }: Media): string => `data:${mediaType};base64,`;

const listMedia = (message: UserMessage | undefined): readonly Media[] =>
  (message?.attachments ?? []).flatMap(({ media }) => media ?? []);

const isImage = ({ mediaType }: Media): boolean => mediaType.startsWith('image/');

/** In Base64. */
const base64Length = ({ bytes }: Media): number => Math.ceil(bytes / 3) * 4;

export interface VisionModel {
  readonly name: string;
  /** How many pictures of a message it sees; 0 for a model that sees none, absent when nobody knows. */
  readonly maxImages?: number;
}

/** Why the model cannot take the pictures of the newest message of the person; undefined when it may. */
export function checkImageSupport(
  path: readonly Message[],
  { name, maxImages }: VisionModel,
): ServiceFailure | undefined {
  const newest = path.findLast((message) => message.role === 'user');
  const count = newest?.attachments.filter(({ kind }) => kind === 'image').length ?? 0;
  if (count === 0 || maxImages === undefined) return undefined;
  if (maxImages === 0)
    return unsupportedFeature(
      l10n.t(
        '{0} cannot see pictures, so nothing was sent. Choose another model, then retry.',
        name,
      ),
    );
  // One that does not say so may still see several, or look at the last one.
  if (maxImages === 1 || count <= maxImages) return undefined;
  return unsupportedFeature(
    l10n.t(
      '{0} sees at most {1} pictures of a message, so nothing was sent. Choose another model, then retry.',
      name,
      maxImages,
    ),
  );
}

const unsupportedFeature = (message: string): ServiceFailure => ({
  code: 'unsupported-feature',
  message,
});

/** What a picture takes at most: services scale larger ones down. */
export const maxImageTokens = 1_600;
const pixelsPerToken = 750;
/** Text of a document beside its pictures and fonts; where it is nearly all text, several times as much. */
const documentBytesPerToken = 64;
const minDocumentTokens = 100;

/** How many tokens the attachment adds to a request, about. */
export function estimateAttachmentTokens({ text, media }: Attachment): number {
  if (media === undefined) return estimateTokens(text);
  return media.width === undefined
    ? estimateDocumentTokens(media.bytes)
    : estimateImageTokens(media);
}

/** How many tokens the text of a document takes, about. @param bytes Length of its file. */
export const estimateDocumentTokens = (bytes: number): number =>
  Math.max(minDocumentTokens, Math.ceil(bytes / documentBytesPerToken));

const estimateImageTokens = ({ width = 0, height = 0 }: Media): number =>
  Math.min(maxImageTokens, Math.ceil((width * height) / pixelsPerToken));

/** What a media file is called: the SHA-256 of its content, and the ending of its format. */
export const mediaNamePattern = /^[0-9a-f]{64}\.(?:png|jpg|webp|pdf|epub|docx|pptx|xlsx|xls)$/u;
