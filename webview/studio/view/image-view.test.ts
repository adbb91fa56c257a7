// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { StudioPageMessage } from '../../../src/image/studio/protocol/messages.ts';
import { details, image, studio } from '../../../test/support/webview-page/studio-states.ts';
import type { State } from '../store.ts';
import { LargeView } from './image-view.ts';

let posted: StudioPageMessage[];
let notices: string[];
let view: LargeView;

beforeEach(() => {
  posted = [];
  notices = [];
  const doNothing = (): void => {};
  view = new LargeView({
    post: (message) => posted.push(message),
    notice: (text) => notices.push(text),
    onShow: doNothing,
    onClose: doNothing,
    showForm: doNothing,
  });
  document.body.replaceChildren(view.element);
  const images = new Map([['i0', image(0)]]);
  view.update({ studio: studio(), images, details: details() } as unknown as State);
  view.open('i0', ['i0']);
});

const labelsIn = (selector: string): (string | null)[] =>
  [...view.element.querySelectorAll(selector)].map((button) => button.getAttribute('aria-label'));
const menuButton = (): HTMLElement | null => view.element.querySelector('.menu-button');
const menuItem = (label: string): HTMLElement | undefined =>
  [...view.element.querySelectorAll<HTMLElement>('[role=menuitem]')].find(
    (item) => item.getAttribute('aria-label') === label,
  );

function press(key: string): void {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  );
}

test('LargeView shows three actions and a menu with all others', () => {
  expect(labelsIn('.image-actions > button')).toEqual(['Save', 'Insert', 'Edit', 'More actions']);
  expect(view.element.querySelector('[role=menu]')).toBeNull();
  menuButton()?.click();
  expect(labelsIn('[role=menuitem]')).toEqual([
    'Copy',
    'Open',
    'Reveal in explorer. Save the image first.',
    'Same seed again · $0.01',
    'Vary · $0.01',
    'Upscale 2× · $0.02',
    'Upscale 4× · $0.08',
    'Remove background · $0.02',
    'Use as input',
    'Use these settings',
    'Delete',
  ]);
  expect(menuButton()?.getAttribute('aria-expanded')).toBe('true');
  expect(document.activeElement).toBe(menuItem('Copy'));
});

test('LargeView closes the menu on Escape, keeps the image open and restores the focus', () => {
  menuButton()?.click();
  press('ArrowDown');
  expect(document.activeElement).toBe(menuItem('Open'));
  press('Escape');
  expect(view.element.querySelector('[role=menu]')).toBeNull();
  expect(document.activeElement).toBe(menuButton());
  expect(view.visibleId).toBe('i0');
});

test('LargeView runs a menu action once and closes the menu', () => {
  menuButton()?.click();
  menuItem('Delete')?.click();
  expect(posted.filter(({ type }) => type === 'image-act')).toEqual([
    { type: 'image-act', id: 'i0', action: 'delete' },
  ]);
  expect(view.element.querySelector('[role=menu]')).toBeNull();
});

test('LargeView keeps the menu open to explain a disabled action', () => {
  menuButton()?.click();
  menuItem('Reveal in explorer. Save the image first.')?.click();
  expect(notices).toEqual(['Save the image first.']);
  expect(posted.filter(({ type }) => type === 'image-act')).toEqual([]);
  expect(view.element.querySelector('[role=menu]')).not.toBeNull();
});

test('LargeView closes the menu when the user opens another image', () => {
  menuButton()?.click();
  view.open('i0', ['i0']);
  expect(view.element.querySelector('[role=menu]')).toBeNull();
});
