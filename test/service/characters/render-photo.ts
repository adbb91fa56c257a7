import sharp from 'sharp';
import { hashText } from '../random.ts';

/** Renders a PNG image with the persona's initial on a color derived from the slug. */
export function renderPhoto({ slug, name }: { slug: string; name: string }): Promise<Buffer> {
  const hue = hashText(slug) % 360;
  const letter = name.replace(/^The /u, '').charAt(0);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128">
    <rect width="128" height="128" fill="hsl(${hue}, 45%, 45%)"/>
    <text x="64" y="88" font-size="72" font-family="sans-serif" text-anchor="middle" fill="white">${letter}</text>
  </svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
