import { rm } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import { createModelView, createStateSetMessage } from '../support/webview-page/chat-states.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { ReusedPages } from '../support/webview-page/reused-pages.ts';
import { openPage, listPostedMessages, sendToChat } from '../support/webview-page/scene-page.ts';

let sharedBrowser: Browser;
let browser: ReusedPages;
let server: PageServer;
let pageFolder: string;
let page: Page;

beforeAll(async () => {
  pageFolder = await buildPage();
  [sharedBrowser, server] = await Promise.all([launchBrowser(), startPageServer(pageFolder)]);
  browser = new ReusedPages(sharedBrowser);
});

afterAll(async () => {
  await sharedBrowser.close();
  await server.close();
  await rm(pageFolder, { recursive: true });
});

afterEach(({ task }) => browser.releasePage(page, { hasFailed: task.result?.state === 'fail' }));

const findComposer = (): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

const createImage = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });

/** Pastes a file into the composer or drops it there. */
async function addFile(method: 'paste' | 'drop', name: string, bytes: Uint8Array): Promise<void> {
  await findComposer().evaluate(
    (composerInput, [kind, fileName, fileBytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(fileBytes)], fileName));
      const init = { bubbles: true, cancelable: true };
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data });
      composerInput.dispatchEvent(event);
    },
    [method, name, [...bytes]] as const,
  );
}

interface MediaMessage {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Waits until the page posts a file to the host, and returns the first posted file. */
async function waitForMediaMessage(): Promise<MediaMessage> {
  const handle = await page.waitForFunction(() => {
    const postedMessages: { type: string; name: string; bytes: Uint8Array }[] = Reflect.get(
      globalThis,
      'posted',
    );
    const mediaAddMessage = postedMessages.find(({ type }) => type === 'media-add');
    return mediaAddMessage && { name: mediaAddMessage.name, bytes: [...mediaAddMessage.bytes] };
  });
  const { name, bytes } = (await handle.jsonValue()) ?? { name: '', bytes: [] };
  return { name, bytes: Buffer.from(bytes) };
}

async function openChatPage(): Promise<void> {
  page = await openPage({ browser, server });
  await sendToChat(page, createStateSetMessage());
}

describe('the image conversion', () => {
  test.each([
    ['a large PNG', () => createImage(3_000, 1_500).png(), 'png', [2_048, 1_024]],
    ['a small PNG', () => createImage(300, 200).png(), 'png', [300, 200]],
    ['a large JPEG', () => createImage(2_100, 4_200).jpeg(), 'jpeg', [1_024, 2_048]],
    ['a GIF', () => createImage(100, 80).gif(), 'png', [100, 80]],
    ['a WebP', () => createImage(2_500, 100).webp(), 'webp', [2_048, 82]],
    ['a narrow image, which stays longer', () => createImage(4_096, 80).png(), 'png', [3_277, 64]],
    [
      'a rotated JPEG with camera metadata',
      () =>
        createImage(400, 200)
          .jpeg()
          .withExif({ IFD0: { Copyright: 'canary' } })
          .withMetadata({ orientation: 6 }),
      'jpeg',
      [200, 400],
    ],
  ] as const)(
    'produces a supported format and size: %s',
    async (_, createBytes, format, [width, height]) => {
      await openChatPage();
      await addFile('paste', 'image.png', await createBytes().toBuffer());
      const { name, bytes } = await waitForMediaMessage();
      const { orientation = 1, ...metadata } = await sharp(bytes).metadata();
      expect({
        name,
        format: metadata.format,
        width: metadata.width,
        height: metadata.height,
      }).toEqual({
        name: 'image.png',
        format,
        width,
        height,
      });
      expect(orientation).toBe(1);
      expect(bytes.includes('canary')).toBe(false);
      const { channels } = await sharp(bytes).stats();
      expect(Math.abs((channels[0]?.mean ?? 0) - 200)).toBeLessThan(5);
    },
  );

  test('does not change the bytes of an image that meets the limits', async () => {
    await openChatPage();
    const bytes = await createImage(640, 480).png().toBuffer();
    await addFile('drop', 'shot.png', bytes);
    expect((await waitForMediaMessage()).bytes.equals(bytes)).toBe(true);
  });

  test.each([
    ['a tiny image', () => createImage(32, 400).png().toBuffer(), 'has 32 × 400 pixels'],
    [
      'a damaged image',
      async () => Buffer.from('\x89PNG\r\n\x1a\nnot so', 'latin1'),
      'cannot be read',
    ],
  ])('rejects %s and shows the reason', async (_, createBytes, reason) => {
    await openChatPage();
    await addFile('paste', 'icon.png', await createBytes());
    await page.locator('.notice').getByText(reason).waitFor();
    expect((await listPostedMessages(page)).some(({ type }) => type === 'media-add')).toBe(false);
  });
});

test('the chat passes files that are not images to the host unchanged', async () => {
  await openChatPage();
  await addFile('drop', 'notes.md', Buffer.from('# Tides'));
  expect(await waitForMediaMessage()).toEqual({ name: 'notes.md', bytes: Buffer.from('# Tides') });
});

test('the chat scales an image when the host requests it', async () => {
  await openChatPage();
  const bytes = [...(await createImage(4_096, 2_048).png().toBuffer())];
  await page.evaluate((imageBytes) => {
    const message = {
      type: 'media-scale',
      id: 'm1',
      name: 'big.png',
      bytes: new Uint8Array(imageBytes),
    };
    window.postMessage(message, '*');
  }, bytes);
  const handle = await page.waitForFunction(() => {
    const postedMessages: { type: string; id: string; bytes: Uint8Array }[] = Reflect.get(
      globalThis,
      'posted',
    );
    const scaledMessage = postedMessages.find(({ type }) => type === 'media-scaled');
    return scaledMessage && { id: scaledMessage.id, bytes: [...scaledMessage.bytes] };
  });
  const scaledImage = await handle.jsonValue();
  expect(scaledImage?.id).toBe('m1');
  expect((await sharp(Buffer.from(scaledImage?.bytes ?? [])).metadata()).width).toBe(2_048);
});

const attachedFile = {
  id: 'f1',
  kind: 'image',
  label: 'shot.png',
  tokens: 410,
  preview: '',
  bytes: 48_200,
  thumbnail: `${'0'.repeat(64)}.png`,
} as const;

test('the chat sends no image to a model without vision, and shows a button to select another model', async () => {
  page = await openPage({ browser, server });
  await sendToChat(
    page,
    createStateSetMessage({
      attachments: [attachedFile],
      model: createModelView({ maxImagesPerMessage: 0 }),
    }),
  );
  await findComposer().fill('What is this?');
  await findComposer().press('Enter');
  expect((await listPostedMessages(page)).some(({ type }) => type === 'message-send')).toBe(false);
  const note = page.getByRole('alert').filter({ hasText: 'cannot see images' });
  await note.getByText('Choose a model').click();
  await page.getByRole('dialog', { name: 'Choose a model' }).waitFor();
});

test('an attachment chip has buttons that open and remove the image', async () => {
  page = await openPage({ browser, server });
  await sendToChat(page, createStateSetMessage({ attachments: [attachedFile] }));
  await page.getByRole('button', { name: 'Open shot.png' }).press('Enter');
  await page.getByRole('button', { name: 'Remove shot.png' }).press('Enter');
  expect((await listPostedMessages(page)).slice(-2)).toEqual([
    { type: 'attachment-open', messageId: null, id: 'f1' },
    { type: 'attachment-remove', id: 'f1' },
  ]);
});
