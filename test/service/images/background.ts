import { encodeImage, openImage, type Pixels, toPixels } from './pixels.ts';

/** Maximum difference in each color channel between a background pixel and the background color. */
const colorTolerance = 40;

/**
 * Makes all pixels transparent that have the color of the image's border and are connected to it. Returns a PNG file.
 */
export async function removeBackground(image: Pixels): Promise<Buffer> {
  const pixels = await toPixels((await openImage(image)).ensureAlpha());
  const { data } = pixels;
  const borderPixels = listBorderPixels(pixels);
  const color = findCommonColor(data, borderPixels);
  const isBackground = (pixel: number): boolean =>
    data[pixel * 4 + 3] !== 0 &&
    color.every(
      (value, channel) => Math.abs((data[pixel * 4 + channel] ?? 0) - value) <= colorTolerance,
    );
  makeTransparent(pixels, borderPixels.filter(isBackground), isBackground);
  return encodeImage(pixels, 'png');
}

function listBorderPixels({ width, height }: Pixels): number[] {
  const horizontalPixels = Array.from({ length: width }, (_, x) => [x, (height - 1) * width + x]);
  const verticalPixels = Array.from({ length: height }, (_, y) => [
    y * width,
    y * width + width - 1,
  ]);
  return [...horizontalPixels, ...verticalPixels].flat();
}

/**
 * Returns red, green and blue of the most frequent color of the pixels. Each channel is rounded to one of 16 values.
 */
function findCommonColor(data: Buffer, pixels: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  let mostFrequentColor = 0;
  for (const pixel of pixels) {
    const [red = 0, green = 0, blue = 0] = data.subarray(pixel * 4, pixel * 4 + 3);
    const quantizedColor = ((red >> 4) << 8) | ((green >> 4) << 4) | (blue >> 4);
    const count = (counts.get(quantizedColor) ?? 0) + 1;
    counts.set(quantizedColor, count);
    if (count > (counts.get(mostFrequentColor) ?? 0)) mostFrequentColor = quantizedColor;
  }
  return [mostFrequentColor >> 8, (mostFrequentColor >> 4) & 15, mostFrequentColor & 15].map(
    (value) => value * 16 + 8,
  );
}

/** Makes the given pixels and all background pixels connected to them transparent. */
function makeTransparent(
  { data, width, height }: Pixels,
  startPixels: readonly number[],
  isBackground: (pixel: number) => boolean,
): void {
  const pendingPixels = [...startPixels];
  const clearIfBackground = (pixel: number): void => {
    if (!isBackground(pixel)) return;
    data[pixel * 4 + 3] = 0;
    pendingPixels.push(pixel);
  };
  for (let pixel = pendingPixels.pop(); pixel !== undefined; pixel = pendingPixels.pop()) {
    data[pixel * 4 + 3] = 0;
    const x = pixel % width;
    if (x > 0) clearIfBackground(pixel - 1);
    if (x < width - 1) clearIfBackground(pixel + 1);
    if (pixel >= width) clearIfBackground(pixel - width);
    if (pixel < width * (height - 1)) clearIfBackground(pixel + width);
  }
}
