import type { Locator } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/eventually.ts';

/** Resolves when the element or one of its descendants has the keyboard focus. */
export async function waitForFocus(
  locator: Locator,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    if (!(await locator.evaluate(hasFocusInside, undefined, { timeout })))
      throw new Error(`No focus in ${locator.toString()}.`);
  }, timeout);
}

/** Waits until the element has the focus, and presses a key. Does not focus the element itself. */
export async function pressIn(
  locator: Locator,
  key: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await waitForFocus(locator, timeout);
  await locator.page().keyboard.press(key);
}

/** Waits until the element has the focus, and types the text key by key. Does not focus the element itself. */
export async function typeIn(locator: Locator, text: string): Promise<void> {
  await waitForFocus(locator);
  await locator.page().keyboard.type(text);
}

/**
 * Waits until the element has the focus, and types the text slowly, so that each key press takes effect.
 * @param frameCount number of painted frames to wait for after each key press; 15 frames last longer than VS Code's delay
 * before it requests a suggestion
 */
export async function typeSlowlyIn(locator: Locator, text: string, frameCount = 15): Promise<void> {
  await waitForFocus(locator);
  const page = locator.page();
  for (const key of text) {
    await page.keyboard.type(key);
    await page.evaluate(waitForFrames, frameCount);
  }
}

/**
 * Sets the text of the field. Retries until the field contains exactly `text`, because VS Code may move the focus
 * during an attempt.
 * @param timeout time limit for all attempts together, in milliseconds
 */
export async function fillField(
  field: Locator,
  text: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    await field.focus({ timeout });
    if (!(await field.evaluate(hasFocusInside, undefined, { timeout })))
      throw new Error(`No focus in ${field.toString()}.`);
    await field.fill(text, { timeout });
    if ((await field.inputValue({ timeout })) !== text)
      throw new Error(`${field.toString()} did not get its text.`);
  }, timeout);
}

/**
 * Checks whether the element or one of its descendants has the focus, and whether its document has the window's focus.
 * Runs in the page.
 */
const hasFocusInside = (element: Element): boolean =>
  element.matches(':focus-within') && element.ownerDocument.hasFocus();

/** Resolves after `count` painted frames. Runs in the page. */
async function waitForFrames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame++)
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
}
