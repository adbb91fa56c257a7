import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { waitForFocus } from './pages/typing.ts';
import { useSession } from './session.ts';

const session = useSession({
  name: 'command-terminal',
  settings: {
    'inferenceService.chat.model': 'assistant-large-480b',
    'inferenceService.agent.commandTerminal': true,
    'terminal.integrated.env.linux': { VIRTUAL_ENV: '/venv/of/user' },
  },
});
const createControl = (): Control => new Control(session().service.controlUrl);

beforeAll(async () => {
  await session().workbench.runCommand('Inference Service: Open Chat');
  await session().chat.composer.waitFor();
  await session()
    .chat.content.getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant Large/u)
    .waitFor();
  await session().openNewChat();
});

test('an approved command runs in the integrated terminal, where the user can type its input', async () => {
  const { chat, page } = session();
  const command = 'touch asked; read -rp "Your harbor: " name; echo "$name of $VIRTUAL_ENV"';
  await createControl().addScripts(
    { steps: [{ call: { name: 'run_command', arguments: { command } } }] },
    { steps: [{ content: 'All is run.' }] },
  );
  await chat.sendText('Ask me for the harbor');
  await new ApprovalCard(chat.content).allowRequest('Your harbor');

  const terminal = page.locator('.terminal-wrapper.active');
  // Text that is typed before the command runs belongs to the user, and the command gets another terminal.
  await eventually(() => access(join(session().folder, 'asked')));
  await page.locator('.terminal-wrapper.active .xterm-screen').click();
  await waitForFocus(terminal);
  await page.keyboard.type('Kiel', { delay: 20 });
  await page.keyboard.press('Enter');
  await chat.transcript.getByText('All is run.').waitFor();

  const request = (await createControl().getRequests()).findLast(({ path }) =>
    path.endsWith('/chat/completions'),
  );
  expect(JSON.stringify(request?.body)).toContain('Kiel of /venv/of/user');
  await chat.content.getByRole('button', { name: /^Details of .*Your harbor/u }).click();
  await chat.content.getByText('Kiel of /venv/of/user').waitFor();
});
