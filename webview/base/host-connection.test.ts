import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  readPollReply,
  type WalletPagePoll,
  type WalletPageReply,
} from '../../src/wallet/browser/protocol.ts';
import { HostConnection, findToken } from './host-connection.ts';

const linkToken = 't'.repeat(43);
const secret = 's'.repeat(43);
const idleState = { state: null, requestId: null, request: null };

type HostAnswer = number | object | Error;

/**
 * Returns a connection to a fake VS Code. `answers` lists the replies to each kind of request. The last reply of a list
 * is repeated.
 */
function createConnection(
  answers: Record<string, readonly HostAnswer[]>,
  storedSecret = '',
  canReload = true,
  endsWhenOffline = false,
) {
  const clock = new ManualClock();
  const calls: { name: string; secret: string; body: unknown }[] = [];
  const storedItems = new Map(storedSecret === '' ? [] : [['page-secret', storedSecret]]);
  const fetch = async (url: URL, { headers, body }: RequestInit): Promise<Response> => {
    const name = url.pathname.split('/').at(-1) ?? '';
    const requestAnswers = answers[name] ?? [404];
    const count = calls.filter((call) => call.name === name).length;
    const sentToken = new Headers(headers).get('x-session-token') ?? '';
    calls.push({ name, secret: sentToken, body: parseJson(body as string) });
    const answer = requestAnswers[Math.min(count, requestAnswers.length - 1)];
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'number') return new Response(null, { status: answer });
    return Response.json(answer);
  };
  const storage = {
    getItem: (key: string) => storedItems.get(key) ?? null,
    setItem: (key: string, value: string) => storedItems.set(key, value),
  };
  const connection = new HostConnection<WalletPagePoll, WalletPageReply, string>({
    fetch: fetch as typeof globalThis.fetch,
    base: new URL('http://127.0.0.1:1/proxy/2/'),
    ...(canReload ? { storage } : {}),
    ...{ clock, version: 1, readReply: readPollReply, endsWhenOffline },
    hasChanges: ({ requestId }, previousPoll) => requestId !== previousPoll.requestId,
  });
  return { connection, clock, calls, storedItems };
}

const claimedCalls = { claim: [{ version: 1, secret }] };

describe('HostConnection.claim', () => {
  test('sends the token of the link, and stores the secret for a reload of the tab', async () => {
    const { connection, calls, storedItems } = createConnection(claimedCalls);
    expect(await connection.claim(linkToken)).toBeUndefined();
    expect(calls).toEqual([{ name: 'claim', secret: linkToken, body: { version: 1 } }]);
    expect([...storedItems.values()]).toEqual([secret]);
  });

  test('uses the stored secret of the tab if the link has no token', async () => {
    const { connection, calls } = createConnection(claimedCalls, secret);
    expect(await connection.claim(undefined)).toBeUndefined();
    expect(calls[0]?.secret).toBe(secret);
  });

  test('neither stores nor uses a secret on a page that cannot be reloaded', async () => {
    const { connection, storedItems } = createConnection(
      { ...claimedCalls, lost: [{}] },
      '',
      false,
    );
    expect(await connection.claim(linkToken)).toBeUndefined();
    expect([...storedItems.values()]).toEqual([]);
    const reloadedPage = createConnection({ ...claimedCalls, lost: [{}] }, secret, false);
    expect(await reloadedPage.connection.claim(undefined)).toBe('broken');
    expect(reloadedPage.calls.map(({ name }) => name)).toEqual(['lost']);
  });

  test('repeats the request that claims the page while VS Code replies with status 429', async () => {
    const { connection, clock, calls } = createConnection({
      claim: [429, 429, { version: 1, secret }],
    });
    const claimPromise = connection.claim(linkToken);
    await clock.advance(1_500);
    expect(await claimPromise).toBeUndefined();
    expect(calls.map((call) => call.secret)).toEqual([linkToken, linkToken, linkToken]);
  });

  test('fails if VS Code replies with status 429 to the request that claims the page and to all retries', async () => {
    const { connection, clock, calls } = createConnection({ claim: [429] });
    const claimPromise = connection.claim(linkToken);
    await clock.advance(15_500);
    expect(await claimPromise).toBe('unreachable');
    expect(calls).toHaveLength(6);
  });

  test.each<[string, Record<string, readonly HostAnswer[]>, string | undefined, string]>([
    ['another tab uses the page', { claim: [409] }, linkToken, 'second'],
    ['the token is unknown', { claim: [403] }, linkToken, 'broken'],
    ['no server answers', { claim: [new TypeError('failed')] }, linkToken, 'unreachable'],
    [
      'another server answers',
      { claim: [{ version: 1, secret: 'short' }] },
      linkToken,
      'unreachable',
    ],
    [
      'VS Code has another protocol version',
      { claim: [{ version: 2, secret }] },
      linkToken,
      'unreachable',
    ],
    ['there is no token', { lost: [{}] }, undefined, 'broken'],
    ['there is no token and another tab uses the page', { lost: [409] }, undefined, 'second'],
  ])('fails if %s', async (_, answers, sentToken, endReason) => {
    expect(await createConnection(answers).connection.claim(sentToken)).toBe(endReason);
  });
});

describe('HostConnection.listen', () => {
  async function listen(answers: readonly HostAnswer[], maxReplies = 3, endsWhenOffline = false) {
    const replies = { ...claimedCalls, poll: answers };
    const { connection, clock, calls } = createConnection(replies, '', true, endsWhenOffline);
    await connection.claim(linkToken);
    const receivedReplies: WalletPageReply[] = [];
    const offlineChanges: boolean[] = [];
    const endReason = connection.listen({
      createPoll: () => ({ state: 1, requestId: null }),
      onReply: (reply) => receivedReplies.push(reply) < maxReplies,
      onOfflineChange: (isOffline) => offlineChanges.push(isOffline),
    });
    return { endReason, clock, calls, receivedReplies, offlineChanges };
  }

  test('polls at most once per second without changes', async () => {
    const { endReason, clock, receivedReplies } = await listen([idleState]);
    await clock.advance(999);
    expect(receivedReplies).toHaveLength(1);
    await clock.advance(1_001);
    expect(receivedReplies).toHaveLength(3);
    expect(await endReason).toBeUndefined();
  });

  test('polls again immediately after a change', async () => {
    const { endReason, clock } = await listen([{ ...idleState, requestId: 'a' }]);
    await clock.advance(0);
    expect(await endReason).toBeUndefined();
  });

  test.each<[string, HostAnswer]>([
    ['no server answers', new TypeError('failed')],
    ['the rate is limited', 429],
    ['a proxy fails', 502],
  ])('retries if %s, and ends after the last retry', async (_, answer) => {
    const { endReason, clock, offlineChanges, calls } = await listen([answer]);
    await clock.advance(15_500);
    expect(await endReason).toBe('unreachable');
    expect(offlineChanges).toEqual(Array(5).fill(true));
    expect(calls.filter(({ name }) => name === 'poll')).toHaveLength(6);
  });

  test('ends after the first failed poll on a page that must not continue offline', async () => {
    const { endReason, calls } = await listen([new TypeError('failed'), idleState], 3, true);
    expect(await endReason).toBe('unreachable');
    expect(calls.filter(({ name }) => name === 'poll')).toHaveLength(1);
  });

  test('reports the outage and its end, and continues, if a retry succeeds', async () => {
    const { endReason, clock, offlineChanges } = await listen(
      [new TypeError('failed'), idleState],
      1,
    );
    await clock.advance(500);
    expect(await endReason).toBeUndefined();
    expect(offlineChanges).toEqual([true, false]);
  });

  test.each<[string, HostAnswer, string]>([
    ['another tab took over', 409, 'second'],
    ['the secret is unknown', 403, 'unreachable'],
    ['the reply is invalid', { state: 'x' }, 'unreachable'],
  ])('ends if %s', async (_, answer, expectedReason) => {
    expect(await (await listen([answer])).endReason).toBe(expectedReason);
  });
});

test('HostConnection retries a request after network errors and rate limits until VS Code replies', async () => {
  const networkError = new TypeError('failed');
  const { connection, clock, calls } = createConnection({
    ...claimedCalls,
    answer: [networkError, 429, 404],
  });
  await connection.claim(linkToken);
  const sendPromise = connection.sendWithRetry('answer', { id: 'a', error: 'rejected' });
  await clock.advance(60_000);
  await sendPromise;
  expect(calls.filter(({ name }) => name === 'answer')).toEqual(
    Array.from({ length: 3 }, () => ({
      name: 'answer',
      secret,
      body: { id: 'a', error: 'rejected' },
    })),
  );
});

test.each([
  [`#${linkToken}`, '/'],
  [`#t=${linkToken}`, '/'],
  [`#t%3D${linkToken}`, '/'],
  ['', `/${linkToken}`],
  ['', `/proxy/8080/${linkToken}`],
])('findToken finds the token in a link with the fragment %j and the path %j', (hash, pathname) => {
  expect(findToken({ hash, pathname })).toBe(linkToken);
});

test.each([
  ['', '/'],
  ['#', '/wallet'],
  [`#${linkToken.slice(1)}`, '/'],
  ['', `/${linkToken}/`],
])(
  'findToken finds no valid token in a link with the fragment %j and the path %j',
  (hash, pathname) => {
    expect(findToken({ hash, pathname })).toBeUndefined();
  },
);

test.each<[string, HostAnswer, boolean]>([
  ['VS Code accepts the message', {}, true],
  ['VS Code replies with status 413', 413, false],
  ['the request fails', new TypeError('failed'), false],
])('HostConnection.send returns $2 if $0', async (_reply, answer, isAccepted) => {
  const { connection, calls } = createConnection({ ...claimedCalls, audio: [answer] });
  await connection.claim(linkToken);
  expect(await connection.send('audio', { number: 0 })).toBe(isAccepted);
  expect(calls).toHaveLength(2);
});
