import { encodeImage, openImage, type Pixels, toPixels } from './pixels.ts';

/** Maximum difference in each color channel between a background pixel and the background color. */
const colorTolerance = 40;

/**
 * Makes all pixels transparent that have the color of the image's border and are connected to it. Returns a PNG file.
 */
export async function removeBackground(image: Pixels): Promise<Buffer> {
  const pixels = await toPixels((await openImage(image)).ensureAlpha());
  const { data } = pixels;
  const borderIndexes = listBorderIndexes(pixels);
  const backgroundColor = findCommonColor(data, borderIndexes);
  const isBackground = (pixelIndex: number): boolean =>
    data[pixelIndex * 4 + 3] !== 0 &&
    backgroundColor.every(
      (value, channel) => Math.abs((data[pixelIndex * 4 + channel] ?? 0) - value) <= colorTolerance,
    );
  makeTransparent(pixels, borderIndexes.filter(isBackground), isBackground);
  return encodeImage(pixels, 'png');
}

function listBorderIndexes({ width, height }: Pixels): number[] {
  const horizontalIndexes = Array.from({ length: width }, (_, x) => [x, (height - 1) * width + x]);
  const verticalIndexes = Array.from({ length: height }, (_, y) => [
    y * width,
    y * width + width - 1,
  ]);
  return [...horizontalIndexes, ...verticalIndexes].flat();
}

/**
 * Returns red, green and blue of the most frequent color of the pixels. Each channel is rounded to one of 16 values.
 */
function findCommonColor(data: Buffer, pixelIndexes: readonly number[]): readonly number[] {
  const counts = new Map<number, number>();
  let mostFrequentColor = 0;
  for (const pixelIndex of pixelIndexes) {
    const [red = 0, green = 0, blue = 0] = data.subarray(pixelIndex * 4, pixelIndex * 4 + 3);
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
  startIndexes: readonly number[],
  isBackground: (pixelIndex: number) => boolean,
): void {
  const pendingIndexes = [...startIndexes];
  const clearIfBackground = (pixelIndex: number): void => {
    if (!isBackground(pixelIndex)) return;
    data[pixelIndex * 4 + 3] = 0;
    pendingIndexes.push(pixelIndex);
  };
  for (
    let pixelIndex = pendingIndexes.pop();
    pixelIndex !== undefined;
    pixelIndex = pendingIndexes.pop()
  ) {
    data[pixelIndex * 4 + 3] = 0;
    const x = pixelIndex % width;
    if (x > 0) clearIfBackground(pixelIndex - 1);
    if (x < width - 1) clearIfBackground(pixelIndex + 1);
    if (pixelIndex >= width) clearIfBackground(pixelIndex - width);
    if (pixelIndex < width * (height - 1)) clearIfBackground(pixelIndex + width);
  }
}
