import { beforeEach, expect, test } from 'vitest';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInAllThemes } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { waitForFocus, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'chat-options' });

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setPace('instant');
  await session().newChat();
});

test('a chat shows numbered citations and sources of a web search, and stores its options', async () => {
  const { chat, page, workbench } = session();
  // Only a wide panel has a separate search button.
  await workbench.resizeSecondarySideBar(480);
  await chat.button('Web search: Off').click();
  await chat.button('Web search: When it helps').click();
  await chat.button('Web search: Always').waitFor();

  await chat.button('Options').click();
  const options = chat.content.getByRole('dialog', { name: 'Options' });
  await waitForFocus(options.getByRole('combobox', { name: 'Web search' }));
  await options.getByText('Advanced', { exact: true }).click();
  await options.getByRole('combobox', { name: 'Preset' }).selectOption('Precise');
  await eventually(async () => {
    expect(await options.getByLabel('Temperature').inputValue()).toBe('0.2');
  });
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshot(session(), 'chat-options', 'dark');
  await options.getByLabel('Temperature').focus();
  await pressIn(options.getByLabel('Temperature'), 'Escape');
  await options.waitFor({ state: 'hidden' });
  await waitForFocus(chat.button('Options, changed'));

  await chat.send('What is new today?');
  await chat.waitUntilIdle();
  const answer = chat.lastAnswer;
  const first = answer.getByRole('link', { name: /^Source 1: / }).first();
  await first.waitFor();
  expect(await first.innerText()).toBe('1');
  const sources = answer.locator('details.sources');
  await sources.getByText(/^\d+ sources?/u).click();
  await sources.getByRole('listitem').first().waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'chat-sources');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await answer.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/\[\^1\][\s\S]*^\[\^1\]: \[/mu);

  // VS Code requests confirmation before it opens a site. The test cancels.
  await sources.getByRole('link').first().click();
  const question = page.locator('.monaco-dialog-box');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });

  await session().reload();
  // VS Code may not have stored the width before the reload.
  await session().workbench.resizeSecondarySideBar(480);
  await session().chat.button('Web search: Always').waitFor();
  await session().chat.button('Options, changed').waitFor();
  await session()
    .chat.lastAnswer.getByRole('link', { name: /^Source 1: / })
    .first()
    .waitFor();
  await session().chat.button('Options, changed').click();
  await session().chat.button('Reset all options').click();
  await session().chat.button('Web search: Off').waitFor();
});
