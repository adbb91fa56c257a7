import { hashText, createSeededRandom } from '../random.ts';
import { findHue } from './find-hue.ts';
import { styleNames, getStyleEffect } from './styles.ts';

/** All values that an image depends on. Equal scenes produce equal images. */
export interface Scene {
  readonly modelId: string;
  readonly prompt: string;
  readonly seed: number;
  readonly negativePrompt?: string;
  readonly styleName?: string;
  /** Value of `cfg_scale`, greater than 0 and at most 20. A higher value makes colors more saturated. */
  readonly guidance: number;
  /** Level of detail, at least 1. A higher level adds shapes to the image. */
  readonly detail: number;
  readonly references: readonly ColorOverlay[];
  readonly hasWatermark: boolean;
}

/** Color to blend over the image. */
export interface ColorOverlay {
  /** CSS color: `rgb(…)`. */
  readonly color: string;
  /** Opacity, 0 to 1. */
  readonly strength: number;
}

const viewBoxSize = 1000;

/**
 * Renders a landscape with a sun as SVG, stretched to `width` × `height`. The colors depend on the prompt, the shapes
 * on the prompt and the seed.
 */
export function renderScene(scene: Scene, { width, height }: { width: number; height: number }) {
  const palette = createPalette(scene);
  const random = createSeededRandom(hashText(`${scene.seed}|${scene.prompt}`));
  const parts = [
    `<rect width="${viewBoxSize}" height="${viewBoxSize}" fill="url(#sky)"/>`,
    renderSun(random, palette),
    ...Array.from({ length: 2 + scene.detail }, (_, index) =>
      renderHill({ random, palette, index, count: 2 + scene.detail }),
    ),
    ...Array.from({ length: scene.detail * 3 }, () => renderSpark(random, palette)),
    ...scene.references.map(renderOverlay),
    renderTexture(scene.styleName),
    scene.hasWatermark ? watermark : '',
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${viewBoxSize} ${viewBoxSize}" preserveAspectRatio="none">${renderDefinitions(scene, palette)}${parts.join('')}</svg>`;
}

interface Palette {
  readonly hue: number;
  readonly saturation: number;
  readonly isDark: boolean;
}

function createPalette({ modelId, prompt, negativePrompt, styleName, guidance }: Scene): Palette {
  const promptHue = findHue(prompt) ?? hashText(`${prompt}|${modelId}`) % 360;
  const hueShift = negativePrompt === undefined ? 0 : 60 + (hashText(negativePrompt) % 120);
  const hue = promptHue + hueShift + (styleName === undefined ? 0 : styleNames.indexOf(styleName));
  return { hue, saturation: 20 + guidance * 4, isDark: getStyleEffect(styleName) === 'night' };
}

function formatColor(
  { hue, saturation, isDark }: Palette,
  hueShift: number,
  lightness: number,
): string {
  const scaledLightness = isDark ? lightness * 0.45 : lightness;
  return `hsl(${(Math.round(hue + hueShift) + 360) % 360},${Math.round(saturation)}%,${Math.round(scaledLightness)}%)`;
}

function renderDefinitions({ styleName }: Scene, palette: Palette): string {
  const stopColors = [formatColor(palette, -20, 55), formatColor(palette, 15, 85)];
  const skyStops = stopColors
    .map((stopColor, index) => `<stop offset="${index}" stop-color="${stopColor}"/>`)
    .join('');
  const gradient = `<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">${skyStops}</linearGradient>`;
  if (styleName === undefined) return `<defs>${gradient}</defs>`;
  const styleIndex = styleNames.indexOf(styleName);
  const patternSize = 12 + ((styleIndex * 7) % 29);
  const shape =
    styleIndex % 2 === 0
      ? `<circle cx="${patternSize / 2}" cy="${patternSize / 2}" r="${patternSize / 4}" fill="#fff"/>`
      : `<rect width="${patternSize}" height="${patternSize / 3}" fill="#000"/>`;
  const rotation = `patternTransform="rotate(${(styleIndex * 11) % 180})"`;
  const pattern = `<pattern id="texture" width="${patternSize}" height="${patternSize}" patternUnits="userSpaceOnUse" ${rotation}>${shape}</pattern>`;
  return `<defs>${gradient}${pattern}</defs>`;
}

const renderTexture = (style: string | undefined): string =>
  style === undefined
    ? ''
    : `<rect width="${viewBoxSize}" height="${viewBoxSize}" fill="url(#texture)" opacity="0.22"/>`;

const renderOverlay = ({ color: fill, strength }: ColorOverlay): string =>
  `<rect width="${viewBoxSize}" height="${viewBoxSize}" fill="${fill}" opacity="${strength * 0.6}"/>`;

const watermark = `<circle cx="965" cy="965" r="16" fill="none" stroke="#fff" stroke-width="6" opacity="0.8"/>`;

const pickRandomInteger = (random: () => number, min: number, max: number): number =>
  Math.round(min + random() * (max - min));

function renderSun(random: () => number, palette: Palette): string {
  const [x, y, r] = [
    pickRandomInteger(random, 150, 850),
    pickRandomInteger(random, 120, 380),
    pickRandomInteger(random, 60, 150),
  ];
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="${formatColor(palette, 60, 75)}"/>`;
}

function renderHill(options: {
  random: () => number;
  palette: Palette;
  index: number;
  count: number;
}) {
  const { random, palette, index, count } = options;
  const baseY = 380 + (560 * index) / count;
  const yCoordinates = Array.from({ length: 4 }, () =>
    pickRandomInteger(random, baseY - 120, baseY + 90),
  );
  const [startY, firstControlY, secondControlY, endY] = yCoordinates;
  const fill = formatColor(palette, (index % 3) * 18, 62 - (44 * index) / count);
  return `<path d="M0 ${startY}C330 ${firstControlY} 660 ${secondControlY} ${viewBoxSize} ${endY}L${viewBoxSize} ${viewBoxSize}L0 ${viewBoxSize}Z" fill="${fill}"/>`;
}

function renderSpark(random: () => number, palette: Palette): string {
  const [x, y, r] = [
    pickRandomInteger(random, 0, viewBoxSize),
    pickRandomInteger(random, 0, viewBoxSize),
    pickRandomInteger(random, 2, 9),
  ];
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="${formatColor(palette, 180, 70)}" opacity="0.8"/>`;
}
