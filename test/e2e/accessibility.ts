import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RuleObject, RunOptions } from 'axe-core';
import type { FrameLocator, Locator, Page } from 'playwright-core';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeSource = readFileSync(axePath, 'utf8');

/**
 * Runs axe in a webview and returns its violations, one line per element.
 * @param surface part of the window behind the transparent webview; its background color is used to check contrast
 */
export async function findAccessibilityProblems(
  content: FrameLocator,
  surface: 'sideBar' | 'editor' = 'sideBar',
): Promise<string[]> {
  const document = content.locator('html');
  await document.evaluate(`${axeSource}; undefined`);
  return formatViolations(await document.evaluate(runAxe, `--vscode-${surface}-background`));
}

/** Ids of the axe rules that depend on a page's colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * Runs axe in a page outside of VS Code and returns its violations, one line per element.
 * @param checkedRules `colors` checks only the color rules, which is sufficient for each further theme after all rules
 * were checked in one theme
 */
export async function findPageProblems(
  page: Page,
  {
    rules = {},
    checkedRules = 'all',
  }: { rules?: RuleObject; checkedRules?: 'all' | 'colors' } = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis)))
    await page.evaluate(`${axeSource}; undefined`);
  const options: RunOptions =
    checkedRules === 'all' ? { rules } : { runOnly: { type: 'rule', values: colorRules } };
  const run = (runOptions: object): Promise<AxeResults> =>
    Reflect.get(globalThis, 'axe').run(runOptions);
  return formatViolations(await page.evaluate(run, { ...options, resultTypes: ['violations'] }));
}

const formatViolations = ({ violations }: AxeResults): string[] =>
  violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help} — ${node.target.join(' ')}: ${node.failureSummary}`),
  );

/**
 * Returns the accessibility tree of `root` as text. `namelessLines` contains those lines of the text that describe a
 * control or an image without an accessible name.
 */
export async function readAccessibilityTree(
  root: Locator,
): Promise<{ readonly text: string; readonly namelessLines: readonly string[] }> {
  const text = await root.ariaSnapshot();
  const namelessPattern =
    /^ *- (?:combobox|textbox|button|link|checkbox|listbox|img)(?::.*| \[.*)?$/gmu;
  return { text, namelessLines: text.match(namelessPattern) ?? [] };
}

/** Runs axe. Executed in the webview, so this function must not use variables of this module. */
async function runAxe(html: Element, background: string): Promise<AxeResults> {
  const { style } = html as HTMLElement;
  style.backgroundColor = getComputedStyle(html).getPropertyValue(background);
  const page = globalThis as typeof globalThis & { axe: typeof import('axe-core') };
  try {
    // VS Code provides the landmarks and headings around a webview.
    const disabledRule = { enabled: false };
    const rules = {
      region: disabledRule,
      'landmark-one-main': disabledRule,
      'page-has-heading-one': disabledRule,
    };
    const results = await page.axe.run({ rules, resultTypes: ['violations'] });
    // axe accepts a list scrolled by keyboard only for comboboxes, but the composer is a multi-line field.
    const listId = html.ownerDocument.activeElement?.getAttribute('aria-controls');
    const isListOfField = (selector: string): boolean =>
      listId !== null && html.querySelector(`${selector} > [role="listbox"]`)?.id === listId;
    for (const violation of results.violations) {
      if (violation.id !== 'scrollable-region-focusable') continue;
      violation.nodes = violation.nodes.filter(({ target }) => !isListOfField(target.join(' ')));
    }
    return results;
  } finally {
    style.backgroundColor = '';
  }
}
