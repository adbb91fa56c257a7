import { beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'context-view',
  settings: { 'inferenceService.chat.model': 'assistant-large-480b' },
  files: {
    'AGENTS.md': 'Answer in one sentence.\n',
    'src/tide.txt': 'High water at noon.\n'.repeat(60),
  },
});

/** Returns the body of the last chat request that the service received, as JSON. */
async function readLastRequest(): Promise<string> {
  const requests = await getControl(session()).getRequests();
  return JSON.stringify(requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body);
}

beforeAll(async () => {
  await session().workbench.runCommand('Inference Service: Open Chat');
  await session().chat.composer.waitFor();
  await session()
    .chat.content.getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant Large/u)
    .waitFor();
});

beforeEach(async () => {
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

test('the context view lists the parts of the context, removes and restores a tool output by keyboard, and compacts the chat', async () => {
  const { chat, page } = session();
  const control = getControl(session());
  await control.addScripts(
    { steps: [{ call: { name: 'read_file', arguments: { path: 'src/tide.txt' } } }] },
    { steps: [{ content: 'At noon.' }] },
    { userMessage: 'Again', steps: [{ content: 'Still at noon.' }] },
    { userMessage: 'Once more', steps: [{ content: 'As before.' }] },
  );
  await chat.sendText('When is high water?');
  await chat.transcript.getByText('At noon.').waitFor();
  await chat.waitUntilIdle();

  const meter = chat.content.getByRole('button', { name: /^Context: /u });
  const view = chat.content.getByRole('dialog', { name: 'Context' });
  await meter.focus();
  await page.keyboard.press('Enter');
  await view.getByText('System prompt').waitFor();
  await view.getByText('AGENTS.md').waitFor();
  const removeButton = view.getByRole('button', { name: 'Remove Read src/tide.txt' });
  await removeButton.waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'context-view');
  await removeButton.focus();
  await page.keyboard.press('Enter');
  const undoButton = view.getByRole('button', { name: 'Undo: Read src/tide.txt' });
  await undoButton.waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await page.keyboard.press('Escape');
  await view.waitFor({ state: 'hidden' });
  await chat.sendText('Again');
  await chat.transcript.getByText('Still at noon.').waitFor();
  await chat.waitUntilIdle();
  expect(await readLastRequest()).toContain('The user removed this output');
  expect(await readLastRequest()).not.toContain('High water at noon');

  // The removal survives a restart.
  await session().reloadWindow();
  await meter.click();
  await undoButton.click();
  await removeButton.waitFor();
  await page.keyboard.press('Escape');
  await chat.sendText('Once more');
  await chat.transcript.getByText('As before.').waitFor();
  await chat.waitUntilIdle();
  expect(await readLastRequest()).toContain('High water at noon');

  await control.addScripts({ steps: [{ content: 'The summary.' }] });
  await meter.click();
  await view.getByRole('button', { name: 'Compact' }).click();
  await eventually(async () =>
    expect(await readLastRequest()).toContain('Summarize the conversation'),
  );
  await view.waitFor({ state: 'hidden' });
});
