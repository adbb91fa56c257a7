import { formatPrice } from '../../image-price.ts';
import type { ImageSize } from '../../image-size.ts';
import type { Price } from '../../../service/model-types.ts';

/**
 * What comes from the service or from disk, made to fit into the messages of the studio: the page refuses a message
 * with anything in it that is beyond its limits, and then shows nothing.
 */

/** Characters of a name or a label. */
const longestName = 300;
const longestPrice = 60;
/** Characters of an address that a page loads a picture from. */
const longestAddress = 8_192;
/** In pixels. */
const longestSide = 65_536;

export const shownName = (name: string): string => shortened(name, longestName);

/** A price as the page shows it; empty when it is not known, and cut when nobody would pay it. */
export const shownPrice = (price: Price | undefined): string =>
  shortened(formatPrice(price), longestPrice);

/** An address that is too long leads nowhere. */
export const shownAddress = (address: string): string =>
  address.length > longestAddress ? '' : address;

/** The same shape, with sides that the page takes. */
export function shownSize({ width, height }: ImageSize): ImageSize {
  const scale = Math.min(1, longestSide / Math.max(width, height));
  return { width: side(width * scale), height: side(height * scale) };
}

const side = (value: number): number => Math.min(longestSide, Math.max(1, Math.round(value) || 1));

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
