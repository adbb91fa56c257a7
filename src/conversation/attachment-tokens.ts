import type { Attachment, Media } from './conversation.ts';
import { estimateTokens } from '../base/token-estimate.ts';

/** What a picture takes at most: services scale larger ones down. */
export const mostImageTokens = 1_600;
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
  Math.min(mostImageTokens, Math.ceil((width * height) / pixelsPerToken));
