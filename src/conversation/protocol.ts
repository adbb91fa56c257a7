import {
  instance,
  literal,
  maxLength,
  minLength,
  nullable,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { idSchema } from '../base/schema.ts';

export const attachmentKinds = [
  'selection',
  'file',
  'problems',
  'folder',
  'changes',
  'terminal',
  'symbol',
  'search',
  'image',
  'document',
] as const;

/** Most bytes of one picture or document (service facts §1.2). */
export const maxMediaBytes = 25 * 1024 * 1024;
/** Of one message together: as Base64, with its text, no more fits the service's 35 MB. */
export const maxMessageMediaBytes = 25 * 1024 * 1024;
/** Service facts §1.2. */
export const maxImages = 10;
export const maxDocuments = 5;
/** Of a side, in pixels: the service refuses smaller pictures, and models see no more of larger ones. */
export const minImageSide = 64;
export const maxImageSide = 2_048;

const bytes = pipe(instance(Uint8Array), minLength(1), maxLength(maxMediaBytes));
const name = pipe(string(), maxLength(300));

/** What the page says of attachments. */
export const attachmentMessages = [
  /** A file was pasted or dropped: a picture, down-scaled already, a document or a text. The host checks its bytes. */
  strictObject({ type: literal('media-add'), conversationId: idSchema, name, bytes }),
  /** Answer to `media-scale`: the picture as it can be sent, or why it cannot be, a sentence. */
  strictObject({
    type: literal('media-scaled'),
    id: idSchema,
    bytes: nullable(bytes),
    note: pipe(string(), maxLength(1_000)),
  }),
  /** A click on the picture or the document of a chip: of the message, or of the composer when it is null. */
  strictObject({ type: literal('attachment-open'), messageId: nullable(idSchema), id: idSchema }),
] as const;

/** A picture that the person chose elsewhere, for the page to scale. */
export const mediaScaleMessage = strictObject({
  type: literal('media-scale'),
  id: idSchema,
  name,
  bytes,
});
