import type { Locator } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { eventually } from '../../support/eventually.ts';

/** Resolves when the keyboard types into the element, or into something in it. */
export async function hasFocus(
  locator: Locator,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    if (!(await locator.evaluate(holdsFocus, undefined, { timeout })))
      throw new Error(`No focus in ${locator.toString()}.`);
  }, timeout);
}

/** Presses a key in the element. It does not take the focus: that must come by itself. */
export async function pressIn(
  locator: Locator,
  key: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await hasFocus(locator, timeout);
  await locator.page().keyboard.press(key);
}

/** Types into the element key by key. It does not take the focus: that must come by itself. */
export async function typeIn(locator: Locator, text: string): Promise<void> {
  await hasFocus(locator);
  await locator.page().keyboard.type(text);
}

/**
 * Types into the element as a person does, key by key: after each, the window has painted so many frames that what
 * follows from the key is to be seen. It does not take the focus.
 * @param frames 15 are longer than VS Code waits before it asks for a suggestion
 */
export async function typeSlowlyIn(locator: Locator, text: string, frames = 15): Promise<void> {
  await hasFocus(locator);
  const page = locator.page();
  for (const key of text) {
    await page.keyboard.type(key);
    await page.evaluate(framesPainted, frames);
  }
}

/**
 * Resolves when the field holds `text` and nothing else. The text comes like a paste into whatever has the focus at
 * that moment, and VS Code moves the focus late: so it is filled in until it has arrived.
 * @param timeout in milliseconds, for all tries together.
 */
export async function fillField(
  field: Locator,
  text: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await eventually(async () => {
    await field.focus({ timeout });
    if (!(await field.evaluate(holdsFocus, undefined, { timeout })))
      throw new Error(`No focus in ${field.toString()}.`);
    await field.fill(text, { timeout });
    if ((await field.inputValue({ timeout })) !== text)
      throw new Error(`${field.toString()} did not get its text.`);
  }, timeout);
}

/** Runs in the page. The focus of an inner document counts only while the window has given it to that document. */
const holdsFocus = (element: Element): boolean =>
  element.matches(':focus-within') && element.ownerDocument.hasFocus();

/** Runs in the page. */
async function framesPainted(count: number): Promise<void> {
  for (let painted = 0; painted < count; painted++)
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
}
