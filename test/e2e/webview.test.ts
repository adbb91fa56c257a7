import { rm } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { PendingView } from '../../src/agent/protocol.ts';
import type { MessageView } from '../../src/chat/protocol/view-state.ts';
import { readTexts } from '../architecture/translations.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import {
  answeredMessages,
  answerText,
  createApprovalView,
  createChangesView,
  createMessageView,
  createModelView,
  createModelViews,
  createQuestionView,
  createRequestView,
  createStateSetMessage,
  answerStats,
  createToolCallView,
} from '../support/webview-page/chat-states.ts';
import { themeNames } from '../support/webview-page/page-html.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { ReusedPages } from '../support/webview-page/reused-pages.ts';
import {
  openPage,
  openScene,
  waitForPaint,
  listPostedMessages,
  sendToChat,
  setTheme,
} from '../support/webview-page/scene-page.ts';
import { scenes } from '../support/webview-page/scenes.ts';
import { diagrams } from '../../webview/markdown/diagram.fixture.ts';
import { payloads } from '../../webview/markdown/hostile.fixture.ts';
import { findPageProblems } from './accessibility.ts';

let sharedBrowser: Browser;
let browser: ReusedPages;
let server: PageServer;
let pageFolder: string;
let page: Page;

beforeAll(async () => {
  pageFolder = await buildPage();
  [sharedBrowser, server] = await Promise.all([launchBrowser(), startPageServer(pageFolder)]);
  browser = new ReusedPages(sharedBrowser);
});

afterAll(async () => {
  await sharedBrowser.close();
  await server.close();
  await rm(pageFolder, { recursive: true });
});

afterEach(async ({ task }) => {
  const violations: string[] = await page.evaluate(() => Reflect.get(globalThis, 'violations'));
  await browser.releasePage(page, { hasFailed: task.result?.state === 'fail' });
  expect(violations).toEqual([]);
});

const findComposer = (): Locator => page.getByRole('textbox', { name: 'Message', exact: true });
const findButton = (name: string): Locator => page.getByRole('button', { name, exact: true });
const getTranscript = (): Locator => page.getByRole('log');
async function openModelPicker(): Promise<void> {
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('dialog', { name: 'Choose a model' }).waitFor();
}
const getLastPostedMessage = async (): Promise<unknown> => (await listPostedMessages(page)).at(-1);
const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);
const measureDistanceFromEnd = (): Promise<number> =>
  getTranscript().evaluate(({ scrollHeight, scrollTop, clientHeight }) =>
    Math.round(scrollHeight - scrollTop - clientHeight),
  );

/** Axe rules to disable. In VS Code, the window around the page provides the landmarks. */
const disabledRules = { region: { enabled: false } };

describe('the chat page', () => {
  test.each(['hc-dark', 'hc-light'] as const)(
    'marks an invalid field of the connect form with a different color in the theme %s',
    async (theme) => {
      page = await openPage({ browser, server, theme });
      const account = {
        status: 'signed-out',
        profile: 'default',
        address: '',
        message: null,
      } as const;
      await sendToChat(page, createStateSetMessage({ account: { ...account, actions: [] } }));
      const keyField = page.getByLabel('API key', { exact: true });
      await keyField.fill('wrong');
      await sendToChat(page, {
        type: 'connect-result',
        address: '',
        problem: { field: 'key', message: 'The key is wrong.', unencryptedOrigin: null },
        fixes: [],
      });
      await page.getByText('The key is wrong.').waitFor();
      const readColor = (field: Locator): Promise<string> =>
        field.evaluate((element) => getComputedStyle(element).borderTopColor);
      expect(await keyField.getAttribute('aria-invalid')).toBe('true');
      expect(await readColor(keyField)).not.toBe(
        await readColor(page.getByLabel('URL', { exact: true })),
      );
    },
  );

  test('shows the permission level and the to-do items without truncation at a width of 300 pixels', async () => {
    const scene = scenes.find(({ name }) => name === 'work-lists')!;
    page = await openScene(scene, { browser, server, width: 300 });
    const texts = page.locator('.level-button > .model-name, .todo-text');
    expect(await texts.count()).toBe(4);
    const cutTexts = await texts.evaluateAll((elements) =>
      elements
        .filter(
          ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
            scrollWidth > clientWidth || scrollHeight > clientHeight,
        )
        .map(({ textContent }) => textContent),
    );
    expect(cutTexts).toEqual([]);
  });

  for (const scene of scenes) {
    test(`has no axe violation in any theme, and clips nothing at any width, in the scene "${scene.name}"`, async () => {
      page = await openScene(scene, { browser, server });
      for (const theme of themeNames) {
        await setTheme(page, theme);
        const checkedRules = theme === themeNames[0] ? 'all' : 'colors';
        const problems = await findPageProblems(page, {
          rules: disabledRules,
          checkedRules,
        });
        expect({ theme, problems }).toEqual({ theme, problems: [] });
      }
      for (const width of [250, 400, 2_000]) {
        await page.setViewportSize({ width, height: 640 });
        await waitForPaint(page);
        expect({ width, wide: await findClippedElements() }).toEqual({ width, wide: [] });
      }
    });
  }

  test('exposes the documented accessible roles and names', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }));
    await getTranscript().waitFor();
    expect(
      await page
        .getByRole('article')
        .evaluateAll((articles) => articles.map((article) => article.ariaLabel)),
    ).toEqual(['You', 'Assistant']);
    await findComposer().waitFor();
    await page.getByRole('combobox', { name: 'Model', exact: true }).waitFor();
    for (const name of ['Send', 'Retry']) await findButton(name).waitFor();
    await sendToChat(page, {
      type: 'message-put',
      message: createMessageView({ id: 'a2', status: 'streaming' }),
    });
    await findButton('Stop').waitFor();
    expect(await findButton('Send').count()).toBe(0);
  });

  test('announces an answer to screen readers only at the start and at the end', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: [createRequestView('u1', 'Hi')] }));
    const getAnnouncement = (): Promise<string> => page.getByRole('status').innerText();
    await sendToChat(page, {
      type: 'message-put',
      message: createMessageView({ status: 'streaming' }),
    });
    expect(await getAnnouncement()).toBe('Generating');
    expect(await getTranscript().getAttribute('aria-busy')).toBe('true');
    await sendToChat(page, {
      type: 'text-delta',
      messageId: 'a1',
      text: 'Hello **there**. I can help.\n\nAsk me anything.',
      reasoning: '',
    });
    expect(await getAnnouncement()).toBe('Generating');
    await sendToChat(page, createTurnEndMessage());
    expect(await getAnnouncement()).toBe('Answer complete. Hello there.');
    expect(await getTranscript().getAttribute('aria-busy')).toBe('false');
  });
});

describe('keyboard operation of the chat:', () => {
  test('Enter sends, Shift+Enter adds a line, and the composer keeps the focus', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage(), { type: 'composer-focus' });
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    expect(await getLastPostedMessage()).toMatchObject({ type: 'message-send', text: 'one\ntwo' });
    expect(await findComposer().inputValue()).toBe('');
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('Enter sends nothing during input method composition', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findComposer().fill('にほ');
    await findComposer().dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect((await listPostedMessages(page)).map(({ type }) => type)).not.toContain('message-send');
  });

  test('Escape stops the turn, and the focus moves from Stop to the composer', async () => {
    page = await openStreamingChat();
    await findButton('Stop').focus();
    await page.keyboard.press('Escape');
    expect(await getLastPostedMessage()).toEqual({ type: 'turn-stop' });
    expect(await isFocused(findComposer())).toBe(true);
    await findButton('Stop').focus();
    await sendToChat(page, createTurnEndMessage());
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('ArrowUp edits the last request, Escape cancels the edit, and Enter sends the edited request', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }), {
      type: 'composer-focus',
    });
    await page.keyboard.press('ArrowUp');
    const editor = page
      .getByRole('article', { name: 'You' })
      .getByRole('textbox', { name: 'Message' });
    expect(await isFocused(editor)).toBe(true);
    expect(await findComposer().count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await isFocused(findComposer())).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' Quickly.');
    await page.keyboard.press('Enter');
    expect(await getLastPostedMessage()).toEqual({
      type: 'message-edit',
      messageId: 'u1',
      text: 'How does the parser find the end of a string? Quickly.',
    });
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('only one request can be edited at a time', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: createConversationMessages(6) }), {
      type: 'composer-focus',
    });
    await page.keyboard.press('ArrowUp');
    await page.getByRole('article', { name: 'You' }).first().hover();
    expect(await findButton('Edit').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await findButton('Edit').count()).toBe(3);
  });

  test('a click on a suggestion fills the empty composer, and suggestions are hidden while a draft exists', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findButton('Write tests for the selected function').click();
    expect(await findComposer().inputValue()).toBe('Write tests for the selected function');
    expect(await isFocused(findComposer())).toBe(true);
    expect(await findButton('Explain what src/parser.ts does').count()).toBe(0);
    await findComposer().fill('');
    expect(await findButton('Explain what src/parser.ts does').count()).toBe(1);
  });

  test('only one message is in the tab order, and arrow keys move between messages', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: createConversationMessages(30) }), {
      type: 'composer-focus',
    });
    await page.keyboard.press('Shift+Tab');
    const getFocusedName = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.ariaLabel ?? '');
    expect(await getFocusedName()).toBe('Retry with another model');
    await page.keyboard.press('Shift+Tab');
    expect(await getFocusedName()).toBe('Retry');
    await page.keyboard.press('Shift+Tab');
    expect(await getFocusedName()).toBe('Read Aloud');
    await page.keyboard.press('Shift+Tab');
    expect(await getFocusedName()).toBe('Copy');
    await page.keyboard.press('Shift+Tab');
    expect(await getFocusedName()).toBe('Assistant');
    await page.keyboard.press('ArrowUp');
    expect(await getFocusedName()).toBe('You');
    await page.keyboard.press('Home');
    // The browser renders distant content in the next frame, and only rendered content can receive the focus.
    await page.waitForFunction(() =>
      document.activeElement
        ?.querySelector('button')
        ?.checkVisibility({ contentVisibilityAuto: true }),
    );
    await page.keyboard.press('Tab');
    expect(await getFocusedName()).toBe('Edit');
  });

  test('the model picker supports filtering, moving, selecting and closing by keyboard', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await openModelPicker();
    expect(await getLastPostedMessage()).toEqual({ type: 'model-list-request', refresh: 'no' });
    await sendToChat(page, {
      type: 'model-list',
      models: createModelViews(500),
      stale: null,
      loading: false,
      retryAt: null,
      privateOnly: false,
    });
    expect(await page.getByRole('option').count()).toBe(500);
    await page.keyboard.type('coder 1');
    await page.getByRole('button', { name: 'vision' }).click();
    await page.keyboard.press('ArrowDown');
    const activeTitle = page.locator('.model-option.active .model-title');
    const name = await activeTitle.innerText();
    await page.keyboard.press('Enter');
    const chosenModel = createModelViews(500).find((model) => model.name === name);
    expect(chosenModel?.capabilities).toContain('vision');
    expect(await getLastPostedMessage()).toEqual({ type: 'model-select', id: chosenModel?.id });
    expect(await isFocused(findComposer())).toBe(true);
    await page.getByRole('combobox', { name: 'Model', exact: true }).click();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the model list has the selected model as its active entry, even if the list loads late', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ model: createModelViews(200)[150] ?? null }));
    await openModelPicker();
    await sendToChat(page, {
      type: 'model-list',
      models: createModelViews(200),
      stale: null,
      loading: false,
      retryAt: null,
      privateOnly: false,
    });
    const activeOption = page.locator('.model-option.active');
    expect(await activeOption.getAttribute('aria-selected')).toBe('true');
    const [optionBox, listBox] = [
      await getBoundingBox(activeOption),
      await getBoundingBox(page.getByRole('listbox')),
    ];
    expect(optionBox.y).toBeGreaterThanOrEqual(listBox.y);
    expect(optionBox.y + optionBox.height).toBeLessThanOrEqual(listBox.y + listBox.height);
  });

  test('Ctrl+F opens only the find widget of the chat, and VS Code receives Ctrl+Shift+F', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }), {
      type: 'composer-focus',
    });
    await page.evaluate(() => {
      const receivedKeys: string[] = [];
      Reflect.set(globalThis, 'receivedKeys', receivedKeys);
      window.addEventListener('keydown', ({ key }) => receivedKeys.push(key));
    });
    await page.keyboard.press('Control+Shift+F');
    expect(await page.getByRole('search').count()).toBe(0);
    await page.keyboard.press('Control+f');
    await page.getByRole('search').waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'receivedKeys'))).toEqual([
      'Control',
      'Shift',
      'F',
      'Control',
    ]);
  });

  test('the find widget finds text, moves through the matches and returns the focus', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: createConversationMessages(200) }));
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('question 8 ');
    expect(await page.locator('.find-count').innerText()).toBe('1 of 1');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => {
      const [range] = CSS.highlights.get('found-current') ?? [];
      const box = range instanceof Range ? range.getBoundingClientRect() : undefined;
      return box !== undefined && box.top > 0 && box.bottom < innerHeight;
    });
    await page.keyboard.press('Escape');
    expect(await isFocused(findComposer())).toBe(true);
    expect(await page.evaluate(() => CSS.highlights.get('found')?.size)).toBe(0);
  });
});

describe('a pending approval', () => {
  const createWaitingStateMessage = (...pendingViews: PendingView[]): HostMessage =>
    createStateSetMessage({
      messages: [
        createRequestView('u1', 'Test it'),
        createMessageView({
          status: 'working',
          toolCalls: [
            createToolCallView({ status: 'waiting', readOnly: false, name: 'run_command' }),
          ],
        }),
      ],
      streaming: 'a1',
      pending: pendingViews,
    });
  const createPendingChangeMessage = (...pendingViews: PendingView[]): HostMessage => ({
    type: 'pending-change',
    pending: pendingViews,
  });
  const createPendingApprovalMessage = (
    language: 'diff' | 'shellscript',
    text: string,
  ): HostMessage =>
    createWaitingStateMessage(
      createApprovalView({ preview: { language, text, cwd: '', files: [] } }),
    );
  const findApproval = (): Locator => page.getByRole('region', { name: 'Approval', exact: true });
  const findEnabledButton = (name: string): Locator =>
    findButton(name).and(page.locator('[aria-disabled=false]'));
  const listAnswers = async (): Promise<unknown[]> =>
    (await listPostedMessages(page)).filter(({ type }) => type === 'approval-answer');

  test('does not take the focus from the empty composer, where Enter never approves', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createWaitingStateMessage(), { type: 'composer-focus' });
    await sendToChat(page, createPendingChangeMessage(createApprovalView()));
    await findEnabledButton('Allow').waitFor();
    expect(await isFocused(findComposer())).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('And then');
    await page.keyboard.press('Enter');
    expect(await listAnswers()).toEqual([]);
    expect(await findApproval().isVisible()).toBe(true);
  });

  test('is announced to screen readers without moving the focus, and is next to the composer in the tab order', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createWaitingStateMessage(), { type: 'composer-focus' });
    await page.keyboard.type('And then');
    await sendToChat(page, createPendingChangeMessage(createApprovalView()));
    expect(await isFocused(findComposer())).toBe(true);
    expect(await page.getByRole('status').innerText()).toBe(
      'Run npm test -- parser. Commands are asked about.',
    );
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused(findButton('Details'))).toBe(true);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await findEnabledButton('Allow').waitFor();
    expect(await isFocused(findButton('Allow'))).toBe(true);
    await page.keyboard.press('Enter');
    expect(await listAnswers()).toMatchObject([{ answer: 'once' }]);
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('has three lines of text, and its command occurs once on the page', async () => {
    page = await openPage({ browser, server, width: 300 });
    await sendToChat(
      page,
      createWaitingStateMessage(createApprovalView({ remember: ['conversation', 'always'] })),
    );
    await findEnabledButton('Allow').waitFor();
    const { height } = await getBoundingBox(findApproval());
    const lineHeight = await page.evaluate(() =>
      parseFloat(getComputedStyle(document.body).lineHeight),
    );
    // Three lines, one row of buttons, and the spaces between them.
    expect(height).toBeLessThan(3 * lineHeight + 26 + 40);
    const text = `${await getTranscript().innerText()} ${await findApproval().innerText()}`;
    expect(text.split('npm test -- parser')).toHaveLength(2);
    expect(await findApproval().getByRole('button').allInnerTexts()).toEqual([
      'Allow',
      '',
      'Skip',
      'Details',
    ]);
  });

  test('returns the focus to the composer after the answer, even if another approval follows', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createWaitingStateMessage(createApprovalView(), createApprovalView({ id: 'p2' })),
    );
    await findEnabledButton('Allow').focus();
    await page.keyboard.press('Enter');
    expect(await listAnswers()).toHaveLength(1);
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('with a question from the model takes the focus if the composer is empty', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createWaitingStateMessage(), { type: 'composer-focus' });
    await sendToChat(page, createPendingChangeMessage(createQuestionView()));
    expect(await isFocused(page.getByRole('group', { name: /Which parser/u }))).toBe(true);
    await page.keyboard.press('Tab');
    await findEnabledButton('The JSON parser').waitFor();
    await page.keyboard.press('Enter');
    expect(await getLastPostedMessage()).toMatchObject({
      type: 'question-answer',
      text: 'The JSON parser',
    });
    expect(await isFocused(findComposer())).toBe(true);
  });

  test('redirects typed text to the composer while one of its buttons has the focus', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createWaitingStateMessage(createApprovalView()));
    await findEnabledButton('Allow').focus();
    await page.keyboard.press('!');
    expect(await findComposer().inputValue()).toBe('!');
    expect(await listAnswers()).toEqual([]);
  });

  test('does not take the focus from the search box', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createWaitingStateMessage());
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('x');
    await sendToChat(page, createPendingChangeMessage(createApprovalView()));
    const searchBar = page.getByRole('search');
    expect(await searchBar.evaluate((element) => element.matches(':focus-within'))).toBe(true);
  });

  test('is visible and focused after a click on the row of its tool call', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createWaitingStateMessage(
        createQuestionView({ id: 'q0', callId: 't0' }),
        createApprovalView(),
      ),
    );
    await findButton('Waiting for you').click();
    expect(await isFocused(findApproval())).toBe(true);
  });

  test.each([
    ['on one short line', 'npm test', false],
    ['on eight lines', 'a\n'.repeat(8), false],
    ['on lines that wrap', `${'word '.repeat(20)}\n`.repeat(3), false],
    ['on one line that is long', 'echo a; '.repeat(400), true],
    ['on many lines', 'echo a\n'.repeat(400), true],
  ])(
    'shows a command %s in full, with an Allow button that needs no scrolling',
    async (_, text, isLong) => {
      page = await openPage({ browser, server, width: 300 });
      await sendToChat(page, createPendingApprovalMessage('shellscript', text));
      const command = findApproval().getByRole('group', { name: 'Command' });
      expect((await command.textContent())?.replaceAll(/\s+/gu, ' ').trim()).toBe(
        text.replaceAll(/\s+/gu, ' ').trim(),
      );
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = await command.evaluate(
        (element) => ({
          scrollHeight: element.scrollHeight,
          clientHeight: element.clientHeight,
          scrollWidth: element.scrollWidth,
          clientWidth: element.clientWidth,
        }),
      );
      expect(scrollWidth).toBe(clientWidth);
      if (!isLong) expect(scrollHeight).toBe(clientHeight);
      await findEnabledButton('Allow').click();
      expect(await listAnswers()).toMatchObject([{ answer: 'once' }]);
    },
  );

  test('shows the menu of the button Allow inside the window, and Escape closes only the menu', async () => {
    page = await openPage({ browser, server, width: 300, height: 420 });
    await sendToChat(
      page,
      createWaitingStateMessage(
        createApprovalView({
          remember: ['conversation', 'always'],
          rememberWhat: 'commands in packages/app that begin with "npm test"',
        }),
      ),
    );
    await findEnabledButton('Allow').waitFor();
    await findButton('More actions').click();
    const menuBox = await getBoundingBox(page.getByRole('menu'));
    expect(menuBox.x).toBeGreaterThanOrEqual(0);
    expect(menuBox.y).toBeGreaterThanOrEqual(0);
    expect(menuBox.x + menuBox.width).toBeLessThanOrEqual(300);
    expect(menuBox.y + menuBox.height).toBeLessThanOrEqual(420);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await isFocused(findButton('More actions'))).toBe(true);
    expect((await listPostedMessages(page)).filter(({ type }) => type === 'turn-stop')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    expect(await listAnswers()).toMatchObject([{ answer: 'always' }]);
  });

  test('shows its buttons completely in a low and narrow panel', async () => {
    page = await openPage({ browser, server, width: 250, height: 420 });
    await sendToChat(page, createPendingApprovalMessage('shellscript', 'echo line\n'.repeat(40)));
    const [skipBox, box] = [
      await getBoundingBox(findButton('Skip')),
      await getBoundingBox(page.locator('.composer-box')),
    ];
    expect(skipBox.y + skipBox.height).toBeLessThan(box.y);
  });
});

describe('a notice', () => {
  const streamingAnswer = createMessageView({ id: 'a9', status: 'streaming' });

  test.each<[string, HostMessage[]]>([
    [
      'a turn begins',
      [
        {
          type: 'transcript-splice',
          from: 2,
          messages: [createRequestView('u9', 'Go'), streamingAnswer],
        },
      ],
    ],
    ['the user decides about the changes', [{ type: 'changes-put', changes: createChangesView() }]],
    [
      'another conversation opens',
      [createStateSetMessage({ conversation: { id: 'c2', title: '' } })],
    ],
  ])('disappears if %s', async (_, messages) => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }), {
      type: 'notice-show',
      text: 'The file is too large.',
    });
    expect(await page.locator('.notice').count()).toBe(1);
    await sendToChat(page, ...messages);
    expect(await page.locator('.notice').count()).toBe(0);
  });
});

test.each([290, 600])('an empty chat has no scroll bar at a width of %i pixels', async (width) => {
  page = await openPage({ browser, server, width });
  await sendToChat(page, createStateSetMessage({ messages: [] }));
  await page.locator('.empty').waitFor();
  const overflow = await page
    .locator('.transcript')
    .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  expect(overflow).toBe(0);
});

describe('the composer and its menus', () => {
  test.each([250, 290])(
    'show the mode beside a long model name in a panel of %i pixels',
    async (width) => {
      page = await openPage({ browser, server, width });
      await sendToChat(
        page,
        createStateSetMessage({
          model: createModelView({ name: 'Harbour 12 Coder Instruct Large' }),
          context: { usedTokens: 120_000, limitTokens: 131_072 },
        }),
      );
      const [name, rowBox, chosenBox] = [
        await getBoundingBox(page.getByText('Agent', { exact: true })),
        await getBoundingBox(page.locator('.composer-row').first()),
        await getBoundingBox(page.getByRole('combobox', { name: 'Model', exact: true })),
      ];
      expect(name.x + name.width).toBeLessThan(rowBox.x + rowBox.width);
      expect(chosenBox.width).toBeGreaterThanOrEqual(40);
    },
  );

  test('open the mode menu by keyboard, and post the chosen mode', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findButton('Mode: Agent').press('Enter');
    const findModeOption = (name: string): Locator =>
      page.getByRole('menu', { name: 'Mode' }).getByRole('menuitemradio', { name, exact: true });
    await findModeOption('Agent').waitFor();
    expect(await isFocused(findModeOption('Agent'))).toBe(true);
    for (const [key, name] of [
      ['ArrowUp', 'Plan'],
      ['ArrowUp', 'Ask'],
      ['ArrowUp', 'Agent'],
      ['Home', 'Ask'],
      ['End', 'Agent'],
      ['ArrowDown', 'Ask'],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await isFocused(findModeOption(name))]).toEqual([key, true]);
    }
    await page.keyboard.press('Enter');
    expect(await getLastPostedMessage()).toEqual({ type: 'mode-select', mode: 'ask' });
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await isFocused(findButton('Mode: Agent'))).toBe(true);
  });

  test('post the permission level that the user chooses', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findButton('Permissions: Apply edits').click();
    const menu = page.getByRole('menu', { name: 'Permissions' });
    await menu.getByText('Asks before edits and new commands').click();
    expect(await getLastPostedMessage()).toEqual({ type: 'permissions-select', level: 'ask' });
    await sendToChat(page, { type: 'permissions-change', permissionLevel: 'ask' });
    await findButton('Permissions: Ask before changes').click();
    await menu.waitFor();
    await findButton('Permissions: Ask before changes').click();
    await menu.waitFor({ state: 'detached' });
    await sendToChat(page, { type: 'mode-change', mode: 'ask', toolsOff: null });
    expect(await findButton('Permissions: Ask before changes').count()).toBe(0);
  });

  test('close on Escape without stopping the turn, and on a click elsewhere', async () => {
    page = await openPage({ browser, server });
    const runningAnswer = createMessageView({ status: 'streaming' });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Hi'), runningAnswer],
        streaming: 'a1',
      }),
    );
    const menu = page.getByRole('menu');
    await findButton('Permissions: Apply edits').press('Enter');
    await menu.waitFor();
    const messagesBefore = await listPostedMessages(page);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await isFocused(findButton('Permissions: Apply edits'))).toBe(true);
    expect(await listPostedMessages(page)).toEqual(messagesBefore);
    await findButton('Mode: Agent').press('Enter');
    await menu.waitFor();
    // The menu covers the middle of the text field.
    await findComposer().click({ position: { x: 340, y: 8 } });
    await menu.waitFor({ state: 'detached' });
    expect(await isFocused(findComposer())).toBe(true);
  });

  test.each(['Mode: Agent', 'Permissions: Apply edits'])(
    'show the menu of "%s" with one line for each description in a narrow view, in every theme',
    async (name) => {
      page = await openPage({ browser, server, width: 300 });
      await sendToChat(page, createStateSetMessage());
      await findButton(name).press('Enter');
      await page.getByRole('menu').waitFor();
      for (const theme of themeNames) {
        await setTheme(page, theme);
        const { x, y, width } = await getBoundingBox(page.getByRole('menu'));
        expect(x >= 0 && y >= 0 && x + width <= 300).toBe(true);
        const heights = await page
          .locator('.choice-description')
          .evaluateAll((lines) => lines.map(({ clientHeight }) => clientHeight));
        expect([theme, Math.max(...heights)]).toEqual([theme, Math.min(...heights)]);
        const problems = await findPageProblems(page, {
          rules: disabledRules,
          checkedRules: 'colors',
        });
        expect({ theme, problems }).toEqual({ theme, problems: [] });
      }
    },
  );

  test.each(['', 'de', 'es', 'fr', 'ja', 'zh-cn'])(
    'at 290 pixels, show the whole placeholder in the language "%s"',
    async (language) => {
      page = await openPage({ browser, server, width: 290 });
      await sendToChat(page, createStateSetMessage());
      const input = page.locator('.composer textarea');
      const englishText = (await input.getAttribute('placeholder')) ?? '';
      const text =
        language === '' ? englishText : readTexts(`webview/l10n/${language}.json`)[englishText];
      expect(text).toContain('#');
      const [requiredWidth = 0, availableWidth = 0] = await input.evaluate(
        (textArea, placeholder) => {
          const { font, paddingLeft, paddingRight } = getComputedStyle(textArea);
          const context = document.createElement('canvas').getContext('2d');
          if (context === null) return [];
          context.font = font;
          const padding = Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
          return [context.measureText(placeholder).width, textArea.clientWidth - padding];
        },
        text,
      );
      expect(requiredWidth).toBeGreaterThan(0);
      expect(requiredWidth).toBeLessThanOrEqual(availableWidth);
    },
  );

  test.each([250, 300, 400, 900])(
    'at %i pixels, keep their size when the user types, and show the token estimate in a tooltip',
    async (width) => {
      page = await openPage({ browser, server, width });
      await sendToChat(page, createStateSetMessage({ baseTokens: 1_000 }), {
        type: 'composer-focus',
      });
      const composerBox = await getBoundingBox(page.locator('.composer'));
      expect(await findButton('Send').getAttribute('title')).toBe('Send');
      await page.keyboard.type('W');
      await page.waitForFunction(
        () => document.querySelector<HTMLElement>('.send-button')?.title !== 'Send',
      );
      expect(await findButton('Send').getAttribute('title')).toMatch(
        /^Send\n~1k tokens · about \$0\.0007\n/u,
      );
      expect(await getBoundingBox(page.locator('.composer'))).toEqual(composerBox);
      expect(await page.locator('.composer').innerText()).not.toContain('$');
    },
  );

  test('show Send as a filled button only if the composer contains text, without changing the size of the button', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage(), { type: 'composer-focus' });
    const readSendButtonStyle = (): Promise<unknown> =>
      findButton('Send').evaluate((element) => {
        const { backgroundColor, width, height } = getComputedStyle(element);
        return { backgroundColor, width, height };
      });
    const expectedSize = { width: '24px', height: '24px' };
    expect(await readSendButtonStyle()).toEqual({
      backgroundColor: 'rgba(0, 0, 0, 0)',
      ...expectedSize,
    });
    await page.keyboard.type('W');
    const buttonColor = await page.evaluate(() => {
      const sample = document.createElement('p');
      sample.style.color = 'var(--vscode-button-background)';
      document.body.append(sample);
      return getComputedStyle(sample).color;
    });
    expect(await readSendButtonStyle()).toEqual({ backgroundColor: buttonColor, ...expectedSize });
  });

  test('show a border around inline code in the dark high contrast theme, as VS Code does', async () => {
    page = await openPage({ browser, server });
    const text = 'Call `readToken` first.';
    await sendToChat(page, createStateSetMessage({ messages: [createMessageView({ text })] }));
    const readBorderColor = (): Promise<string> =>
      page.getByText('readToken').evaluate((code) => getComputedStyle(code).borderTopColor);
    expect(await readBorderColor()).toBe('rgba(0, 0, 0, 0)');
    await setTheme(page, 'hc-dark');
    expect(await readBorderColor()).toBe('rgb(111, 195, 223)');
  });

  test.each([13, 26])(
    'with a font of %i pixels, show inline code and controls at 11/13 of the font size',
    async (fontSize) => {
      page = await openPage({ browser, server });
      const text = 'Call `readToken` first.';
      await sendToChat(
        page,
        createStateSetMessage({
          messages: [createRequestView('u1', 'Hi'), createMessageView({ text })],
        }),
      );
      await page.evaluate(
        (size) => document.documentElement.style.setProperty('--vscode-font-size', `${size}px`),
        fontSize,
      );
      const readFontSize = (locator: Locator): Promise<string> =>
        locator.evaluate((element) => getComputedStyle(element).fontSize);
      expect(await readFontSize(page.getByText('Call'))).toBe(`${fontSize}px`);
      const smallSize = `${(fontSize * 11) / 13}px`;
      for (const locator of [
        page.getByText('readToken'),
        page.getByRole('combobox', { name: 'Model', exact: true }),
        findButton('Mode: Agent'),
        findButton('Permissions: Apply edits'),
      ])
        expect(await readFontSize(locator)).toBe(smallSize);
    },
  );

  test('retry an answer with the model that the user chooses', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }));
    await getTranscript().getByRole('article', { name: 'Assistant' }).hover();
    await findButton('Retry with another model').click();
    const list = page.getByRole('dialog', { name: 'Retry with another model' });
    await list.waitFor();
    await sendToChat(page, {
      type: 'model-list',
      models: [createModelView(), createModelView({ id: 'tide-2', name: 'Tide 2' })],
      stale: null,
      loading: false,
      retryAt: null,
      privateOnly: false,
    });
    await list.getByRole('option').filter({ hasText: 'Tide 2' }).click();
    expect(await getLastPostedMessage()).toEqual({
      type: 'turn-retry',
      messageId: answeredMessages.at(-1)?.id,
      model: 'tide-2',
    });
    await openModelPicker();
    await page.keyboard.press('Enter');
    expect(await getLastPostedMessage()).toMatchObject({ type: 'model-select' });
  });

  test('suggest the open file as a dashed chip, and attach the file on one click', async () => {
    page = await openPage({ browser, server, width: 300 });
    const attachedFiles = [
      {
        id: 'f1',
        kind: 'file' as const,
        label: 'src/tide.ts',
        tokens: 12,
        preview: '',
        bytes: null,
        thumbnail: null,
      },
    ];
    await sendToChat(page, createStateSetMessage({ activeFile: 'src/tide.ts' }));
    const attachButton = findButton('Attach src/tide.ts');
    expect(await attachButton.innerText()).toBe('tide.ts');
    const { borderTopStyle, height } = await attachButton.evaluate((element) =>
      getComputedStyle(element),
    );
    expect([borderTopStyle, height]).toEqual(['dashed', '24px']);
    await attachButton.click();
    expect(await getLastPostedMessage()).toEqual({
      type: 'active-file-attach',
      label: 'src/tide.ts',
    });
    await sendToChat(page, { type: 'attachments-change', attachments: attachedFiles });
    expect(await attachButton.count()).toBe(0);
    await sendToChat(page, { type: 'active-file-change', activeFile: 'src/other.ts' });
    await findButton('Attach src/other.ts').waitFor();
    await sendToChat(page, { type: 'active-file-change', activeFile: null });
    await findButton('Attach src/other.ts').waitFor({ state: 'detached' });
  });

  test('show the model name in a narrow view', async () => {
    page = await openPage({ browser, server, width: 300 });
    const coderModel = createModelView({ name: 'Harbour Coder 12B' });
    await sendToChat(page, createStateSetMessage({ model: coderModel, draft: 'Why?' }));
    const isWhole = await page
      .getByText('Harbour Coder 12B')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
    expect(isWhole).toBe(true);
  });

  test('switch the mode on Ctrl+.', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage(), { type: 'composer-focus' });
    await page.keyboard.press('Control+.');
    expect(await getLastPostedMessage()).toEqual({ type: 'mode-select', mode: 'ask' });
    await sendToChat(page, { type: 'mode-change', mode: 'ask', toolsOff: null });
    await findButton('Mode: Ask').waitFor();
    await page.keyboard.press('Control+.');
    expect(await getLastPostedMessage()).toEqual({ type: 'mode-select', mode: 'plan' });
    await sendToChat(page, { type: 'mode-change', mode: 'plan', toolsOff: null });
    await findButton('Mode: Plan').waitFor();
    await page.keyboard.press('Control+.');
    expect(await getLastPostedMessage()).toEqual({ type: 'mode-select', mode: 'agent' });
  });
});

describe('the notice about edits', () => {
  test.each(['Change', 'Close'])(
    'posts the answer when the user presses Enter on the button %s',
    async (name) => {
      page = await openPage({ browser, server });
      await sendToChat(page, createStateSetMessage({ editsNotice: true }));
      await page.getByText('Edits land at once and wait for your review').waitFor();
      await findButton(name).press('Enter');
      expect(await getLastPostedMessage()).toEqual({
        type: 'edits-notice-answer',
        answer: name.toLowerCase(),
      });
    },
  );

  test('fits into a narrow view, and disappears after the user answers', async () => {
    page = await openPage({ browser, server, width: 300 });
    await sendToChat(page, createStateSetMessage({ editsNotice: true }));
    const closeButtonBox = await getBoundingBox(findButton('Close'));
    expect(closeButtonBox.x + closeButtonBox.width).toBeLessThanOrEqual(300);
    await sendToChat(page, { type: 'edits-notice-change', isShown: false });
    await findButton('Change').waitFor({ state: 'detached' });
  });
});

describe('a turn with several model answers', () => {
  const createAnswer = (index: number): MessageView =>
    createMessageView({
      id: `r${index}`,
      toolCalls: [createToolCallView({ target: `src/${index}.ts` })],
    });
  const answers = [0, 1, 2, 3, 4].map(createAnswer);
  const findAssistantMessages = (): Locator => page.getByRole('article', { name: 'Assistant' });

  test('is shown as one answer with one footer, without gaps, and with consecutive read calls in one row', async () => {
    page = await openPage({ browser, server });
    const lastMessage = createMessageView({ id: 'last', text: 'Done' });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Read'), ...answers, lastMessage],
      }),
    );
    expect(await findButton('Copy').count()).toBe(2);
    expect(await findAssistantMessages().count()).toBe(2);
    await findButton('Read 5 files').press('Enter');
    expect(await findAssistantMessages().count()).toBe(6);
    // The browser lays out new rows in a later frame.
    await page.waitForFunction(() => {
      const tops = [...document.querySelectorAll('.tool-row')].map(
        (row) => row.getBoundingClientRect().top,
      );
      return tops.length > 1 && tops.every((top, index) => top === tops[0]! + 24 * index);
    });
    await findButton('Read 5 files').press('Enter');
    expect(await page.locator('.tool-row').count()).toBe(1);
  });

  test('is announced to screen readers once, and does not scroll the transcript after the user scrolled up', async () => {
    page = await openPage({ browser, server });
    const workingAnswer = { ...createAnswer(0), status: 'working' as const };
    const messages = [
      ...createConversationMessages(60),
      createRequestView('u1', 'Read'),
      workingAnswer,
    ];
    await sendToChat(page, createStateSetMessage({ messages, streaming: workingAnswer.id }));
    await getTranscript().hover();
    await page.mouse.wheel(0, -600);
    await findButton('Jump to latest').waitFor();
    await sendToChat(page, { type: 'work-end', messageId: workingAnswer.id, status: 'complete' });
    expect(await page.getByRole('status').innerText()).toBe('');
    const nextMessage = createMessageView({ id: 'next', status: 'streaming', text: 'Hello.' });
    await sendToChat(page, { type: 'message-put', message: nextMessage });
    expect(await page.getByRole('status').innerText()).toBe('');
    expect(await findButton('Jump to latest').count()).toBe(1);
    await sendToChat(page, createTurnEndMessage('next'));
    expect(await page.getByRole('status').innerText()).toBe('Answer complete. Hello.');
  });

  test('renders the visible rows of 2,000 edits immediately, and the other rows later', async () => {
    page = await openPage({ browser, server });
    const editAnswers = Array.from({ length: 2_000 }, (_, index) =>
      createMessageView({
        id: `e${index}`,
        toolCalls: [
          createToolCallView({ name: 'edit_file', target: `src/${index}.ts`, readOnly: false }),
        ],
      }),
    );
    await sendToChat(
      page,
      createStateSetMessage({ messages: [createRequestView('u1', 'Edit'), ...editAnswers] }),
    );
    expect(await findButton('src/1999.ts').isVisible()).toBe(true);
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
    await page.waitForFunction(() => document.querySelectorAll('.tool-row').length === 2_000);
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
  });

  test('opens the target of a row, and shows the arguments and output of its call', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createStateSetMessage({ messages: [createRequestView('u1', 'Read'), createAnswer(0)] }),
    );
    const ids = { messageId: 'r0', callId: 't1' };
    await findButton('src/0.ts').click();
    expect(await getLastPostedMessage()).toEqual({ type: 'tool-open', ...ids });
    await findButton('Details of Read src/0.ts').press('Enter');
    expect(await getLastPostedMessage()).toEqual({ type: 'tool-output-request', ...ids });
    const output = 'line\n'.repeat(200);
    await sendToChat(page, {
      type: 'tool-output',
      ...ids,
      arguments: '{"path":"src/0.ts"}',
      output,
    });
    const details = page.getByRole('group', { name: 'Details of Read src/0.ts' });
    expect((await getBoundingBox(details)).height).toBeLessThanOrEqual(300);
    expect(await details.innerText()).toContain('{"path":"src/0.ts"}');
    await page.getByText('Read', { exact: true }).last().click();
    expect(await details.count()).toBe(0);
  });
});

describe('formulas', () => {
  const formulaText = String.raw`The sum $a_1 + b$ costs $5 or more:

$$
\frac{a}{b} = ${Array.from({ length: 60 }, (_, index) => `x_{${index}}`).join(' + ')}
$$

The ***end***.`;

  test('are rendered by KaTeX in its fonts, and can be scrolled by keyboard if wide', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createMessageView({ role: 'assistant', text: formulaText })],
      }),
    );
    await page.waitForFunction(() => document.querySelectorAll('.formula .katex').length === 2);
    expect(await page.locator('.formula').count()).toBe(2);
    await page.evaluate(() => document.fonts.ready);
    const fontFamilies = await page.evaluate(() =>
      [...document.fonts].flatMap((font) => (font.status === 'loaded' ? [font.family] : [])),
    );
    expect(fontFamilies).toEqual(expect.arrayContaining(['KaTeX_Main', 'KaTeX_Math']));
    const wideFormula = page.getByRole('group', { name: 'Formula' });
    expect(await wideFormula.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(
      true,
    );
    expect(await page.locator('.formula[tabindex]').count()).toBe(1);
    expect(
      await page
        .locator('.formula:not(.display)')
        .evaluate(
          (element) =>
            getComputedStyle(element.querySelector('.katex-html')!).color ===
            getComputedStyle(element.closest('p')!).color,
        ),
    ).toBe(true);
    for (const theme of themeNames) {
      await setTheme(page, theme);
      expect(await findPageProblems(page, { rules: disabledRules, checkedRules: 'all' })).toEqual(
        [],
      );
    }
  });

  test('are copied as their source', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createMessageView({ role: 'assistant', text: formulaText })],
      }),
    );
    await page.waitForFunction(() => document.querySelectorAll('.formula .katex').length === 2);
    const copiedText = await page.evaluate(() => {
      const [first, last] = [...document.querySelectorAll('.markdown p')].flatMap(
        (element, index, elements) =>
          index === 0 || index === elements.length - 1 ? [element] : [],
      );
      document.getSelection()!.setBaseAndExtent(first!, 0, last!, last!.childNodes.length);
      const data = new DataTransfer();
      const event = new ClipboardEvent('copy', {
        clipboardData: data,
        bubbles: true,
        cancelable: true,
      });
      first!.dispatchEvent(event);
      return data.getData('text/plain');
    });
    expect(copiedText).toBe(formulaText.replace('***end***', 'end'));
  });
});

test('a long table is copied with tabs between cells and line breaks between rows', async () => {
  page = await openPage({ browser, server });
  const cells = Array.from({ length: 150 }, (_, row) => [`a${row}`, `b ${row}`, `c${row}`]);
  const rowsText = cells.map((cellTexts) => `| ${cellTexts.join(' | ')} |`).join('\n');
  const text = `start\n\n| A | B | C |\n|---|---|---|\n${rowsText}\n\nend`;
  await sendToChat(
    page,
    createStateSetMessage({ messages: [createMessageView({ role: 'assistant', text })] }),
  );
  await page.locator('table.long tr').nth(150).waitFor();
  const copySelection = (selector: string, lastSelector = selector): Promise<string> =>
    page.evaluate(
      ([from, to]) => {
        const first = document.querySelector(from!)!;
        const end = [...document.querySelectorAll(to!)].at(-1)!;
        document.getSelection()!.setBaseAndExtent(first, 0, end, end.childNodes.length);
        const data = new DataTransfer();
        const options = { clipboardData: data, bubbles: true, cancelable: true };
        first.dispatchEvent(new ClipboardEvent('copy', options));
        return data.getData('text/plain');
      },
      [selector, lastSelector],
    );
  const tabbedRows = cells.map((cellTexts) => cellTexts.join('\t'));
  const tableText = [`A\tB\tC`, ...tabbedRows].join('\n');
  expect((await copySelection('.markdown p')).trim().split(/\n+/u)).toEqual([
    'start',
    ...tableText.split('\n'),
    'end',
  ]);
  expect(await copySelection('table.long th', 'table.long td')).toBe(tableText);
  expect(await copySelection('tbody:nth-of-type(2) td', 'tbody:nth-of-type(2) td')).toBe(
    tabbedRows.slice(64, 128).join('\n'),
  );
  expect(
    await copySelection('tbody tr:nth-child(3) td', 'tbody:nth-of-type(1) tr:nth-child(3) td'),
  ).toBe(tabbedRows[2]);
});

test('a transcript of 120 messages has no accessibility problems before and after the user scrolls through all messages', async () => {
  page = await openPage({ browser, server });
  const messages = Array.from({ length: 60 }, (_, turn) => [
    createRequestView(`u${turn}`, `Question ${turn}`),
    createMessageView({
      id: `a${turn}`,
      text: turn % 6 === 0 ? answerText : `Answer ${turn}`,
      reasoning: turn % 3 === 0 ? 'The file was read before.' : '',
      toolCalls: turn % 4 === 0 ? [createToolCallView({ id: `t${turn}` })] : [],
      stats: turn % 5 === 0 ? null : answerStats,
      branch: turn % 6 === 0 ? { index: 1, count: 2 } : { index: 0, count: 1 },
      status: turn % 7 === 6 ? 'stopped' : 'complete',
    }),
  ]).flat();
  const allChanges = [0, 30, 59].map((turn) => createChangesView({ turnId: `u${turn}` }));
  await sendToChat(page, createStateSetMessage({ messages, changes: allChanges }));
  const articles = getTranscript().getByRole('article');
  await articles.nth(messages.length - 1).waitFor();
  // A wide code block becomes a tab stop when the browser renders its message, which happens near the visible part.
  const rules = { ...disabledRules, 'scrollable-region-focusable': { enabled: false } };
  expect(await findPageProblems(page, { rules })).toEqual([]);
  const codeBlocks = page.getByRole('log').locator('pre');
  await expect.poll(() => codeBlocks.count()).toBe(10);
  for (let index = 9; index >= 0; index -= 1) {
    await codeBlocks.nth(index).scrollIntoViewIfNeeded();
    await codeBlocks.nth(index).and(page.locator('[tabindex]')).waitFor();
  }
  expect(await findPageProblems(page, { rules: disabledRules })).toEqual([]);
  expect(await articles.count()).toBe(messages.length);
});

test('a long numbered list is a single list with correct numbers for axe, assistive technology and copied text', async () => {
  page = await openPage({ browser, server });
  const items = Array.from({ length: 200 }, (_, index) => `item ${index}`);
  const text = items.map((item, index) => `${index + 3}. ${item}`).join('\n');
  await sendToChat(
    page,
    createStateSetMessage({
      messages: [createRequestView('u1', 'Hi'), createMessageView({ text })],
    }),
  );
  await page.locator('.markdown ol .item-group').nth(2).waitFor();
  const session = await page.context().newCDPSession(page);
  const listNodes = async (role: string) => {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes.filter((node) => !node.ignored && node.role?.value === role);
  };
  for (const index of [63, 64, 130, 199]) {
    await page.getByRole('listitem').nth(index).scrollIntoViewIfNeeded();
    await expect
      .poll(async () => (await listNodes('ListMarker')).map(({ name }) => name?.value.trim()))
      .toContain(`${index + 3}.`);
  }
  await page.evaluate(() => document.body.classList.add('vscode-using-screen-reader'));
  expect(await findPageProblems(page, { rules: disabledRules })).toEqual([]);
  await expect.poll(async () => (await listNodes('listitem')).length).toBe(items.length);
  const lists = (await listNodes('list')).filter(({ childIds }) => (childIds?.length ?? 0) > 0);
  expect(lists).toHaveLength(1);
  const copiedText = await page.evaluate(() => {
    document.getSelection()!.selectAllChildren(document.querySelector('.markdown ol')!);
    return document.getSelection()!.toString();
  });
  expect(copiedText.split(/\n+/u)).toEqual(items);
});

describe('the transcript', () => {
  test('shows the button "Jump to latest" below the visible messages', async () => {
    page = await openPage({ browser, server, width: 300 });
    await sendToChat(page, createStateSetMessage({ messages: createConversationMessages(60) }));
    await getTranscript().hover();
    await page.mouse.wheel(0, -600);
    const buttonBox = await getBoundingBox(findButton('Jump to latest'));
    const transcriptBox = await getBoundingBox(getTranscript());
    expect(buttonBox.y).toBeGreaterThanOrEqual(transcriptBox.y + transcriptBox.height);
  });

  test('follows the end of a streamed answer until the user scrolls up', async () => {
    page = await openStreamingChat();
    for (let index = 0; index < 30; index++) await sendDelta(`Line ${index}\n\n`);
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
    await getTranscript().hover();
    await page.mouse.wheel(0, -300);
    await findButton('Jump to latest').waitFor();
    const top = await getTranscript().evaluate(({ scrollTop }) => scrollTop);
    for (let index = 0; index < 30; index++) await sendDelta(`More ${index}\n\n`);
    expect(await getTranscript().evaluate(({ scrollTop }) => scrollTop)).toBe(top);
    await findButton('Jump to latest').click();
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
    await findButton('Jump to latest').waitFor({ state: 'hidden' });
    await sendDelta('The end\n\n');
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
  });

  test('keeps the scroll position of each conversation, including after a reload', async () => {
    page = await openPage({ browser, server });
    const firstMessage = createStateSetMessage({ messages: createConversationMessages(200) });
    const secondMessage = createStateSetMessage({
      messages: createConversationMessages(40),
      conversation: { id: 'c2', title: '' },
    });
    await sendToChat(page, firstMessage);
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
    await getTranscript().hover();
    await page.mouse.wheel(0, -2_000);
    await findButton('Jump to latest').waitFor();
    await getTranscript().evaluate(waitForScrollEnd);
    const anchor = await findFirstVisibleMessage();
    await sendToChat(page, secondMessage);
    expect(await measureDistanceFromEnd()).toBeLessThanOrEqual(1);
    await sendToChat(page, firstMessage);
    expectSameAnchor(await findFirstVisibleMessage(), anchor);
    await page.reload();
    await page.waitForFunction(() => Reflect.get(globalThis, 'posted').length > 0);
    await sendToChat(page, firstMessage);
    expectSameAnchor(await findFirstVisibleMessage(), anchor);
  });

  test('renders a thousand messages immediately, and updates only the message that streams', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage({ messages: createConversationMessages(1_000) }));
    await page.evaluate(() => {
      const changedNodes = new Set<Node>();
      Reflect.set(globalThis, 'changedNodes', changedNodes);
      new MutationObserver((records) => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          changedNodes.add(element?.closest('article') ?? target);
        }
      }).observe(document.querySelector('[role=log]')!, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    // Wait until idle time has formatted the distant content, so that formatting does not count as an update.
    await page.waitForFunction(() => document.querySelectorAll('.assistant > .plain').length === 0);
    await sendToChat(page, {
      type: 'message-put',
      message: createMessageView({ id: 'last', status: 'streaming' }),
    });
    await page.evaluate(() => Reflect.get(globalThis, 'changedNodes').clear());
    for (let index = 0; index < 10; index++) await sendDelta(`Line ${index}\n`, 'last');
    expect(
      await page.evaluate(() =>
        [...Reflect.get(globalThis, 'changedNodes')].map((element) => element.id),
      ),
    ).toEqual(['last']);
  });
});

describe('a long conversation', () => {
  const paragraph = 'The parser reads the file once, and then decides which of its tokens matter. ';
  const texts = [
    paragraph.repeat(9),
    answerText,
    Array.from({ length: 9 }, (_, index) => `- **${index}** ${paragraph.repeat(index / 3)}`).join(
      '\n',
    ),
    `| Name | Meaning |\n|---|---|\n${`| \`option\` | ${paragraph} |\n`.repeat(6)}`,
  ];
  const createTurns = (count: number): MessageView[] =>
    Array.from({ length: count }, (_, index) => [
      createRequestView(`u${index}`, paragraph.repeat(1 + (index % 5))),
      createMessageView({ id: `a${index}`, text: texts[index % texts.length] ?? '' }),
    ]).flat();

  test.each([320, 400, 800])(
    'has an estimated scroll height within 10 percent of the real height in a panel of %i pixels',
    async (width) => {
      page = await openPage({ browser: sharedBrowser, server, width });
      await sendToChat(page, createStateSetMessage({ messages: createTurns(250) }));
      const measureHeight = (): Promise<number> =>
        getTranscript().evaluate(({ scrollHeight }) => scrollHeight);
      const estimatedHeight = await measureHeight();
      await page.evaluate(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('#app * { content-visibility: visible !important }');
        document.adoptedStyleSheets = [sheet];
      });
      await page.waitForFunction(() => !document.querySelector('.assistant > .plain'));
      const realHeight = await measureHeight();
      expect(estimatedHeight / realHeight).toBeGreaterThan(0.9);
      expect(estimatedHeight / realHeight).toBeLessThan(1.1);
      await page.close();
      page = await openPage({ browser, server });
    },
  );

  test('is completely contained in the accessibility tree', async () => {
    const accessibleBrowser = await launchBrowser(['--force-renderer-accessibility']);
    try {
      const openedPage = await openPage({ browser: accessibleBrowser, server });
      await sendToChat(openedPage, createStateSetMessage({ messages: createTurns(100) }));
      await openedPage.waitForFunction(() => !document.querySelector('.assistant > .plain'));
      const session = await openedPage.context().newCDPSession(openedPage);
      const countNodes = async (role: string): Promise<number> => {
        const { nodes } = await session.send('Accessibility.getFullAXTree');
        return nodes.filter((node) => !node.ignored && node.role?.value === role).length;
      };
      await expect.poll(() => countNodes('article')).toBe(200);
      await expect.poll(() => countNodes('table')).toBe(50);
      await expect.poll(() => countNodes('listitem')).toBe(25 * 9 + 25 * 3);
    } finally {
      await accessibleBrowser.close();
    }
    page = await openPage({ browser, server });
  });
});

describe('the diagrams in a chat', () => {
  const createMermaidFence = (source: string): string => `\`\`\`mermaid\n${source}\n\`\`\`\n\n`;
  const findImages = (): Locator => page.locator('.diagram img');
  const measureWidths = (): Promise<number[]> =>
    findImages().evaluateAll((elements) =>
      elements.map((image) => (image as HTMLImageElement).naturalWidth),
    );
  const showAnswer = async (text: string, imageCount: number): Promise<void> => {
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Draw'), createMessageView({ text })],
      }),
    );
    await findImages()
      .nth(imageCount - 1)
      .waitFor();
    await page.waitForFunction(() =>
      [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
    );
  };

  test('show each diagram type as an image, and an invalid diagram as its source', async () => {
    page = await openPage({ browser, server });
    const sources = Object.values(diagrams).map(({ source }) => source);
    const invalidDiagram = 'graph TD\nA[Broken] --> B\nA --';
    await showAnswer([invalidDiagram, ...sources].map(createMermaidFence).join(''), sources.length);
    expect(await measureWidths()).toHaveLength(5);
    expect(Math.min(...(await measureWidths()))).toBeGreaterThan(100);
    expect(await page.locator('pre:visible').allInnerTexts()).toEqual([
      expect.stringContaining('A[Broken]'),
    ]);
    const [name] = await findImages().evaluateAll((images) =>
      images.map((image) => (image as HTMLImageElement).alt),
    );
    expect(name).toMatch(/^Diagram: Start, Is it valid\?, /u);
    expect(await findPageProblems(page, { rules: disabledRules, checkedRules: 'all' })).toEqual([]);
    for (const width of [250, 400]) {
      await page.setViewportSize({ width, height: 640 });
      await waitForPaint(page);
      expect({ width, wide: await findClippedElements() }).toEqual({ width, wide: [] });
    }
  });

  test.each([
    [
      'a flowchart with a loop',
      'flowchart TD\nA[Plan] --> B[Edit] --> C[Test]\nC -->|fails| B\nC --> D[Ship] --> A',
      ['Plan', 'Edit', 'Test', 'Ship'],
    ],
    [
      'a flowchart whose first node is declared last',
      'flowchart TD\nB[Check] --> C[Repair] --> B\nA[Start] --> B',
      ['Start', 'Check', 'Repair'],
    ],
    [
      'a loop within a group of a flowchart',
      'flowchart TD\nA[Start] --> B\nsubgraph Work\nB[Read] --> C[Check] --> D[Write]\nend\nD --> B\nD --> C',
      ['Start', 'Read', 'Check', 'Write'],
    ],
    [
      'a state diagram with a loop',
      'stateDiagram-v2\n[*] --> Still\nStill --> Moving\nMoving --> Still\nMoving --> Crash\nCrash --> Still',
      ['Still', 'Moving', 'Crash'],
    ],
  ])(
    'place the nodes of %s from top to bottom in the order in which arrows first reach them',
    async (_, source, nodeLabels) => {
      page = await openPage({ browser, server });
      await showAnswer(createMermaidFence(source), 1);
      const svgText = decodeURIComponent((await findImages().getAttribute('src')) ?? '');
      const drawnLabels = [...svgText.matchAll(/<text x="[\d.]+" y="([\d.]+)"[^>]*>([^<]*)</gu)]
        .toSorted(([, top], [, otherTop]) => Number(top) - Number(otherTop))
        .map(([, , label = '']) => label)
        .filter((label) => nodeLabels.includes(label));
      expect(drawnLabels).toEqual(nodeLabels);
    },
  );

  test('let the user show, copy and search the source by keyboard', async () => {
    page = await openPage({ browser, server });
    await showAnswer(createMermaidFence('graph TD\nA --> B'), 1);
    await findButton('Show source').focus();
    await page.keyboard.press('Enter');
    expect(await findImages().isVisible()).toBe(false);
    expect(await page.locator('.code-block pre').innerText()).toContain('A --> B');
    expect(await isFocused(findButton('Show diagram'))).toBe(true);
    await page.keyboard.press('Enter');
    expect(await findImages().isVisible()).toBe(true);
    await page.locator('.code-block').getByRole('button', { name: 'Copy', exact: true }).click();
    expect(JSON.stringify(await getLastPostedMessage())).toContain('graph TD\\nA --> B');
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('A --> B');
    await page.keyboard.press('Enter');
    await page.locator('.code-block pre').waitFor();
  });

  test('can be scrolled if wide, so that their text stays legible', async () => {
    page = await openPage({ browser, server, width: 300 });
    const chainSource = Array.from({ length: 12 }, (_, index) => `n${index}[Number ${index}]`).join(
      ' --> ',
    );
    await showAnswer(createMermaidFence(`graph LR\n${chainSource}`), 1);
    const [naturalWidth = 0] = await measureWidths();
    const imageBox = await getBoundingBox(findImages());
    expect(imageBox.width / naturalWidth).toBeCloseTo(0.7, 1);
    const scroller = page.locator('.diagram');
    expect((await getBoundingBox(scroller)).width).toBeLessThan(300);
    await page.waitForFunction(
      () => document.querySelector('.diagram')?.getAttribute('tabindex') === '0',
    );
  });

  test('change their colors with the theme', async () => {
    page = await openPage({ browser, server });
    await showAnswer(createMermaidFence('graph TD\nA --> B'), 1);
    const getSource = (): Promise<string | null> => findImages().getAttribute('src');
    const darkSource = await getSource();
    await setTheme(page, 'light');
    await page.evaluate(() => (document.body.dataset['vscodeThemeId'] = 'light'));
    await page.waitForFunction(
      (previousSource) =>
        document.querySelector('.diagram img')?.getAttribute('src') !== previousSource,
      darkSource,
    );
    expect(decodeURIComponent((await getSource()) ?? '')).toContain('--bg:#ffffff');
  });
});

test('formulas, diagrams and hostile HTML violate no content security policy while they stream', async () => {
  page = await openPage({ browser, server });
  const count = await page.evaluate(() => {
    const style = document.createElement('style');
    style.textContent = 'body { color: red }';
    document.head.append(style);
    return new Promise((resolve) =>
      document.addEventListener('securitypolicyviolation', () => resolve(null), { once: true }),
    ).then(() => Reflect.get(globalThis, 'violations').splice(0).length);
  });
  // Checks that the page reports violations, because an empty list below would otherwise prove nothing.
  expect(count).toBe(1);
  const sources = Object.values(diagrams).map(({ source }) => `\`\`\`mermaid\n${source}\n\`\`\`\n`);
  const formula = String.raw`$\color{red} a$ \(\href{javascript:steal()}{b}\) $$\htmlStyle{color: red}{c}$$`;
  const parts = payloads.map((payload, index) => [payload, sources[index % 16] ?? formula]);
  await sendToChat(page, createStateSetMessage({ messages: [createRequestView('u1', 'Hi')] }));
  await sendToChat(page, {
    type: 'message-put',
    message: createMessageView({ status: 'streaming' }),
  });
  const deltas = parts
    .flat()
    .flatMap((part) => `${part}\n\n`.match(/[^]{1,40}/gu) ?? [])
    .map((text) => ({ type: 'text-delta', messageId: 'a1', text, reasoning: '' }) as const);
  for (let index = 0; index < deltas.length; index += 20)
    await sendToChat(page, ...deltas.slice(index, index + 20));
  await sendToChat(page, createTurnEndMessage());
  await page.locator('.formula .katex').first().waitFor();
  await page.locator('.diagram img').nth(sources.length).waitFor();
  await page.waitForFunction(() => customElements.get('vscode-button') !== undefined);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'violations'))).toEqual([]);
});

describe('the chat layout', () => {
  test('has 16 pixels between a request and its answer, with and without visible buttons', async () => {
    page = await openPage({ browser, server });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Hi'), createMessageView({ text: 'Hello' })],
      }),
    );
    const measureGap = async (): Promise<number> => {
      const [upperBox, lowerBox] = [
        await getBoundingBox(page.locator('.request')),
        await getBoundingBox(page.locator('.assistant')),
      ];
      return lowerBox.y - upperBox.y - upperBox.height;
    };
    expect(await measureGap()).toBe(16);
    await page.getByRole('article', { name: 'You' }).hover();
    expect(await measureGap()).toBe(16);
  });

  test.each([
    [250, 'on', 20_000],
    [250, 'on', 96_000],
    [292, 'off', 20_000],
    [292, 'on', 96_000],
    [460, 'on', 96_000],
    [530, 'auto', 96_000],
  ] as const)(
    "at %i pixels, fits the composer's buttons on two lines with web search %s and %i tokens of context",
    async (width, webSearch, usedTokens) => {
      page = await openPage({ browser, server, width });
      const context = { usedTokens, limitTokens: 100_000 };
      const options = { webSearch, changed: true, searchDisabledReason: '', suffix: '' };
      await sendToChat(
        page,
        createStateSetMessage({ messages: answeredMessages, context, options, draft: 'Why?' }),
      );
      const box = await getBoundingBox(page.locator('.composer-box'));
      const model = await getBoundingBox(
        page.getByRole('combobox', { name: 'Model', exact: true }),
      );
      expect(model.width).toBeGreaterThanOrEqual(72);
      for (const selector of ['.web-search', '.context-meter', '.level-button'])
        expect([selector, await page.locator(selector).isVisible()]).toEqual([selector, true]);
      const tops = await page
        .locator('.composer-row > button')
        .evaluateAll((buttons) => buttons.map((element) => element.getBoundingClientRect().top));
      expect(new Set(tops.filter((top) => top > 0)).size).toBe(2);
      for (const name of ['Dictate', 'Send', 'Options, changed']) {
        const { x, width } = await getBoundingBox(findButton(name));
        expect([width, x + width <= box.x + box.width]).toEqual([24, true]);
      }
    },
  );

  test.each([250, 300, 800])('at %i pixels, fits the context view into the page', async (width) => {
    page = await openPage({ browser, server, width });
    const context = { usedTokens: 20_000, limitTokens: 100_000 };
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages, context }));
    await page.getByRole('button', { name: /^Context: /u }).click();
    const view = page.getByRole('dialog', { name: 'Context' });
    await view.waitFor();
    await sendToChat(page, {
      type: 'context-view',
      limitTokens: 100_000,
      cachedTokens: 5_000,
      parts: {
        system: 1_000,
        tools: 2_000,
        instructions: 3_000,
        files: 4_000,
        conversation: 9_000,
      },
      items: ['a', 'b', 'c'].map((name) => ({
        ...{ messageId: 'a1', id: name, tokens: 3_000, isRemoved: name === 'c' },
        label: `Read src/${'deeply/nested/'.repeat(6)}${name}.ts`,
      })),
    });
    await view.getByText('From cache').waitFor();
    const { x, width: viewWidth } = await getBoundingBox(view);
    expect([x >= 0, x + viewWidth <= width]).toEqual([true, true]);
    expect(await view.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    for (const control of await view.getByRole('button').all()) {
      const box = await getBoundingBox(control);
      expect([box.height >= 24, box.x + box.width <= x + viewWidth]).toEqual([true, true]);
    }
  });

  test('has the button New Chat in the editor tab, but not in the side bar', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findButton('Send').waitFor();
    expect(await findButton('New Chat').isVisible()).toBe(false);
    await page.evaluate(() => document.body.classList.add('in-tab'));
    await findButton('New Chat').click();
    expect(await listPostedMessages(page)).toContainEqual({ type: 'conversation-new' });
  });

  test('aligns the model list with the composer at any height', async () => {
    page = await openPage({ browser, server, width: 1_200 });
    await sendToChat(page, createStateSetMessage(), {
      type: 'draft-set',
      text: 'a\n'.repeat(9),
      replace: true,
    });
    await openModelPicker();
    const list = await getBoundingBox(page.getByRole('dialog'));
    const box = await getBoundingBox(page.locator('.composer-box'));
    expect(list.y + list.height + 4).toBe(box.y);
    expect(list.x).toBe(box.x);
  });

  test('shows whole command descriptions in a narrow panel', async () => {
    const commandsScene = scenes.find(({ name }) => name === 'commands')!;
    page = await openScene(commandsScene, { browser, server, width: 250 });
    const words = page.locator('.suggest-words > *');
    expect(await words.count()).toBeGreaterThan(8);
    const clippedTexts = await words.evaluateAll((elements) =>
      elements
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map((element) => element.textContent),
    );
    expect(clippedTexts).toEqual([]);
  });

  test('wraps the usage line only between its items at every width', async () => {
    page = await openPage({ browser, server, width: 250 });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }));
    for (let width = 200; width < 420; width += 20) {
      await page.setViewportSize({ width, height: 640 });
      expect(await page.locator('.usage').evaluate(listWrappedParts)).toEqual([]);
    }
  });

  test('scrolls long lines of code in the code block, or wraps them if the setting is on', async () => {
    page = await openPage({ browser, server, width: 250 });
    await sendToChat(page, createStateSetMessage({ messages: answeredMessages }));
    const measureOverflow = (): Promise<number> =>
      page.locator('pre').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(await measureOverflow()).toBeGreaterThan(0);
    await page.getByRole('group', { name: 'Code, ts' }).focus();
    await sendToChat(page, { type: 'settings-change', wrapCode: true });
    expect(await measureOverflow()).toBe(0);
    // Only a block that scrolls needs the keyboard.
    await expect.poll(() => page.locator('pre[tabindex]').count()).toBe(0);
  });

  test('has no tab stops for short code blocks and tables, and gives headings in answers a lower level than its own headings', async () => {
    page = await openPage({ browser, server, width: 400 });
    const block = '```js\na();\n```\n\n| a |\n|---|\n| b |\n\n';
    const text = `# Title\n\n${block.repeat(30)}\`\`\`js\n${'wide '.repeat(40)}\n\`\`\``;
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Hi'), createMessageView({ text })],
      }),
    );
    await page.getByRole('heading', { name: 'Title', level: 2 }).waitFor();
    const tabStops = page.locator('.markdown :is(pre, .table-scroll)[tabindex]');
    await expect.poll(() => tabStops.count()).toBe(1);
    expect(await findPageProblems(page, { rules: disabledRules })).toEqual([]);
  });

  test('corrects the accessible level of headings that skip a level, so that axe reports nothing', async () => {
    page = await openPage({ browser, server });
    const text = '# Tides\n\n### Causes\n\n- ##### Moon\n\n> #### Sun\n\n## Harbors\n\n#### Kiel\n';
    const messages = [
      createMessageView({ id: 'a1', text }),
      createMessageView({ id: 'a2', text: `###${text}` }),
    ];
    await sendToChat(
      page,
      createStateSetMessage({ messages: [createRequestView('u1', 'Hi'), ...messages] }),
    );
    await page.locator('#a2').getByRole('heading', { name: 'Kiel' }).waitFor();
    expect(await page.locator('#a1 [aria-level]').allInnerTexts()).toEqual(['Moon', 'Harbors']);
    expect(await findPageProblems(page, { rules: disabledRules })).toEqual([]);
  });

  test('causes no layout shift while an answer streams or custom elements load', async () => {
    page = await openPage({ browser, server });
    await page.evaluate(() => {
      Reflect.set(globalThis, 'shifts', []);
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) Reflect.get(globalThis, 'shifts').push(entry);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await sendToChat(
      page,
      createStateSetMessage({
        messages: [createRequestView('u1', 'Hi')],
        account: {
          status: 'needs-attention',
          profile: '',
          address: '',
          message: 'No key',
          actions: [{ action: 'set-key', label: 'Set API Key' }],
        },
      }),
    );
    await page.waitForFunction(() => customElements.get('vscode-button') !== undefined);
    await waitForPaint(page);
    await sendToChat(page, {
      type: 'message-put',
      message: createMessageView({ status: 'streaming' }),
    });
    for (let offset = 0; offset < 300; offset += 20)
      await sendDelta(answerText.slice(offset, offset + 20));
    await sendToChat(page, createTurnEndMessage());
    await waitForPaint(page);
    expect(
      await page.evaluate(() =>
        Reflect.get(globalThis, 'shifts').map(
          (shift: { sources: { node: Element; previousRect: DOMRect; currentRect: DOMRect }[] }) =>
            shift.sources.map(
              ({ node, previousRect, currentRect }) =>
                `${node?.className} ${previousRect.top} → ${currentRect.top}`,
            ),
        ),
      ),
    ).toEqual([]);
  });
});

describe('the protocol of the chat page', () => {
  test('ignores unknown messages, and after invalid deltas requests the state at most once per second', async () => {
    page = await openPage({ browser: sharedBrowser, server, hasFakeClock: true });
    await sendToChat(page, createStateSetMessage());
    await page.evaluate(() => {
      window.postMessage({ type: 'runCommand', command: 'x' }, '*');
      window.postMessage(null, '*');
      window.postMessage({ type: 1 }, '*');
      window.postMessage({ type: 'constructor' }, '*');
    });
    await waitForPaint(page);
    expect(await listPostedMessages(page)).toHaveLength(1);
    await page.clock.runFor(1_000);
    await sendDelta('x', 'unknown');
    await sendDelta('x', 'unknown');
    expect(await listPostedMessages(page)).toEqual([
      { type: 'ready', version: protocolVersion },
      { type: 'ready', version: protocolVersion },
    ]);
  });

  test('ignores messages from a frame of another origin', async () => {
    page = await openPage({ browser: sharedBrowser, server });
    await sendToChat(page, createStateSetMessage());
    await page.evaluate(
      (message) =>
        globalThis.dispatchEvent(
          new MessageEvent('message', { data: message, origin: 'vscode-webview://other' }),
        ),
      createStateSetMessage({ conversation: { id: 'c2', title: 'Forged' } }),
    );
    await waitForPaint(page);
    expect(await page.locator('h1').textContent()).not.toContain('Forged');
  });

  test('keeps a draft if the page reloads before the host receives the draft', async () => {
    page = await openPage({ browser, server });
    await sendToChat(page, createStateSetMessage());
    await findComposer().fill('half a thought');
    await page.reload();
    await page.waitForFunction(() => Reflect.get(globalThis, 'posted').length > 0);
    await sendToChat(page, createStateSetMessage());
    expect(await findComposer().inputValue()).toBe('half a thought');
  });
});

/**
 * Returns the start of the HTML of each element that extends beyond the right edge of the page. Excludes elements that
 * can be scrolled, and elements whose text ends with an ellipsis.
 */
const findClippedElements = (): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('#app *')]
      .filter(
        (element) => !element.closest('.visually-hidden, pre, .diagram, .formula, table, bdi'),
      )
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120)),
  );

async function getBoundingBox(
  locator: Locator,
): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('Not on the screen');
  return box;
}

/**
 * Returns those parts of an answer's usage line, such as its number of tokens, that wrap onto a second line. The
 * character `·` separates the parts.
 */
function listWrappedParts(element: Element): string[] {
  const textWalker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const problems: string[] = [];
  for (let node = textWalker.nextNode(); node !== null; node = textWalker.nextNode()) {
    for (const part of (node.textContent ?? '').matchAll(/[^·]*[^·\s]/gu)) {
      const range = document.createRange();
      range.setStart(node, part.index + part[0].search(/\S/u));
      range.setEnd(node, part.index + part[0].length);
      if (range.getClientRects().length > 1) problems.push(part[0]);
    }
  }
  return problems;
}

async function openStreamingChat(): Promise<Page> {
  const openedPage = await openPage({ browser, server });
  await sendToChat(
    openedPage,
    createStateSetMessage({
      messages: [
        createRequestView('u1', 'Count'),
        createMessageView({ id: 'a1', status: 'streaming' }),
      ],
      streaming: 'a1',
    }),
  );
  return openedPage;
}

const sendDelta = (text: string, messageId = 'a1'): Promise<void> =>
  sendToChat(page, { type: 'text-delta', messageId, text, reasoning: '' });

const createTurnEndMessage = (messageId = 'a1'): HostMessage => ({
  type: 'turn-end',
  messageId,
  status: 'complete',
  failure: null,
  stats: null,
  toolCalls: [],
});

const createConversationMessages = (length: number) =>
  Array.from({ length }, (_, index) =>
    index % 2 === 0
      ? createRequestView(`u${index}`, `This is question ${index} of the conversation`)
      : createMessageView({
          id: `a${index}`,
          text: `Answer **${index}**\n\n- one\n- two\n\n${'word '.repeat(60)}`,
        }),
  );

/**
 * Resolves when the element has not scrolled for 20 frames, which is longer than the pauses in smooth scrolling. Runs
 * in the page.
 */
const waitForScrollEnd = (element: Element): Promise<void> =>
  new Promise((resolve) => {
    let top = element.scrollTop;
    let frameCount = 0;
    const onFrame = (): void => {
      frameCount = element.scrollTop === top ? frameCount + 1 : 0;
      top = element.scrollTop;
      if (frameCount === 20) resolve();
      else requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  });

interface ScrollAnchor {
  readonly id: string;
  readonly topPx: number;
}

/**
 * Returns the id of the first visible message, and the distance from the top of the transcript to the top of the
 * message, in pixels. The distance is negative if the top of the message is scrolled out of view.
 */
const findFirstVisibleMessage = (): Promise<ScrollAnchor> =>
  getTranscript().evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    const article = [...element.querySelectorAll('article')].find(
      (candidate) => candidate.getBoundingClientRect().bottom > top,
    );
    return {
      id: article?.id ?? '',
      topPx: (article?.getBoundingClientRect().top ?? 0) - top,
    };
  });

/**
 * Checks that two scroll positions are equal. Tolerates two pixels, because line heights can be fractions of a pixel,
 * but the browser scrolls by whole pixels.
 */
function expectSameAnchor(actualAnchor: ScrollAnchor, expectedAnchor: ScrollAnchor): void {
  expect(actualAnchor.id).toBe(expectedAnchor.id);
  expect(Math.abs(actualAnchor.topPx - expectedAnchor.topPx)).toBeLessThanOrEqual(2);
}
