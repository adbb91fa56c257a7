import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useSession } from './session.ts';

const session = useSession({
  name: 'pasted-images',
  settings: { 'inferenceService.image.describePasted': true },
  files: { 'notes.md': '' },
});

test('an image pasted into Markdown is saved, and linked with a description', async () => {
  const { workbench, page, folder } = session();
  // Opening the chat activates the extension and loads its models.
  await workbench.runCommand('Inference Service: Open Chat');
  await session().chat.composer.waitFor();
  await session()
    .chat.content.getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant/u)
    .waitFor();
  await workbench.openFile('notes.md');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(64, 64);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('No canvas.');
    context.fillStyle = 'rgb(30, 80, 220)';
    context.fillRect(0, 0, 64, 64);
    const png = await canvas.convertToBlob({ type: 'image/png' });
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
  });
  await workbench.editor.click();
  await page.keyboard.press('Control+V');
  const images = (): Promise<string[]> => readdir(join(folder, 'images')).catch(() => []);
  await expect.poll(images).toHaveLength(1);
  const [name = ''] = await images();
  expect(name).toMatch(/^the-image-is-a-square-png.*\.png$/u);
  await expect
    .poll(async () => {
      await workbench.runCommand('File: Save All Files');
      return readFile(join(folder, 'notes.md'), 'utf8');
    })
    .toContain(`](images/${name})`);
});
