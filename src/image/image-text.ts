import { toSingleLine } from '../base/hidden-characters.ts';
import { imageFileExtensions } from './image-generator.ts';
import { isPortableName } from './image-folder.ts';
import type { ImageRecord } from './image-record.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { ImageFormat } from '../service/images/image-types.ts';

type DescribedImage = Pick<ImageRecord, 'origin' | 'subject'>;

/**
 * Returns the text that describes an image, for its alternative text and for search. Empty when
 * unknown.
 */
export function imageSubject({ origin, subject }: DescribedImage): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      // An instruction describes the change, not the image.
      return subject ?? origin.prompt;
    default:
      return subject ?? '';
  }
}

/** Returns the text for the file name: the subject, and the operation applied to it. */
export function fileNameSubject({ origin, subject }: DescribedImage): string {
  const description = imageSubject({ origin, ...(subject === undefined ? {} : { subject }) });
  switch (origin.kind) {
    case 'upscale':
      return `${description} ${origin.scale}x`;
    case 'remove-background':
      return `${description} no background`;
    default:
      return description;
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Truncates a text to `limit` UTF-16 code units. Cuts between words if more than half of the text
 * remains, else between grapheme clusters. Never ends with a space or hyphen at the cut.
 */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const nextCharacter = text.charAt(limit);
  const truncated = text.slice(0, limit);
  const cutIndex = isWordBreak(nextCharacter)
    ? limit
    : Math.max(truncated.lastIndexOf(' '), truncated.lastIndexOf('-'));
  return (
    cutIndex > limit / 2 ? truncated.slice(0, cutIndex) : truncateCharacters(text, limit)
  ).replace(/[ -]+$/u, '');
}

const isWordBreak = (character: string): boolean => character === ' ' || character === '-';

function truncateCharacters(text: string, limit: number): string {
  let end = 0;
  // Later code points can belong to the last grapheme, so segmentation looks past the limit.
  for (const { index, segment } of graphemes.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

export interface ImageNaming {
  readonly prompt: string;
  /** Requested seed. Absent if the service chose the seed. */
  readonly seed?: number;
  /** Actual format of the bytes, not the requested one. */
  readonly format: ImageFormat;
  /** Checks whether a file name is taken. See {@link nameLookup}. */
  readonly isTaken: (name: string) => boolean;
}

/**
 * Returns a new image's file name from its prompt and seed, with a number from 2 when the name is
 * taken. Always in lower case, shorter than 255 bytes, and valid on every system.
 */
export function imageFileName({ prompt, seed, format, isTaken }: ImageNaming): string {
  const stem = `${slugOf(prompt)}${Number.isSafeInteger(seed) ? `-${seed}` : ''}`;
  const extension = imageFileExtensions[format];
  let name = `${stem}${extension}`;
  for (let number = 2; isTaken(name); number += 1) name = `${stem}-${number}${extension}`;
  return name;
}

/**
 * Creates `isTaken` for the names of a folder. Treats two names as equal if any file system does.
 */
export function nameLookup(names: Iterable<string>): (name: string) => boolean {
  const taken = new Set(Array.from(names, foldName));
  return (name) => taken.has(foldName(name));
}

/** Maximum length in UTF-16 code units. */
const maxSlugLength = 48;

function slugOf(prompt: string): string {
  // Limits the processing time, since a prompt can be very long.
  const text = compose(prompt.slice(0, 1_000))
    .replaceAll(/['’\p{Default_Ignorable_Code_Point}]/gu, '')
    // Keeps only decimal digits, since some other numbers contain a dot.
    .replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, '-')
    // Drops combining marks without a base letter.
    .replaceAll(/(?<=^|-)\p{M}+/gu, '')
    .replaceAll(/^-+|-+$/gu, '')
    .replaceAll(/-{2,}/gu, '-');
  // Removing an invisible character can join a letter and its mark.
  const slug = compose(truncateText(compose(text), maxSlugLength));
  if (slug === '') return 'image';
  // Some names are devices on Windows.
  return isPortableName(slug) ? slug : `image-${slug}`;
}

const compose = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/**
 * Converts to upper case first, since some file systems treat letters as equal that differ in lower
 * case.
 */
const foldName = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Common limit of screen readers for one announcement. */
const maxAltLength = 125;

/**
 * Returns a prompt as alternative text: one line without hidden characters, at most 125 UTF-16
 * units.
 */
export function altText(prompt: string): string {
  // Limits the processing time, since a prompt can be very long.
  const line = toSingleLine(prompt.slice(0, maxAltLength * 20));
  return truncateText(line, maxAltLength).replace(/[,;:]+$/u, '');
}

/** Describes a saved image in a tool result. */
export function savedImageText(record: ImageRecord, path: string): string {
  const { width, height, origin, moderation } = record;
  const seed = origin.kind === 'generate' ? origin.request.seed : undefined;
  const facts = [
    `${width} × ${height} pixels`,
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(origin.kind === 'generate' ? [`model ${origin.request.model}`] : []),
  ];
  const blurred = moderation.blurred ? ' It was blurred by safe mode.' : '';
  return `Saved as ${path} (${facts.join(', ')}).${blurred}`;
}

/** Tool result for an image that the service refused. */
export const refusedImageText =
  'No image was created: it violates the content rules of the service. Nothing was charged.';

/** Returns the image's price, in dollars when known, else in DIEM. */
export const imageCost = ({ price }: Pick<ImageRecord, 'price'>): Cost =>
  price?.usd !== undefined ? { usd: price.usd } : { diem: price?.diem ?? 0 };
