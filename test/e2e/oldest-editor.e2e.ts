import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { useSession } from './session.ts';

/**
 * Session in the oldest supported version of VS Code, in which the secondary side bar has no view containers. Editors
 * that are based on VS Code may use this version.
 */
const session = useSession({
  name: 'oldest-editor',
  edition: 'oldest',
  settings: {
    'inferenceService.chat.model': 'assistant-large-480b',
    'inferenceService.agent.permissions': 'ask',
  },
});

const createControl = (): Control => new Control(session().service.controlUrl);

test('the oldest supported editor shows the chat view once, in the activity bar', async () => {
  const { page, workbench, chat } = session();
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.composer.waitFor();
  const entries = page.locator('.part.activitybar .action-item a[aria-label^="Infer"]');
  // The editor moves the view while it starts.
  await eventually(async () => {
    expect(await entries.count()).toBe(1);
    expect(await page.locator('iframe.webview').count()).toBe(1);
  });
});

test('a chat in the oldest supported editor shows the answer of the model', async () => {
  const { chat } = session();
  await createControl().setResponsePace('instant');
  await createControl().addScripts({ steps: [{ content: 'High tide is at **noon**.' }] });
  await session().openNewChat();
  await chat.sendText('When is high tide?');
  await chat.waitUntilIdle();
  await chat.lastAnswer.getByText('High tide is at noon.').waitFor();
});

test('the agent in the oldest supported editor creates a file after approval', async () => {
  const { chat, folder } = session();
  const call = { name: 'create_file', arguments: { path: 'docs/noon.md', content: 'Noon\n' } };
  await createControl().addScripts({ steps: [{ call }] }, { steps: [{ content: 'Done.' }] });
  await session().openNewChat();
  await chat.sendText('Create docs/noon.md');
  const card = new ApprovalCard(chat.content);
  await card.approval.waitFor();
  await card.allowRequest('docs/noon.md', 'Allow');
  await chat.waitUntilIdle();
  expect(await readFile(join(folder, 'docs', 'noon.md'), 'utf8')).toBe('Noon\n');
});

test('the Explorer of the oldest supported editor contains no chat view', async () => {
  const { page, workbench } = session();
  await workbench.runCommand('View: Show Explorer');
  await workbench.locateExplorerItem('README.md').waitFor();
  const titles = await page.locator('.part.sidebar .pane-header .title').allInnerTexts();
  expect(titles.length).toBeGreaterThan(1);
  expect(titles.filter((title) => /chat|infer/iu.test(title))).toEqual([]);
});
