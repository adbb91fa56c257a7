import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { screenshot } from './appearance.ts';
import { eventually } from './pages/eventually.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { useSession } from './session.ts';

const session = useSession({
  name: 'editor',
  files: {
    'flood.ts': 'export function flood(): number {\n  return 1;\n}\n\nexport const ebb = 0;\n',
  },
});
const control = (): Control => new Control(session().service.controlUrl);

beforeAll(() => {
  const { folder } = session();
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'tides: begin');
});

beforeEach(() => control().reset());

test('lines are edited by an instruction, with one key: stopped, rejected, accepted and undone', async () => {
  const { workbench, page } = session();
  const lines = workbench.editor.locator('.view-lines');
  const button = (name: string) =>
    workbench.editor.locator('.codelens-decoration a').filter({ hasText: name });
  await workbench.openFile('flood.ts');
  await workbench.selectLines(1, 3);
  await control().script({
    steps: [
      { content: 'export function flood(height = 2): number {\n' },
      { wait: 300 },
      { content: '  return height' },
      { hold: 'more' },
      { content: ' * 2;\n}' },
    ],
  });
  await pressIn(workbench.editor, 'Alt+Shift+E');
  await fillField(workbench.quickInput, 'Take the height as an argument');
  await pressIn(workbench.quickInput, 'Enter');
  await button('Stop').waitFor();
  await lines.getByText('flood(height').waitFor();
  await screenshot(session(), 'inline-edit-streaming', 'dark');
  await control().release('more');
  await button('Accept').waitFor();
  await lines.getByText('height * 2').waitFor();
  await pressIn(workbench.editor, 'Escape');
  await lines.getByText('return 1').waitFor();
  await button('Accept').waitFor({ state: 'detached' });

  await control().script({
    steps: [{ content: 'export function flood(): number {\n  return 7;\n}' }],
  });
  await workbench.selectLines(1, 3);
  await pressIn(workbench.editor, 'Alt+Shift+E');
  await workbench.focusedOption('Take the height as an argument').waitFor();
  await pressIn(workbench.quickInput, 'Enter');
  await button('Accept').waitFor();
  await lines.getByText('return 7').waitFor();
  await pressIn(workbench.editor, 'Control+Enter');
  await button('Accept').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Z');
  await lines.getByText('return 1').waitFor();
});

test('what can be done with code stands in its menu, and explaining it asks the chat', async () => {
  const { workbench, page, chat } = session();
  await control().script({ steps: [{ content: 'It says how **high** the water is.' }] });
  await workbench.openFile('flood.ts');
  await workbench.selectLines(1, 3);
  await pressIn(workbench.editor, 'Control+.');
  const menu = page.locator('.action-widget');
  for (const name of ['Document', 'Write Tests'])
    await menu.getByText(`${name} with Inference Service`).waitFor();
  await menu.getByText('Explain with Inference Service').click();
  await chat.lastAnswer.getByText('how high the water is').waitFor();
  const asked = (await control().requests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );
  expect(JSON.stringify(asked.at(-1)?.body)).toContain('flood.ts:1-3');
});

test('a commit message is written from the title of Source Control', async () => {
  const { page, folder } = session();
  await writeFile(join(folder, 'ebb.ts'), 'export const low = true;\n');
  execFileSync('git', ['add', 'ebb.ts'], { cwd: folder });
  await page
    .locator('.activitybar')
    .getByRole('tab', { name: /^Source Control/u })
    .click();
  await page.locator('.scm-view').getByText('Staged Changes').waitFor();
  await control().script({
    steps: [{ content: 'tides: add ' }, { wait: 200 }, { hold: 'more' }, { content: 'the ebb' }],
  });
  const input = page.locator('.scm-view .scm-input .view-lines').first();
  const generate = page
    .locator('.sidebar')
    .getByRole('button', { name: 'Generate Commit Message' })
    .first();
  await generate.click();
  await input.getByText('tides: add').waitFor();
  await page
    .locator('.sidebar')
    .getByRole('button', { name: 'Stop Commit Message' })
    .first()
    .waitFor();
  await control().release('more');
  await input.getByText('tides: add the ebb').waitFor();
  await generate.waitFor();
  const body = JSON.stringify((await control().requests()).at(-1)?.body);
  expect(body).toContain('tides: begin');
  expect(body).toContain('export const low');
});

test('the walkthrough opens, with a picture for each step', async () => {
  const { workbench, page } = session();
  await eventually(async () => {
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await fillField(workbench.quickInput, 'Get Started with Inference Service');
    await pressIn(workbench.quickInput, 'Enter');
    await page.locator('.getting-started-step').first().waitFor({ timeout: 5_000 });
  });
  const steps = page.locator('.getting-started-step .step-title');
  expect(await steps.allInnerTexts()).toEqual([
    'Connect the service',
    'Ask the first question',
    'Change code in place',
    'Get code suggested while you type',
    'Make the first picture',
  ]);
  await steps.nth(2).click();
  await page.getByRole('button', { name: 'Edit Inline…' }).waitFor();
  // Narrower windows show the steps alone.
  await page.setViewportSize({ width: 1800, height: 900 });
  const media = page.frameLocator('iframe.webview:not([src*="purpose=webviewView"])').last();
  const picture = media.frameLocator('#active-frame').locator('img').first();
  await picture.waitFor();
  await eventually(async () => {
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(480);
  });
  await screenshot(session(), 'walkthrough', 'dark');
});
