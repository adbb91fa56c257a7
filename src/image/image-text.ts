import { oneLine } from '../base/hidden-characters.ts';
import { imageFileExtensions } from './image-generator.ts';
import { isPortableName } from './image-folder.ts';
import type { ImageRecord } from './image-record.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import type { ImageFormat } from '../service/images/image-types.ts';

type Described = Pick<ImageRecord, 'origin' | 'subject'>;

/** What a picture shows, for its alternative text and for search; empty when nobody ever said. */
export function imageSubject({ origin, subject }: Described): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      // An instruction says what changed, not what there is to see.
      return subject ?? origin.prompt;
    default:
      return subject ?? '';
  }
}

/** What its file is called after: what it shows, and what was done to that. */
export function fileNameSubject({ origin, subject }: Described): string {
  const words = imageSubject({ origin, ...(subject === undefined ? {} : { subject }) });
  switch (origin.kind) {
    case 'upscale':
      return `${words} ${origin.scale}x`;
    case 'remove-background':
      return `${words} no background`;
    default:
      return words;
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The beginning of a text, at most `limit` UTF-16 units long: cut between words when that leaves more than half of it,
 * else between characters as a person sees them. Never ends with a space or a hyphen that was cut at.
 */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const next = text.charAt(limit);
  const cut = text.slice(0, limit);
  const gap = isGap(next) ? limit : Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('-'));
  return (gap > limit / 2 ? cut.slice(0, gap) : wholeCharacters(text, limit)).replace(
    /[ -]+$/u,
    '',
  );
}

const isGap = (character: string): boolean => character === ' ' || character === '-';

function wholeCharacters(text: string, limit: number): string {
  let end = 0;
  // What follows decides whether a character is over, so a little more than the limit is looked at.
  for (const { index, segment } of graphemes.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

export interface ImageNaming {
  readonly prompt: string;
  /** Unknown when the service chose it. */
  readonly seed?: number;
  /** What the bytes are, not what was asked for. */
  readonly format: ImageFormat;
  /** Is asked with a whole name in lower case, composed (NFC): see {@link nameLookup}. */
  readonly isTaken: (name: string) => boolean;
}

/**
 * The name for a new picture: the words of its prompt, its seed, and a number from 2 on when that is taken. Always in
 * lower case, shorter than 255 bytes, and a plain file name on every system, whatever the prompt is.
 */
export function imageFileName({ prompt, seed, format, isTaken }: ImageNaming): string {
  const stem = `${slugOf(prompt)}${Number.isSafeInteger(seed) ? `-${seed}` : ''}`;
  const ending = imageFileExtensions[format];
  let name = `${stem}${ending}`;
  for (let number = 2; isTaken(name); number += 1) name = `${stem}-${number}${ending}`;
  return name;
}

/** Answers `isTaken` from the names in a folder: no file system tells more names apart than this does. */
export function nameLookup(names: Iterable<string>): (name: string) => boolean {
  const taken = new Set(Array.from(names, fold));
  return (name) => taken.has(fold(name));
}

/** UTF-16 units. */
const longestSlug = 48;

function slugOf(prompt: string): string {
  // Nothing needs the rest, and a prompt can be as long as a book.
  const words = compose(prompt.slice(0, 1_000))
    .replaceAll(/['’\p{Default_Ignorable_Code_Point}]/gu, '')
    // Of the numbers only digits: some of the others hold a dot.
    .replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, '-')
    // Marks need a letter to stand on.
    .replaceAll(/(?<=^|-)\p{M}+/gu, '')
    .replaceAll(/^-+|-+$/gu, '')
    .replaceAll(/-{2,}/gu, '-');
  // What was invisible may have stood between a letter and its mark.
  const slug = compose(truncateText(compose(words), longestSlug));
  if (slug === '') return 'image';
  // Some words are devices on Windows.
  return isPortableName(slug) ? slug : `image-${slug}`;
}

const compose = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Lower case alone keeps letters apart that some systems take for one, so it goes by way of upper case. */
const fold = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** What screen readers are commonly said to read in one go. */
const longest = 125;

/** A prompt as the alternative text of its picture: one line without hidden characters, at most 125 UTF-16 units. */
export function altText(prompt: string): string {
  // Nothing needs the rest, and a prompt can be as long as a book.
  const line = oneLine(prompt.slice(0, longest * 20));
  return truncateText(line, longest).replace(/[,;:]+$/u, '');
}

/** What a model is told of a picture that was made for it. */
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

/** What a model is told when the service refused the picture. */
export const refusedImageText =
  'No picture was made: it is against the content rules of the service. Nothing was charged.';

/** What a picture costs, in the unit that the service charges in first. */
export const imageCost = ({ price }: Pick<ImageRecord, 'price'>): Cost =>
  price?.usd !== undefined ? { usd: price.usd } : { diem: price?.diem ?? 0 };
