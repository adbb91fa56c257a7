import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import sharp from 'sharp';
import { artefactsFolder, root } from '../support/paths.ts';
import { eventually } from '../support/eventually.ts';
import type { Session } from './session.ts';

/**
 * Names of each color theme: `name` in the settings, `kind` as CSS class of the VS Code window, and `webviewKind` as
 * value of the attribute `data-vscode-theme-kind` in webviews. The keys are the names of the screenshot folders.
 */
const themes = {
  dark: { name: 'Default Dark Modern', kind: 'vs-dark', webviewKind: 'vscode-dark' },
  light: { name: 'Default Light Modern', kind: 'vs', webviewKind: 'vscode-light' },
  'hc-dark': {
    name: 'Default High Contrast',
    kind: 'hc-black',
    webviewKind: 'vscode-high-contrast',
  },
  'hc-light': {
    name: 'Default High Contrast Light',
    kind: 'hc-light',
    webviewKind: 'vscode-high-contrast-light',
  },
} as const;

export type Theme = keyof typeof themes;
export const allThemes = Object.keys(themes) as Theme[];

/**
 * Sets the color theme in the workspace settings. Resolves when the window and the webview `content` (default: the
 * chat) use the theme. This webview must be visible.
 */
export async function applyTheme(
  { folder, page, chat }: Session,
  theme: Theme,
  content: FrameLocator = chat.content,
): Promise<void> {
  const { name, kind, webviewKind } = themes[theme];
  await mkdir(join(folder, '.vscode'), { recursive: true });
  const settings = JSON.stringify({ 'workbench.colorTheme': name });
  // Retry, because the window may not watch the folder yet.
  await eventually(async (timeout) => {
    await writeFile(join(folder, '.vscode', 'settings.json'), settings);
    await page.locator(`.monaco-workbench.${kind}`).waitFor({ timeout });
  });
  await content.locator(`body[data-vscode-theme-kind="${webviewKind}"]`).waitFor();
}

/**
 * Environment variable that enables screenshots, which `npm run test:e2e -- --screenshots` sets. Off by default,
 * because screenshots check nothing and each theme takes about a second.
 */
export const screenshotsVariable = 'INFERENCE_SERVICE_TEST_SCREENSHOTS';
const shouldTakeScreenshots = Boolean(process.env[screenshotsVariable]);

/** Writes `.artefacts/screenshots/<folder>/<name>.png` if screenshots are enabled, or if `folder` is `failed`. */
export async function takeScreenshot(
  { page }: Session,
  name: string,
  folder: Theme | 'narrow' | 'failed',
): Promise<void> {
  if (!shouldTakeScreenshots && folder !== 'failed') return;
  const screenshotFolder = join(artefactsFolder, 'screenshots', folder);
  await mkdir(screenshotFolder, { recursive: true });
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), animations: 'disabled' });
}

/**
 * Takes a screenshot of the window in each theme after the webview `content` uses it. Then restores the dark theme.
 * Does nothing unless screenshots are enabled.
 */
export async function takeScreenshotInThemes(
  session: Session,
  name: string,
  content: FrameLocator,
): Promise<void> {
  if (!shouldTakeScreenshots) return;
  for (const theme of allThemes) {
    await applyTheme(session, theme, content);
    await takeScreenshot(session, name, theme);
  }
  await applyTheme(session, 'dark', content);
}

/**
 * Takes a screenshot of the chat in each theme, and one in the dark theme with a side bar that is 250 pixels wide. Then
 * restores the width. Does nothing unless screenshots are enabled.
 */
export async function takeScreenshotInAllThemes(session: Session, name: string): Promise<void> {
  if (!shouldTakeScreenshots) return;
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
 * Writes `docs/screenshots/<name>.<theme>.png` in each theme. Then calls `makeNarrow`, and writes
 * `docs/screenshots/<name>.300px.png` in the dark theme. If screenshots are not enabled, only calls `makeNarrow`.
 * @param makeNarrow changes the width of the view to 300 pixels; omit it for a view with a greater minimum width
 */
export async function takeDocsScreenshots(
  session: Session,
  name: string,
  { content, makeNarrow }: { content?: FrameLocator; makeNarrow?: () => Promise<void> } = {},
): Promise<void> {
  if (shouldTakeScreenshots) {
    for (const theme of allThemes) {
      await applyTheme(session, theme, content);
      await writeDocsScreenshot(session.page, `${name}.${theme}`);
    }
    await applyTheme(session, 'dark', content);
  }
  if (makeNarrow === undefined) return;
  await makeNarrow();
  if (shouldTakeScreenshots) await writeDocsScreenshot(session.page, `${name}.300px`);
}

async function writeDocsScreenshot(page: Session['page'], name: string): Promise<void> {
  await writeScreenshot(page, join('docs', 'screenshots', `${name}.png`));
}

/**
 * Writes a screenshot to `path` in the repository if screenshots are enabled. Reduces the colors of the image to a
 * palette, so that its file is small.
 * @param clip part of the window to include; omit it for the complete window
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
  if (!shouldTakeScreenshots) return;
  // Hovers would differ between runs.
  await page.mouse.move(0, 0);
  const png = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    ...(clip && { clip }),
  });
  await sharp(png).png({ palette: true }).toFile(join(root, path));
}

/** Frame of an animation: a PNG image, and the time in milliseconds for which it is visible. */
interface CapturedFrame {
  readonly png: Uint8Array;
  readonly delayMs: number;
}

/**
 * Records screenshots of a user journey as an animated image in the repository. Does nothing unless screenshots are
 * enabled.
 */
export class Animation {
  readonly #page: Session['page'];
  readonly #frames: CapturedFrame[] = [];

  constructor(page: Session['page']) {
    this.#page = page;
  }

  /** Adds a screenshot of the window, which is visible for `delay` milliseconds in the animation. */
  async addFrame(delay: number): Promise<void> {
    if (!shouldTakeScreenshots) return;
    await this.#page.mouse.move(0, 0);
    const png = await this.#page.screenshot({ animations: 'disabled', caret: 'hide' });
    this.#frames.push({
      png: await sharp(png).resize({ width: animationWidth }).png().toBuffer(),
      delayMs: delay,
    });
  }

  /** Writes all frames to `path` as a GIF that repeats endlessly. Writes no file without frames. */
  async writeGif(path: string): Promise<void> {
    if (this.#frames.length === 0) return;
    const images = this.#frames.map(({ png }) => png);
    await sharp(images, { join: { animated: true } })
      .gif({ delay: this.#frames.map(({ delayMs }) => delayMs), loop: 0, dither: 0, effort: 10 })
      .toFile(join(root, path));
  }
}

/** Width of animations in pixels. Slightly greater than the width at which the repository's website shows them. */
const animationWidth = 1_000;
