import { ApiError } from '../problem.ts';
import { customIssue, invalidRequest } from '../validation.ts';
import { readImage, styleLimits } from './input-image.ts';
import { openImage, type Pixels } from './pixels.ts';
import type { ColorOverlay } from './scene.ts';

export interface StyleReference {
  readonly image: string;
  readonly strength?: number | undefined;
}

/** The mean colours of the pictures whose style is asked for. @throws ApiError 400 for what is no picture below 8 MB. */
export async function readReferences(
  references: readonly StyleReference[],
): Promise<ColorOverlay[]> {
  const tints: ColorOverlay[] = [];
  for (const [index, { image, strength = 0.5 }] of references.entries()) {
    const colour = await meanColour(await read(image, index));
    tints.push({ colour, strength });
  }
  return tints;
}

async function read(image: string, index: number): Promise<Pixels> {
  try {
    return await readImage(image, styleLimits);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { error: text } = error.body as { error: string };
    throw invalidRequest([customIssue(['style_references', index, 'image'], text)]);
  }
}

async function meanColour(pixels: Pixels): Promise<string> {
  const { channels } = await (await openImage(pixels)).stats();
  const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => Math.round(mean));
  return `rgb(${red},${green},${blue})`;
}
