import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, applyTheme } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { fillField, waitForFocus } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'private' });
const secretText = 'Lanternfish';
const modelName = 'Sealed Letter 70B';

beforeAll(async () => {
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

/**
 * Returns all POST requests that the service has received as JSON. Excludes requests for the model list, which use GET.
 */
const readPostRequests = async (): Promise<string> =>
  JSON.stringify(
    (await getControl(session()).getRequests()).filter(({ method }) => method === 'POST'),
  );

test('an encrypted chat sends nothing to an enclave with an invalid attestation, and only ciphertext to a valid enclave', async () => {
  const { chat, page } = session();
  const filter = chat.content.getByRole('combobox', { name: 'Filter by name' });
  const chooseModel = async (name: string): Promise<void> => {
    await chat.modelPicker.click();
    await fillField(filter, name);
    await chat.content.getByRole('option', { name: new RegExp(name, 'u') }).click();
  };
  await chooseModel('Sealed Letter');
  // Checks that the button is visible before the first message.
  const note = chat.locateButton(
    'Encrypted end to end. Encrypted chats have no tools, web search, images, documents, personas or advanced options.',
  );
  await note.waitFor();
  await waitForFocus(chat.composer);

  await getControl(session()).setEnclaveMisbehavior({ attestation: 'debug' });
  await getControl(session()).addScripts({
    steps: [{ content: `The ${secretText} glows. ` }, { content: 'Faintly.' }],
  });
  await chat.sendText(`What does the ${secretText} do?`);
  const question = page.locator('.monaco-dialog-box');
  await question.getByText(`The enclave of ${modelName} could not be verified`).waitFor();
  await question.getByRole('button', { name: 'Send Anyway' }).waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await chat.lastAnswer.getByText(/Nothing was sent/u).waitFor();
  expect(await chat.lastAnswer.getByText('Encrypted end to end').count()).toBe(0);
  expect(await readPostRequests()).toBe('[]');

  await getControl(session()).setEnclaveMisbehavior({});
  await chat.lastAnswer.getByRole('button', { name: 'Retry', exact: true }).first().click();
  await chat.lastAnswer.getByText(`The ${secretText} glows. Faintly.`).waitFor();
  const lockButton = chat.lastAnswer.getByRole('button', {
    name: /^Encrypted end to end\. Only the/u,
  });
  await lockButton.waitFor();
  const chatRequestText = await readPostRequests();
  expect(chatRequestText).toContain('"enable_e2ee":true');
  expect(chatRequestText).not.toContain(secretText);
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  for (const theme of ['hc-light', 'dark'] as const) {
    await applyTheme(session(), theme);
    await takeScreenshot(session(), 'private-chat', theme);
  }

  await lockButton.click();
  await page
    .locator('.tab.active')
    .filter({ hasText: `Attestation of ${modelName}` })
    .waitFor();
  const preview = page
    .frameLocator('iframe.webview[src*="extensionId=vscode.markdown-language-features"]')
    .frameLocator('#active-frame');
  await preview.getByRole('heading', { name: `Attestation of ${modelName}` }).waitFor();
  await preview.getByText('Verified: genuine Intel hardware').waitFor();
  await preview.getByText('Checked before the answer was requested.').waitFor();
  await takeScreenshot(session(), 'private-attestation', 'dark');

  await chooseModel('Search Scout');
  await fillField(chat.composer, 'And at night?');
  await chat.locateButton('Send').click();
  await question.getByText('Send this chat with less protection?').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await eventually(async () => expect(await chat.composer.inputValue()).toBe('And at night?'));
  expect(await readPostRequests()).not.toContain(secretText);

  const { folder } = session();
  await mkdir(join(folder, '.vscode'), { recursive: true });
  const settings = { 'inferenceService.privateModelsOnly': true };
  await writeFile(join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
  await eventually(async (timeout) => {
    await chat.modelPicker.click();
    await fillField(filter, 'Search Scout');
    try {
      await chat.content.getByText('No results').waitFor({ timeout });
    } finally {
      await page.keyboard.press('Escape');
    }
  });
  await chat.modelPicker.click();
  await chat.content.getByRole('button', { name: 'Private models only' }).waitFor();
  await fillField(filter, 'Sealed');
  await chat.content.getByRole('option', { name: /Sealed Letter/u }).waitFor();
  await takeScreenshot(session(), 'private-lock', 'dark');
});
