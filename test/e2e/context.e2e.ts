import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRepository } from '../support/repository.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInThemes } from './appearance.ts';
import { waitForFocus, typeSlowlyIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const workspaceFiles = {
  'broken.ts': 'const tide: number = "high";\n',
  'firth.ts': 'export const firthDepth = 42;\n',
  '.github/prompts/harbour-check.prompt.md':
    '---\ndescription: Checks the harbour\n---\nCheck the harbour for leaks.\n',
  '.github/prompts/moor.prompt.md': 'Moor ${input:ship:Its name} at ${file}, for ${input:days}.\n',
};
const framesPerKey = 2;

const session = useSession({ name: 'context', files: workspaceFiles });

/** Waits until no answer is in progress. Returns all chat requests that the service has received as JSON. */
async function readRequests(): Promise<string> {
  await session().chat.waitUntilIdle();
  const requests = await getControl(session()).getRequests();
  return JSON.stringify(requests.filter(({ path }) => path.endsWith('/chat/completions')));
}

beforeAll(() => makeRepository(session().folder, 'Begin'));

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

test('the composer suggests files and problems, and attaches the suggestions that the user selects', async () => {
  const { chat, workbench } = session();
  await workbench.openFile('broken.ts');
  await workbench.page.locator('.squiggly-error').first().waitFor();
  await session().openNewChat();
  const findOption = (name: RegExp) => chat.content.getByRole('option', { name });
  await typeSlowlyIn(chat.composer, '#fi', framesPerKey);
  await findOption(/#file:/u).waitFor();
  await findOption(/firth\.ts/u).waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInThemes(session(), 'chat-mentions', chat.content);
  await chat.composer.press('Escape');
  await findOption(/firth\.ts/u).waitFor({ state: 'hidden' });
  expect(await chat.composer.inputValue()).toBe('#fi');
  await typeSlowlyIn(chat.composer, 'rth', framesPerKey);
  await findOption(/firth\.ts/u).waitFor();
  await chat.composer.press('Tab');
  await chat.content.getByText('firth.ts', { exact: true }).waitFor();
  await typeSlowlyIn(chat.composer, 'and #pro', framesPerKey);
  await findOption(/#problems/u).waitFor();
  await chat.composer.press('Enter');
  await chat.content.getByText('Problems of broken.ts', { exact: true }).waitFor();
  expect(await chat.composer.inputValue()).toBe('#file:firth.ts and #problems ');
  await chat.composer.press('Enter');
  await chat.lastAnswer.waitFor();
  const request = await readRequests();
  expect(request).toContain('firthDepth = 42');
  expect(request).toContain("Type 'string' is not assignable to type 'number'");
});

test('a message can have a folder, a symbol, the selection, changes, a terminal and a search attached', async () => {
  const { chat, folder, page, workbench } = session();
  await writeFile(join(folder, 'firth.ts'), 'export const firthDepth = 43;\n');
  const commands = await workbench.openTerminal();
  const countBefore = await commands.count();
  // VS Code can lose the output of a command that ends before VS Code knows that the command started.
  await page.keyboard.type('sleep 1; echo ebb-$((40 + 4))\n');
  await expect.poll(() => commands.count()).toBeGreaterThan(countBefore);
  await workbench.openFile('tide.ts');
  await workbench.selectLines(8, 8);
  await session().openNewChat();
  const suggestionPatterns = {
    '#folder:doc': /^docs/u,
    '#symbol:nextH': /^nextHighWaters/u,
    '#sel': /^#selection/u,
    '#cha': /^#changes/u,
    '#ter': /^#terminal/u,
    '#cod': /^#codebase/u,
  };
  for (const [typedText, expectedPattern] of Object.entries(suggestionPatterns)) {
    await typeSlowlyIn(chat.composer, typedText, framesPerKey);
    await chat.content.getByRole('option', { name: expectedPattern }).first().waitFor();
    await chat.composer.press('Enter');
    await expect.poll(() => chat.composer.inputValue()).toMatch(/ $/u);
  }
  await typeSlowlyIn(chat.composer, 'Who imports stations?', framesPerKey);
  await chat.composer.press('Enter');
  await chat.lastAnswer.waitFor();
  const request = await readRequests();
  for (const expectedText of [
    '<attachment: docs/>',
    '<attachment: src/tide.ts#nextHighWaters>',
    '<attachment: src/tide.ts:8>',
    '+export const firthDepth = 43',
    '$ sleep 1; echo ebb-$((40 + 4))\\nebb-44',
    'Lines of the workspace that hold words of the question (',
  ])
    expect(request).toContain(expectedText);
});

test('a slash command attaches the selection, and a prompt file appears in the composer before it is sent', async () => {
  const { chat, workbench } = session();
  await workbench.openFile('firth.ts');
  await workbench.selectLines(1, 1);
  await session().openNewChat();
  await typeSlowlyIn(chat.composer, '/', framesPerKey);
  await chat.content.getByRole('option', { name: /Checks the harbour/u }).waitFor();
  await takeScreenshot(session(), 'chat-commands', 'dark');
  await typeSlowlyIn(chat.composer, 'fi', framesPerKey);
  await chat.content.getByRole('option', { name: /\/fix/u }).waitFor();
  await chat.composer.press('Enter');
  await chat.content.getByText('firth.ts:1').waitFor();
  await chat.composer.press('Enter');
  await chat.lastAnswer.waitFor();
  const request = await readRequests();
  expect(request).toContain('Fix what is wrong in the attached code');
  expect(request).toContain('firthDepth');
  await typeSlowlyIn(chat.composer, '/harb', framesPerKey);
  await chat.content.getByRole('option', { name: /\/harbour-check/u }).waitFor();
  await chat.composer.press('Enter');
  await expect.poll(() => chat.composer.inputValue()).toBe('Check the harbour for leaks.');
  expect(await readRequests()).not.toContain('for leaks');
});

test('a prompt file requests its inputs, and a dismissed input can be completed in the composer', async () => {
  const { chat, page, workbench } = session();
  await workbench.openFile('firth.ts');
  await session().openNewChat();
  await typeSlowlyIn(chat.composer, '/moor', framesPerKey);
  await chat.content.getByRole('option', { name: /\/moor/u }).waitFor();
  await chat.composer.press('Enter');
  await page.getByText('/moor (1/2)', { exact: true }).waitFor();
  expect(await workbench.quickInput.getAttribute('placeholder')).toBe('Its name');
  await workbench.answerInputBox('the Ark');
  await page.getByText('/moor (2/2)', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  const draft = 'Moor the Ark at firth.ts, for ${input:days}.';
  await expect.poll(() => chat.composer.inputValue()).toBe(draft);
  // Wait, because the input box had the focus. The unfilled input is then selected in the composer.
  await waitForFocus(chat.composer);
  await page.keyboard.type('a week');
  await expect.poll(() => chat.composer.inputValue()).toBe('Moor the Ark at firth.ts, for a week.');
  await chat.content.getByText('Not filled in: ${input:days}.').first().waitFor();
  await takeScreenshot(session(), 'chat-prompt', 'dark');
  expect(await readRequests()).not.toContain('the Ark');
});
