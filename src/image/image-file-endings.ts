import type { ImageFormat } from '../service/images/image-types.ts';

/** The ending of a picture's file, with its dot. */
export const imageFileEndings: Readonly<Record<ImageFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};
