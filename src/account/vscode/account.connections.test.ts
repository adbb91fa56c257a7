import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import { Connections } from './account.ts';

/** Creates a state in memory. */
function createState(value: unknown): vscode.Memento {
  let stored = value;
  const state: Pick<vscode.Memento, 'get' | 'update'> = {
    get: () => stored as never,
    update: async (_key: string, next: unknown) => {
      stored = next;
    },
  };
  return state as vscode.Memento;
}

const first = new URL('https://service.test/api/v1');
const second = new URL('https://group.test/v1');

test('forgetRefusedFields removes the rejected fields of all services, but keeps vendor prefixes and the record that a service needs a key', () => {
  const state = createState({
    [first.href]: {
      word: 'acme',
      fields: { 'chat.verbosity': false, 'no-key': false, seed: true },
      omitted: ['chat.stop'],
    },
  });
  const connections = new Connections(state);
  connections.get(second).recordField('stop', false);
  connections.forgetRefusedFields();
  for (const each of [connections, new Connections(state)]) {
    expect(each.get(first).facts).toEqual({
      word: 'acme',
      fields: { 'no-key': false, seed: true },
    });
    expect(each.get(second).facts.fields ?? {}).toEqual({});
  }
});
