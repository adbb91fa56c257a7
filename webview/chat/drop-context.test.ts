// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { acceptContextDrops, readUriList } from './drop-context.ts';

let root: HTMLElement;
let posted: WebviewMessage[];

beforeEach(() => {
  root = document.createElement('div');
  posted = [];
  acceptContextDrops(root, (message) => posted.push(message));
});

/** @returns whether the page accepts the drop */
function drag(type: 'dragover' | 'drop', data: Readonly<Record<string, string>>): boolean {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const getData = (kind: string): string => data[kind] ?? '';
  Object.assign(event, { dataTransfer: { types: Object.keys(data), getData, dropEffect: 'none' } });
  root.dispatchEvent(event);
  return event.defaultPrevented;
}

test.each([
  ['several', 'file:///a.ts\r\nfile:///b\r\n', ['file:///a.ts', 'file:///b']],
  ['one twice', 'file:///a\nfile:///a', ['file:///a']],
  ['a comment', '# two files\nfile:///a', ['file:///a']],
  ['nothing', '\r\n', []],
  ['a long one', `file:///${'x'.repeat(4_096)}\nfile:///a`, ['file:///a']],
])('reads a list with %s', (_what, text, uris) => {
  expect(readUriList(text)).toEqual(uris);
});

test('limits the list', () => {
  const many = Array.from({ length: 90 }, (_, at) => `file:///${at}`).join('\n');
  expect(readUriList(many)).toHaveLength(50);
});

test('takes what the explorer drags, by its most exact list', () => {
  const data = { 'application/vnd.code.uri-list': 'file:///a', 'text/uri-list': 'https://x/a' };
  expect(drag('dragover', data)).toBe(true);
  expect(root.className).toBe('drop-target');
  expect(drag('drop', data)).toBe(true);
  expect(posted).toEqual([{ type: 'context-drop', uris: ['file:///a'] }]);
  expect(root.className).toBe('');
});

test.each([
  ['text', { 'text/plain': 'file:///a' }],
  ['files from outside', { Files: '', 'text/uri-list': 'file:///a' }],
  ['nothing', {}],
])('leaves %s to others', (_what, data) => {
  expect([drag('dragover', data), drag('drop', data)]).toEqual([false, false]);
  expect(posted).toEqual([]);
});
