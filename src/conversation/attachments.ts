import {
  array,
  check,
  exactOptional,
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  picklist,
  pipe,
  regex,
  safeParse,
  string,
  transform,
  unknown,
} from 'valibot';
import { parseJson } from '../base/json.ts';
import { maxMediaBytes, attachmentKinds } from './protocol.ts';
import { idSchema } from '../base/schema.ts';
import type { Attachment } from './conversation.ts';
import { mediaFormats } from './media-format.ts';
import { mediaNamePattern } from './media.ts';

/**
 * Decodes the attachments of a composer draft from JSON. Returns an empty array if `text` is not JSON or not an
 * array.
 */
export function decodeAttachments(text: string): readonly Attachment[] {
  const result = safeParse(attachmentsSchema, parseJson(text));
  return result.success ? result.output : [];
}

const imageSideSchema = pipe(number(), minValue(1), maxValue(100_000));

/**
 * Schema of the media file of an attachment. The checks are strict, because the file name becomes part of a path and a
 * URL. The media type becomes part of a data URL.
 */
const mediaSchema = pipe(
  object({
    file: pipe(string(), regex(mediaNamePattern)),
    mediaType: string(),
    bytes: pipe(number(), integer(), minValue(0), maxValue(maxMediaBytes)),
    width: exactOptional(imageSideSchema),
    height: exactOptional(imageSideSchema),
    name: pipe(string(), maxLength(300)),
  }),
  check(({ file, mediaType }) =>
    Object.values(mediaFormats).some(
      (format) => format.mediaType === mediaType && file.endsWith(format.extension),
    ),
  ),
);

const attachmentSchema = pipe(
  object({
    id: idSchema,
    kind: picklist(attachmentKinds),
    label: string(),
    language: string(),
    text: string(),
    media: exactOptional(mediaSchema),
    isRemoved: exactOptional(literal(true)),
  }),
  check(
    ({ kind, media }) => getMediaKind(media?.mediaType) === (isMediaKind(kind) ? kind : 'none'),
  ),
);

/**
 * Schema of the attachments that are stored with a message or a draft. Drops entries that are invalid or of a newer
 * version, and keeps the others.
 */
export const attachmentsSchema = pipe(
  array(unknown()),
  transform((values) =>
    values.flatMap((value): Attachment[] => {
      const result = safeParse(attachmentSchema, value);
      return result.success ? [result.output] : [];
    }),
  ),
);

const isMediaKind = (kind: Attachment['kind']): boolean => kind === 'image' || kind === 'document';

function getMediaKind(mediaType: string | undefined): 'image' | 'document' | 'none' {
  if (mediaType === undefined) return 'none';
  return mediaType.startsWith('image/') ? 'image' : 'document';
}
