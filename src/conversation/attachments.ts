import {
  array,
  check,
  exactOptional,
  integer,
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

/** What waited in a composer, from its JSON; nothing of a text that is none. */
export function decodeAttachments(text: string): readonly Attachment[] {
  const result = safeParse(attachmentsSchema, parseJson(text));
  return result.success ? result.output : [];
}

const imageSide = pipe(number(), minValue(1), maxValue(100_000));

/** The name goes to the disk and to the page, the media type into an address. */
const mediaSchema = pipe(
  object({
    file: pipe(string(), regex(mediaNamePattern)),
    mediaType: string(),
    bytes: pipe(number(), integer(), minValue(0), maxValue(maxMediaBytes)),
    width: exactOptional(imageSide),
    height: exactOptional(imageSide),
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
  }),
  check(({ kind, media }) => kindOfMedia(media?.mediaType) === (isMediaKind(kind) ? kind : 'none')),
);

/**
 * Attachments as they are kept with a message, and for the composer. What is none, or what a newer version wrote, is
 * left out; the others still count.
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

function kindOfMedia(mediaType: string | undefined): 'image' | 'document' | 'none' {
  if (mediaType === undefined) return 'none';
  return mediaType.startsWith('image/') ? 'image' : 'document';
}
