// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { acceptContextDrops, readUriList } from './drop-context.ts';

let root: HTMLElement;
let postedMessages: WebviewMessage[];

beforeEach(() => {
  root = document.createElement('div');
  postedMessages = [];
  acceptContextDrops(root, (message) => postedMessages.push(message));
});

/**
 * Dispatches a drag event with the given data by type.
 * @returns true if the page accepts the drop
 */
function dispatchDrag(type: 'dragover' | 'drop', data: Readonly<Record<string, string>>): boolean {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const getData = (kind: string): string => data[kind] ?? '';
  Object.assign(event, { dataTransfer: { types: Object.keys(data), getData, dropEffect: 'none' } });
  root.dispatchEvent(event);
  return event.defaultPrevented;
}

test.each([
  ['several files', 'file:///a.ts\r\nfile:///b\r\n', ['file:///a.ts', 'file:///b']],
  ['a duplicate', 'file:///a\nfile:///a', ['file:///a']],
  ['a comment', '# two files\nfile:///a', ['file:///a']],
  ['only line breaks', '\r\n', []],
  ['an overlong URI', `file:///${'x'.repeat(4_096)}\nfile:///a`, ['file:///a']],
])('readUriList reads from a URI list with %s the URIs $2', (_description, text, uris) => {
  expect(readUriList(text)).toEqual(uris);
});

test('readUriList reads at most 50 URIs', () => {
  const uriList = Array.from({ length: 90 }, (_, index) => `file:///${index}`).join('\n');
  expect(readUriList(uriList)).toHaveLength(50);
});

test('acceptContextDrops accepts files from the Explorer, and prefers the URI list of VS Code to the standard URI list', () => {
  const data = { 'application/vnd.code.uri-list': 'file:///a', 'text/uri-list': 'https://x/a' };
  expect(dispatchDrag('dragover', data)).toBe(true);
  expect(root.className).toBe('drop-target');
  expect(dispatchDrag('drop', data)).toBe(true);
  expect(postedMessages).toEqual([{ type: 'context-drop', uris: ['file:///a'] }]);
  expect(root.className).toBe('');
});

test.each([
  ['plain text', { 'text/plain': 'file:///a' }],
  ['files from outside VS Code', { Files: '', 'text/uri-list': 'file:///a' }],
  ['no data', {}],
])('acceptContextDrops ignores a drop of %s', (_description, data) => {
  expect([dispatchDrag('dragover', data), dispatchDrag('drop', data)]).toEqual([false, false]);
  expect(postedMessages).toEqual([]);
});
