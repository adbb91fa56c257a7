import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentModelSettings, openAgentChat, resetService } from './agent-session.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'chat-images',
  settings: agentModelSettings,
  files: { 'notes.md': '# Notes\n\n' },
});

const createApprovalCard = (): ApprovalCard => new ApprovalCard(session().chat.content);
const listImageFiles = (): Promise<string[]> =>
  readdir(join(session().folder, 'images')).catch(() => []);
const readImageRequests = async () =>
  (await getControl(session()).getRequests()).filter(({ path }) =>
    path.endsWith('/image/generate'),
  );

beforeAll(() => openAgentChat(session()));

beforeEach(async () => {
  await resetService(session());
  await rm(join(session().folder, 'images'), { recursive: true, force: true });
  await session().openNewChat();
});

describe('the command /image', () => {
  test('appears in the suggestions, and its image can be saved and inserted, and remains visible after a reload', async () => {
    const { chat, workbench } = session();
    await workbench.openFile('notes.md');
    await session().openNewChat();
    await chat.composer.pressSequentially('/');
    const option = chat.content.getByRole('option', { name: /\/image/u });
    await option.getByText(/Painter Turbo · 1024 × 1024 · \$0\.01/u).waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await chat.composer.press('Escape');
    await option.waitFor({ state: 'hidden' });
    await chat.composer.pressSequentially('im');
    await option.waitFor();
    await chat.composer.press('Enter');
    expect(await chat.composer.inputValue()).toBe('/image ');
    await chat.composer.pressSequentially('a red fox');
    await chat.composer.press('Enter');
    const image = chat.lastAnswer.getByRole('img', { name: 'a red fox' });
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
      .toBe(1_024);
    await chat.lastAnswer.getByText('Painter Turbo · 1024 × 1024 · $0.01').waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'chat-image');

    await chat.locateButton('Save').click();
    await expect.poll(listImageFiles).toHaveLength(1);
    await chat.locateButton('Insert').click();
    const [name = ''] = await listImageFiles();
    expect(name).toMatch(/^a-red-fox-\d+\.webp$/u);
    await expect
      .poll(async () => {
        await workbench.runCommand('File: Save All Files');
        return readFile(join(session().folder, 'notes.md'), 'utf8');
      })
      .toContain(`![a red fox](images/${name})`);
    expect(await listImageFiles()).toEqual([name]);
    expect(await readImageRequests()).toHaveLength(1);

    await session().reloadWindow();
    await chat.lastAnswer.getByRole('img', { name: 'a red fox' }).waitFor();
    // A text model receives a note in place of the image.
    await getControl(session()).addScripts({ steps: [{ content: 'A fox.' }] });
    await chat.sendText('What was it?');
    await chat.waitUntilIdle();
    const imageRequest = (await getControl(session()).getRequests()).findLast(({ path }) =>
      path.endsWith('/chat/completions'),
    );
    const requestText = JSON.stringify(imageRequest?.body);
    expect(requestText).toContain('[An image was generated for the user: a red fox]');
    expect(requestText).not.toContain('image_url');
  });

  test('can be stopped, and shows actions after a failure', async () => {
    const { chat } = session();
    await getControl(session()).injectFault({
      match: { path: '/image/generate' },
      fault: { kind: 'hold', name: 'brush' },
    });
    await chat.sendText('/image a slow fox');
    await chat.lastAnswer.getByText(/Generating/u).waitFor();
    await chat.lastAnswer.getByText(/\d s/u).waitFor();
    await chat.locateButton('Stop').click();
    await chat.lastAnswer.getByText('Stopped').waitFor();
    await getControl(session()).releasePause('brush');
    await chat.sendText('/image something forbidden');
    await chat.lastAnswer.getByText(/against its content rules/u).waitFor();
    expect(await listImageFiles()).toEqual([]);
  });
});

describe('the tool generate_image', () => {
  const scriptImageCall = (prompt: string) =>
    getControl(session()).addScripts(
      { steps: [{ call: { name: 'generate_image', arguments: { prompt } } }] },
      { steps: [{ content: 'As you wish.' }] },
    );

  test('requests approval that shows the price, and sends no request after a denial', async () => {
    const { chat } = session();
    await scriptImageCall('a blue fox');
    await chat.sendText('Draw a blue fox');
    await createApprovalCard().approval.getByText('It costs $0.01.').waitFor();
    await createApprovalCard().openDetails();
    await createApprovalCard()
      .approval.getByText(/Painter Turbo · 1024 × 1024 · \$0\.01/u)
      .waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await createApprovalCard().denyRequest('a-blue-fox');
    await chat.waitUntilIdle();
    expect(await readImageRequests()).toEqual([]);
    expect(await listImageFiles()).toEqual([]);
  });

  test('saves the approved image, and deletes the image when the user undoes the turn', async () => {
    const { chat } = session();
    await scriptImageCall('a blue fox');
    await chat.sendText('Draw a blue fox');
    await createApprovalCard().allowRequest('a-blue-fox');
    await chat.waitUntilIdle();
    const [name = ''] = await listImageFiles();
    expect(name).toMatch(/^a-blue-fox-\d+\.webp$/u);
    const bytes = await readFile(join(session().folder, 'images', name));
    expect(bytes.subarray(8, 12).toString()).toBe('WEBP');
    const changedFiles = chat.content.getByRole('group', { name: 'Changed files' });
    await changedFiles.getByRole('button', { name: 'Undo all' }).click();
    await changedFiles.getByText('Undone').waitFor();
    expect(await listImageFiles()).toEqual([]);
  });
});
