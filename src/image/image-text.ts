import { toSingleLine } from '../base/hidden-characters.ts';
import { imageFileExtensions } from './image-generator.ts';
import { isPortableName } from './image-folder.ts';
import type { ImageRecord } from './image-record.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { ImageFormat } from '../service/images/image-types.ts';

type DescribedImage = Pick<ImageRecord, 'origin' | 'subject'>;

/**
 * Returns the subject of an image, for its alternative text and for search. Returns an empty string if the subject is
 * unknown.
 */
export function getImageSubject({ origin, subject }: DescribedImage): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      // The prompt of an edit describes the change, not the image, so it is not the subject.
      return subject ?? origin.prompt;
    default:
      return subject ?? '';
  }
}

/** Returns text for the file name of an image: the subject and the operation, such as upscaling. */
export function getFileNameSubject({ origin, subject }: DescribedImage): string {
  const description = getImageSubject({ origin, ...(subject === undefined ? {} : { subject }) });
  switch (origin.kind) {
    case 'upscale':
      return `${description} ${origin.scale}x`;
    case 'remove-background':
      return `${description} no background`;
    default:
      return description;
  }
}

const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Truncates a text to at most `limit` UTF-16 code units. Cuts at the last space or hyphen if more than half of `limit`
 * then remains, otherwise between two grapheme clusters. A truncated text never ends with a space or hyphen.
 */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const nextCharacter = text.charAt(limit);
  const truncatedText = text.slice(0, limit);
  const cutIndex = isWordBreak(nextCharacter)
    ? limit
    : Math.max(truncatedText.lastIndexOf(' '), truncatedText.lastIndexOf('-'));
  return (
    cutIndex > limit / 2 ? truncatedText.slice(0, cutIndex) : truncateAtGrapheme(text, limit)
  ).replace(/[ -]+$/u, '');
}

const isWordBreak = (character: string): boolean => character === ' ' || character === '-';

function truncateAtGrapheme(text: string, limit: number): string {
  let end = 0;
  // The segmented text is longer than the limit, because a grapheme at the limit can include later code points.
  for (const { index, segment } of graphemeSegmenter.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

export interface FileNameOptions {
  readonly prompt: string;
  /** Requested seed. Absent if the service chose the seed. */
  readonly seed?: number;
  /** Format of the received image. May differ from the requested format. */
  readonly format: ImageFormat;
  /** Checks whether the folder contains a file of this name. See {@link createNameLookup}. */
  readonly isNameUsed: (name: string) => boolean;
}

/**
 * Returns a file name for a new image, based on the prompt and the seed. If a file has this name, appends a number,
 * starting at 2. The name is in lowercase, shorter than 255 bytes, and valid on every operating system.
 */
export function createImageFileName({ prompt, seed, format, isNameUsed }: FileNameOptions): string {
  const stem = `${createSlug(prompt)}${Number.isSafeInteger(seed) ? `-${seed}` : ''}`;
  const extension = imageFileExtensions[format];
  let name = `${stem}${extension}`;
  for (let number = 2; isNameUsed(name); number += 1) name = `${stem}-${number}${extension}`;
  return name;
}

/**
 * Creates a function that checks whether a file name exists among `names`. Two names are equal if any common file
 * system considers them equal.
 */
export function createNameLookup(names: Iterable<string>): (name: string) => boolean {
  const takenNames = new Set(Array.from(names, normalizeForComparison));
  return (name) => takenNames.has(normalizeForComparison(name));
}

/** Maximum length in UTF-16 code units of the part of a file name that is based on the prompt. */
const maxSlugLength = 48;

function createSlug(prompt: string): string {
  // Shortens the text first, because processing a very long prompt is slow.
  const text = normalizeName(prompt.slice(0, 1_000))
    .replaceAll(/['’\p{Default_Ignorable_Code_Point}]/gu, '')
    // Keeps only letters, combining marks and decimal digits, because some other numeric characters contain a dot.
    .replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, '-')
    // Drops combining marks that follow no letter.
    .replaceAll(/(?<=^|-)\p{M}+/gu, '')
    .replaceAll(/^-+|-+$/gu, '')
    .replaceAll(/-{2,}/gu, '-');
  // Normalizes twice, because the removal of an invisible character can join a letter and its combining mark.
  const slug = normalizeName(truncateText(normalizeName(text), maxSlugLength));
  if (slug === '') return 'image';
  // Windows reserves some names for devices.
  return isPortableName(slug) ? slug : `image-${slug}`;
}

const normalizeName = (text: string): string =>
  text.normalize('NFC').toLowerCase().normalize('NFC');

/**
 * Normalizes a file name for a comparison. Converts it to uppercase first, because different lowercase letters can have
 * the same uppercase letter.
 */
const normalizeForComparison = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Maximum length of an alternative text in UTF-16 code units. Many screen readers truncate longer texts. */
const maxAltLength = 125;

/** Converts a prompt to alternative text: one line without hidden characters, at most 125 UTF-16 code units. */
export function createAltText(prompt: string): string {
  // Shortens the text first, because processing a very long prompt is slow.
  const line = toSingleLine(prompt.slice(0, maxAltLength * 20));
  return truncateText(line, maxAltLength).replace(/[,;:]+$/u, '');
}

/** Formats the tool result that reports a saved image to the model. */
export function formatSavedImage(record: ImageRecord, path: string): string {
  const { width, height, origin, moderation } = record;
  const seed = origin.kind === 'generate' ? origin.request.seed : undefined;
  const notes = [
    `${width} × ${height} pixels`,
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(origin.kind === 'generate' ? [`model ${origin.request.model}`] : []),
  ];
  const blurredNote = moderation.blurred ? ' It was blurred by safe mode.' : '';
  return `Saved as ${path} (${notes.join(', ')}).${blurredNote}`;
}

/** Tool result that reports to the model that the service refused to generate an image. */
export const refusedImageText =
  'No image was created: it violates the content rules of the service. Nothing was charged.';

/** Returns the price of an image in dollars, or in DIEM if the price in dollars is unknown. */
export const getImageCost = ({ price }: Pick<ImageRecord, 'price'>): Cost =>
  price?.usd !== undefined ? { usd: price.usd } : { diem: price?.diem ?? 0 };
