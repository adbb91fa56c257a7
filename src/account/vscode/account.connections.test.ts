import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import { Connections } from './account.ts';

function createMemento(value: unknown): vscode.Memento {
  let storedValue = value;
  const memento: Pick<vscode.Memento, 'get' | 'update'> = {
    get: () => storedValue as never,
    update: async (_key: string, newValue: unknown) => {
      storedValue = newValue;
    },
  };
  return memento as vscode.Memento;
}

const firstBaseUrl = new URL('https://service.test/api/v1');
const secondBaseUrl = new URL('https://group.test/v1');

test('forgetRefusedFields removes the records of rejected fields for all services, but keeps vendor prefixes and the record that a service needs a key', () => {
  const state = createMemento({
    [firstBaseUrl.href]: {
      word: 'acme',
      fields: { 'chat.verbosity': false, 'no-key': false, seed: true },
      omitted: ['chat.stop'],
    },
  });
  const connections = new Connections(state);
  connections.get(secondBaseUrl).recordField('stop', false);
  connections.forgetRefusedFields();
  for (const currentConnections of [connections, new Connections(state)]) {
    expect(currentConnections.get(firstBaseUrl).facts).toEqual({
      word: 'acme',
      fields: { 'no-key': false, seed: true },
    });
    expect(currentConnections.get(secondBaseUrl).facts.fields ?? {}).toEqual({});
  }
});
