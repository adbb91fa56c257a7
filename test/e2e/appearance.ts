import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { artefacts } from '../support/paths.ts';
import { eventually } from '../support/eventually.ts';
import type { Session } from './session.ts';

/** Screenshot folders → the theme's name in the settings, in the window and in webviews. */
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
 * Sets the color theme in the workspace settings, which the window applies at once. The webview `content`, by default
 * the chat, must be visible; it has the theme when this resolves.
 */
export async function applyTheme(
  { folder, page, chat }: Session,
  theme: Theme,
  content: FrameLocator = chat.content,
): Promise<void> {
  const { name, kind, inWebview } = themes[theme];
  await mkdir(join(folder, '.vscode'), { recursive: true });
  const settings = JSON.stringify({ 'workbench.colorTheme': name });
  // Retried because the window may not watch the folder yet.
  await eventually(async (timeout) => {
    await writeFile(join(folder, '.vscode', 'settings.json'), settings);
    await page.locator(`.monaco-workbench.${kind}`).waitFor({ timeout });
  });
  await content.locator(`body[data-vscode-theme-kind="${inWebview}"]`).waitFor();
}

/**
 * Environment variable set by `npm run test:e2e -- --screenshots`. Screenshots check nothing, and each theme takes
 * about a second.
 */
export const screenshotsVariable = 'INFERENCE_SERVICE_TEST_SCREENSHOTS';
const takesScreenshots = Boolean(process.env[screenshotsVariable]);

/**
 * Writes `.artefacts/screenshots/<folder>/<name>.png` for failed tests, and otherwise only when screenshots are
 * requested.
 */
export async function screenshot(
  { page }: Session,
  name: string,
  folder: Theme | 'narrow' | 'failed',
): Promise<void> {
  if (!takesScreenshots && folder !== 'failed') return;
  const place = join(artefacts, 'screenshots', folder);
  await mkdir(place, { recursive: true });
  await page.screenshot({ path: join(place, `${name}.png`), animations: 'disabled' });
}

/** Takes a screenshot of a webview other than the chat in each theme. Ends in the dark theme. */
export async function screenshotInThemes(
  session: Session,
  name: string,
  content: FrameLocator,
): Promise<void> {
  if (!takesScreenshots) return;
  for (const theme of allThemes) {
    await applyTheme(session, theme, content);
    await screenshot(session, name, theme);
  }
  await applyTheme(session, 'dark', content);
}

/** Takes a screenshot in each theme, then in a side bar 250 px wide. Ends in the dark theme. */
export async function screenshotInAllThemes(session: Session, name: string): Promise<void> {
  if (!takesScreenshots) return;
  for (const theme of allThemes) {
    await applyTheme(session, theme);
    await screenshot(session, name, theme);
  }
  await applyTheme(session, 'dark');
  const { width } = await session.workbench.readSideBarBounds();
  await session.workbench.resizeSecondarySideBar(250);
  await screenshot(session, name, 'narrow');
  await session.workbench.resizeSecondarySideBar(width);
}
