import { expect, test, vi } from 'vitest';
import { answer, conversationOf, user } from '../../../test/support/conversation-builder.ts';
import { connectToPlainServer, sentBodies } from '../../../test/support/plain-server-context.ts';
import type { Message } from '../../conversation/conversation.ts';
import type { Host } from '../../host.ts';
import type { Model } from '../../service/model-types.ts';
import type { Spending } from '../../service/chat/spending.ts';
import { readModel } from '../../service/read-model.ts';
import { generateTitle, needsTitle, readTitle, utilityModel } from './generated-title.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));

function listed(id: string, price: number, spec: object = {}): Model {
  const pricing = { input: { usd: price }, output: { usd: price } };
  const model = readModel({ id, type: 'text', model_spec: { name: id, pricing, ...spec } });
  if (model === undefined) throw new Error('No model');
  return model;
}

const open = listed('open', 1);
const large = listed('large', 9);
const secret = listed('secret', 5, { privacy: 'private' });
const enclave = listed('enclave', 8, { capabilities: { supportsTeeAttestation: true } });
const sealed = listed('sealed', 9, {
  capabilities: { supportsTeeAttestation: true, supportsE2EE: true },
});
const all = [open, large, secret, enclave, sealed];

test.each([
  [large, 'open'],
  [secret, 'secret'],
  [enclave, 'enclave'],
  [sealed, 'sealed'],
])('the utility model for $id protects no less: %#', (current, expected) => {
  expect(utilityModel(all, current).id).toBe(expected);
});

test('the utility model is online, stays, and does not reason if another such model exists', () => {
  const reasoning = listed('r', 0.1, { capabilities: { supportsReasoning: true } });
  const offline = listed('o', 0.1, { offline: true });
  const leaving = listed('l', 0.1, { deprecation: { date: '2027-01-01T00:00:00Z' } });
  expect(utilityModel([reasoning, offline, leaving, open], large).id).toBe('open');
  expect(utilityModel([reasoning], large).id).toBe('r');
  expect(utilityModel([], large).id).toBe('large');
});

test.each([
  ['Tides of the Moon', 'Tides of the Moon'],
  ['<think>Hm.</think>\n"Tides of the Moon."', 'Tides of the Moon'],
  ['## Title: Tides', 'Tides'],
  ['Ti\u{E0041}des', 'Tides'],
  ['', undefined],
  ['First\nSecond', undefined],
  ['word '.repeat(30), undefined],
])('reads the title of %j', (text, expected) => {
  expect(readTitle(text)).toBe(expected);
});

test('needsTitle returns true only for a chat with one complete answer and a title derived from the question', () => {
  const named = (title: string, ...messages: readonly Message[]) => {
    const conversation = conversationOf(...messages);
    conversation.apply({ type: 'title-set', title });
    return conversation;
  };
  const question = user('u1', null, 'Why tides?');
  expect(needsTitle(named('Why tides?', question, answer('a1', 'u1')))).toBe(true);
  expect(needsTitle(named('Mine', question, answer('a1', 'u1')))).toBe(false);
  const stopped = { ...answer('a1', 'u1'), status: 'stopped' } as const;
  expect(needsTitle(named('Why tides?', question, stopped))).toBe(false);
  const later = [question, answer('a1', 'u1'), user('u2', 'a1')];
  expect(needsTitle(named('Why tides?', ...later))).toBe(false);
});

test('requests the title from the utility model in the background, with short excerpts', async () => {
  await using service = await connectToPlainServer({ kind: 'llamacpp' });
  const spent: unknown[] = [];
  const spending: Spending = {
    authorize: () => Promise.resolve(),
    recordSpent: ({ model, isBackground }) => void spent.push({ model, isBackground }),
    release: () => {},
  };
  const conversation = conversationOf(user('u1', null, `Why tides? ${'x'.repeat(2_000)}`), {
    ...answer('a1', 'u1', 'The moon.'),
    model: { id: 'large', name: 'Large' },
  });
  const models = { models: all };
  const host = { models, service: { ...service.context, spending } } as unknown as Host;
  await generateTitle(host, conversation, new AbortController().signal);
  const [body] = sentBodies(service.server, '/chat/completions');
  expect(body).toMatchObject({ model: 'open' });
  expect(JSON.stringify(body).length).toBeLessThan(2_000);
  expect(spent).toEqual([{ model: 'open', isBackground: true }]);
});
