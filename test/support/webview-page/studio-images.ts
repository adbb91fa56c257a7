/**
 * Returns the URL of a generated image on the page server: `/image/INDEX/WIDTHxHEIGHT.svg`. The color of the image
 * depends on the index.
 */

export const createImageUrl = (index: number, width: number, height: number): string =>
  `/image/${index}/${width}x${height}.svg`;

/** Returns the URL of the thumbnail of a generated image. */
export function createThumbnailUrl(index: number, width: number, height: number): string {
  const scale = 320 / Math.max(width, height);
  return createImageUrl(index, Math.round(width * scale), Math.round(height * scale));
}

/** Returns the SVG source of the image at a {@link createImageUrl} path. Returns `undefined` for other paths. */
export function drawImage(path: string): string | undefined {
  const match = /^\/image\/(?<at>\d+)\/(?<width>\d+)x(?<height>\d+)\.svg$/u.exec(path);
  if (!match?.groups) return undefined;
  const [index, width, height] = ['at', 'width', 'height'].map((name) =>
    Number(match.groups?.[name]),
  );
  return drawImageSvg(index ?? 0, width ?? 1, height ?? 1);
}

function drawImageSvg(index: number, width: number, height: number): string {
  const hue = (index * 47) % 360;
  const horizon = Math.round(height * 0.62);
  const radius = Math.round(Math.min(width, height) * 0.16);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
  <rect width="${width}" height="${height}" fill="hsl(${hue} 45% 72%)"/>
  <circle cx="${Math.round(width * (0.25 + (index % 5) * 0.12))}" cy="${Math.round(height * 0.36)}" r="${radius}" fill="hsl(${(hue + 40) % 360} 80% 88%)"/>
  <path d="M0 ${horizon} L${width * 0.3} ${height * 0.45} L${width * 0.55} ${horizon} L${width * 0.8} ${height * 0.5} L${width} ${horizon} V${height} H0 Z" fill="hsl(${(hue + 160) % 360} 30% 34%)"/>
</svg>`;
}
