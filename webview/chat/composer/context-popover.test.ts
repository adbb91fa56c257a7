// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { ContextViewMessage } from '../../../src/chat/protocol/view-state.ts';
import { ContextPopover } from './context-popover.ts';

const attachmentItem = {
  messageId: 'q1',
  id: 'f1',
  label: 'src/tide.ts',
  tokens: 4_000,
  isRemoved: false,
};
const createView = (change: Partial<ContextViewMessage> = {}): ContextViewMessage => ({
  type: 'context-view',
  limitTokens: 100_000,
  cachedTokens: 0,
  parts: { system: 1_000, tools: 2_000, instructions: 3_000, files: 4_000, conversation: 10_000 },
  items: [
    attachmentItem,
    { ...attachmentItem, messageId: null, id: '', label: 'AGENTS.md', tokens: 3_000 },
  ],
  ...change,
});

let postedMessages: WebviewMessage[];
let opener: HTMLButtonElement;
let popover: ContextPopover;

beforeEach(() => {
  postedMessages = [];
  opener = document.createElement('button');
  popover = new ContextPopover(
    (message) => postedMessages.push(message),
    () => 'c1',
  );
  document.body.replaceChildren(popover.element, opener);
  opener.focus();
  popover.toggle();
  popover.show(createView());
});

const readRows = (selector: string): string[] =>
  [...popover.element.querySelectorAll(`${selector} > li`)].map(({ textContent }) => textContent);

const findButton = (label: string): HTMLButtonElement => {
  const button = popover.element.querySelector<HTMLButtonElement>(`[aria-label="${label}"]`);
  if (button === null) throw new Error(`There is no button ${label}.`);
  return button;
};

test('ContextPopover requests the sizes when it opens, and shows each part with its share of the context', () => {
  expect(postedMessages).toEqual([{ type: 'context-view-request' }]);
  expect(popover.element.textContent).toContain('Context: 20k of 100k tokens, 20 %');
  expect(readRows('.context-parts')).toEqual([
    'System prompt1k · 1 %',
    'Tools2k · 2 %',
    'Instructions3k · 3 %',
    'Files4k · 4 %',
    'Conversation10k · 10 %',
  ]);
});

test('ContextPopover shows the cached part of the last request', () => {
  popover.show(createView({ cachedTokens: 5_000 }));
  expect(readRows('.context-parts').at(-1)).toBe('From cache5k · 5 %');
});

test('ContextPopover shows each part’s share of the request if the context size is unknown', () => {
  popover.show(createView({ limitTokens: null }));
  expect(popover.element.textContent).toContain('20k tokens');
  expect(readRows('.context-parts')[4]).toBe('Conversation10k · 50 %');
});

test('ContextPopover removes an item, and turns its Remove button into an Undo button that keeps the focus', () => {
  findButton('Remove src/tide.ts').focus();
  findButton('Remove src/tide.ts').click();
  const removeMessage = { type: 'context-remove', messageId: 'q1', item: 'f1' };
  expect(postedMessages.at(-1)).toEqual({ ...removeMessage, isRemoved: true });
  popover.show(createView({ items: [{ ...attachmentItem, isRemoved: true }] }));
  expect(document.activeElement).toBe(findButton('Undo: src/tide.ts'));
  findButton('Undo: src/tide.ts').click();
  expect(postedMessages.at(-1)).toEqual({ ...removeMessage, isRemoved: false });
});

test('ContextPopover has no Remove button for instruction files', () => {
  expect(popover.element.querySelectorAll('.context-items button')).toHaveLength(1);
});

test('ContextPopover sends the command /compact, and closes', () => {
  popover.element.querySelector<HTMLButtonElement>('[data-key=compact]')?.click();
  expect(postedMessages.at(-1)).toEqual({
    type: 'message-send',
    conversationId: 'c1',
    text: '/compact',
  });
  expect(popover.element.hidden).toBe(true);
  expect(document.activeElement).toBe(opener);
});

test('ContextPopover requests new sizes only while it is open, and closes on Escape', () => {
  popover.requestTokenCounts();
  expect(postedMessages).toHaveLength(2);
  popover.element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  expect(popover.element.hidden).toBe(true);
  popover.requestTokenCounts();
  popover.show(createView());
  expect(postedMessages).toHaveLength(2);
  expect(popover.element.textContent).toBe('');
});
