import { Problem } from '../problem.ts';

const minimumSide = 64;
const mostBytes = 25 * 1024 * 1024;
const kinds = new Set(['png', 'jpeg', 'webp', 'heif']);

/**
 * What can be seen in the images: size, format, main colours, brightness.
 * @throws Problem 400 for anything that is not a PNG, JPEG, WebP or AVIF image of 64 pixels a side and 25 MB at most.
 */
export async function describeImages(urls: readonly string[]): Promise<string> {
  const descriptions = await Promise.all(urls.map(describeImage));
  if (descriptions.length === 1) return `The image is ${descriptions[0]}`;
  const items = descriptions.map((text, index) => `${index + 1}. Image ${index + 1} is ${text}`);
  return `You sent ${descriptions.length} images:\n\n${items.join('\n')}`;
}

async function describeImage(url: string): Promise<string> {
  const { format, width, height, colours } = await decode(url);
  const shape = width === height ? 'square' : width > height ? 'landscape' : 'portrait';
  const list = colours.map(({ name, share }) => `**${name}** (${share} %)`).join(', ');
  return `a ${shape} ${format.toUpperCase()} of **${width} × ${height}** pixels. Its main colours are ${list}.`;
}

interface Picture {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly colours: readonly { readonly name: string; readonly share: number }[];
}

async function decode(url: string): Promise<Picture> {
  const bytes = await bytesOf(url);
  if (bytes === undefined || bytes.length > mostBytes) throw invalidImage();
  // Loaded on first use: most runs never see an image.
  const { default: sharp } = await import('sharp');
  const image = sharp(bytes);
  const metadata = await image.metadata().catch(() => undefined);
  if (metadata === undefined || !kinds.has(metadata.format)) throw invalidImage();
  const { format, width, height } = metadata;
  if (Math.min(width, height) < minimumSide) throw invalidImage();
  const pixels = await image
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .resize(48, 48, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer()
    .catch(() => undefined);
  if (pixels === undefined) throw invalidImage();
  return { format, width, height, colours: mainColours(pixels) };
}

/** Of a data URL, or of an address on this machine, which the service never leaves. */
async function bytesOf(url: string): Promise<Buffer | undefined> {
  const data = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(url)?.[1];
  if (data !== undefined) return Buffer.from(data, 'base64');
  if (URL.parse(url)?.hostname !== '127.0.0.1') return undefined;
  const reply = await fetch(url, { redirect: 'error' }).catch(() => undefined);
  return reply?.ok === true ? Buffer.from(await reply.arrayBuffer()) : undefined;
}

const invalidImage = (): Problem =>
  new Problem(400, 'Supplied image did not pass validation checks.');

type Rgb = readonly [number, number, number];

const palette: Readonly<Record<string, Rgb>> = {
  black: [0, 0, 0],
  'dark grey': [64, 64, 64],
  grey: [128, 128, 128],
  'light grey': [200, 200, 200],
  white: [255, 255, 255],
  red: [220, 30, 30],
  orange: [255, 140, 0],
  yellow: [250, 220, 40],
  green: [40, 160, 60],
  'dark green': [10, 80, 30],
  teal: [0, 140, 140],
  blue: [30, 80, 220],
  'dark blue': [15, 25, 90],
  'light blue': [130, 190, 250],
  purple: [130, 50, 180],
  pink: [245, 130, 180],
  brown: [120, 70, 30],
};

function mainColours(pixels: Buffer): { name: string; share: number }[] {
  const counts = new Map<string, number>();
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const name = nearest([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const total = pixels.length / 3;
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, count]) => ({ name, share: Math.round((count * 100) / total) }));
}

function nearest(colour: Rgb): string {
  let best = 'grey';
  let bestDistance = Infinity;
  for (const [name, [r, g, b]] of Object.entries(palette)) {
    const distance = (r - colour[0]) ** 2 + (g - colour[1]) ** 2 + (b - colour[2]) ** 2;
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}
