import type { Locator } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInAllThemes } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { waitForFocus } from './pages/typing.ts';
import { copyImage } from './pages/clipboard.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'attachments',
  files: {
    'broken.ts': 'const tide: number = "high";\n',
    'harbour.env.txt': 'quay=7\n',
    '.env': 'HARBOUR_TOKEN=canary-8181\n',
    'tides.pdf': Buffer.from('%PDF-1.4\nHigh water is at noon.\n%%EOF'),
    'image.bin': Buffer.from([0, 1, 2, 0, 255, 254, 0]),
  },
});

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

/** Sends a message and waits for the answer. Returns all chat requests that the service has received as JSON. */
async function sendAndReadRequest(text: string): Promise<string> {
  const { chat } = session();
  await chat.sendText(text);
  await chat.waitUntilIdle();
  const requests = await getControl(session()).getRequests();
  return JSON.stringify(requests.filter(({ path }) => path.endsWith('/chat/completions')));
}

/**
 * Selects an entry in the submenu that the extension adds to the context menu of `target`. Retries, because a change of
 * the focus closes the menu.
 */
async function chooseInMenu(target: Locator, label: string): Promise<void> {
  const { page, workbench } = session();
  // The accessible name of an entry includes its keyboard shortcut.
  const entry = page
    .locator('.monaco-menu')
    .getByRole('menuitem')
    .filter({ has: page.getByText(label, { exact: true }) });
  await eventually(async (timeout) => {
    await workbench.closeOverlays();
    await target.click({ button: 'right' });
    await workbench.menuItems.filter({ hasText: 'Inference Service' }).hover({ timeout });
    await entry.hover({ timeout });
    await page.locator('.monaco-menu :focus').and(entry).waitFor({ timeout });
    await page.keyboard.press('Enter');
  });
}

async function dragIntoChat(source: Locator): Promise<void> {
  const { chat, page } = session();
  const composerBox = await chat.composer.boundingBox();
  if (composerBox === null) throw new Error('The message is not on the screen.');
  await source.hover();
  await page.mouse.down();
  // Without Shift, VS Code handles a drag over a webview and the webview receives no event.
  await page.keyboard.down('Shift');
  const [x, y] = [composerBox.x + composerBox.width / 2, composerBox.y + composerBox.height / 2];
  await page.mouse.move(x, y, { steps: 10 });
  await eventually(async (timeout) => {
    await page.mouse.move(x, y + 1);
    await page.mouse.move(x, y);
    await chat.content.locator('.drop-target').waitFor({ timeout });
  });
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

test('the context menu of the Explorer attaches files to the chat as removable chips', async () => {
  const { chat, page } = session();
  for (const name of ['README.md', 'harbour.env.txt']) {
    await chooseInMenu(page.getByRole('treeitem', { name }), 'Attach File to Chat');
    await chat.content.getByText(name, { exact: true }).waitFor();
    // The composer receives the focus at the end of loading, which would close a menu opened earlier.
    await waitForFocus(chat.composer);
  }
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'chat-attachments');
  await chat.content.getByRole('button', { name: 'Remove README.md' }).click();
  const request = await sendAndReadRequest('What is the quay?');
  expect(request).toContain('quay=7');
  expect(request).not.toContain('README.md');
});

test('the chat attaches a file that the user drags from the Explorer', async () => {
  const { chat, workbench } = session();
  await dragIntoChat(workbench.locateExplorerItem('harbour.env.txt'));
  await chat.content.getByText('harbour.env.txt', { exact: true }).waitFor();
  expect(await sendAndReadRequest('What is the quay?')).toContain('quay=7');
});

test('a suggested prompt appears in the composer and is not sent', async () => {
  const { chat } = session();
  await chat.locateButton('Summarize README.md').click();
  await chat.content.getByText('README.md', { exact: true }).waitFor();
  expect(await chat.composer.inputValue()).toBe('Summarize README.md');
  await chat.content.getByRole('button', { name: 'Remove README.md' }).click();
  expect(await sendAndReadRequest('Without it')).not.toContain('<attachment');
});

test('the context menu of the editor attaches the selection to the chat', async () => {
  const { workbench, chat } = session();
  await workbench.openFile('tide.ts');
  await workbench.selectLines(8, 8);
  await chooseInMenu(workbench.editor.getByText('periodMs').first(), 'Ask About Selection');
  await chat.content.getByText('src/tide.ts:8').waitFor();
  expect(await sendAndReadRequest('What is this?')).toContain('12.4206012');
});

test('the chat attaches the file of an editor tab when the user drags the tab into the chat', async () => {
  const { chat, page, workbench } = session();
  await workbench.openFile('tide.ts');
  await dragIntoChat(page.getByRole('tab', { name: /^tide\.ts/u }));
  await chat.content.getByText('src/tide.ts', { exact: true }).waitFor();
  expect(await sendAndReadRequest('What is this?')).toContain('12.4206012');
});

test('the chat attaches the problems of a file with their line numbers', async () => {
  const { workbench, chat } = session();
  await workbench.openFile('broken.ts');
  await workbench.page.locator('.squiggly-error').first().waitFor();
  await chooseInMenu(
    workbench.editor.locator('.view-line').first(),
    'Attach Problems of File to Chat',
  );
  await chat.content.getByText('Problems of broken.ts').waitFor();
  const request = await sendAndReadRequest('How do I fix this?');
  expect(request).toContain("Type 'string' is not assignable to type 'number'");
  expect(request).toContain('const tide: number');
});

test('the chat requires confirmation before attaching a file that may contain secrets', async () => {
  const { workbench, page, chat } = session();
  await workbench.openFile('.env');
  await workbench.runCommand('Inference Service: Attach File to Chat');
  await page.locator('.monaco-dialog-box').getByText('.env may hold secrets').waitFor();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
  await waitForFocus(chat.composer);
  expect(await sendAndReadRequest('Hello')).not.toContain('canary-8181');
});

test('the chat rejects a binary file and shows the reason', async () => {
  const { page, chat } = session();
  await chooseInMenu(page.getByRole('treeitem', { name: 'image.bin' }), 'Attach File to Chat');
  await chat.content.getByText('is not a text file').first().waitFor();
});

test('a pasted image appears in an attachment chip, and a vision model describes the image', async () => {
  const { chat, page } = session();
  await chat.composer.click();
  await waitForFocus(chat.composer);
  await copyImage(page);
  await chat.composer.click();
  await page.keyboard.press('Control+V');
  await chat.content.getByRole('button', { name: 'Open image.png' }).waitFor();
  await chat.content
    .locator('.chip-image img')
    .evaluate((image: HTMLImageElement) => image.decode());
  await takeScreenshotInAllThemes(session(), 'chat-image-attached');
  const request = await sendAndReadRequest('What do you see here?');
  expect(request).toContain('data:image/png;base64,');
  await chat.lastAnswer.getByText(/96/u).last().waitFor();
  await takeScreenshot(session(), 'chat-image-sent', 'dark');
});

test('the chat sends a PDF as a file after the user attaches the PDF from the Explorer', async () => {
  const { chat, page } = session();
  await chooseInMenu(page.getByRole('treeitem', { name: 'tides.pdf' }), 'Attach File to Chat');
  await chat.content.getByText('tides.pdf', { exact: true }).waitFor();
  const request = await sendAndReadRequest('When is high water?');
  expect(request).toContain('data:application/pdf;base64,');
});
