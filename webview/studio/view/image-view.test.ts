// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { StudioPageMessage } from '../../../src/image/studio/protocol/messages.ts';
import {
  createImageDetails,
  createImageView,
  createStudioState,
} from '../../../test/support/webview-page/studio-states.ts';
import type { State } from '../store.ts';
import { LargeView } from './image-view.ts';

let postedMessages: StudioPageMessage[];
let notices: string[];
let largeView: LargeView;

beforeEach(() => {
  postedMessages = [];
  notices = [];
  const doNothing = (): void => {};
  largeView = new LargeView({
    post: (message) => postedMessages.push(message),
    showNotice: (text) => notices.push(text),
    onShow: doNothing,
    onClose: doNothing,
    showForm: doNothing,
  });
  document.body.replaceChildren(largeView.element);
  const images = new Map([['i0', createImageView(0)]]);
  largeView.update({
    studio: createStudioState(),
    images,
    details: createImageDetails(),
  } as unknown as State);
  largeView.open('i0', ['i0']);
});

const listLabels = (selector: string): (string | null)[] =>
  [...largeView.element.querySelectorAll(selector)].map((button) =>
    button.getAttribute('aria-label'),
  );
const findMenuButton = (): HTMLElement | null => largeView.element.querySelector('.menu-button');
const findMenuItem = (label: string): HTMLElement | undefined =>
  [...largeView.element.querySelectorAll<HTMLElement>('[role=menuitem]')].find(
    (item) => item.getAttribute('aria-label') === label,
  );

function pressKey(key: string): void {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  );
}

test('LargeView shows three actions, and a menu with all other actions', () => {
  expect(listLabels('.image-actions > button')).toEqual(['Save', 'Insert', 'Edit', 'More actions']);
  expect(largeView.element.querySelector('[role=menu]')).toBeNull();
  findMenuButton()?.click();
  expect(listLabels('[role=menuitem]')).toEqual([
    'Copy',
    'Open',
    'Reveal in explorer. Save the image first.',
    'Same seed again · $0.01',
    'Vary · $0.01',
    'Upscale 2× · $0.02',
    'Upscale 4× · $0.08',
    'Remove Image Background · $0.02',
    'Use as input',
    'Use these settings',
    'Delete',
  ]);
  expect(findMenuButton()?.getAttribute('aria-expanded')).toBe('true');
  expect(document.activeElement).toBe(findMenuItem('Copy'));
});

test('LargeView closes the menu on Escape, keeps the image open and restores the focus', () => {
  findMenuButton()?.click();
  pressKey('ArrowDown');
  expect(document.activeElement).toBe(findMenuItem('Open'));
  pressKey('Escape');
  expect(largeView.element.querySelector('[role=menu]')).toBeNull();
  expect(document.activeElement).toBe(findMenuButton());
  expect(largeView.visibleId).toBe('i0');
});

test('LargeView runs a menu action once and closes the menu', () => {
  findMenuButton()?.click();
  findMenuItem('Delete')?.click();
  expect(postedMessages.filter(({ type }) => type === 'image-act')).toEqual([
    { type: 'image-act', id: 'i0', action: 'delete' },
  ]);
  expect(largeView.element.querySelector('[role=menu]')).toBeNull();
});

test('LargeView keeps the menu open to explain a disabled action', () => {
  findMenuButton()?.click();
  findMenuItem('Reveal in explorer. Save the image first.')?.click();
  expect(notices).toEqual(['Save the image first.']);
  expect(postedMessages.filter(({ type }) => type === 'image-act')).toEqual([]);
  expect(largeView.element.querySelector('[role=menu]')).not.toBeNull();
});

test('LargeView closes the menu when the user opens another image', () => {
  findMenuButton()?.click();
  largeView.open('i0', ['i0']);
  expect(largeView.element.querySelector('[role=menu]')).toBeNull();
});
