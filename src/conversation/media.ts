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
const mostMedia = 34_000_000;

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
  const asked = path.filter((message) => message.role === 'user').toReversed();
  let left = mostMedia;
  for (const message of asked) {
    for (const media of mediaOf(message)) {
      if (loaded.has(media.file)) continue;
      const isNewest = message === asked[0];
      if (!isNewest && (lengthOf(media) > left || (isPicture(media) && !vision))) continue;
      const data = await read(media.file);
      if (data === undefined) continue;
      loaded.set(media.file, `${prefixOf(media)}${data}`);
      left -= data.length;
    }
  }
  return loaded;
}

/** Pictures of the newest message of the person, in characters of their data URLs. */
export function newestImages(path: readonly Message[]): number {
  const newest = path.findLast((message) => message.role === 'user');
  return mediaOf(newest)
    .filter(isPicture)
    .reduce((sum, media) => sum + prefixOf(media).length + lengthOf(media), 0);
}

const prefixOf = ({ mediaType }: Media): string => `data:${mediaType};base64,`;

const mediaOf = (message: UserMessage | undefined): readonly Media[] =>
  (message?.attachments ?? []).flatMap(({ media }) => media ?? []);

const isPicture = ({ mediaType }: Media): boolean => mediaType.startsWith('image/');

/** In Base64. */
const lengthOf = ({ bytes }: Media): number => Math.ceil(bytes / 3) * 4;

export interface Sight {
  readonly name: string;
  /** How many pictures of a message it sees; 0 for a model that sees none, absent when nobody knows. */
  readonly pictures?: number;
}

/** Why the model cannot take the pictures of the newest message of the person; undefined when it may. */
export function imageRefusal(
  path: readonly Message[],
  { name, pictures }: Sight,
): ServiceFailure | undefined {
  const newest = path.findLast((message) => message.role === 'user');
  const count = newest?.attachments.filter(({ kind }) => kind === 'image').length ?? 0;
  if (count === 0 || pictures === undefined) return undefined;
  if (pictures === 0)
    return refused(
      l10n.t(
        '{0} cannot see pictures, so nothing was sent. Choose another model, then retry.',
        name,
      ),
    );
  // One that does not say so may still see several, or look at the last one.
  if (pictures === 1 || count <= pictures) return undefined;
  return refused(
    l10n.t(
      '{0} sees at most {1} pictures of a message, so nothing was sent. Choose another model, then retry.',
      name,
      pictures,
    ),
  );
}

const refused = (message: string): ServiceFailure => ({ code: 'unsupported-feature', message });

/** What a picture takes at most: services scale larger ones down. */
export const maxImageTokens = 1_600;
const pixelsPerToken = 750;
/** Text of a document beside its pictures and fonts; where it is nearly all text, several times as much. */
const documentBytesPerToken = 64;
const leastDocumentTokens = 100;

/** How many tokens the attachment adds to a request, about. */
export function attachmentTokens({ text, media }: Attachment): number {
  if (media === undefined) return estimateTokens(text);
  return media.width === undefined ? documentTokens(media.bytes) : imageTokens(media);
}

/** How many tokens the text of a document takes, about. @param bytes Length of its file. */
export const documentTokens = (bytes: number): number =>
  Math.max(leastDocumentTokens, Math.ceil(bytes / documentBytesPerToken));

const imageTokens = ({ width = 0, height = 0 }: Media): number =>
  Math.min(maxImageTokens, Math.ceil((width * height) / pixelsPerToken));

/** What a media file is called: the SHA-256 of its content, and the ending of its format. */
export const mediaName = /^[0-9a-f]{64}\.(?:png|jpg|webp|pdf|epub|docx|pptx|xlsx|xls)$/u;
