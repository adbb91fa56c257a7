import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { takeScreenshotInThemes } from './appearance.ts';
import { fillField } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'history',
  settings: { 'inferenceService.chat.generateTitles': true },
});
const showHistory = async (): Promise<void> => {
  await session().workbench.runCommand('Inference Service: Show Chat History');
  await session().page.locator('.quick-input-title').getByText('Chat History').waitFor();
};

test('the history lists a chat with a generated title and the first line of its answer', async () => {
  const { chat, workbench } = session();
  await workbench.runCommand('Inference Service: Open Chat');
  await getControl(session()).setResponsePace('instant');
  await getControl(session()).addScripts({
    steps: [{ content: '**The moon** pulls the water.\n\nTwice a day.' }],
  });
  await getControl(session()).addScripts({ steps: [{ content: '"Cause of Tides."' }] });
  await chat.sendText('Please tell me at length why there are tides in the sea');
  await chat.content.getByRole('heading', { name: 'Cause of Tides' }).waitFor();
  await session().openNewChat();
  await getControl(session()).addScripts({ steps: [{ content: 'Ask a pilot.' }] });
  await getControl(session()).addScripts({ steps: [{ content: 'Entering a Harbor' }] });
  await chat.sendText('How do I enter a harbor?');
  await chat.content.getByRole('heading', { name: 'Entering a Harbor' }).waitFor();
  await showHistory();
  const row = workbench.locateOption('Cause of Tides');
  await row.getByText('The moon pulls the water.').waitFor();
  await row.hover();
  await row.getByRole('button', { name: 'Pin', exact: true }).click();
  const separators = session().page.locator('.quick-input-list-separator');
  await expect.poll(() => separators.allInnerTexts()).toEqual(['Pinned', 'Today']);
  await takeScreenshotInThemes(session(), 'history', chat.content);
  await workbench.closeOverlays();
});

test('the command to delete all chats deletes them after confirmation', async () => {
  const { chat, workbench, page } = session();
  await showHistory();
  await page
    .locator('.quick-input-widget')
    .getByRole('button', { name: 'Delete All Chats…' })
    .click();
  await workbench.locateDialogButton('Delete All').click();
  await chat.lastAnswer.waitFor({ state: 'detached' });
  await showHistory();
  await workbench.locateOption('There are no chats.').waitFor();
  await takeScreenshotInThemes(session(), 'history-empty', chat.content);
  await workbench.closeOverlays();
});

test('the command to delete all stored data deletes the data and reloads the window', async () => {
  const { chat, workbench } = session();
  await session().openNewChat();
  await getControl(session()).addScripts({ times: 2, steps: [{ content: 'Stored.' }] });
  await chat.sendText('Store this');
  await chat.lastAnswer.getByText('Stored.').waitFor();
  await chat.waitUntilIdle();
  await fillField(chat.composer, 'An unsent draft');
  await workbench.runCommand('Inference Service: Remove All Stored Data…');
  await workbench.locateDialogButton('Delete All').click();
  await eventually(async () => {
    await showHistory();
    await workbench.locateOption('There are no chats.').waitFor({ timeout: 5_000 });
  });
  await workbench.closeOverlays();
  // The history is empty before the window reloads.
  await eventually(async () => expect(await chat.composer.inputValue()).toBe(''));
});
