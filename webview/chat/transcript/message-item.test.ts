// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import { maxPromptLength } from '../../../src/chat/protocol/constants.ts';
import { type WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  answeredMessages,
  failureView,
  createMessageView,
  createRequestView,
  createToolCallView,
  answerStats,
} from '../../../test/support/webview-page/chat-states.ts';
import { SavedState } from '../saved-state.ts';
import { MessageItem } from './message-item.ts';
import { createLayouts, type MessageLayout } from './turn-layout.ts';

let postedMessages: WebviewMessage[];
let retriedIds: string[];
let clock: ManualClock;
let savedState: SavedState;

beforeEach(() => {
  postedMessages = [];
  retriedIds = [];
  clock = new ManualClock();
  savedState = new SavedState({
    postMessage: () => {},
    getState: () => undefined,
    setState: () => {},
  });
});

const createLayout = (view: MessageView): MessageLayout =>
  createLayouts([view], { changes: [], openGroupKeys: new Set() })[0]!;

const updateItem = (item: MessageItem, view: MessageView): void =>
  item.update(view, createLayout(view));

function showMessage(view: MessageView, isBeingRead: () => boolean = () => false): MessageItem {
  const item = new MessageItem(view, createLayout(view), {
    post: (message) => postedMessages.push(message),
    clock,
    savedState,
    onEditorToggle: () => {},
    revealPendingCard: () => {},
    onRetryWithModel: (messageId) => retriedIds.push(messageId),
    toggleChanges: () => {},
    isChangesOpen: () => true,
    isBeingRead,
    getImageUrl: (file) => `https://images.test/${file}`,
    getAttachmentUrl: (file) => `https://media.test/${file}`,
    markdown: {
      openLink: () => {},
      code: { copy: () => {}, insert: () => {}, openNewFile: () => {}, apply: () => {} },
      schedule: () => {},
    },
  });
  item.formatCompleteMessage();
  return item;
}

const clickButton = (item: MessageItem, name: string): void => {
  const buttons = [...item.element.querySelectorAll<HTMLElement>('button, vscode-button')];
  const foundButton = buttons.find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent.trim()) === name,
  );
  if (foundButton === undefined) throw new Error(`No button ${name}`);
  foundButton.click();
};

const getItemText = (item: MessageItem): string =>
  item.element.textContent.replaceAll(/\s+/gu, ' ');

test('MessageItem turns the Read Aloud button into a Stop button while the message is being read', () => {
  let isBeingRead = false;
  const item = showMessage(createMessageView({ id: 'a1', text: 'Hello.' }), () => isBeingRead);
  const button = item.element.querySelector('.read');
  const getAriaAttributes = (): unknown =>
    ['aria-label', 'aria-pressed'].map((name) => button?.getAttribute(name));
  expect(getAriaAttributes()).toEqual(['Read Aloud', 'false']);
  isBeingRead = true;
  item.applyLayout(item.layout);
  // The button element is reused, so that it keeps the focus.
  expect(item.element.querySelector('.read')).toBe(button);
  expect(getAriaAttributes()).toEqual(['Stop', 'true']);
  clickButton(item, 'Stop');
  expect(postedMessages).toEqual([{ type: 'speech-start', messageId: 'a1' }]);
});

test('each button of an answer posts the id of the answer', () => {
  const item = showMessage(
    createMessageView({ id: 'a1', text: 'Hi', branch: { index: 1, count: 3 } }),
  );
  for (const name of ['Copy', 'Retry', 'Previous', 'Next']) clickButton(item, name);
  expect(postedMessages).toEqual([
    { type: 'message-copy', messageId: 'a1' },
    { type: 'turn-retry', messageId: 'a1' },
    { type: 'branch-select', messageId: 'a1', index: 0 },
    { type: 'branch-select', messageId: 'a1', index: 2 },
  ]);
  expect(getItemText(item)).toContain('2 / 3');
  clickButton(item, 'Retry with another model');
  expect(retriedIds).toEqual(['a1']);
});

test.each([
  ['does not name', 'one version', 1, false],
  ['names', 'two versions', 2, true],
])('the footer %s the model of an answer with %s', (_result, _versions, count, isNamed) => {
  const item = showMessage(
    createMessageView({
      text: 'Hi',
      model: 'Small',
      stats: answerStats,
      branch: { index: 0, count },
    }),
  );
  expect(item.element.querySelector('.usage')?.textContent.includes('Small')).toBe(isNamed);
});

test('MessageItem does not offer to retry the answer to an /image message with another model', () => {
  const generatedImages = { startedAt: 1, images: [] };
  const item = showMessage(createMessageView({ id: 'a1', text: 'A boat', generatedImages }));
  expect(item.element.querySelector('.retry-with')).toBeNull();
});

test('MessageItem offers to restore the state before a request, but not before an answer', () => {
  clickButton(showMessage(createRequestView('u1', 'Hi')), 'Restore to here');
  expect(postedMessages).toEqual([{ type: 'message-restore', messageId: 'u1' }]);
  const answerItem = showMessage(createMessageView({ id: 'a1', text: 'Hi' }));
  expect(answerItem.element.querySelector('[aria-label="Restore to here"]')).toBeNull();
});

test('MessageItem shows Continue and a single Retry button for an interrupted answer', () => {
  const item = showMessage(createMessageView({ id: 'a1', text: 'Hi', status: 'interrupted' }));
  clickButton(item, 'Continue');
  clickButton(item, 'Retry');
  expect(postedMessages).toEqual([
    { type: 'turn-continue', messageId: 'a1' },
    { type: 'turn-retry', messageId: 'a1' },
  ]);
  expect(item.element.querySelector('[aria-label=Retry]')).toBeNull();
});

test.each([
  ['contains text', 'shows', { text: 'Hi' }],
  ['contains only tool calls', 'shows', { text: '', toolCalls: [createToolCallView()] }],
  ['is empty', 'does not show', { text: '' }],
])('MessageItem, for a stopped answer that %s, %s the Continue button', (_, verb, parts) => {
  const isOffered = verb === 'shows';
  const item = showMessage(createMessageView({ id: 'a1', status: 'stopped', ...parts }));
  expect(getItemText(item)).toContain('Stop');
  expect(getItemText(item).includes('Continue')).toBe(isOffered);
  if (isOffered) clickButton(item, 'Continue');
  expect(postedMessages).toEqual(isOffered ? [{ type: 'turn-continue', messageId: 'a1' }] : []);
});

test('MessageItem reports an edited request that is too long and keeps the text, and sends a shorter text', () => {
  const item = showMessage(createRequestView('u1', 'Hi'));
  clickButton(item, 'Edit');
  const textArea = item.element.querySelector('textarea');
  const write = (text: string): void => {
    if (textArea !== null) textArea.value = text;
    textArea?.dispatchEvent(new Event('input'));
    clickButton(item, 'Send');
  };
  const longText = 'x'.repeat(maxPromptLength + 1);
  write(longText);
  expect(textArea?.value).toBe(longText);
  expect(postedMessages).toEqual([]);
  expect(getItemText(item)).toContain('Too long to send');
  write('short');
  expect(postedMessages).toEqual([{ type: 'message-edit', messageId: 'u1', text: 'short' }]);
});

test('MessageItem restores the edited text of a message after a reload, unless the user canceled the edit', () => {
  const openEditor = (): HTMLTextAreaElement => {
    const item = showMessage(createRequestView('u1', 'Hi'));
    clickButton(item, 'Edit');
    return item.element.querySelector('textarea')!;
  };
  const textArea = openEditor();
  textArea.value = 'Hi there';
  textArea.dispatchEvent(new Event('input'));
  const reloadedTextArea = openEditor();
  expect(reloadedTextArea.value).toBe('Hi there');
  reloadedTextArea.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  expect(openEditor().value).toBe('Hi');
});

describe('a failure', () => {
  test('disappears when the answer continues', () => {
    const item = showMessage(
      createMessageView({ text: 'One', status: 'interrupted', failure: failureView }),
    );
    expect(item.element.querySelector('.failure')).not.toBeNull();
    updateItem(item, createMessageView({ text: 'One', status: 'streaming', failure: null }));
    expect(item.element.querySelector('.failure')).toBeNull();
    expect(getItemText(item)).toContain('One');
  });

  test('shows the error message, the code and the actions', () => {
    const item = showMessage(
      createMessageView({ id: 'a1', status: 'failed', failure: failureView }),
    );
    expect(getItemText(item)).toContain('The account has no credits left.');
    expect(getItemText(item)).toContain('out-of-funds');
    clickButton(item, 'Add credits');
    expect(postedMessages).toEqual([
      { type: 'action-run', messageId: 'a1', action: 'add-credits' },
    ]);
  });

  test('shows a countdown to the next retry', async () => {
    const retryAt = clock.now() + 2_500;
    const item = showMessage(
      createMessageView({ status: 'streaming', failure: { ...failureView, retryAt } }),
    );
    expect(getItemText(item)).toContain('Trying again in 3 s');
    await clock.advance(1_000);
    expect(getItemText(item)).toContain('Trying again in 2 s');
    await clock.advance(2_000);
    expect(getItemText(item)).not.toContain('Trying again');
    expect(clock.pendingTimerCount).toBe(0);
  });

  test('offers Retry only after the time that the service asks to wait', async () => {
    const retryAt = clock.now() + 1_500;
    const actions = [
      { action: 'retry', label: 'Retry' },
      { action: 'choose-model', label: 'Choose another model' },
    ];
    const item = showMessage(
      createMessageView({ status: 'failed', failure: { ...failureView, retryAt, actions } }),
    );
    const readButtonLabels = (): string[] =>
      [...item.element.querySelectorAll('.failure vscode-button')].map((button) =>
        button.textContent.trim(),
      );
    expect(getItemText(item)).toContain('Try again in 2 s');
    expect(readButtonLabels()).toEqual(['Choose another model']);
    await clock.advance(2_000);
    expect(readButtonLabels()).toEqual(['Retry', 'Choose another model']);
  });

  test('shows Retry and the remaining time if the service asks to wait for days', () => {
    const retryAt = clock.now() + 3 * 24 * 3_600_000;
    const item = showMessage(
      createMessageView({
        status: 'failed',
        failure: { ...failureView, retryAt, actions: [{ action: 'retry', label: 'Retry' }] },
      }),
    );
    expect(getItemText(item)).toContain('Try again in 3 days');
    const buttons = [...item.element.querySelectorAll('.failure vscode-button')];
    expect(buttons.map((button) => button.textContent.trim())).toEqual(['Retry']);
    expect(item.element.querySelector('.idle .codicon-refresh')).toBeNull();
  });

  test('stops the countdown timer when the message is disposed', () => {
    const retryAt = clock.now() + 60_000;
    const item = showMessage(
      createMessageView({ status: 'streaming', failure: { ...failureView, retryAt } }),
    );
    expect(clock.pendingTimerCount).toBe(1);
    item.dispose();
    expect(clock.pendingTimerCount).toBe(0);
  });
});

test('MessageItem collapses the reasoning, and shows the text of the reasoning after a click', () => {
  const item = showMessage(answeredMessages[1] ?? createMessageView());
  expect(getItemText(item)).toContain('Thought for 6.2 s');
  expect(getItemText(item)).not.toContain('The person asks');
  item.element.querySelector<HTMLElement>('.fold')?.click();
  expect(getItemText(item)).toContain('The person asks about strings.');
});

test('MessageItem keeps the elements of finished paragraphs while the answer grows', () => {
  const item = showMessage(createMessageView({ text: 'One\n\nTwo\n\nThr', status: 'streaming' }));
  const firstParagraph = item.element.querySelector('.text p');
  updateItem(item, createMessageView({ text: 'One\n\nTwo\n\nThree', status: 'streaming' }));
  expect(firstParagraph?.textContent).toBe('One');
  expect(item.element.querySelector('.text p')).toBe(firstParagraph);
  expect(item.element.querySelector('.text')?.textContent).toContain('Three');
});

test('MessageItem reports the number of invisible characters removed from a request', () => {
  expect(
    getItemText(showMessage(createRequestView('u1', 'Hi', { hiddenCharacters: 1 }))),
  ).toContain('Invisible characters removed before sending: 1');
});

test('MessageItem shows markup in untrusted texts as plain text', () => {
  const hostileText = '<img src=x onerror=alert(1)><script>alert(1)</script>';
  const attachments = [
    {
      id: 'f',
      kind: 'file',
      label: hostileText,
      tokens: 1,
      preview: hostileText,
      bytes: null,
      thumbnail: null,
    },
  ] as const;
  const items = [
    createRequestView('u1', hostileText, { attachments: [...attachments] }),
    createMessageView({
      text: hostileText,
      reasoning: hostileText,
      reasoningMs: 1,
      model: hostileText,
      toolCalls: [
        createToolCallView({
          id: hostileText,
          name: hostileText,
          verb: hostileText,
          target: hostileText,
        }),
      ],
    }),
    createMessageView({
      status: 'failed',
      failure: { ...failureView, title: hostileText, detail: hostileText, code: hostileText },
    }),
  ].map((item) => showMessage(item));
  for (const { element } of items) {
    element.querySelector<HTMLElement>('.fold')?.click();
    expect(element.querySelectorAll('img, script, [onerror]')).toHaveLength(0);
    expect(element.textContent).toContain('<img');
  }
});

describe('a message whose stored file is damaged', () => {
  const damageText = 'Something is missing here. The stored file is damaged.';
  const damageState = { isIncomplete: true } as const;

  test.each<[string, MessageView, string]>([
    ['no question if the question is unreadable', createRequestView('u1', ''), ''],
    ['the question', createRequestView('u1', 'Why?'), 'Why?'],
    ['the answer', createMessageView({ text: 'Because.' }), 'Because.'],
  ])('shows that something is missing, and %s', (_name, view, text) => {
    const item = showMessage({ ...view, ...damageState });
    expect(getItemText(item)).toContain(damageText);
    expect(getItemText(item)).toContain(text);
    expect(item.element.querySelectorAll('.damage')).toHaveLength(1);
    expect(item.element.querySelector('.request') === null).toBe(text !== 'Why?');
    expect(getItemText(showMessage(view))).not.toContain(damageText);
  });
});

test('the Continue button of a failed answer requests an answer from the model that its label names', () => {
  const fallback = { id: 'model-2', name: 'Model Two' };
  const item = showMessage(
    createMessageView({ id: 'a1', status: 'failed', failure: { ...failureView, fallback } }),
  );
  clickButton(item, 'Continue with Model Two');
  expect(postedMessages).toEqual([{ type: 'turn-retry', messageId: 'a1', model: 'model-2' }]);
});

test('MessageItem shows "Generating" if no further text arrives for a second, with one timer', async () => {
  const createAnswer = (text: string, status: MessageView['status'] = 'streaming'): MessageView =>
    createMessageView({ id: 'a1', text, status });
  const item = showMessage(createAnswer(''));
  updateItem(item, createAnswer('The'));
  await clock.advance(600);
  updateItem(item, createAnswer('The tide'));
  expect(clock.pendingTimerCount).toBe(1);
  await clock.advance(900);
  expect(getItemText(item)).not.toContain('Generating');
  await clock.advance(100);
  expect(getItemText(item)).toContain('Generating');
  updateItem(item, createAnswer('The tide rises'));
  expect(getItemText(item)).not.toContain('Generating');
  updateItem(item, createAnswer('The tide rises', 'complete'));
  expect(clock.pendingTimerCount).toBe(0);
});

test('MessageItem offers only Retry if the answer broke off before its first text', () => {
  const listButtonLabels = (view: Partial<MessageView>): string[] =>
    [
      ...showMessage(createMessageView({ id: 'a1', ...view })).element.querySelectorAll(
        '.failure vscode-button, .interrupted vscode-button',
      ),
    ].map(({ textContent }) => textContent.trim());
  const failure = {
    ...failureView,
    actions: [
      { action: 'continue', label: 'Continue' },
      { action: 'retry', label: 'Retry' },
    ],
  };
  expect(listButtonLabels({ text: '', failure })).toEqual(['Retry']);
  expect(listButtonLabels({ text: 'Hi', failure })).toEqual(['Continue', 'Retry']);
  expect(listButtonLabels({ text: '', status: 'interrupted' })).toEqual(['Retry']);
  expect(listButtonLabels({ text: 'Hi', status: 'interrupted' })).toEqual(['Continue', 'Retry']);
});

test('MessageItem offers Continue if an answer without text broke off after tool calls of the same turn', () => {
  const view = createMessageView({ id: 'a2', text: '', status: 'interrupted' });
  const item = showMessage(view);
  item.update(view, { ...createLayout(view), isContinuation: true });
  clickButton(item, 'Continue');
  expect(postedMessages).toEqual([{ type: 'turn-continue', messageId: 'a2' }]);
});

test('MessageItem leaves no timer after its disposal', () => {
  const item = showMessage(createMessageView({ id: 'a1', text: '', status: 'streaming' }));
  updateItem(item, createMessageView({ id: 'a1', text: 'The', status: 'streaming' }));
  expect(clock.pendingTimerCount).toBe(1);
  item.dispose();
  expect(clock.pendingTimerCount).toBe(0);
});
