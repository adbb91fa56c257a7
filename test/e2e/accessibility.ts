import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { FrameLocator } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeSource = readFileSync(axePath, 'utf8');

/** What axe finds in a webview, one line per element; empty when there is nothing to mend. */
export async function accessibilityProblems(content: FrameLocator): Promise<string[]> {
  const document = content.locator('html');
  await document.evaluate(`${axeSource}; undefined`);
  const results = await document.evaluate(runAxe);
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help} — ${node.target.join(' ')}`),
  );
}

/** Runs in the webview, so it may use nothing from here. */
function runAxe(): Promise<AxeResults> {
  // VS Code owns the page's landmarks; a webview is a part of it.
  const options: RunOptions = { rules: { region: { enabled: false } } };
  const page = globalThis as typeof globalThis & { axe: typeof import('axe-core') };
  return page.axe.run(options);
}
