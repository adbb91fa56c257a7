import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { eventually } from './pages/eventually.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { type Session, useSession } from './session.ts';

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const fileCommands = ['Edit Image with…', 'Upscale Image…', 'Remove Image Background'];

describe('in a folder', () => {
  const session = useSession({
    name: 'image-places-folder',
    files: { 'logo.png': png, 'PHOTO.JPG': png, 'notes.md': '# Notes\n' },
  });

  beforeAll(() => instant(session()));

  test.each([
    ['logo.png', fileCommands],
    ['PHOTO.JPG', fileCommands],
    ['notes.md', []],
  ])('the menu of %s in the explorer offers what can be done with it', async (name, expected) => {
    const { workbench } = session();
    const ours = workbench.menuItems.filter({ hasText: 'Attach File to Chat' });
    // A menu closes when something else takes the focus, and does not learn of extensions that come in later.
    await eventually(async () => {
      await workbench.closeOverlays();
      await workbench.explorerItem(name).click({ button: 'right' });
      await ours.waitFor({ timeout: 5_000 });
      const labels = (await workbench.menuItems.allInnerTexts()).map((label) => label.trim());
      expect(labels).toContain('Attach File to Chat');
      expect(labels.filter((label) => /\bImage\b/u.test(label))).toEqual(expected);
    });
    await workbench.closeOverlays();
  });

  test('the model and the size are changed in place, and the prompt stays', async () => {
    const { workbench, page, folder } = session();
    await workbench.openFile('notes.md');
    await pressIn(workbench.editor, 'Control+End');
    await describeImage(session(), 'A quiet bay');
    const button = (name: RegExp) =>
      page.locator('.quick-input-widget').getByRole('button', { name });
    await button(/^Model: Painter Turbo/u).click();
    await fillField(workbench.quickInput, 'Painter Fine');
    await workbench.option('Painter Fine').click();
    await workbench.focusedOption(/Painter Fine · 1024 × 1024/u).waitFor();
    expect(await workbench.quickInput.inputValue()).toBe('A quiet bay');
    await button(/^Size/u).click();
    await fillField(workbench.quickInput, 'small square');
    await workbench.option('512 × 512').click();
    await workbench.focusedOption(/Painter Fine · 512 × 512/u).waitFor();
    expect(await workbench.quickInput.inputValue()).toBe('A quiet bay');
    await pressIn(workbench.quickInput, 'Enter');
    await eventually(async () => expect(await shownText(session())).toContain('![A quiet bay]'));
    const [request] = await madeRequests(session());
    expect(request?.body).toMatchObject({ model: 'painter-fine', width: 512, height: 512 });
    expect(await readdir(join(folder, 'images'))).toHaveLength(1);
  });
});

/** Types the prompt into the one input of the fast path. */
async function describeImage({ workbench }: Session, prompt: string): Promise<void> {
  await workbench.runCommand('Inference Service: Insert Image…');
  await fillField(workbench.quickInput, prompt);
  await workbench.focusedOption('Generate').waitFor();
}

const control = ({ service }: Session): Control => new Control(service.controlUrl);

const instant = (session: Session): Promise<void> => control(session).pace('instant');

const madeRequests = async (session: Session) =>
  (await control(session).requests()).filter(({ path }) => path.endsWith('/image/generate'));

/** What the active editor shows, with plain spaces. */
const shownText = async ({ workbench }: Session): Promise<string> =>
  (await workbench.editor.innerText()).replaceAll('\u00A0', ' ');
