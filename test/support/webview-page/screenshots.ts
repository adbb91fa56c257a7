/**
 * Takes screenshots of all scenes of the chat and the image studio (`studio-…`) in all themes: `node
 * test/support/webview-page/screenshots.ts FOLDER [SCENE…]`.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser } from '../browser.ts';
import { buildPage } from './build-page.ts';
import { themeNames } from './page-html.ts';
import { startPageServer } from './page-server.ts';
import { openScene } from './scene-page.ts';
import { scenes } from './scenes.ts';
import { openStudioScene } from './studio-page.ts';
import { studioScenes } from './studio-scenes.ts';

const [folder = '.artefacts/webview', ...names] = process.argv.slice(2);
const viewportWidths = [250, 290, 400, 900];
/** Page width in pixels and zoom factor of each set of studio screenshots. */
const studioViewports = [
  [250, 1],
  [1_100, 1],
  [1_100, 2],
] as const;

const dist = await buildPage();
const server = await startPageServer(dist);
const browser = await launchBrowser();
await mkdir(folder, { recursive: true });
// oxlint-disable eslint/no-await-in-loop -- one page at a time: the machine draws in software
for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const theme of themeNames) {
    for (const width of viewportWidths) {
      const page = await openScene(scene, { browser, server, theme, width });
      await page.screenshot({ path: join(folder, `${scene.name}.${theme}.${width}.png`) });
      await page.close();
    }
  }
}
for (const scene of studioScenes) {
  const name = `studio-${scene.name}`;
  if (names.length > 0 && !names.includes(name)) continue;
  for (const theme of themeNames) {
    for (const [width, zoom] of studioViewports) {
      const page = await openStudioScene(scene, { browser, server, theme, width, zoom });
      await page.screenshot({ path: join(folder, `${name}.${theme}.${width}x${zoom}.png`) });
      await page.close();
    }
  }
}
await browser.close();
await server.close();
await rm(dist, { recursive: true });
