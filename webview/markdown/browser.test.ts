import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../test/support/browser.ts';

/** Real browser. The effect of hostile text depends on the browser's HTML parser. */
let browser: Browser;
let page: Page;
const requests: string[] = [];

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('./browser.fixture.ts', import.meta.url).pathname],
    bundle: true,
    format: 'iife',
    write: false,
  });
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.route('**', (route) => {
    requests.push(route.request().url());
    return route.abort();
  });
  await page.evaluate(() =>
    Object.assign(globalThis, {
      stolen: 0,
      steal: () => (globalThis as { stolen?: number }).stolen!++,
    }),
  );
  await page.addScriptTag({ content: outputFiles[0]!.text });
}, 60_000);

afterAll(() => browser.close());

test('a browser renders and highlights hostile text without running or loading anything', async () => {
  expect(await callPageFunction('renderHostileTexts')).toEqual([]);
  expect(await callPageFunction('highlightHostileTexts')).toEqual([]);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await page.evaluate('stolen')).toBe(0);
  expect(requests).toEqual([]);
});

test('highlightGroups closes and reopens highlighting at line group boundaries', async () => {
  expect(await callPageFunction('highlightAcrossGroups')).toEqual([
    '<span class="hljs-keyword">let</span> a = <span class="hljs-string">"&lt;b&gt;"</span>; <span class="hljs-comment">/* one\n</span>',
    '<span class="hljs-comment">two */</span> <span class="hljs-keyword">let</span> b;\n',
  ]);
});

test('a selection at the end of a long paragraph stays while the paragraph grows', async () => {
  expect(await callPageFunction('selectWhileParagraphGrows')).toEqual(['words', 'words', 'words']);
});

test('a long paragraph observes the selection only until its stream ends or is disposed', async () => {
  expect(await callPageFunction('countSelectionListeners')).toEqual([2, 1, 0]);
});

function callPageFunction(name: string): Promise<unknown> {
  return page.evaluate(`${name}()`);
}
