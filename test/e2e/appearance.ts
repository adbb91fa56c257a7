import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import sharp from 'sharp';
import { artefacts, root } from '../support/paths.ts';
import { eventually } from '../support/eventually.ts';
import type { Session } from './session.ts';

/**
 * Identifiers of each theme: `name` in the settings, `kind` as a CSS class of the window, and `inWebview` as an
 * attribute value in webviews. The keys are also the names of the screenshot folders.
 */
const themes = {
  dark: { name: 'Default Dark Modern', kind: 'vs-dark', inWebview: 'vscode-dark' },
  light: { name: 'Default Light Modern', kind: 'vs', inWebview: 'vscode-light' },
  'hc-dark': {
    name: 'Default High Contrast',
    kind: 'hc-black',
    inWebview: 'vscode-high-contrast',
  },
  'hc-light': {
    name: 'Default High Contrast Light',
    kind: 'hc-light',
    inWebview: 'vscode-high-contrast-light',
  },
} as const;

export type Theme = keyof typeof themes;
export const allThemes = Object.keys(themes) as Theme[];

/**
 * Sets the color theme in the workspace settings. Resolves when both the window and the webview `content`, by default
 * the chat, use the theme. The webview must be visible.
 */
export async function applyTheme(
  { folder, page, chat }: Session,
  theme: Theme,
  content: FrameLocator = chat.content,
): Promise<void> {
  const { name, kind, inWebview } = themes[theme];
  await mkdir(join(folder, '.vscode'), { recursive: true });
  const settings = JSON.stringify({ 'workbench.colorTheme': name });
  // Retry, because the window may not watch the folder yet.
  await eventually(async (timeout) => {
    await writeFile(join(folder, '.vscode', 'settings.json'), settings);
    await page.locator(`.monaco-workbench.${kind}`).waitFor({ timeout });
  });
  await content.locator(`body[data-vscode-theme-kind="${inWebview}"]`).waitFor();
}

/**
 * Environment variable that requests screenshots. `npm run test:e2e -- --screenshots` sets it. Screenshots are
 * optional, because they check nothing and each theme takes about a second.
 */
export const screenshotsVariable = 'INFERENCE_SERVICE_TEST_SCREENSHOTS';
const takesScreenshots = Boolean(process.env[screenshotsVariable]);

/** Writes `.artefacts/screenshots/<folder>/<name>.png` if screenshots are requested or `folder` is `failed`. */
export async function takeScreenshot(
  { page }: Session,
  name: string,
  folder: Theme | 'narrow' | 'failed',
): Promise<void> {
  if (!takesScreenshots && folder !== 'failed') return;
  const screenshotFolder = join(artefacts, 'screenshots', folder);
  await mkdir(screenshotFolder, { recursive: true });
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), animations: 'disabled' });
}

/**
 * Takes screenshots of the window in each theme, and then restores the dark theme. Waits until the webview `content`
 * uses each theme. Does nothing unless screenshots are requested.
 */
export async function takeScreenshotInThemes(
  session: Session,
  name: string,
  content: FrameLocator,
): Promise<void> {
  if (!takesScreenshots) return;
  for (const theme of allThemes) {
    await applyTheme(session, theme, content);
    await takeScreenshot(session, name, theme);
  }
  await applyTheme(session, 'dark', content);
}

/**
 * Takes a screenshot of the chat in each theme, and one in the dark theme with a side bar that is 250 pixels wide. Then
 * restores the width. Does nothing unless screenshots are requested.
 */
export async function takeScreenshotInAllThemes(session: Session, name: string): Promise<void> {
  if (!takesScreenshots) return;
  for (const theme of allThemes) {
    await applyTheme(session, theme);
    await takeScreenshot(session, name, theme);
  }
  await applyTheme(session, 'dark');
  const { width } = await session.workbench.readSideBarBounds();
  await session.workbench.resizeSecondarySideBar(250);
  await takeScreenshot(session, name, 'narrow');
  await session.workbench.resizeSecondarySideBar(width);
}

/**
 * Writes `docs/screenshots/<name>.<theme>.png` in each theme. Then calls `makeNarrow` and writes
 * `docs/screenshots/<name>.300px.png` in the dark theme. Without a request for screenshots, only calls `makeNarrow`.
 * @param makeNarrow Gives the view a width of 300 pixels. Omit it for a view that cannot be so narrow.
 */
export async function takeDocsScreenshots(
  session: Session,
  name: string,
  { content, makeNarrow }: { content?: FrameLocator; makeNarrow?: () => Promise<void> } = {},
): Promise<void> {
  if (takesScreenshots) {
    for (const theme of allThemes) {
      await applyTheme(session, theme, content);
      await writeDocsScreenshot(session.page, `${name}.${theme}`);
    }
    await applyTheme(session, 'dark', content);
  }
  if (makeNarrow === undefined) return;
  await makeNarrow();
  if (takesScreenshots) await writeDocsScreenshot(session.page, `${name}.300px`);
}

async function writeDocsScreenshot(page: Session['page'], name: string): Promise<void> {
  await writeScreenshot(page, join('docs', 'screenshots', `${name}.png`));
}

/**
 * Writes a screenshot to `path` in the repository if screenshots are requested. The image uses a color palette, so that
 * the file is small.
 * @param clip Part of the window to include. Omit it for the whole window.
 */
export async function writeScreenshot(
  page: Session['page'],
  path: string,
  clip?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  },
): Promise<void> {
  if (!takesScreenshots) return;
  // Hovers would differ between runs.
  await page.mouse.move(0, 0);
  const png = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    ...(clip && { clip }),
  });
  await sharp(png).png({ palette: true }).toFile(join(root, path));
}

/** A frame of an animation: a PNG image, and the time for which it is visible, in milliseconds. */
interface CapturedFrame {
  readonly png: Uint8Array;
  readonly delayMs: number;
}

/**
 * Records screenshots of one user journey as an animated image in the repository. Records and writes nothing unless
 * screenshots are requested.
 */
export class Animation {
  readonly #page: Session['page'];
  readonly #frames: CapturedFrame[] = [];

  constructor(page: Session['page']) {
    this.#page = page;
  }

  /** Adds a screenshot of the window, which the animated image shows for `delay` milliseconds. */
  async addFrame(delay: number): Promise<void> {
    if (!takesScreenshots) return;
    await this.#page.mouse.move(0, 0);
    const png = await this.#page.screenshot({ animations: 'disabled', caret: 'hide' });
    this.#frames.push({
      png: await sharp(png).resize({ width: animationWidth }).png().toBuffer(),
      delayMs: delay,
    });
  }

  /** Writes all frames to `path` as a GIF that repeats endlessly. Writes no file if there are no frames. */
  async write(path: string): Promise<void> {
    if (this.#frames.length === 0) return;
    const images = this.#frames.map(({ png }) => png);
    await sharp(images, { join: { animated: true } })
      .gif({ delay: this.#frames.map(({ delayMs }) => delayMs), loop: 0, dither: 0, effort: 10 })
      .toFile(join(root, path));
  }
}

/** Width of animations in pixels, slightly more than the width at which the repository's website displays them. */
const animationWidth = 1_000;
