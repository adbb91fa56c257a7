import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { eventually } from '../support/eventually.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, type Session, useSession } from './session.ts';

/** A PNG image of one pixel. */
const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const fileCommands = ['Edit Image with…', 'Upscale Image…', 'Remove Image Background'];

describe('the image commands in a folder', () => {
  const session = useSession({
    name: 'image-places-folder',
    files: { 'logo.png': pngBytes, 'PHOTO.JPG': pngBytes, 'notes.md': '# Notes\n' },
  });

  beforeAll(() => setInstantPace(session()));

  test.each([
    ['appear', 'logo.png', fileCommands],
    ['appear', 'PHOTO.JPG', fileCommands],
    ['do not appear', 'notes.md', []],
  ])("%s in the Explorer's context menu of the file %s", async (_, name, expected) => {
    const { workbench } = session();
    const attachEntry = workbench.menuItems.filter({ hasText: 'Attach File to Chat' });
    // Open the menu again: a focus change closes it, and an open menu lacks extensions that activate later.
    await eventually(async (timeout) => {
      await workbench.closeOverlays();
      await workbench.locateExplorerItem(name).click({ button: 'right' });
      await workbench.menuItems.filter({ hasText: 'Inference Service' }).hover({ timeout });
      await attachEntry.waitFor({ timeout });
      const labels = (await workbench.menuItems.allInnerTexts()).map((label) => label.trim());
      expect(labels).toContain('Attach File to Chat');
      expect(labels.filter((label) => /\bImage\b/u.test(label))).toEqual(expected);
    });
    await workbench.closeOverlays();
  });

  test('keep the typed prompt while the user changes model and size in the input box', async () => {
    const { workbench, page, folder } = session();
    await workbench.openFile('notes.md');
    await pressIn(workbench.editor, 'Control+End');
    await enterImagePrompt(session(), 'A quiet bay');
    const findButton = (name: RegExp) =>
      page.locator('.quick-input-widget').getByRole('button', { name });
    await findButton(/^Model: Painter Turbo/u).click();
    await fillField(workbench.quickInput, 'Painter Fine');
    await workbench.locateOption('Painter Fine').click();
    await workbench.locateFocusedOption(/Painter Fine · 1024 × 1024/u).waitFor();
    expect(await workbench.quickInput.inputValue()).toBe('A quiet bay');
    await findButton(/^Size/u).click();
    await fillField(workbench.quickInput, '512');
    await workbench.locateOption('512 × 512').click();
    await workbench.locateFocusedOption(/Painter Fine · 512 × 512/u).waitFor();
    expect(await workbench.quickInput.inputValue()).toBe('A quiet bay');
    await pressIn(workbench.quickInput, 'Enter');
    await eventually(async () =>
      expect(await readEditorText(session())).toContain('![A quiet bay]'),
    );
    const [request] = await readImageRequests(session());
    expect(request?.body).toMatchObject({ model: 'painter-fine', width: 512, height: 512 });
    expect(await readdir(join(folder, 'images'))).toHaveLength(1);
  });
});

describe('the image commands without a workspace folder', () => {
  const session = useSession({ name: 'image-places-nothing', uri: 'nothing' });

  beforeAll(() => setInstantPace(session()));

  test('request a file location with a suggested name for an untitled document', async () => {
    const { workbench } = session();
    await workbench.runCommand('File: New Untitled Text File');
    await workbench.editor.locator('.view-line').first().waitFor();
    await enterImagePrompt(session(), 'A quiet bay');
    await pressIn(workbench.quickInput, 'Enter');
    const proposedPathPattern = /\/a-quiet-bay-\d+\.webp$/u;
    await eventually(async () =>
      expect(await workbench.quickInput.inputValue()).toMatch(proposedPathPattern),
    );
  });
});

describe('the image commands in a virtual workspace', () => {
  const diskFolder = mkdtempSync(join(tmpdir(), 'inference-service-tide-'));
  mkdirSync(join(diskFolder, 'w'));
  writeFileSync(join(diskFolder, 'w', 'notes.md'), '# Notes\n');
  const session = useSession({
    name: 'image-places-virtual',
    uri: 'tide-fs:/w',
    otherExtensions: [join(root, 'test', 'support', 'file-system-extension')],
    env: { TIDE_FS_FOLDER: diskFolder },
  });

  beforeAll(() => setInstantPace(session()));
  afterAll(() => rm(diskFolder, { recursive: true, force: true }));

  test('write the complete image into the workspace, and link it in the document', async () => {
    const { workbench } = session();
    await workbench.locateExplorerItem('notes.md').dblclick();
    await workbench.waitForActiveFile('notes.md');
    await pressIn(workbench.editor, 'Control+End');
    await enterImagePrompt(session(), 'A quiet bay');
    await pressIn(workbench.quickInput, 'Enter');
    const referencePattern = /!\[A quiet bay\]\(images\/(a-quiet-bay-\d+\.webp)\)/u;
    await eventually(async () => expect(await readEditorText(session())).toMatch(referencePattern));
    const [name = ''] = await readdir(join(diskFolder, 'w', 'images'));
    expect(referencePattern.exec(await readEditorText(session()))?.[1]).toBe(name);
    const bytes = await readFile(join(diskFolder, 'w', 'images', name));
    expect(bytes.subarray(8, 12).toString()).toBe('WEBP');
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
    expect(await readdir(join(diskFolder, 'w', 'images'))).toEqual([name]);
  });
});

/**
 * Runs the command Insert Image and enters `prompt`. Resolves when the entry Generate is focused, so that the Enter key
 * starts the generation.
 */
async function enterImagePrompt({ workbench }: Session, prompt: string): Promise<void> {
  await workbench.runCommand('Inference Service: Insert Image…');
  await fillField(workbench.quickInput, prompt);
  await workbench.locateFocusedOption('Generate').waitFor();
}

const setInstantPace = (session: Session): Promise<void> =>
  getControl(session).setResponsePace('instant');

const readImageRequests = async (session: Session) =>
  (await getControl(session).getRequests()).filter(({ path }) => path.endsWith('/image/generate'));

/** Returns the text of the active editor, with no-break spaces replaced by regular spaces. */
const readEditorText = async ({ workbench }: Session): Promise<string> =>
  (await workbench.editor.innerText()).replaceAll('\u00A0', ' ');
