import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/paths.ts';
import { useSession } from './session.ts';

const notebookCell = {
  cell_type: 'code',
  execution_count: null,
  metadata: {},
  outputs: [],
  source: ['height = 3.4\n', 'print(height)'],
};

const session = useSession({
  name: 'entry-points',
  settings: { 'inferenceService.chat.model': 'assistant-large-480b' },
  files: {
    'tides.ipynb': JSON.stringify({
      cells: [notebookCell],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    }),
  },
  otherExtensions: [join(root, 'test', 'support', 'test-item-extension')],
});

const createControl = (): Control => new Control(session().service.controlUrl);

const runGit = (...args: readonly string[]): void => {
  const identityArgs = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com'];
  execFileSync('git', [...identityArgs, ...args], { cwd: session().folder });
};

beforeAll(async () => {
  runGit('init', '--quiet');
  runGit('add', '.');
  runGit('commit', '--quiet', '--message', 'begin');
  await writeFile(join(session().folder, 'flood.ts'), "export const flood = 'low';\n");
  await createControl().setResponsePace('instant');
  await session().workbench.runCommand('Inference Service: Open Chat');
  await session().chat.composer.waitFor();
});

/** Opens a link in VS Code, as the operating system does when the user clicks it. Confirms VS Code's prompt. */
async function openLink(link: string): Promise<void> {
  const { workbench } = session();
  await workbench.runCommand('Developer: Open URL');
  await workbench.answerInputBox(link);
  const allowButton = workbench.locateDialogButton('Open');
  await allowButton.waitFor();
  await allowButton.click();
}

test('a link with a prompt fills the composer after two confirmations, and sends nothing', async () => {
  const { page, workbench, chat } = session();
  await createControl().reset();
  await openLink(
    'code-oss://inference-service.inference-service/chat?prompt=Explain%20the%20tides',
  );
  const question = page.locator('.monaco-dialog-box').filter({ hasText: 'from outside VS Code' });
  await question.getByText('Explain the tides').waitFor();
  await workbench.locateDialogButton('Open').click();
  await eventually(async () => expect(await chat.input.inputValue()).toBe('Explain the tides'));
  const requests = await createControl().getRequests();
  expect(requests.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([]);
});

test('a link with a service address fills the inputs for a new connection after confirmation', async () => {
  const { page, workbench } = session();
  await openLink(
    'code-oss://inference-service.inference-service/connect?baseUrl=https://api.example.com/v1',
  );
  const question = page.locator('.monaco-dialog-box').filter({ hasText: 'from outside VS Code' });
  await question.getByText('https://api.example.com/v1').waitFor();
  await question.getByText('“Open” fills in this address for a new connection.').waitFor();
  await workbench.locateDialogButton('Open').click();
  await page.locator('.quick-input-title').getByText('Name', { exact: true }).waitFor();
  await workbench.answerInputBox('linked');
  await eventually(async () =>
    expect(await workbench.quickInput.inputValue()).toContain('https://api.example.com/v1'),
  );
  await workbench.closeOverlays();
});

test('the menu of a changed file in Source Control attaches the file to the chat', async () => {
  const { page, workbench, chat } = session();
  await session().openNewChat();
  await workbench.runCommand('Source Control: Focus on Changes View');
  const row = page.locator('.scm-view .monaco-list-row').filter({ hasText: 'flood.ts' });
  await workbench.chooseFromMenu(row, 'Attach File to Chat');
  await chat.content.getByText('flood.ts').first().waitFor();
});

test('the menu of a terminal attaches its output to the chat', async () => {
  const { page, workbench, chat } = session();
  await session().openNewChat();
  await workbench.openTerminal();
  await page.keyboard.type('echo high water\n');
  // The menu attaches the output of the last command that ended, which can be an earlier one.
  await eventually(async (timeout) => {
    const screen = page.locator('.terminal-wrapper.active .xterm-screen');
    await workbench.chooseFromMenu(screen, 'Attach Terminal Output to Chat');
    await chat.content.getByText('Terminal: echo high water').first().waitFor({ timeout });
  });
});

test('the menu of a test attaches the file of the test to the chat', async () => {
  const { page, workbench, chat } = session();
  await session().openNewChat();
  await workbench.runCommand('Testing: Focus on Test Explorer View');
  const row = page.locator('.test-explorer .monaco-list-row').filter({ hasText: 'Flood is high' });
  await workbench.chooseFromMenu(row, 'Attach File to Chat');
  await chat.content.getByRole('button', { name: 'Remove src/tide.ts' }).waitFor();
});

test('the menu of a notebook cell attaches the text of the cell to the chat', async () => {
  const { page, workbench, chat } = session();
  await session().openNewChat();
  await workbench.runCommand('File: Focus on Files Explorer');
  await workbench.locateExplorerItem('tides.ipynb').dblclick();
  const codeCell = page.locator('.notebookOverlay .cell-list-container .monaco-list-row');
  await codeCell.filter({ hasText: 'print' }).first().hover();
  const toolbar = page.locator('.notebookOverlay .cell-title-toolbar').first();
  const moreButton = toolbar.getByRole('button', { name: 'More Actions...' });
  await workbench.chooseFromMenu(moreButton, 'Attach File to Chat', { button: 'left' });
  await chat.content.getByRole('button', { name: 'Remove tides.ipynb#cell-1' }).waitFor();
  await createControl().reset();
  await chat.sendText('What does it print?');
  await chat.waitUntilIdle();
  const requests = await createControl().getRequests();
  const sentBody = requests.find(({ path }) => path.endsWith('/chat/completions'))?.body;
  expect(JSON.stringify(sentBody)).toContain(String.raw`height = 3.4\nprint(height)`);
});

test('Review Changes shows a finding beside the line, and Fix edits the line', async () => {
  const { page, workbench } = session();
  const finding = { path: 'flood.ts', line: 1, message: 'A flood is high.' };
  await createControl().addScripts(
    { steps: [{ content: JSON.stringify([finding]) }] },
    { steps: [{ content: "```ts\nexport const flood = 'high';\n```" }] },
  );
  await workbench.runCommand('Inference Service: Review Changes');
  const comment = page.locator('.review-widget').filter({ hasText: 'A flood is high.' });
  await comment.waitFor();
  await comment.getByRole('button', { name: 'Fix', exact: true }).click();
  await workbench.editor.getByText("'high'").first().waitFor();
});
