import { readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInThemes } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { StudioPage } from './pages/studio-page.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, type Session, useSession } from './session.ts';

describe('the image insertion', () => {
  const session = useSession({
    name: 'images',
    files: { 'notes.md': '# Notes\n\nThe coast:\n', 'story.md': '# Story\n\n' },
  });

  beforeAll(async () => {
    await getControl(session()).setResponsePace('instant');
  });

  test('generates, saves and links an image with two user actions, and a single undo removes the link', async () => {
    const { workbench, folder } = session();
    await workbench.openFile('notes.md');
    await pressIn(workbench.editor, 'Control+End');
    let actionCount = 0;
    const performAction = async (action: () => Promise<void>): Promise<void> => {
      actionCount++;
      await action();
    };
    await performAction(() => workbench.runCommand('Inference Service: Insert Image…'));
    await fillField(workbench.quickInput, 'A lighthouse at dusk');
    await workbench.locateFocusedOption(/Painter Turbo · 1024 × 1024 · \$0\.01/u).waitFor();
    await performAction(() => pressIn(workbench.quickInput, 'Enter'));
    await eventually(async () => {
      expect(await readEditorText(session())).toMatch(/!\[A lighthouse at dusk\]/u);
    });
    const [name = ''] = await readdir(join(folder, 'images'));
    expect(name).toMatch(/^a-lighthouse-at-dusk-\d+\.webp$/u);
    expect((await readFile(join(folder, 'images', name))).subarray(8, 12).toString()).toBe('WEBP');
    expect(actionCount).toBe(2);
    await pressIn(workbench.editor, 'Control+z');
    await eventually(async () => {
      expect(await readEditorText(session())).not.toMatch(/lighthouse/u);
    });
    await new NotificationCenter(workbench).pressButton('The reference was removed.', 'Delete');
    await eventually(async () => {
      await expect(stat(join(folder, 'images', name))).rejects.toMatchObject({ code: 'ENOENT' });
    });
    await workbench.closeOverlays();
  });

  test('generates four variants in the studio, and upscales and inserts one of them', async () => {
    const { workbench, folder } = session();
    await workbench.openFile('story.md');
    await pressIn(workbench.editor, 'Control+End');
    await workbench.runCommand('Inference Service: Open Image Studio');
    const studio = new StudioPage(workbench.locateWebview('editor'));
    await fillField(studio.prompt, 'Four boats in a harbour');
    await studio.selectVariants(4);
    await studio.locateButton('Generate · $0.04').click();
    const boatImages = studio.locateJobImages('Four boats in a harbour');
    await boatImages.nth(3).waitFor();
    expect(await findAccessibilityProblems(studio.content)).toEqual([]);
    await takeScreenshotInThemes(session(), 'studio-variants', studio.content);
    await boatImages.nth(1).click();
    await studio.chooseFromMenu(/^Upscale 2×/u);
    const upscaledImages = studio.locateJobImages('Upscale 2×');
    await upscaledImages.first().focus();
    await pressIn(upscaledImages.first(), 'Enter');
    await studio.locateAction('Insert').click();
    await eventually(async () => {
      expect(await readdir(join(folder, 'images'))).toEqual(['four-boats-in-a-harbour-2x.png']);
    });
    await takeScreenshotInThemes(session(), 'studio-image', studio.content);
    await studio.content.getByRole('tab', { name: 'Gallery' }).click();
    // A page that cannot read the images would show the images themselves.
    await studio.content.locator('.gallery-cell img[src^="blob:"]').first().waitFor();
    await workbench.openFile('story.md');
    await expect
      .poll(() => readEditorText(session()))
      .toMatch(/!\[Four boats in a harbour\]\(images\/four-boats-in-a-harbour-2x\.png\)/u);
  });
});

describe('image generation during a reload of the hidden studio', () => {
  const session = useSession({ name: 'images-reloaded', files: { 'notes.md': '# Notes\n' } });

  test('shows the elapsed seconds since the start of the request', async () => {
    const { workbench } = session();
    const control = getControl(session());
    await control.setResponsePace('instant');
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'brush' },
    });
    await workbench.runCommand('Inference Service: Open Image Studio');
    const studio = new StudioPage(workbench.locateWebview('editor'));
    await fillField(studio.prompt, 'A pier in fog');
    await studio.locateButton('Generate · $0.01').click();
    const job = studio.locateJob('A pier in fog');
    const readSeconds = async (): Promise<number> =>
      Number(/Generating · (?<seconds>\d+)/u.exec(await job.innerText())?.groups?.['seconds']);
    await expect.poll(readSeconds).toBeGreaterThan(1);
    for (const reload of [
      () => workbench.runCommand('Developer: Reload Webviews'),
      async () => {
        await workbench.openFile('notes.md');
        await workbench.runCommand('Inference Service: Open Image Studio');
      },
    ]) {
      const secondsBefore = await readSeconds();
      await job.evaluate((element) => element.classList.add('before-reload'));
      await reload();
      await studio.content.locator('[data-job]:not(.before-reload)').waitFor();
      await expect.poll(readSeconds).toBeGreaterThan(secondsBefore + 1);
    }
    await control.releasePause('brush');
    await studio.locateJobImages('A pier in fog').first().waitFor();
  });
});

describe('a paid image that the gallery cannot store', () => {
  const session = useSession({ name: 'images-unstored', files: { 'notes.md': '# Notes\n' } });

  test('is offered for saving, and is saved by the command for paid images', async () => {
    const { workbench, folder, server } = session();
    const control = getControl(session());
    await control.setResponsePace('instant');
    await control.injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'brush' },
    });
    await workbench.openFile('notes.md');
    await workbench.runCommand('Inference Service: Insert Image…');
    await fillField(workbench.quickInput, 'A pier in fog');
    await workbench.locateFocusedOption(/Painter Turbo/u).waitFor();
    await pressIn(workbench.quickInput, 'Enter');
    const storageFolder = join(
      server.dataFolder,
      'User/globalStorage/inference-service.inference-service',
    );
    const imagesFolder = join(storageFolder, 'images');
    const countRequests = async (): Promise<number> =>
      (await control.getRequests()).filter(({ path }) => path.endsWith('/image/generate')).length;
    await expect.poll(countRequests).toBe(1);
    // A file in place of the gallery's folder prevents that the gallery stores the image.
    const [galleryName = ''] = await readdir(imagesFolder);
    await rename(join(imagesFolder, galleryName), join(imagesFolder, 'moved'));
    await writeFile(join(imagesFolder, galleryName), '');
    await control.releasePause('brush');
    const notificationCenter = new NotificationCenter(workbench);
    const failureText = 'The image could not be written to the gallery';
    await notificationCenter.waitForNotification(failureText);
    await notificationCenter.clear();
    await workbench.runCommand('Inference Service: Save Paid Images…');
    await expect.poll(() => workbench.quickInput.inputValue()).toMatch(/image\.webp$/u);
    await pressIn(workbench.quickInput, 'Enter');
    await notificationCenter.waitForNotification('Saved as image.webp.');
    const content = await readFile(join(folder, 'image.webp'));
    expect(content.subarray(8, 12).toString()).toBe('WEBP');
    expect(await countRequests()).toBe(1);
    expect(await workbench.readCommandTitles()).not.toContain(
      'Inference Service: Save Paid Images…',
    );
  });
});

describe('images in an untrusted folder', () => {
  const session = useSession({
    name: 'images-restricted',
    files: { 'notes.md': '# Notes\n' },
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    },
  });

  beforeAll(async () => {
    await getControl(session()).setResponsePace('instant');
  });

  test('are neither requested nor written before the user confirms', async () => {
    const { workbench, page, folder } = session();
    await workbench.openFile('notes.md');
    await pressIn(workbench.editor, 'Control+End');
    await insertImage(session(), 'A quiet bay');
    const question = page.locator('.monaco-dialog-box');
    await question.getByText('Write the image into this workspace?').waitFor();
    await question.getByText('Restricted Mode').waitFor();
    await workbench.locateDialogButton('Cancel').click();
    await question.waitFor({ state: 'hidden' });
    expect(await readImageRequests(session())).toEqual([]);
    await expect(stat(join(folder, 'images'))).rejects.toMatchObject({ code: 'ENOENT' });

    await insertImage(session(), 'A quiet bay');
    await workbench.locateDialogButton('Save').click();
    await eventually(async () => {
      expect(await readEditorText(session())).toMatch(/!\[A quiet bay\]/u);
    });
    expect(await readdir(join(folder, 'images'))).toHaveLength(1);
  });
});

/**
 * Runs the command Insert Image and starts the generation of an image. Resolves before the image is inserted at the
 * cursor.
 */
async function insertImage({ workbench }: Session, prompt: string): Promise<void> {
  await workbench.runCommand('Inference Service: Insert Image…');
  await fillField(workbench.quickInput, prompt);
  await workbench.locateFocusedOption('Generate').waitFor();
  await pressIn(workbench.quickInput, 'Enter');
}

const readImageRequests = async (session: Session): Promise<unknown[]> =>
  (await getControl(session).getRequests()).filter(({ path }) => path.endsWith('/image/generate'));

/** Returns the text of the active editor, with no-break spaces replaced by regular spaces. */
const readEditorText = async ({ workbench }: Session): Promise<string> =>
  (await workbench.editor.innerText()).replaceAll('\u00A0', ' ');
