import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../support/repository.ts';
import { takeScreenshot } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'editor',
  files: {
    'flood.ts': 'export function flood(): number {\n  return 1;\n}\n\nexport const ebb = 0;\n',
    'broken.ts': 'export const tide: number = "high";\n',
  },
});

/** Accessible name of the image in each walkthrough step, by step title. */
const stepImages = {
  'Connect to your inference service': 'A key and a wallet',
  'Ask the first question': 'A question and its answer',
  'Change code in place': 'Lines of code, some of which replace others',
  'Turn On Inline Suggestions': 'Suggested code at the cursor, and the Tab key',
  'Generate an image': 'An image beside text',
};

beforeAll(() => makeRepository(session().folder, 'tides: begin'));

beforeEach(() => getControl(session()).reset());

/** Returns the button (a CodeLens) that VS Code shows above edited lines, by a part of its label. */
const findButton = (name: string): Locator =>
  session().workbench.editor.locator('.codelens-decoration a').filter({ hasText: name });

const findCodeAction = (name: string): Locator =>
  session().page.locator('.action-widget').getByText(`${name} with Inference Service`);

/** Opens the code actions menu. Retries until the menu stays open, because a change of the focus closes it. */
async function openCodeActions(): Promise<void> {
  const { workbench } = session();
  await eventually(async (timeout) => {
    if ((await findCodeAction('Explain').count()) === 0)
      await pressIn(workbench.editor, 'Control+.', timeout);
    await findCodeAction('Explain').waitFor({ timeout });
  });
}

/** Returns the body of the last chat request that the service received, as JSON. */
async function readLastRequest(): Promise<string> {
  const requests = await getControl(session()).getRequests();
  const chatRequests = requests.filter(({ path }) => path.endsWith('/chat/completions'));
  return JSON.stringify(chatRequests.at(-1)?.body);
}

test('an inline edit changes lines as instructed, and the user can stop, reject, accept and undo it', async () => {
  const { workbench, page } = session();
  const lines = workbench.editor.locator('.view-lines');
  await workbench.openFile('flood.ts');
  await getControl(session()).addScripts({
    steps: [
      { content: 'export function flood(height = 2): number {\n' },
      { wait: 300 },
      { content: '  return height' },
      { hold: 'more' },
      { content: ' * 2;\n}' },
    ],
  });
  // The key opens a menu of the window until the extension's key binding is loaded.
  await eventually(async (timeout) => {
    await workbench.closeOverlays();
    await workbench.selectLines(1, 3);
    await pressIn(workbench.editor, 'Alt+Shift+E', timeout);
    await workbench.quickInput.waitFor({ timeout });
  });
  await fillField(workbench.quickInput, 'Take the height as an argument');
  await pressIn(workbench.quickInput, 'Enter');
  await findButton('Stop').waitFor();
  await lines.getByText('flood(height').waitFor();
  await takeScreenshot(session(), 'inline-edit-streaming', 'dark');
  await getControl(session()).releasePause('more');
  await findButton('Accept').waitFor();
  await lines.getByText('height * 2').waitFor();
  await pressIn(workbench.editor, 'Escape');
  await lines.getByText('return 1').waitFor();
  await findButton('Accept').waitFor({ state: 'detached' });

  await getControl(session()).addScripts({
    steps: [{ content: 'export function flood(): number {\n  return 7;\n}' }],
  });
  await workbench.selectLines(1, 3);
  await pressIn(workbench.editor, 'Alt+Shift+E');
  await workbench.locateFocusedOption('Take the height as an argument').waitFor();
  await pressIn(workbench.quickInput, 'Enter');
  await findButton('Accept').waitFor();
  await lines.getByText('return 7').waitFor();
  await pressIn(workbench.editor, 'Control+Enter');
  await findButton('Accept').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Z');
  await lines.getByText('return 1').waitFor();
});

test('an inline edit that the user stops restores the original lines, and can be retried or discarded', async () => {
  const { workbench } = session();
  const lines = workbench.editor.locator('.view-lines');
  await workbench.openFile('flood.ts');
  const firstLine = 'export function flood(height = 2): number {\n';
  await getControl(session()).addScripts(
    {
      steps: [{ content: firstLine }, { wait: 300 }, { content: '  ret' }, { hold: 'more' }],
    },
    { steps: [{ content: `${firstLine}  return height;\n}` }] },
  );
  await eventually(async (timeout) => {
    await workbench.closeOverlays();
    await workbench.selectLines(1, 3);
    await pressIn(workbench.editor, 'Alt+Shift+E', timeout);
    await workbench.quickInput.waitFor({ timeout });
  });
  await fillField(workbench.quickInput, 'Name the height');
  await pressIn(workbench.quickInput, 'Enter');
  await lines.getByText('flood(height').waitFor();
  await pressIn(workbench.editor, 'Escape');
  await findButton('Discard').waitFor();
  await lines.getByText('flood(height').waitFor({ state: 'detached' });
  await lines.getByText('return 1').waitFor();
  expect(await findButton('Accept').count()).toBe(0);
  await takeScreenshot(session(), 'inline-edit-stopped', 'dark');
  await eventually(async (timeout) => {
    if ((await findButton('Retry').count()) > 0) await findButton('Retry').click({ timeout });
    await findButton('Accept').waitFor({ timeout });
  });
  await lines.getByText('return height').waitFor();
  await pressIn(workbench.editor, 'Escape');
  await lines.getByText('return 1').waitFor();
  await findButton('Accept').waitFor({ state: 'detached' });
});

test('an inline edit without enough balance shows a notification with the funding action, and the chat offers no Retry', async () => {
  const { workbench, chat, page } = session();
  await workbench.openFile('flood.ts');
  await getControl(session()).injectFault({
    match: { path: '/chat/completions' },
    fault: {
      kind: 'status',
      status: 402,
      body: { error: 'Insufficient USD or Diem balance to complete request.' },
    },
  });
  await workbench.selectLines(1, 3);
  await pressIn(workbench.editor, 'Alt+Shift+E');
  await fillField(workbench.quickInput, 'Return the height');
  await pressIn(workbench.quickInput, 'Enter');
  // VS Code shows no toasts while a test drives the window.
  const notificationCenter = page.locator('.notifications-center.visible');
  await eventually(async (timeout) => {
    if (!(await notificationCenter.isVisible()))
      await workbench.runCommand('Notifications: Show Notifications');
    await notificationCenter.getByText('enough balance').waitFor({ timeout });
  });
  await notificationCenter.getByRole('button', { name: 'Show Funding' }).waitFor();
  await workbench.runCommand('Notifications: Clear All Notifications');
  await session().openNewChat();
  const accountGroup = chat.content.getByRole('group', { name: 'Account', exact: true });
  await accountGroup.getByRole('button', { name: 'Show Funding' }).waitFor();
  expect(await accountGroup.getByRole('button', { name: 'Retry' }).count()).toBe(0);
});

test('the walkthrough shows an image for each step, and marks completed steps', async () => {
  const { workbench, page, chat } = session();
  const title = 'Get Started with Inference Service';
  await eventually(async (timeout) => {
    await workbench.closeOverlays();
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await fillField(workbench.quickInput, title, timeout);
    await workbench.locateFocusedOption(title).waitFor({ timeout });
    await pressIn(workbench.quickInput, 'Enter', timeout);
    await page.locator('.getting-started-step').first().waitFor({ timeout });
  });
  const findCompletedStep = (step: string) =>
    page.locator('.getting-started-step').getByRole('checkbox', { checked: true, name: step });
  await findCompletedStep('Connect to your inference service').waitFor();
  expect(await findCompletedStep('Ask the first question').count()).toBe(0);

  // The walkthrough shows images only in a wide window.
  await page.setViewportSize({ width: 1800, height: 900 });
  onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }));
  const mediaFrame = page
    .frameLocator('iframe.webview:not([src*="purpose=webviewView"])')
    .last()
    .frameLocator('#active-frame');
  const steps = page.locator('.getting-started-step .step-title');
  const stepNames = Object.keys(stepImages);
  expect(await steps.allInnerTexts()).toEqual(stepNames);
  for (const [step, imageName] of Object.entries(stepImages)) {
    await eventually(async (timeout) => {
      // Once, on a busy machine, the image of a selected step never appeared. The cause is unknown. Selecting another
      // step first makes VS Code show the image anew with every attempt.
      const otherStep = stepNames.find((name) => name !== step) ?? '';
      await steps.getByText(otherStep, { exact: true }).click({ timeout });
      await steps.getByText(step, { exact: true }).click({ timeout });
      const image = mediaFrame.getByRole('img', { name: imageName });
      expect(await image.evaluate(getIntrinsicWidth, undefined, { timeout })).toBe(480);
    });
  }
  await takeScreenshot(session(), 'walkthrough', 'dark');

  await steps.getByText('Ask the first question').click();
  await page.getByRole('button', { name: 'Open Chat', exact: true }).click();
  await chat.sendText('Which tide comes next?');
  await findCompletedStep('Ask the first question').waitFor();
  expect(await findCompletedStep('Generate an image').count()).toBe(0);
});

test('the code actions menu lists actions, and Explain explains the code in a new chat', async () => {
  const { workbench, chat } = session();
  await session().openNewChat();
  await chat.sendText('Which tide is next?');
  await chat.waitUntilIdle();
  await getControl(session()).addScripts({
    steps: [{ content: 'It says how **high** the water is.' }],
  });
  await workbench.openFile('flood.ts');
  await workbench.selectLines(1, 3);
  await openCodeActions();
  for (const name of ['Document', 'Write Tests']) await findCodeAction(name).waitFor();
  await findCodeAction('Explain').click();
  await chat.lastAnswer.getByText('how high the water is').waitFor();
  expect(await readLastRequest()).toContain('flood.ts:1-3');
  expect(await readLastRequest()).not.toContain('Which tide is next?');
  expect(await chat.locateMessages('You').count()).toBe(1);
});

test('the code action Fix sends the problem with the request', async () => {
  const { workbench, page } = session();
  await getControl(session()).addScripts({ steps: [{ content: 'export const tide = "high";' }] });
  await workbench.openFile('broken.ts');
  await page.locator('.squiggly-error').first().waitFor();
  await workbench.selectLines(1, 1);
  await openCodeActions();
  await findCodeAction('Fix').click();
  await findButton('Accept').waitFor();
  await workbench.editor.locator('.view-lines').getByText('tide = "high"').waitFor();
  await pressIn(workbench.editor, 'Control+Enter');
  await findButton('Accept').waitFor({ state: 'detached' });
  expect(await readLastRequest()).toContain("Type 'string' is not assignable to type 'number'");
});

test('the button in the title bar of Source Control generates a commit message', async () => {
  const { page, folder } = session();
  await writeFile(join(folder, 'ebb.ts'), 'export const low = true;\n');
  execFileSync('git', ['add', 'ebb.ts'], { cwd: folder });
  await page
    .locator('.activitybar')
    .getByRole('tab', { name: /^Source Control/u })
    .click();
  await page.locator('.scm-view').getByText('Staged Changes').waitFor();
  await getControl(session()).addScripts({
    steps: [{ content: 'tides: add ' }, { wait: 200 }, { hold: 'more' }, { content: 'the ebb' }],
  });
  const input = page.locator('.scm-view .scm-input .view-lines').first();
  const generateButton = page
    .locator('.sidebar')
    .getByRole('button', { name: 'Generate Commit Message with Inference Service' })
    .first();
  // The buttons of a view are visible only while the mouse pointer is over the view.
  await input.hover();
  await generateButton.click();
  await input.getByText('tides: add').waitFor();
  await page
    .locator('.sidebar')
    .getByRole('button', { name: 'Stop Commit Message' })
    .first()
    .waitFor();
  await getControl(session()).releasePause('more');
  await input.getByText('tides: add the ebb').waitFor();
  await generateButton.waitFor();
  const body = await readLastRequest();
  expect(body).toContain('tides: begin');
  expect(body).toContain('export const low');
});

/** Returns the intrinsic width of an image, in pixels. Runs in the page. */
const getIntrinsicWidth = (image: Element): number => (image as HTMLImageElement).naturalWidth;
