import type { ImageFormat } from '../service/images/image-types.ts';
import { cutText } from './cut-text.ts';
import { imageFileEndings } from './image-file-endings.ts';
import { isPortableName } from './portable-name.ts';

export interface ImageNaming {
  readonly prompt: string;
  /** Unknown when the service chose it. */
  readonly seed?: number;
  /** What the bytes are, not what was asked for. */
  readonly format: ImageFormat;
  /** Is asked with a whole name in lower case, composed (NFC): see {@link takenNames}. */
  readonly isTaken: (name: string) => boolean;
}

/**
 * The name for a new picture: the words of its prompt, its seed, and a number from 2 on when that is taken. Always in
 * lower case, shorter than 255 bytes, and a plain file name on every system, whatever the prompt is.
 */
export function imageFileName({ prompt, seed, format, isTaken }: ImageNaming): string {
  const stem = `${slugOf(prompt)}${Number.isSafeInteger(seed) ? `-${seed}` : ''}`;
  const ending = imageFileEndings[format];
  let name = `${stem}${ending}`;
  for (let number = 2; isTaken(name); number += 1) name = `${stem}-${number}${ending}`;
  return name;
}

/** Answers `isTaken` from the names in a folder: no file system tells more names apart than this does. */
export function takenNames(names: Iterable<string>): (name: string) => boolean {
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
  const slug = compose(cutText(compose(words), longestSlug));
  if (slug === '') return 'image';
  // Some words are devices on Windows.
  return isPortableName(slug) ? slug : `image-${slug}`;
}

const compose = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');

/** Lower case alone keeps letters apart that some systems take for one, so it goes by way of upper case. */
const fold = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
