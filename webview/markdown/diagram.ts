import * as l10n from '@vscode/l10n';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { maxGraphSize, readFlowchart, readStateDiagram } from './diagram-graph.ts';
import {
  decodeReservedCharacters,
  readClassDiagram,
  readEntityDiagram,
  readSequenceDiagram,
  type Statements,
  createUnsupportedError,
} from './diagram-statements.ts';

const maxSourceLength = 20_000;
const maxLineLength = 1000;
const maxMessages = 500;
const maxSvgLength = 1024 * 1024;
const maxDescriptionLength = 200;
const maxCachedDrawings = 50;

/**
 * Minimum scale of a wide diagram. A diagram that is still too wide at this scale can be scrolled, because smaller text
 * is not legible.
 */
const minDiagramScale = 0.7;

interface Drawing {
  /** SVG without colors. */
  readonly svg: string;
  /** Type and labels of the diagram, for screen readers. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
}

interface DiagramKind {
  readonly headerPattern: RegExp;
  readonly formatDescription: (labels: string) => string;
  readonly readStatements: (lines: readonly string[]) => Statements;
  /** Maximum number of nodes in a diagram of this type. Also the maximum number of edges. */
  readonly maxSize: number;
}

const diagramKinds: readonly DiagramKind[] = [
  {
    headerPattern: /^(?:graph|flowchart)(?![\w-])/,
    formatDescription: (labels) => l10n.t('Diagram: {0}', labels),
    readStatements: readFlowchart,
    maxSize: maxGraphSize,
  },
  {
    headerPattern: /^stateDiagram(?:-v2)?$/,
    formatDescription: (labels) => l10n.t('Diagram: {0}', labels),
    readStatements: readStateDiagram,
    maxSize: maxGraphSize,
  },
  {
    headerPattern: /^sequenceDiagram$/,
    formatDescription: (labels) => l10n.t('Diagram: {0}', labels),
    readStatements: readSequenceDiagram,
    maxSize: maxMessages,
  },
  {
    headerPattern: /^classDiagram(?:-v2)?$/,
    formatDescription: (labels) => l10n.t('Diagram: {0}', labels),
    readStatements: readClassDiagram,
    maxSize: maxGraphSize,
  },
  {
    headerPattern: /^erDiagram$/,
    formatDescription: (labels) => l10n.t('Diagram: {0}', labels),
    readStatements: readEntityDiagram,
    maxSize: maxGraphSize,
  },
];

/**
 * Converts Mermaid source to the drawing library's syntax, and describes the diagram for screen readers. Checks each
 * statement, because the library ignores statements that it does not support. Removes styles and links.
 * @throws if the source is too large, or contains a statement that the library would not draw
 */
export function convertDiagram(text: string): { source: string; description: string } {
  const lines = text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && !line.startsWith('%%'));
  const header = (lines[0] ?? '').replace(/;$/, '');
  const kind = diagramKinds.find((candidate) => candidate.headerPattern.test(header));
  if (!kind || lines.some(({ length }) => length > maxLineLength))
    throw createUnsupportedError(header);
  // Encoded labels use these characters, so the source must not contain them.
  if (text.length > maxSourceLength || /[\uE000-\uE07F]/.test(text))
    throw createUnsupportedError(header);
  const statements = kind.readStatements([header, ...lines.slice(1)]);
  const labels = statements.labels.map((label) => label.replaceAll(/\s+/g, ' ')).filter(Boolean);
  const size = Math.max(statements.edgeCount, statements.labels.length);
  if (size > kind.maxSize || labels.length === 0) throw createUnsupportedError(header);
  const description = kind.formatDescription(labels.join(', '));
  return { source: statements.lines.join('\n'), description: shortenLabel(description) };
}

function shortenLabel(text: string): string {
  if (text.length <= maxDescriptionLength) return text;
  return `${text.slice(0, maxDescriptionLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Space around a flowchart or state diagram in pixels, in addition to the padding of the code block. */
const diagramPaddingPx = 8;

/**
 * Draws Mermaid source as an SVG without colors.
 * @throws if the library cannot draw the source completely, or the SVG contains more than shapes and texts
 */
export function createDrawing(text: string): Drawing {
  const { source, description } = convertDiagram(text);
  const renderedSvg = renderMermaidSVG(source, { font: 'system-ui', padding: diagramPaddingPx });
  const svg = decodeReservedCharacters(
    renderedSvg
      .replaceAll(/\s*@import url\('https:\/\/fonts\.googleapis\.com\/[^']*'\);/g, '')
      .replaceAll(/ data-[a-z-]+="[^"]*"/g, '')
      // Remove the English text that the library adds to an entity without attributes.
      .replaceAll(/<text [^>]*>\(no attributes\)<\/text>/g, ''),
  );
  const [, width, height] = /^<svg [^>]*?width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  // The layout of some disconnected graphs fails without an error.
  const hasValidPositions = !/ (?:[a-z]{0,2}\d?|points|width|height|transform)="[^"]*NaN/.test(svg);
  const isSmall = svg.length <= maxSvgLength;
  if (!width || !height || !hasValidPositions || !isSmall || !isHarmlessSvg(svg))
    throw createUnsupportedError(source);
  return { svg, description, width: Number(width), height: Number(height) };
}

const harmlessElements =
  'svg|g|defs|marker|style|text|tspan|title|rect|line|circle|ellipse|path|polygon|polyline';
const harmlessTagPattern = new RegExp(
  `</?(?:${harmlessElements})(?:\\s+(?!on|style=|src)[a-z][\\w-]*="[^"<>]*")*\\s*/?>`,
  'g',
);

/**
 * Checks whether an SVG contains only shapes and texts. Such an SVG runs no code, loads no resource and links to no
 * page.
 */
export function isHarmlessSvg(svg: string): boolean {
  const svgWithoutStyle = svg.replace(/^(<svg [^>]*?) style="[^"<>]*">/, '$1>');
  const attributesText = (svgWithoutStyle.match(harmlessTagPattern) ?? []).join('');
  const isPlain = !/[<>]/.test(svgWithoutStyle.replaceAll(harmlessTagPattern, ''));
  const style = /<style>([^<]*)/.exec(svg)?.[1] ?? '';
  return (
    isPlain &&
    !/href|script:|url\((?!#)|data:/i.test(attributesText + style) &&
    !/@import|url\(\W{0,6}https?:/i.test(svg)
  );
}

/** Cache of drawings by source, least recently used first. The value is undefined if the source cannot be drawn. */
const cachedDrawings = new Map<string, Drawing | undefined>();

function getOrCreateDrawing(text: string): Drawing | undefined {
  const drawing = cachedDrawings.has(text) ? cachedDrawings.get(text) : tryCreateDrawing(text);
  cachedDrawings.delete(text);
  cachedDrawings.set(text, drawing);
  const [oldestText = ''] = cachedDrawings.keys();
  if (cachedDrawings.size > maxCachedDrawings) cachedDrawings.delete(oldestText);
  return drawing;
}

function tryCreateDrawing(text: string): Drawing | undefined {
  try {
    return createDrawing(text);
  } catch {
    return undefined;
  }
}

const drawingsByImage = new WeakMap<Element, Drawing>();
let drawnColors = '';

/**
 * Functions of the page that the diagram bundle uses. If the diagram bundle imported their modules instead, the bundler
 * would split the page's bundle into more files.
 */
export interface DiagramPage {
  /** Runs work while the page is idle. */
  schedule(run: () => void): void;
  makeTabStopIfScrollable(element: HTMLElement, label: string): void;
}

/**
 * Shows a finished code block with Mermaid source as an image, and adds a button that shows the source. Does not change
 * the block if the source cannot be drawn.
 */
export function drawDiagram(block: HTMLElement, page: DiagramPage): void {
  const code = block.querySelector('pre');
  const bar = block.querySelector('.code-bar');
  const isDrawn = block.querySelector('.diagram') !== null;
  if (!code || !bar || isDrawn || block.querySelector('.hidden-character')) return;
  const drawing = getOrCreateDrawing(code.textContent);
  if (!drawing) return;
  observeTheme(page);
  const image = createImage(drawing);
  const diagram = document.createElement('div');
  diagram.className = 'diagram';
  diagram.append(image);
  page.makeTabStopIfScrollable(diagram, drawing.description);
  code.hidden = true;
  code.after(diagram);
  bar.querySelector('.code-language')?.after(createToggleButton(code, diagram));
}

function createImage(drawing: Drawing): HTMLImageElement {
  const image = document.createElement('img');
  image.alt = drawing.description;
  image.width = Math.ceil(drawing.width);
  image.height = Math.ceil(drawing.height);
  image.style.minWidth = `${Math.ceil(drawing.width * minDiagramScale)}px`;
  image.src = createImageUrl(drawing);
  drawingsByImage.set(image, drawing);
  return image;
}

function createToggleButton(code: HTMLElement, diagram: HTMLElement): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  const updateButton = (): void => {
    const label = code.hidden ? l10n.t('Show source') : l10n.t('Show diagram');
    button.className = `code-action code-toggle codicon codicon-${code.hidden ? 'code' : 'file-media'}`;
    button.title = label;
    button.setAttribute('aria-label', label);
  };
  button.addEventListener('click', () => {
    code.hidden = !code.hidden;
    diagram.hidden = !code.hidden;
    updateButton();
  });
  updateButton();
  return button;
}

function createImageUrl({ svg }: Drawing): string {
  const coloredSvg = svg.replace(/ style="[^"]*"/, () => ` style="${drawnColors}"`);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(coloredSvg)}`;
}

let observer: MutationObserver | undefined;
let currentPage: DiagramPage;
let isUpdateScheduled = false;

/**
 * Updates the colors of all diagrams when the VS Code theme changes. VS Code then changes the attributes of the page's
 * root elements, which this function observes.
 */
function observeTheme(page: DiagramPage): void {
  currentPage = page;
  if (observer) return;
  drawnColors = readColors();
  observer = new MutationObserver(() => {
    if (isUpdateScheduled) return;
    isUpdateScheduled = true;
    currentPage.schedule(updateColors);
  });
  for (const root of [document.body, document.documentElement])
    observer.observe(root, { attributes: true });
}

function updateColors(): void {
  isUpdateScheduled = false;
  const currentColors = readColors();
  if (currentColors === drawnColors) return;
  drawnColors = currentColors;
  for (const image of document.querySelectorAll<HTMLImageElement>('.diagram > img')) {
    const drawing = drawingsByImage.get(image);
    if (drawing) image.src = createImageUrl(drawing);
  }
}

/** Returns a style sheet with the colors of the theme. The drawing library derives further colors from these colors. */
function readColors(): string {
  const style = getComputedStyle(document.body);
  const readColor = (name: string, fallback: string): string => {
    const value = style.getPropertyValue(`--vscode-${name}`).trim();
    return /^[\w#%(),.\s/-]+$/.test(value) ? value : fallback;
  };
  const background = readColor('editor-background', '#ffffff');
  const foreground = readColor('editor-foreground', '#27272a');
  const mutedColor = readColor('descriptionForeground', foreground);
  const line = readColor('contrastBorder', `color-mix(in srgb, ${foreground} 60%, ${background})`);
  const values = {
    bg: background,
    fg: foreground,
    muted: mutedColor,
    line,
    border: line,
    accent: line,
  };
  // The faint color of the library has too little contrast.
  return Object.entries({ ...values, '_text-faint': mutedColor })
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
