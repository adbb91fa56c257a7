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

/**
 * Permission levels of a chat.
 * - `ask` requires a confirmation before changes.
 * - `applyEdits` applies edits immediately, except edits of protected files, deletions and moves.
 * - `runCommands` is like `applyEdits`, but allowed commands do not wait until the user has reviewed the applied edits.
 */
export const permissionLevels = ['ask', 'applyEdits', 'runCommands'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** Modes of a chat. In the modes `ask` and `plan`, the model cannot change the workspace. */
export const modes = ['ask', 'plan', 'agent'] as const;
export type Mode = (typeof modes)[number];

/** States of a todo item: not started, in progress, completed. */
export const todoStatuses = ['open', 'active', 'done'] as const;

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

/** Maximum size in bytes of one image or document. */
export const maxMediaBytes = 25 * 1024 * 1024;
/**
 * Maximum size in bytes of all media of one message. In Base64, a larger message would exceed the
 * service's limit of 35 MB.
 */
export const maxMessageMediaBytes = 25 * 1024 * 1024;
/** Maximum number of images in one message. */
export const maxImages = 10;
export const maxDocuments = 5;
/** Minimum width and height of an image in pixels. The service rejects smaller images. */
export const minImageSidePx = 64;
/** Maximum width and height of an image in pixels. Larger images do not improve answers. */
export const maxImageSidePx = 2_048;

const bytesSchema = pipe(instance(Uint8Array), minLength(1), maxLength(maxMediaBytes));
const nameSchema = pipe(string(), maxLength(300));

/** Messages about attachments, from the page to the host. */
export const attachmentMessages = [
  /**
   * Sent when the user pastes or drops a file: a downscaled image, a document or a text. The host validates the
   * bytes.
   */
  strictObject({
    type: literal('media-add'),
    conversationId: idSchema,
    name: nameSchema,
    bytes: bytesSchema,
  }),
  /**
   * Reply to `media-scale`: the bytes of the image to send, or the reason why the image could not be scaled, as a
   * sentence.
   */
  strictObject({
    type: literal('media-scaled'),
    id: idSchema,
    bytes: nullable(bytesSchema),
    note: pipe(string(), maxLength(1_000)),
  }),
  /** Sent when the user clicks an attachment of message `messageId`, or of the composer if `messageId` is null. */
  strictObject({ type: literal('attachment-open'), messageId: nullable(idSchema), id: idSchema }),
] as const;

/** Asks the page to downscale an image that the user chose outside the page. The page replies with `media-scaled`. */
export const mediaScaleMessageSchema = strictObject({
  type: literal('media-scale'),
  id: idSchema,
  name: nameSchema,
  bytes: bytesSchema,
});
