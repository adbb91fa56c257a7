import { expect, test } from 'vitest';
import { fc } from '../../test/support/property.ts';
import { createPostFunction, readHostMessage } from './code-api.ts';

const origin = 'vscode-webview://own';
const pageInfo = { origin, version: 2 };
const stateMessage = { type: 'state-set', version: 2 };

test('readHostMessage returns a message that the outer frame forwards', () => {
  const message = { type: 'text-delta', messageId: 'a1' };
  expect(readHostMessage({ data: message, origin }, pageInfo)).toBe(message);
  expect(readHostMessage({ data: stateMessage, origin }, pageInfo)).toBe(stateMessage);
});

test.each(['vscode-webview://other', 'null', ''])(
  'readHostMessage rejects a message from a frame with the origin "%s"',
  (otherOrigin) => {
    expect(readHostMessage({ data: stateMessage, origin: otherOrigin }, pageInfo)).toBeUndefined();
  },
);

test('readHostMessage rejects a state with another protocol version', () => {
  expect(
    readHostMessage({ data: { ...stateMessage, version: 1 }, origin }, pageInfo),
  ).toBeUndefined();
});

test('readHostMessage rejects values without a type', () => {
  const dataArbitrary = fc.anything({ withNullPrototype: true, withObjectString: true });
  fc.assert(
    fc.property(dataArbitrary, (data) => readHostMessage({ data, origin }, pageInfo) === undefined),
  );
});

test('createPostFunction posts a message to the host unchanged', () => {
  const postedMessages: unknown[] = [];
  const post = createPostFunction({
    postMessage: (message) => postedMessages.push(message),
    getState: () => undefined,
    setState: () => {},
  });
  post(stateMessage);
  expect(postedMessages).toEqual([stateMessage]);
});
