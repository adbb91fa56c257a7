// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { MessageView, GeneratedImagesView } from '../../../src/chat/protocol/view-state.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createMessageView } from '../../../test/support/webview-page/chat-states.ts';
import { GeneratedImages } from './images.ts';

let postedMessages: WebviewMessage[];
let clock: ManualClock;
let generatedImages: GeneratedImages;

beforeEach(() => {
  postedMessages = [];
  clock = new ManualClock(10_000);
  generatedImages = new GeneratedImages({
    post: (message) => postedMessages.push(message),
    clock,
    getImageUrl: (file) => `https://images.test/${file}`,
  });
});

const image: GeneratedImagesView['images'][number] = {
  id: 'i1',
  file: 'i1.webp',
  width: 1_024,
  height: 768,
  alt: '<b>a red fox</b>',
  caption: 'Painter · 1024 × 768 · $0.01',
};
const doneMessage: MessageView = createMessageView({
  generatedImages: { startedAt: 0, images: [image] },
});
const getImagesText = (): string =>
  generatedImages.element.textContent.replaceAll(/\s+/gu, ' ').trim();

test('GeneratedImages shows the elapsed seconds until the generated image arrives', async () => {
  const runningMessage = createMessageView({
    status: 'streaming',
    generatedImages: { startedAt: 10_000, images: [] },
  });
  generatedImages.update(runningMessage, true);
  expect(getImagesText()).toBe('Generating');
  await clock.advance(3_000);
  expect(getImagesText()).toBe('Generating3 s');
  await clock.advance(60_000);
  expect(getImagesText()).toBe('Generating1 min 3 s');
  generatedImages.update(doneMessage, true);
  expect(clock.pendingTimerCount).toBe(0);
});

test('GeneratedImages shows no time while the start of the request is unknown', async () => {
  const runningMessage = createMessageView({
    status: 'streaming',
    generatedImages: { startedAt: null, images: [] },
  });
  generatedImages.update(runningMessage, true);
  await clock.advance(3_000);
  expect(getImagesText()).toBe('Generating');
  expect(clock.pendingTimerCount).toBe(0);
});

test('GeneratedImages renders the image at its original size, and shows markup in its description as text', () => {
  generatedImages.update(doneMessage, true);
  const drawnImage = generatedImages.element.querySelector('img');
  expect(drawnImage?.getAttribute('alt')).toBe('<b>a red fox</b>');
  expect(drawnImage?.getAttribute('src')).toBe('https://images.test/i1.webp');
  expect([drawnImage?.getAttribute('width'), drawnImage?.getAttribute('height')]).toEqual([
    '1024',
    '768',
  ]);
  expect(getImagesText()).toContain('Painter · 1024 × 768 · $0.01');
});

test.each([
  ['Save', 'save-file'],
  ['Insert', 'insert'],
  ['Open Image Studio', 'studio'],
] as const)('GeneratedImages posts the image action when the user clicks %s', (label, action) => {
  generatedImages.update(doneMessage, true);
  const buttons = [...generatedImages.element.querySelectorAll<HTMLElement>('vscode-button')];
  buttons.find(({ textContent }) => textContent === label)?.click();
  expect(postedMessages).toEqual([{ type: 'image-act', messageId: 'a1', imageId: 'i1', action }]);
});

test('GeneratedImages keeps the image element when other content of the message changes', () => {
  generatedImages.update(doneMessage, true);
  const drawnImage = generatedImages.element.querySelector('img');
  generatedImages.update({ ...doneMessage, branch: { index: 0, count: 2 } }, false);
  expect(generatedImages.element.querySelector('img')).toBe(drawnImage);
  expect(
    generatedImages.element.querySelector<HTMLElement>('.generated-image-open')?.tabIndex,
  ).toBe(-1);
});

test('GeneratedImages reports an image that is no longer in the gallery', () => {
  generatedImages.update(doneMessage, true);
  generatedImages.element.querySelector('img')?.dispatchEvent(new Event('error'));
  expect(getImagesText()).toBe('The image cannot be shown: <b>a red fox</b>');
  expect(generatedImages.element.querySelector('b')).toBeNull();
});
