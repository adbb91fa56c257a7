import type { ImageFormat } from '../service/images/image-types.ts';

/** Where the extension's state keeps the model and the options that the person used last. */
export const imageChoiceKey = 'image.choice';

/** The ending of a picture's file, with its dot. */
export const imageFileEndings: Readonly<Record<ImageFormat, string>> = {
  png: '.png',
  jpeg: '.jpg',
  webp: '.webp',
};
