// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import { SlashMenu } from './slash-menu.ts';

let area: HTMLTextAreaElement;
let menu: SlashMenu;
let chosen: string[];
let hints: number;

beforeEach(() => {
  area = document.createElement('textarea');
  chosen = [];
  hints = 0;
  menu = new SlashMenu({
    area,
    askForHint: () => (hints += 1),
    choose: (text) => chosen.push(text),
  });
});

function type(text: string): void {
  area.value = text;
  menu.update(text);
}

/** @returns whether the key was for the menu */
const press = (key: string): boolean => menu.onKey(new KeyboardEvent('keydown', { key }));

test.each([
  ['/', true],
  ['/im', true],
  ['/image', true],
  ['/image ', false],
  ['/x', false],
  ['a /', false],
  ['', false],
])('after %j it is open: %s', (text, isOpen) => {
  type(text);
  expect(!menu.element.hidden).toBe(isOpen);
  expect(area.hasAttribute('aria-activedescendant')).toBe(isOpen);
});

test.each(['Enter', 'Tab'])('%s chooses', (key) => {
  type('/');
  expect(press(key)).toBe(true);
  expect(chosen).toEqual(['/image ']);
  expect(menu.element.hidden).toBe(true);
  expect(press(key)).toBe(false);
});

test('Escape closes it until something else is typed', () => {
  type('/');
  expect(press('Escape')).toBe(true);
  type('/');
  expect(menu.element.hidden).toBe(true);
  expect(press('Escape')).toBe(false);
  type('/i');
  expect(menu.element.hidden).toBe(false);
});

test('other keys are for the text', () => {
  type('/');
  expect(press('a')).toBe(false);
  expect(press('ArrowDown')).toBe(true);
});

test('asks once what the picture is made with, and shows it', () => {
  type('/');
  type('/i');
  expect(hints).toBe(1);
  menu.hint = 'Painter · <b>$0.01</b>';
  expect(menu.element.textContent).toContain('Painter · <b>$0.01</b>');
});

test('a press chooses too', () => {
  type('/');
  menu.element
    .querySelector('[role="option"]')
    ?.dispatchEvent(new MouseEvent('mousedown', { cancelable: true }));
  expect(chosen).toEqual(['/image ']);
});
