import type { Locator } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/eventually.ts';

/** Resolves when the element, or an element in it, has the keyboard focus. */
export async function waitForFocus(
  locator: Locator,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    if (!(await locator.evaluate(isFocusInside, undefined, { timeout })))
      throw new Error(`No focus in ${locator.toString()}.`);
  }, timeout);
}

/** Presses a key in the element. Does not move the focus: the element must get it on its own. */
export async function pressIn(
  locator: Locator,
  key: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await waitForFocus(locator, timeout);
  await locator.page().keyboard.press(key);
}

/** Types into the element key by key. Does not move the focus: the element must get it on its own. */
export async function typeIn(locator: Locator, text: string): Promise<void> {
  await waitForFocus(locator);
  await locator.page().keyboard.type(text);
}

/**
 * Types into the element like a user: after each key, waits for this many painted frames, so that its effects are
 * visible. Does not move the focus.
 * @param frames 15 exceed VS Code's delay before it requests a suggestion
 */
export async function typeSlowlyIn(locator: Locator, text: string, frames = 15): Promise<void> {
  await waitForFocus(locator);
  const page = locator.page();
  for (const key of text) {
    await page.keyboard.type(key);
    await page.evaluate(waitForFrames, frames);
  }
}

/**
 * Resolves when the field contains exactly `text`. The text is inserted like a paste into the focused element, and VS
 * Code moves the focus late, so it retries.
 * @param timeout Milliseconds for all attempts together
 */
export async function fillField(
  field: Locator,
  text: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    await field.focus({ timeout });
    if (!(await field.evaluate(isFocusInside, undefined, { timeout })))
      throw new Error(`No focus in ${field.toString()}.`);
    await field.fill(text, { timeout });
    if ((await field.inputValue({ timeout })) !== text)
      throw new Error(`${field.toString()} did not get its text.`);
  }, timeout);
}

/** Runs in the page. The focus of an inner document counts only while that document has the window's focus. */
const isFocusInside = (element: Element): boolean =>
  element.matches(':focus-within') && element.ownerDocument.hasFocus();

/** Runs in the page. */
async function waitForFrames(count: number): Promise<void> {
  for (let painted = 0; painted < count; painted++)
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
}
