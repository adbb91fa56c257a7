import type { ImageView } from '../../src/image/studio/protocol/state.ts';

export interface GalleryQuery {
  readonly text: string;
  /** A model's display name; empty for all. */
  readonly model: string;
}

/** The pictures whose prompt has all the words and that the model made, in the given order. */
export function filterImages(images: readonly ImageView[], query: GalleryQuery): ImageView[] {
  const wanted = query.text.toLowerCase().split(/\s+/u).filter(Boolean);
  return images.filter(({ prompt, model }) => {
    if (query.model !== '' && model !== query.model) return false;
    const text = prompt.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The models that made some of these, by name. */
export const modelsOf = (images: readonly ImageView[]): string[] =>
  [...new Set(images.map(({ model }) => model))].filter(Boolean).toSorted();
