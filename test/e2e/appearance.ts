import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { artefacts } from '../support/paths.ts';
import type { Session } from './session.ts';

/** Folder of screenshots → the theme's name in the settings and the class VS Code gives its window. */
const themes = {
  dark: { name: 'Default Dark Modern', kind: 'vs-dark' },
  light: { name: 'Default Light Modern', kind: 'vs' },
  'hc-dark': { name: 'Default High Contrast', kind: 'hc-black' },
  'hc-light': { name: 'Default High Contrast Light', kind: 'hc-light' },
} as const;

export type Theme = keyof typeof themes;
export const allThemes = Object.keys(themes) as Theme[];

/** Changes the colour theme, in the folder's settings: the window follows those at once. */
export async function wearTheme({ folder, page }: Session, theme: Theme): Promise<void> {
  const { name, kind } = themes[theme];
  await mkdir(join(folder, '.vscode'), { recursive: true });
  const settings = JSON.stringify({ 'workbench.colorTheme': name });
  await writeFile(join(folder, '.vscode', 'settings.json'), settings);
  await page.locator(`.monaco-workbench.${kind}`).waitFor();
}

/** Keeps a picture of the window as `.artefacts/screenshots/<folder>/<name>.png`. */
export async function screenshot(
  { page }: Session,
  name: string,
  folder: Theme | 'narrow' | 'failed',
): Promise<void> {
  const place = join(artefacts, 'screenshots', folder);
  await mkdir(place, { recursive: true });
  await page.screenshot({ path: join(place, `${name}.png`), animations: 'disabled' });
}

/** Pictures of the present state in each theme, then in a side bar 250 px wide; ends in the dark theme. */
export async function screenshotEverywhere(session: Session, name: string): Promise<void> {
  for (const theme of allThemes) {
    await wearTheme(session, theme);
    await screenshot(session, name, theme);
  }
  await wearTheme(session, 'dark');
  const { width } = await session.workbench.secondarySideBar();
  await session.workbench.resizeSecondarySideBar(250);
  await screenshot(session, name, 'narrow');
  await session.workbench.resizeSecondarySideBar(width);
}
