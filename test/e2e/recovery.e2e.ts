import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { fillField } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'recovery' });

beforeEach(async () => {
  const { workbench } = session();
  await workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
  await workbench.waitForStoredSideBar();
});

test('the chat keeps all messages when the extension host is killed during an answer', async () => {
  const { chat, server } = session();
  await getControl(session()).addScripts({
    steps: [{ reasoning: 'Thinking about it.' }, { content: 'The first half.' }, { hold: 'rest' }],
  });
  await chat.sendText('A question that must not be lost');
  await chat.lastAnswer.getByText('The first half.').waitFor();
  await waitForStoredText('conversations', 'The first half.');
  expect(server.killExtensionHosts()).toBeGreaterThan(0);

  await session().reloadWindow();
  await chat.locateMessages('You').last().getByText('A question that must not be lost').waitFor();
  await chat.lastAnswer.getByText('The first half.').waitFor();
  await chat.lastAnswer
    .getByText(/interrupted/iu)
    .first()
    .waitFor();
  await takeScreenshotInAllThemes(session(), 'chat-interrupted');

  await getControl(session()).addScripts({ steps: [{ content: ' And the second.' }] });
  await chat.locateButton('Continue').click();
  await chat.lastAnswer.getByText('And the second.').waitFor();
  await chat.waitUntilIdle();
});

test('the chat shows a button to continue an answer that a window reload interrupted', async () => {
  const { chat } = session();
  await getControl(session()).addScripts({
    steps: [{ content: 'Before the reload.' }, { hold: 'rest' }],
  });
  await chat.sendText('Another question');
  await chat.lastAnswer.getByText('Before the reload.').waitFor();
  await waitForStoredText('conversations', 'Before the reload.');
  await session().reloadWindow();
  await chat.lastAnswer.getByText('Before the reload.').waitFor();
  await chat.locateButton('Continue').waitFor();
});

test('the chat restores the unsent draft after a window reload', async () => {
  const { chat } = session();
  await chat.sendText('A whole thought');
  await chat.waitUntilIdle();
  await fillField(chat.composer, 'Half a thought');
  await waitForStoredText('drafts', 'Half a thought');
  await session().reloadWindow();
  await expect.poll(() => chat.composer.inputValue()).toBe('Half a thought');
});

test('the history lists a damaged chat, and the chat shows its readable messages and marks a missing message', async () => {
  const { chat, workbench, page } = session();
  await chat.sendText('Sturgeon question');
  await chat.waitUntilIdle();
  await chat.sendText('Second question');
  await chat.waitUntilIdle();
  await waitForStoredText('conversations', 'Second question');
  await session().openNewChat();
  await damageConversation('Sturgeon question', ['{"type"', '"text":"Second question"']);
  await session().reloadWindow();
  await workbench.runCommand('Inference Service: Show Chat History');
  await page.getByText('Show What Is Left').first().click();
  await chat.locateMessages('You').first().getByText('Sturgeon question').waitFor();
  await chat.transcript
    .getByText('Something is missing here. The stored file is damaged.')
    .waitFor();
  await expect.poll(() => chat.locateMessages('Assistant').count()).toBe(2);
  await chat.sendText('Third question');
  await chat.waitUntilIdle();
});

/**
 * Damages each stored conversation that contains `question`. Replaces the first character of each of the `texts` in its
 * file with a null character.
 */
async function damageConversation(question: string, texts: readonly string[]): Promise<void> {
  const storageFolder = join(session().server.dataFolder, 'User', 'globalStorage');
  const folder = join(storageFolder, 'inference-service.inference-service', 'conversations');
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name), 'utf8');
    if (!content.includes(question)) continue;
    const damagedContent = texts.reduce(
      (text, damagedText) => text.replace(damagedText, `\0${damagedText.slice(1)}`),
      content,
    );
    await writeFile(join(folder, name), damagedContent);
  }
}

/**
 * Resolves when a file in the subfolder `folder` of the extension's storage contains `text`. The extension writes with
 * a short delay after each change.
 */
async function waitForStoredText(folder: 'conversations' | 'drafts', text: string): Promise<void> {
  const storage = join(session().server.dataFolder, 'User', 'globalStorage');
  const storageFolder = join(storage, 'inference-service.inference-service', folder);
  await expect.poll(() => readAllText(storageFolder)).toContain(text);
}

async function readAllText(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('\n');
}
