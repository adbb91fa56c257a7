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

/** Maximum bytes of one image or document (service facts §1.2). */
export const maxMediaBytes = 25 * 1024 * 1024;
/**
 * Maximum media bytes of one message. Larger messages, encoded as Base64, would exceed the
 * service's limit of 35 MB.
 */
export const maxMessageMediaBytes = 25 * 1024 * 1024;
/** Maximum images of one message (service facts §1.2). */
export const maxImages = 10;
export const maxDocuments = 5;
/**
 * Image side in pixels. The service rejects smaller images, and models gain nothing from larger
 * ones.
 */
export const minImageSide = 64;
export const maxImageSide = 2_048;

const bytes = pipe(instance(Uint8Array), minLength(1), maxLength(maxMediaBytes));
const name = pipe(string(), maxLength(300));

/** Messages about attachments, from the page to the host. */
export const attachmentMessages = [
  /**
   * A pasted or dropped file: a downscaled image, a document or a text. The host validates its
   * bytes.
   */
  strictObject({ type: literal('media-add'), conversationId: idSchema, name, bytes }),
  /** Reply to `media-scale`: the image bytes to send, or a sentence with the reason for failure. */
  strictObject({
    type: literal('media-scaled'),
    id: idSchema,
    bytes: nullable(bytes),
    note: pipe(string(), maxLength(1_000)),
  }),
  /** A click on an attachment chip: of the message, or of the composer if `messageId` is null. */
  strictObject({ type: literal('attachment-open'), messageId: nullable(idSchema), id: idSchema }),
] as const;

/** An image chosen outside the page, for the page to downscale. */
export const mediaScaleMessage = strictObject({
  type: literal('media-scale'),
  id: idSchema,
  name,
  bytes,
});
