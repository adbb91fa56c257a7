import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { timeLimits } from '../support/time-limits.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { ChatPage } from './pages/chat-page.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { fillField, waitForFocus, pressIn, typeIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'chat' });

beforeEach(async () => {
  await session().workbench.closeOverlays();
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
  await session().openNewChat();
});

/** Returns the chat requests that the service has received since the start of the test. */
async function readChatRequests() {
  return (await getControl(session()).getRequests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );
}

describe('a chat with one request', () => {
  test('sends the attached selection, and shows the reasoning collapsed before the answer', async () => {
    const { workbench, chat } = session();
    await getControl(session()).addScripts({
      steps: [
        { reasoning: 'The person asks about `periodMs`.' },
        {
          content:
            '## High water\n\nIt is the **period** of the tide:\n\n```ts\nconst hours = 12.42;\n```\n',
        },
      ],
    });
    await workbench.openFile('tide.ts');
    await workbench.selectLines(7, 8);
    await workbench.runCommand('Inference Service: Ask About Selection');
    await chat.content.getByText('src/tide.ts:7-8').waitFor();
    await chat.sendText('What is this constant?');
    await chat.waitUntilIdle();
    const answer = chat.lastAnswer;
    await answer.getByRole('heading', { name: 'High water' }).waitFor();
    expect(await answer.locator('pre').innerText()).toContain('const hours = 12.42;');
    await answer.getByText(/^Thought/u).click();
    await answer.getByText('The person asks about').waitFor();
    expect(JSON.stringify((await readChatRequests())[0]?.body)).toContain('12.4206012');
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'chat-answer');
  });

  test('streams the answer, and closes the connection when the user clicks Stop', async () => {
    const { chat } = session();
    await getControl(session()).addScripts({
      steps: [{ content: 'First words.' }, { hold: 'rest' }, { content: 'never' }],
    });
    await chat.sendText('Tell me');
    await chat.lastAnswer.getByText('First words.').waitFor();
    expect((await readChatRequests())[0]).not.toHaveProperty('closedAt');
    await chat.locateButton('Stop').click();
    // The service never ends this reply, so only the extension can close the connection.
    await getControl(session()).waitForRequest(
      ({ path, closedAt }) => path.endsWith('/chat/completions') && closedAt !== undefined,
      timeLimits.condition,
    );
    await chat.waitUntilIdle();
    expect(await chat.lastAnswer.innerText()).toContain('First words.');
    await chat.lastAnswer.getByText('Stopped').waitFor();
  });

  test('stops on Escape, sends on Enter, adds a line on Shift+Enter, and keeps the focus in the composer', async () => {
    const { chat } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'Words.' }, { hold: 'rest' }] });
    await chat.composer.click();
    await typeIn(chat.composer, 'one');
    await pressIn(chat.composer, 'Shift+Enter');
    await typeIn(chat.composer, 'two');
    await expect.poll(() => chat.composer.inputValue()).toBe('one\ntwo');
    await pressIn(chat.composer, 'Enter');
    await chat.lastAnswer.getByText('Words.').waitFor();
    expect(await chat.locateMessages('You').last().innerText()).toContain('one\ntwo');
    await pressIn(chat.composer, 'Escape');
    await chat.waitUntilIdle();
    await typeIn(chat.composer, 'still here');
    await expect.poll(() => chat.composer.inputValue()).toBe('still here');
  });

  test('shows an error as a card with an action, and repeats the request when the user clicks Retry', async () => {
    const { chat } = session();
    await getControl(session()).injectFault({
      match: { path: '/chat/completions' },
      fault: {
        kind: 'status',
        status: 402,
        body: { error: 'Insufficient USD or Diem balance to complete request.' },
      },
    });
    await chat.sendText('Hello');
    await chat.waitUntilIdle();
    const card = chat.lastAnswer
      .getByRole('group', { name: 'Problem' })
      .or(chat.lastAnswer.getByLabel('Problem'));
    await card.first().waitFor();
    expect(await card.first().innerText()).toMatch(/credit|balance/iu);
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'chat-problem');
    await getControl(session()).addScripts({ steps: [{ content: 'Paid now.' }] });
    await chat.lastAnswer.hover();
    await chat.locateButton('Retry').last().click();
    await chat.lastAnswer.getByText('Paid now.').waitFor();
    await chat.content.getByText('2 / 2').first().waitFor();
  });

  test('repeats the request to a busy service after the delay that the service states, with a visible countdown', async () => {
    const { chat } = session();
    await getControl(session()).injectFault({
      match: { path: '/chat/completions' },
      fault: {
        kind: 'status',
        status: 429,
        headers: { 'retry-after': '3' },
        body: { error: 'The model is currently overloaded. Please try again later.' },
      },
    });
    await getControl(session()).addScripts({ steps: [{ content: 'Here I am.' }] });
    // The countdown is visible for only three seconds, so an observer records all its texts.
    const textsHandle = await chat.transcript.evaluateHandle((transcript: HTMLElement) => {
      const allTexts: string[] = [];
      const observer = new MutationObserver(() => allTexts.push(transcript.innerText));
      observer.observe(transcript, { subtree: true, childList: true, characterData: true });
      return allTexts;
    });
    await chat.sendText('Are you there?');
    await chat.lastAnswer.getByText('Here I am.').waitFor();
    await chat.waitUntilIdle();
    expect((await textsHandle.jsonValue()).join('\n')).toMatch(/Trying again in [123] s/u);
    expect(await chat.lastAnswer.getByLabel('Problem').count()).toBe(0);
    expect(await readChatRequests()).toHaveLength(2);
  });

  test('marks a truncated answer, and completes the answer when the user clicks Continue', async () => {
    const { chat } = session();
    await getControl(session()).injectFault({
      match: { path: '/chat/completions' },
      fault: { kind: 'reset', afterBytes: 900 },
    });
    await getControl(session()).addScripts({
      steps: [{ content: 'One, two, three.' }, { content: '.'.repeat(2_000) }],
    });
    await chat.sendText('Count');
    await chat.lastAnswer.getByText('One, two, three.').waitFor();
    await getControl(session()).addScripts({ steps: [{ content: ' Four.' }] });
    await chat.locateButton('Continue').click();
    await chat.lastAnswer.getByText('Four.').waitFor();
    await chat.waitUntilIdle();
    expect(await chat.lastAnswer.getByLabel('Problem').count()).toBe(0);
    expect(await chat.lastAnswer.innerText()).toContain('One, two, three.');
    expect(await readChatRequests()).toHaveLength(2);
  });
});

describe('a chat with branches', () => {
  test('keeps the old branch when the user edits a question', async () => {
    const { chat } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'Answer one.' }] });
    await chat.sendText('Question one');
    await chat.lastAnswer.getByText('Answer one.').waitFor();
    await chat.waitUntilIdle();
    await getControl(session()).addScripts({ steps: [{ content: 'Answer two.' }] });
    await chat.composer.click();
    await pressIn(chat.composer, 'ArrowUp');
    const editor = chat.locateMessages('You').last().getByRole('textbox');
    await waitForFocus(editor);
    await fillField(editor, 'Question two');
    await pressIn(editor, 'Enter');
    await chat.lastAnswer.getByText('Answer two.').waitFor();
    await chat.waitUntilIdle();
    await chat.locateMessages('You').last().hover();
    await chat
      .locateMessages('You')
      .last()
      .getByRole('button', { name: /previous/iu })
      .click();
    await chat.lastAnswer.getByText('Answer one.').waitFor();
  });
});

describe('a conversation', () => {
  test('can be found by text, renamed, deleted and restored', async () => {
    const { chat, workbench, page } = session();
    await getControl(session()).addScripts({
      steps: [{ content: 'The moon pulls the xylophone.' }],
    });
    await chat.sendText('What makes tides?');
    await chat.lastAnswer.getByText('xylophone').waitFor();
    await chat.waitUntilIdle();
    await workbench.chooseFromChatMenu('Rename Chat…');
    await page.locator('.quick-input-title').getByText('Rename Chat').waitFor();
    await workbench.answerInputBox('Lunar matters');
    await chat.content.getByRole('heading', { name: 'Lunar matters' }).waitFor();
    await session().openNewChat();
    await workbench.runCommand('Inference Service: Show Chat History');
    await page.locator('.quick-input-title').getByText('Chat History (').waitFor();
    await fillField(workbench.quickInput, 'XYLOPHONE');
    await page
      .locator('.quick-input-title')
      .getByText(/Chat History \(1 of \d+\)/u)
      .waitFor();
    await workbench.locateFocusedOption('Lunar matters').waitFor();
    await pressIn(workbench.quickInput, 'Enter');
    await chat.lastAnswer.getByText('xylophone').waitFor();
    await workbench.chooseFromChatMenu('Delete Chat');
    await chat.lastAnswer.waitFor({ state: 'detached' });
    const notificationCenter = new NotificationCenter(workbench);
    await notificationCenter.pressButton('Lunar matters', 'Undo');
    await notificationCenter.clear();
    await chat.lastAnswer.getByText('xylophone').waitFor();
  });

  test('is exported as JSON with all branches', async () => {
    const { chat, workbench, folder, page } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'One way.' }] });
    await chat.sendText('Two ways');
    await chat.lastAnswer.getByText('One way.').waitFor();
    await chat.waitUntilIdle();
    await getControl(session()).addScripts({ steps: [{ content: 'Another way.' }] });
    await chat.lastAnswer.hover();
    await chat.lastAnswer.getByRole('button', { name: 'Retry', exact: true }).click();
    await chat.lastAnswer.getByText('Another way.').waitFor();
    await chat.waitUntilIdle();
    await workbench.chooseFromChatMenu('Export Chat…');
    await workbench.locateOption('JSON').click();
    await expect.poll(() => workbench.quickInput.inputValue()).toContain('Two-ways.json');
    await pressIn(workbench.quickInput, 'Enter');
    await page.locator('.tab.active').filter({ hasText: 'Two-ways.json' }).waitFor();
    const document: unknown = JSON.parse(await readFile(join(folder, 'Two-ways.json'), 'utf8'));
    expect(document).toMatchObject({
      messages: [{ text: 'Two ways' }, { text: 'One way.' }, { text: 'Another way.' }],
    });
  });

  test('is exported as Markdown', async () => {
    const { chat, workbench, folder, page } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'Exported **text**.' }] });
    await chat.sendText('For the export');
    await chat.lastAnswer.getByText('Exported').waitFor();
    await chat.waitUntilIdle();
    await workbench.chooseFromChatMenu('Export Chat…');
    await workbench.locateOption('Markdown').click();
    await expect.poll(() => workbench.quickInput.inputValue()).toContain('For-the-export.md');
    await pressIn(workbench.quickInput, 'Enter');
    await page.locator('.tab.active').filter({ hasText: 'For-the-export.md' }).waitFor();
    expect(await readFile(join(folder, 'For-the-export.md'), 'utf8')).toContain(
      'Exported **text**.',
    );
  });

  test('can be moved to an editor tab, after which the side bar shows a new chat', async () => {
    const { chat, workbench, page } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'Seen twice.' }] });
    await chat.sendText('Both');
    await chat.lastAnswer.getByText('Seen twice.').waitFor();
    await chat.waitUntilIdle();
    await workbench.chooseFromChatMenu('Open Chat in Editor');
    const tab = page.locator('.tab.active').filter({ hasText: 'Both' });
    await tab.waitFor();
    // Commands apply to the chat in the tab while the tab is open.
    onTestFinished(async () => {
      await workbench.runCommand('View: Close Editor');
      await tab.waitFor({ state: 'detached' });
    });
    const tabChat = new ChatPage(workbench.locateWebview('editor'));
    await tabChat.lastAnswer.getByText('Seen twice.').waitFor();
    await chat.lastAnswer.waitFor({ state: 'detached' });
    await getControl(session()).addScripts({ steps: [{ content: 'Once more.' }] });
    await tabChat.sendText('Again');
    await tabChat.lastAnswer.getByText('Once more.').waitFor();
    expect(await chat.locateMessages('You').count()).toBe(0);
  });

  test('highlights the matches of a text search', async () => {
    const { chat, workbench } = session();
    await getControl(session()).addScripts({ steps: [{ content: 'needle and needle' }] });
    await chat.sendText('Find the needle');
    await chat.lastAnswer.getByText('needle and needle').waitFor();
    await chat.waitUntilIdle();
    await workbench.chooseFromChatMenu('Find in Chat');
    const findField = chat.content.getByRole('textbox', { name: /find/iu });
    await typeIn(findField, 'needle');
    await chat.content.getByText('1 of 3').waitFor();
    await pressIn(findField, 'Enter');
    await chat.content.getByText('2 of 3').waitFor();
    await pressIn(findField, 'Escape');
    await waitForFocus(chat.composer);
  });
});

describe('the code blocks of an answer', () => {
  test('can be inserted at the cursor and opened as a new file', async () => {
    const { chat, workbench, page } = session();
    await workbench.openFile('README.md');
    await getControl(session()).addScripts({
      steps: [{ content: '```ts\nexport const inserted = 1;\n```\n' }],
    });
    await chat.sendText('Code please');
    await chat.waitUntilIdle();
    await chat.lastAnswer.getByText('inserted').first().waitFor();
    await chat.lastAnswer.getByRole('button', { name: /insert/iu }).click();
    await workbench.editor.getByText('inserted').first().waitFor();
    // The editor receives the focus after its text is visible.
    await pressIn(workbench.editor, 'Control+Z');
    await workbench.editor.getByText('inserted').first().waitFor({ state: 'detached' });
    await chat.lastAnswer.getByRole('button', { name: 'More actions', exact: true }).click();
    await chat.lastAnswer.getByRole('button', { name: 'New File', exact: true }).click();
    await page.locator('.tab.active').filter({ hasText: 'Untitled' }).waitFor();
    await workbench.locateStatusBarItem('TypeScript').first().waitFor();
  });
});

describe('the model picker', () => {
  test('filters models by capability, and selects the model for the next request', async () => {
    const { chat } = session();
    await chat.modelPicker.click();
    const list = chat.content.getByRole('listbox', { name: 'Models' });
    await list.getByRole('option').first().waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'model-picker');
    const filter = chat.content.getByRole('combobox', { name: 'Filter by name' });
    await typeIn(filter, 'think');
    const expectedOption = list.getByRole('option').first();
    await pressIn(filter, 'ArrowDown');
    expect(await expectedOption.innerText()).toMatch(/think/iu);
    await expectedOption.click();
    await list.waitFor({ state: 'hidden' });
    await chat.sendText('Hello');
    await chat.waitUntilIdle();
    expect(JSON.stringify((await readChatRequests())[0]?.body)).toMatch(/"model":"[^"]*think/iu);
  });
});
