// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { ContextSuggestion } from '../../../src/chat/protocol/composer.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { SuggestMenu } from './suggest-menu.ts';

let textArea: HTMLTextAreaElement;
let menu: SuggestMenu;
let clock: ManualClock;
let postedMessages: WebviewMessage[];

beforeEach(() => {
  textArea = document.createElement('textarea');
  postedMessages = [];
  clock = new ManualClock();
  menu = new SuggestMenu({
    textArea,
    post: (message) => postedMessages.push(message),
    clock,
    onDidChange: () => menu.update(),
  });
});

function typeText(text: string, caret = text.length): void {
  textArea.value = text;
  textArea.setSelectionRange(caret, caret);
  menu.update();
}

/**
 * Passes a key press to the menu.
 * @returns true if the menu handled the key
 */
const pressKey = (key: string, init: KeyboardEventInit = {}): boolean =>
  menu.handleKey(new KeyboardEvent('keydown', { key, ...init }));

const listSearches = () => postedMessages.filter((message) => message.type === 'context-search');

function answerSearch(suggestions: readonly ContextSuggestion[], note = ''): void {
  const requestNumber = listSearches().at(-1)?.request ?? -1;
  menu.show({
    type: 'context-suggestions',
    request: requestNumber,
    suggestions: [...suggestions],
    note,
  });
}

const createSuggestion = (
  insertText: string,
  change: Partial<ContextSuggestion> = {},
): ContextSuggestion => ({
  id: `id-${insertText.replaceAll(/\W/gu, '')}`,
  kind: 'file',
  insert: insertText,
  label: insertText.slice(1),
  detail: 'src',
  ...change,
});

const listOptionIds = (): string[] =>
  [...menu.element.querySelectorAll('[role="option"]')].map((option) => option.id);
const getActiveName = (): string | undefined =>
  menu.element.querySelector('[aria-selected="true"] .suggest-name')?.textContent ?? undefined;

test.each([
  ['/', 'shows'],
  ['/im', 'shows'],
  ['/image', 'shows'],
  ['/image ', 'does not show'],
  ['/x', 'does not show'],
  ['a /', 'does not show'],
  ['', 'does not show'],
] as const)(
  'SuggestMenu, without a search, $1 the image command for the text "$0"',
  (text, result) => {
    typeText(text);
    expect(!menu.element.hidden).toBe(result === 'shows');
    expect(textArea.hasAttribute('aria-activedescendant')).toBe(result === 'shows');
  },
);

test.each(['Enter', 'Tab'])(
  'SuggestMenu inserts the selected suggestion on %s, and notifies the host',
  (key) => {
    typeText('see #ap here', 7);
    answerSearch([createSuggestion('#file:app.ts'), createSuggestion('#file:map.ts')]);
    expect(pressKey(key)).toBe(true);
    expect(textArea.value).toBe('see #file:app.ts here');
    expect(textArea.selectionStart).toBe('see #file:app.ts '.length);
    expect(postedMessages.at(-1)).toEqual({
      type: 'context-choose',
      id: 'id-fileappts',
      text: textArea.value,
    });
    expect(menu.element.hidden).toBe(true);
    expect(pressKey(key)).toBe(false);
  },
);

test('SuggestMenu completes the image command without a message to the host', () => {
  typeText('/im');
  pressKey('Enter');
  expect(textArea.value).toBe('/image ');
  expect(postedMessages.some(({ type: kind }) => kind === 'context-choose')).toBe(false);
});

test('SuggestMenu does not change the text when the user selects a prompt file, which the host inserts', () => {
  typeText('/re');
  answerSearch([createSuggestion('/review', { kind: 'prompt' })]);
  pressKey('Enter');
  expect(textArea.value).toBe('/re');
  expect(postedMessages.at(-1)?.type).toBe('context-choose');
});

test('SuggestMenu starts a narrower search when the user selects a suggestion that ends with a colon', () => {
  typeText('#fi');
  answerSearch([createSuggestion('#file:')]);
  pressKey('Tab');
  expect(textArea.value).toBe('#file:');
  expect(listSearches().at(-1)).toMatchObject({ kind: 'file', query: '' });
  expect(postedMessages.some(({ type: kind }) => kind === 'context-choose')).toBe(false);
});

test('arrow keys move through the suggestions, and wrap around at the ends', () => {
  typeText('#a');
  answerSearch([createSuggestion('#a1'), createSuggestion('#a2'), createSuggestion('#a3')]);
  expect(getActiveName()).toBe('a1');
  pressKey('ArrowDown');
  expect(getActiveName()).toBe('a2');
  pressKey('ArrowUp');
  pressKey('ArrowUp');
  expect(getActiveName()).toBe('a3');
  expect(textArea.getAttribute('aria-activedescendant')).toBe('suggest-2');
});

test('SuggestMenu closes on Escape, keeps the text, and remains closed until the text changes', () => {
  typeText('#a');
  answerSearch([createSuggestion('#a1')]);
  expect(pressKey('Escape')).toBe(true);
  expect([textArea.value, menu.element.hidden]).toEqual(['#a', true]);
  const searchCount = listSearches().length;
  menu.update();
  expect(listSearches()).toHaveLength(searchCount);
  expect(pressKey('Escape')).toBe(false);
  typeText('#ab');
  expect(listSearches()).toHaveLength(searchCount + 1);
});

test('SuggestMenu ignores the reply to an earlier search', () => {
  typeText('#a');
  const { request = 0 } = listSearches().at(-1) ?? {};
  typeText('#ab');
  menu.show({
    type: 'context-suggestions',
    request,
    suggestions: [createSuggestion('#a1')],
    note: '',
  });
  expect(menu.element.hidden).toBe(true);
  answerSearch([createSuggestion('#ab1')]);
  expect(listOptionIds()).toHaveLength(1);
});

test('SuggestMenu ignores the reply to a search if the caret has left the token', () => {
  typeText('#a');
  const { request = 0 } = listSearches().at(-1) ?? {};
  typeText('#a b');
  menu.show({
    type: 'context-suggestions',
    request,
    suggestions: [createSuggestion('#a1')],
    note: '',
  });
  expect(menu.element.hidden).toBe(true);
});

test('SuggestMenu does not handle unrelated keys and keys with modifiers', () => {
  typeText('#a');
  answerSearch([createSuggestion('#a1')]);
  expect(pressKey('a')).toBe(false);
  expect(pressKey('Enter', { shiftKey: true })).toBe(false);
  expect(pressKey('Enter', { isComposing: true })).toBe(false);
});

test('SuggestMenu shows the reason for an empty list, and does not handle Enter, so that Enter sends', () => {
  typeText('#');
  answerSearch([], 'Not until you trust the workspace.');
  expect(menu.element.hidden).toBe(false);
  expect(menu.element.querySelector('[role="status"]')?.textContent).toContain('trust');
  expect(pressKey('Enter')).toBe(false);
  expect(textArea.hasAttribute('aria-activedescendant')).toBe(false);
});

test('SuggestMenu shows a loading note only for a slow search', async () => {
  typeText('#a');
  await clock.advance(200);
  expect(menu.element.hidden).toBe(true);
  await clock.advance(200);
  expect(menu.element.textContent).toContain('Loading');
  answerSearch([createSuggestion('#a1')]);
  expect(menu.element.textContent).not.toContain('Loading');
});

test('SuggestMenu does not search during an input method composition', () => {
  textArea.dispatchEvent(new Event('compositionstart'));
  typeText('#あ');
  expect(listSearches()).toHaveLength(0);
  textArea.dispatchEvent(new Event('compositionend'));
  expect(listSearches()).toHaveLength(1);
});

test('SuggestMenu shows markup in the names of suggestions as text', () => {
  typeText('#a');
  answerSearch([
    createSuggestion('#x', { label: '<img src=x onerror=alert(1)>', detail: '<b>d</b>' }),
  ]);
  expect(menu.element.querySelector('img, b')).toBeNull();
  expect(menu.element.textContent).toContain('<img src=x');
});

test('SuggestMenu requests the name and price of the image model from the host only once while the user types, and shows both', () => {
  typeText('/');
  typeText('/i');
  expect(postedMessages.filter((message) => message.type === 'image-hint-request')).toHaveLength(1);
  menu.hint = 'Painter · <b>$0.01</b>';
  expect(menu.element.textContent).toContain('Painter · <b>$0.01</b>');
});

test('SuggestMenu accepts a suggestion on a click', () => {
  typeText('/');
  menu.element
    .querySelector('[role="option"]')
    ?.dispatchEvent(new MouseEvent('mousedown', { cancelable: true }));
  expect(textArea.value).toBe('/image ');
});

test('SuggestMenu closes when the text area loses the focus', () => {
  typeText('#a');
  answerSearch([createSuggestion('#a1')]);
  textArea.dispatchEvent(new Event('blur'));
  expect(menu.element.hidden).toBe(true);
});
