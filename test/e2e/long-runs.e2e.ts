import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { agentModelSettings, openAgentChat, resetService } from './agent-session.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshot, takeScreenshotInAllThemes } from './appearance.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'long-runs',
  settings: {
    ...agentModelSettings,
    'inferenceService.agent.permissions': 'ask',
    'inferenceService.agent.delegateModel': 'tools-swift-24b',
  },
  files: { 'src/tide.txt': 'High water at noon.\n' },
});

beforeAll(() => openAgentChat(session()));

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await resetService(session());
  await session().openNewChat();
});

/** Returns the body of the last chat request that the service received, as JSON. */
async function readLastRequest(): Promise<string> {
  const requests = await getControl(session()).getRequests();
  return JSON.stringify(requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body);
}

/** Enters a text into the composer and presses Enter. */
async function enterText(text: string): Promise<void> {
  const { chat } = session();
  await fillField(chat.composer, text);
  await pressIn(chat.composer, 'Enter');
}

const tideReadStep = {
  call: { name: 'read_file', arguments: { path: 'src/tide.txt' } },
} as const;

describe('the queued messages of a chat', () => {
  test('wait as chips that survive a restart, and reach the model after the turn or the current call', async () => {
    const { chat } = session();
    const queuedMessages = chat.content.getByRole('list', { name: 'Waiting for its turn' });
    await getControl(session()).addScripts(
      {
        userMessage: 'Begin',
        steps: [{ content: 'First words.' }, { hold: 'rest' }, tideReadStep],
      },
      { userMessage: 'Use metres', steps: [{ content: 'Metres it is.' }] },
      { userMessage: 'Then run', steps: [{ content: 'All is run.' }] },
    );
    await chat.sendText('Begin');
    await chat.lastAnswer.getByText('First words.').waitFor();
    await enterText('Then run the tests');
    await enterText('Use metres');
    await enterText('Forget this');
    await queuedMessages.getByText('Forget this').waitFor();
    expect(await queuedMessages.getByRole('listitem').count()).toBe(3);
    expect(await chat.composer.inputValue()).toBe('');
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'queued-messages');

    await chat.locateButton('Remove Forget this').click();
    const urgentMessage = queuedMessages.getByRole('listitem').filter({ hasText: 'Use metres' });
    await urgentMessage.getByRole('button', { name: 'Send now' }).click();
    await urgentMessage.getByRole('button', { name: 'Send now' }).waitFor({ state: 'hidden' });
    await getControl(session()).releasePause('rest');
    await chat.transcript.getByText('Metres it is.').waitFor();
    await chat.transcript.getByText('All is run.').waitFor();
    await queuedMessages.waitFor({ state: 'hidden' });
    expect(await chat.locateMessages('You').allInnerTexts()).toEqual(
      ['Begin', 'Use metres', 'Then run the tests'].map((text) => expect.stringContaining(text)),
    );

    await getControl(session()).addScripts({
      userMessage: 'Again',
      steps: [{ content: 'Slow.' }, { hold: 'again' }],
    });
    await chat.sendText('Again');
    await chat.lastAnswer.getByText('Slow.').waitFor();
    await enterText('Still here');
    await queuedMessages.getByText('Still here').waitFor();
    await session().reloadWindow();
    await queuedMessages.getByText('Still here').waitFor();
    // The reload ended the turn, so the queued messages wait for the user's decision.
    await getControl(session()).addScripts({
      userMessage: 'Still here',
      steps: [{ content: 'Welcome back.' }],
    });
    await queuedMessages.getByRole('button', { name: 'Send now' }).click();
    await chat.transcript.getByText('Welcome back.').waitFor();
    await eventually(async () => expect(await queuedMessages.count()).toBe(0));
    expect(await readLastRequest()).toContain('Still here');
  });
});

describe('the todo list', () => {
  const createTodoStep = (...todos: readonly (readonly [text: string, status: string])[]) => ({
    call: {
      name: 'update_todos',
      arguments: { todos: todos.map(([text, status]) => ({ text, status })) },
    },
  });

  test('is checked off above the composer, can be edited by the user, and survives a summary and a restart', async () => {
    const { chat } = session();
    const list = chat.content.getByRole('list', { name: 'Todos' });
    const findHeading = (text: string) => chat.content.locator('summary').filter({ hasText: text });
    await getControl(session()).addScripts(
      {
        userMessage: 'Plan',
        steps: [createTodoStep(['Read the tide', 'active'], ['Print it', 'open'])],
      },
      {
        afterResultOf: 'update_todos',
        steps: [{ content: 'Listed.' }, { hold: 'listed' }, tideReadStep],
      },
      {
        afterResultOf: 'read_file',
        steps: [createTodoStep(['Read the tide', 'done'], ['Print it', 'active'])],
      },
      { afterResultOf: 'update_todos', steps: [{ content: 'One is done.' }] },
    );
    await chat.sendText('Plan');
    await findHeading('Todos 0/2').click();
    await list.getByRole('checkbox', { name: 'Read the tide' }).waitFor();
    await getControl(session()).releasePause('listed');
    await findHeading('Todos 1/2').waitFor();
    await chat.waitUntilIdle();
    await fillField(list.getByRole('textbox', { name: 'Add a todo', exact: true }), 'Sign it');
    await pressIn(list.getByRole('textbox', { name: 'Add a todo', exact: true }), 'Enter');
    await findHeading('Todos 1/3').waitFor();
    expect(await list.getByRole('checkbox', { name: 'Read the tide' }).isChecked()).toBe(true);
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'todo-list');

    await getControl(session()).addScripts({
      userMessage: 'Next',
      steps: [{ content: 'I sign it.' }],
    });
    await chat.sendText('Next');
    await chat.waitUntilIdle();
    expect(await readLastRequest()).toContain('The user edited the todo list. It is now:');
    await getControl(session()).addScripts({ steps: [{ content: 'The summary.' }] });
    // Enter could accept a suggestion of the menu instead.
    await fillField(chat.composer, '/compact');
    await chat.locateButton('Send').click();
    await eventually(async () =>
      expect(await readLastRequest()).toContain('Summarize the conversation'),
    );
    await session().reloadWindow();
    await findHeading('Todos 1/3').waitFor();
    await getControl(session()).addScripts({
      userMessage: 'And now',
      steps: [{ content: 'Nothing.' }],
    });
    await chat.sendText('And now');
    await chat.waitUntilIdle();
    const request = await readLastRequest();
    expect(request).not.toContain('High water');
    expect(request).toContain(String.raw`[x] Read the tide\n[>] Print it\n[ ] Sign it`);
  });
});

describe('the plan mode', () => {
  test('applies to one chat, sends no edit tools, and ends with a plan that the user can edit and start', async () => {
    const { chat } = session();
    await chat.locateButton('Mode: Agent').click();
    await chat.content.getByRole('menuitemradio', { name: /^Plan/u }).click();
    await chat.locateButton('Mode: Plan').waitFor();
    await getControl(session()).addScripts(
      { userMessage: 'Sign', steps: [tideReadStep] },
      { afterResultOf: 'read_file', steps: [{ content: '1. Sign `src/tide.txt`\n2. Print it' }] },
      { userMessage: 'Sign `src/tide.txt` twice', steps: [{ content: 'Signed.' }] },
    );
    await chat.sendText('Sign the tide');
    await chat.locateButton('Start plan').waitFor();
    const planRequest = await readLastRequest();
    expect(planRequest).toContain('The user wants a plan');
    expect(planRequest).toContain('"read_file"');
    expect(planRequest).not.toContain('"edit_file"');
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'plan');

    await chat.content.locator('.plan-bar').getByRole('button', { name: 'Edit' }).click();
    const planField = chat.content.getByRole('textbox', { name: 'Plan', exact: true });
    await fillField(planField, '1. Sign `src/tide.txt` twice');
    await takeScreenshotInAllThemes(session(), 'plan-edit');
    await chat.locateButton('Start plan').click();
    await chat.transcript.getByText('Signed.').waitFor();
    await chat.locateButton('Mode: Agent').waitFor();
    const agentRequest = await readLastRequest();
    expect(agentRequest).toContain('"edit_file"');
    expect(agentRequest).not.toContain('The user wants a plan');
    expect(agentRequest).toContain('1. Sign `src/tide.txt` twice');
    const request = chat.locateMessages('You').last();
    expect(await request.innerText()).not.toContain('twice');
    await request.getByText('Carry out this plan.').waitFor();
    await request.getByText('Plan', { exact: true }).waitFor();

    // The mode is stored with the chat: another chat has its own.
    await session().openNewChat();
    await chat.locateButton('Mode: Plan').waitFor();
    await chat.locateButton('Mode: Plan').click();
    await chat.content.getByRole('menuitemradio', { name: /^Agent/u }).click();
    await chat.locateButton('Mode: Agent').waitFor();
  });
});

describe('a delegated task', () => {
  test('is one row that expands to the tool calls and the report of its own model, even after a reload', async () => {
    const { chat } = session();
    const row = chat.transcript.locator('.tool-row').filter({ hasText: 'When is high water?' });
    const steps = chat.transcript.locator('.tool-steps .tool-row');
    const details = chat.locateButton('Details of Explore When is high water?');
    await getControl(session()).addScripts(
      {
        userMessage: 'Plan the trip',
        steps: [{ call: { name: 'delegate', arguments: { task: 'When is high water?' } } }],
      },
      { model: 'tools-swift-24b', userMessage: 'When is high water?', steps: [tideReadStep] },
      { afterResultOf: 'read_file', steps: [{ hold: 'explored' }, { content: 'At noon.' }] },
      { afterResultOf: 'delegate', steps: [{ content: 'We sail at noon.' }] },
    );
    await chat.sendText('Plan the trip');
    await details.click();
    await steps.filter({ hasText: 'src/tide.txt' }).waitFor();
    expect(await row.count()).toBe(1);
    await getControl(session()).releasePause('explored');
    await chat.transcript.getByText('We sail at noon.').waitFor();
    await chat.waitUntilIdle();
    const output = chat.content.getByRole('group', { name: /^Details of Explore/u });
    await output.getByText('At noon.').waitFor();
    await output.getByText('Tools Swift 24B').waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'delegated-task');
    await session().reloadWindow();
    await details.click();
    await steps.filter({ hasText: 'src/tide.txt' }).waitFor();
    await output.getByText('At noon.').waitFor();
  });
});

describe('a model that the service removed', () => {
  test('can be replaced with the suggested model by one click', async () => {
    const { chat } = session();
    await getControl(session()).injectFault({
      match: { path: '/chat/completions', model: 'assistant-large-480b' },
      fault: { kind: 'status', status: 404, body: { error: 'Specified model not found' } },
    });
    await getControl(session()).addScripts({
      model: 'vision-plain-32b',
      steps: [{ content: 'I take over.' }],
    });
    await chat.sendText('Are you there?');
    const continueButton = chat.locateButton('Continue with Vision Plain 32B');
    await continueButton.waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'fallback-offer');
    await continueButton.click();
    await chat.lastAnswer.getByText('I take over.').waitFor();
    await chat.content.getByText('2 / 2').first().waitFor();
  });
});

describe('an overloaded model', () => {
  test('is replaced without a click if the automatic fallback is on, with a notice that names both models', async () => {
    const { chat } = session();
    await session().writeSettings({ 'inferenceService.chat.automaticFallback': true });
    await session().reloadWindow();
    await openAgentChat(session());
    await session().openNewChat();
    await getControl(session()).injectFault({
      match: { path: '/chat/completions', model: 'assistant-large-480b' },
      times: 10,
      fault: {
        kind: 'status',
        status: 503,
        body: { error: 'The model is overloaded.' },
        headers: { 'retry-after': '0.01' },
      },
    });
    await getControl(session()).addScripts({
      model: 'vision-plain-32b',
      steps: [{ content: 'I take over.' }],
    });
    await chat.sendText('Are you there?');
    await chat.lastAnswer.getByText('I take over.').waitFor();
    await chat.content
      .getByText('Vision Plain 32B answers instead of Assistant Large.')
      .first()
      .waitFor();
    await chat.waitUntilIdle();
    expect(await chat.locateButton('Continue with Vision Plain 32B').count()).toBe(0);
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'fallback-notice');

    // The chat itself keeps its model.
    await getControl(session()).reset();
    await getControl(session()).addScripts({
      model: 'assistant-large-480b',
      steps: [{ content: 'Here I am.' }],
    });
    await chat.sendText('And now?');
    await chat.lastAnswer.getByText('Here I am.').waitFor();
    await session().writeSettings({});
    await session().reloadWindow();
    await openAgentChat(session());
  });
});

describe('two chats', () => {
  test('keep their own model and mode while the user switches between them, and after a restart', async () => {
    const { chat, workbench } = session();
    const models = { first: 'Vision Plain 32B', second: 'Tools Swift 24B' };
    const expectChat = async (model: string, mode: string): Promise<void> => {
      await chat.locateButton(`Mode: ${mode}`).waitFor();
      await chat.modelPicker.getByText(model).waitFor();
      await workbench.locateStatusBarItem(model).waitFor();
    };
    const openFromHistory = async (text: string): Promise<void> => {
      await workbench.runCommand('Inference Service: Show Chat History');
      await session()
        .page.locator('.quick-input-widget .monaco-list-row')
        .filter({ hasText: text })
        .click();
    };
    await chat.selectModel(models.first);
    await chat.selectMode('Ask');
    await chat.sendText('The first chat');
    await chat.waitUntilIdle();
    await session().openNewChat();
    await chat.selectModel(models.second);
    await chat.selectMode('Plan');
    await chat.sendText('The second chat');
    await chat.waitUntilIdle();
    await expectChat(models.second, 'Plan');
    await openFromHistory('The first chat');
    await expectChat(models.first, 'Ask');
    await session().reloadWindow();
    await expectChat(models.first, 'Ask');
    await chat.sendText('Which model?');
    await chat.waitUntilIdle();
    expect(await readLastRequest()).toContain('"model":"vision-plain-32b"');
    await openFromHistory('The second chat');
    await expectChat(models.second, 'Plan');
    await chat.sendText('And which model?');
    await chat.waitUntilIdle();
    expect(await readLastRequest()).toContain('"model":"tools-swift-24b"');
    await chat.selectModel('Assistant Large');
    await chat.selectMode('Agent');
  });
});

describe('a chat that needs the user', () => {
  test('shows a badge and one notification, which opens the chat and approves nothing', async () => {
    const { chat, page, workbench } = session();
    const notificationCenter = new NotificationCenter(workbench);
    const badge = page.locator('.badge-content').filter({ hasText: /^1$/u });
    // VS Code hides the label, and with it the badge, in a narrower side bar.
    await workbench.resizeSecondarySideBar(290);
    await getControl(session()).addScripts(
      {
        userMessage: 'Write it',
        steps: [
          { content: 'I write.' },
          { hold: 'hidden' },
          { call: { name: 'create_file', arguments: { path: 'src/new.txt', content: 'New\n' } } },
        ],
      },
      { afterResultOf: 'create_file', steps: [{ content: 'Written.' }, { hold: 'seen' }] },
    );
    await chat.sendText('Write it');
    await chat.lastAnswer.getByText('I write.').waitFor();
    await session().openNewChat();
    await getControl(session()).releasePause('hidden');
    await notificationCenter.waitForNotification('waits for your answer.');
    await badge.first().waitFor();
    await notificationCenter.pressButton('waits for your answer.', 'Show');
    const allowButton = chat.content.getByRole('button', { name: 'Allow', exact: true });
    await allowButton.waitFor();
    await expect(access(join(session().folder, 'src', 'new.txt'))).rejects.toThrow('ENOENT');
    await badge.first().waitFor({ state: 'hidden' });

    // The end of a turn that the user sees calls nobody.
    await allowButton.click();
    await chat.transcript.getByText('Written.').waitFor();
    await getControl(session()).releasePause('seen');
    await chat.waitUntilIdle();
    await workbench.runCommand('Notifications: Show Notifications');
    expect(await page.getByText('has finished.').count()).toBe(0);

    await getControl(session()).addScripts({
      userMessage: 'Slow',
      steps: [{ content: 'So.' }, { hold: 'end' }],
    });
    await chat.sendText('Slow');
    await session().openNewChat();
    await getControl(session()).releasePause('end');
    await notificationCenter.pressButton('has finished.', 'Show');
    await chat.transcript.getByText('So.').waitFor();
  });
});

describe('running chats', () => {
  test('continue in the background, and the history marks running, waiting and failed chats', async () => {
    const { chat, page, workbench } = session();
    const findHistoryItem = (text: string) =>
      page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: text });
    await getControl(session()).addScripts(
      { userMessage: 'Background', steps: [{ content: 'One.' }, { hold: 'background' }] },
      {
        userMessage: 'Waiting',
        steps: [{ call: { name: 'ask_user', arguments: { question: 'Which?' } } }],
      },
      { userMessage: 'Broken', steps: [{ content: 'Half' }, { error: { message: 'It broke.' } }] },
    );
    await chat.sendText('Background work');
    await session().openNewChat();
    await chat.sendText('Waiting work');
    await chat.content.getByText('Which?').first().waitFor();
    await session().openNewChat();
    await chat.sendText('Broken work');
    await chat.waitUntilIdle();
    await session().openNewChat();
    await workbench.runCommand('Inference Service: Show Chat History');
    await findHistoryItem('Background work').getByText('Running').first().waitFor();
    await findHistoryItem('Waiting work').getByText('Waiting for you').waitFor();
    await findHistoryItem('Broken work').getByText('Failed').first().waitFor();
    await takeScreenshot(session(), 'running-chats', 'dark');
    await getControl(session()).releasePause('background');
    await findHistoryItem('Background work').getByText('Running').waitFor({ state: 'hidden' });
    await findHistoryItem('Waiting work').click();
    await chat.content.getByText('Which?').first().waitFor();
    await chat.locateButton('Stop').click();
    await chat.waitUntilIdle();
    await new NotificationCenter(workbench).clear();
  });
});
