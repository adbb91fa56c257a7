import { ApiError } from '../api-error.ts';

const minSide = 64;
const maxBytes = 25 * 1024 * 1024;
const formats = new Set(['png', 'jpeg', 'webp', 'heif']);

/**
 * Describes images by size, format and main colors.
 * @throws ApiError 400 unless each image is a PNG, JPEG, WebP or AVIF with at least 64 pixels per side and at most 25
 * MB
 */
export async function describeImages(urls: readonly string[]): Promise<string> {
  const descriptions = await Promise.all(urls.map(describeImage));
  if (descriptions.length === 1) return `The image is ${descriptions[0]}`;
  const items = descriptions.map((text, index) => `${index + 1}. Image ${index + 1} is ${text}`);
  return `You sent ${descriptions.length} images:\n\n${items.join('\n')}`;
}

async function describeImage(url: string): Promise<string> {
  const bytes = await readBytes(url);
  if (bytes === undefined || bytes.length > maxBytes) throw createInvalidImageError();
  // The image library is loaded on first use, because most tests never decode an image.
  const { default: sharp } = await import('sharp');
  const image = sharp(bytes);
  const metadata = await image.metadata().catch(() => undefined);
  if (metadata === undefined || !formats.has(metadata.format)) throw createInvalidImageError();
  const { format, width, height } = metadata;
  if (Math.min(width, height) < minSide) throw createInvalidImageError();
  const pixels = await image
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .resize(48, 48, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer()
    .catch(() => undefined);
  if (pixels === undefined) throw createInvalidImageError();
  const shape = width === height ? 'square' : width > height ? 'landscape' : 'portrait';
  return `a ${shape} ${format.toUpperCase()} of **${width} × ${height}** pixels. Its main colours are ${describeMainColors(pixels)}.`;
}

/** Reads a data URL or a URL on this machine. Returns undefined for URLs of other machines. */
async function readBytes(url: string): Promise<Buffer | undefined> {
  const data = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(url)?.[1];
  if (data !== undefined) return Buffer.from(data, 'base64');
  if (URL.parse(url)?.hostname !== '127.0.0.1') return undefined;
  const reply = await fetch(url, { redirect: 'error' }).catch(() => undefined);
  return reply?.ok === true ? Buffer.from(await reply.arrayBuffer()) : undefined;
}

const createInvalidImageError = (): ApiError =>
  new ApiError(400, 'Supplied image did not pass validation checks.');

/** Names of colors, each with its red, green and blue value. */
const palette =
  'black 0 0 0, dark grey 64 64 64, grey 128 128 128, light grey 200 200 200, white 255 255 255, red 220 30 30, orange 255 140 0, yellow 250 220 40, green 40 160 60, teal 0 140 140, blue 30 80 220, purple 130 50 180, pink 245 130 180, brown 120 70 30'
    .split(', ')
    .map((entry) => ({
      name: entry.replace(/ \d.*/, ''),
      color: (entry.match(/\d+/g) ?? []).map(Number),
    }));

/** Returns the three most frequent colors with their percentages as Markdown. */
function describeMainColors(pixels: Buffer): string {
  const counts = new Map<string, number>();
  for (let offset = 0; offset + 2 < pixels.length; offset += 3) {
    const distances = palette.map(({ color }) =>
      color.reduce((sum, value, index) => sum + (value - pixels[offset + index]!) ** 2, 0),
    );
    const { name } = palette[distances.indexOf(Math.min(...distances))]!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, count]) => `**${name}** (${Math.round((count * 300) / pixels.length)} %)`)
    .join(', ');
}
