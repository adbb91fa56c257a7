import { ApiError } from '../api-error.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';
import { readImage, styleLimits } from './input-image.ts';
import { openImage, type Pixels } from './pixels.ts';
import type { ColorOverlay } from './scene.ts';

export interface StyleReference {
  readonly image: string;
  readonly strength?: number | undefined;
}

/**
 * Returns the mean color of each style reference image, and the strength with which to blend this color.
 * @throws ApiError 400 if the data is not an image, or has 8 MB or more
 */
export async function readStyleReferences(
  references: readonly StyleReference[],
): Promise<ColorOverlay[]> {
  const tints: ColorOverlay[] = [];
  for (const [index, { image, strength = 0.5 }] of references.entries()) {
    const color = await computeMeanColor(await readReference(image, index));
    tints.push({ color, strength });
  }
  return tints;
}

async function readReference(image: string, index: number): Promise<Pixels> {
  try {
    return await readImage(image, styleLimits);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { error: text } = error.body as { error: string };
    throw createInvalidRequestError([
      createCustomIssue(['style_references', index, 'image'], text),
    ]);
  }
}

async function computeMeanColor(pixels: Pixels): Promise<string> {
  const { channels } = await (await openImage(pixels)).stats();
  const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => Math.round(mean));
  return `rgb(${red},${green},${blue})`;
}
