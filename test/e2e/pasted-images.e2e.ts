import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyImage } from './pages/clipboard.ts';
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
  await copyImage(page);
  await workbench.editor.click();
  await page.keyboard.press('Control+V');
  const listImages = (): Promise<string[]> => readdir(join(folder, 'images')).catch(() => []);
  await expect.poll(listImages).toHaveLength(1);
  const [name = ''] = await listImages();
  expect(name).toMatch(/^the-image-is-a-landscape-png.*\.png$/u);
  await expect
    .poll(async () => {
      await workbench.runCommand('File: Save All Files');
      return readFile(join(folder, 'notes.md'), 'utf8');
    })
    .toContain(`](images/${name})`);
});
