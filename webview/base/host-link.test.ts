import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  readPollReply,
  type WalletPagePoll,
  type WalletPageReply,
} from '../../src/wallet/browser/protocol.ts';
import { HostLink, findToken } from './host-link.ts';

const token = 't'.repeat(43);
const secret = 's'.repeat(43);
const quiet = { state: null, asking: null, request: null };

type Answer = number | object | Error;

/** An editor that answers each call with the next of these; the last one again and again. */
function editor(
  answers: Record<string, readonly Answer[]>,
  kept = '',
  mayReload = true,
  endsWhenOffline = false,
) {
  const clock = new ManualClock();
  const calls: { name: string; secret: string; body: unknown }[] = [];
  const stored = new Map(kept === '' ? [] : [['page-secret', kept]]);
  const fetch = async (url: URL, { headers, body }: RequestInit): Promise<Response> => {
    const name = url.pathname.split('/').at(-1) ?? '';
    const list = answers[name] ?? [404];
    const count = calls.filter((call) => call.name === name).length;
    const given = new Headers(headers).get('x-session-token') ?? '';
    calls.push({ name, secret: given, body: parseJson(body as string) });
    const answer = list[Math.min(count, list.length - 1)];
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'number') return new Response(null, { status: answer });
    return Response.json(answer);
  };
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  };
  const link = new HostLink<WalletPagePoll, WalletPageReply, string>({
    fetch: fetch as typeof globalThis.fetch,
    base: new URL('http://127.0.0.1:1/proxy/2/'),
    ...(mayReload ? { storage } : {}),
    ...{ clock, version: 1, readReply: readPollReply, endsWhenOffline },
    isNews: ({ asking }, had) => asking !== had.asking,
  });
  return { link, clock, calls, stored };
}

const claimed = { claim: [{ version: 1, secret }] };

describe('claiming', () => {
  test('takes the token of the link, and keeps the secret for a reload of this tab', async () => {
    const { link, calls, stored } = editor(claimed);
    expect(await link.claim(token)).toBeUndefined();
    expect(calls).toEqual([{ name: 'claim', secret: token, body: { version: 1 } }]);
    expect([...stored.values()]).toEqual([secret]);
  });

  test('uses the secret that this tab had, when there is no token', async () => {
    const { link, calls } = editor(claimed, secret);
    expect(await link.claim(undefined)).toBeUndefined();
    expect(calls[0]?.secret).toBe(secret);
  });

  test('leaves nothing for a reload where the page cannot be loaded again', async () => {
    const { link, stored } = editor({ ...claimed, lost: [{}] }, '', false);
    expect(await link.claim(token)).toBeUndefined();
    expect([...stored.values()]).toEqual([]);
    const reloaded = editor({ ...claimed, lost: [{}] }, secret, false);
    expect(await reloaded.link.claim(undefined)).toBe('broken');
    expect(reloaded.calls.map(({ name }) => name)).toEqual(['lost']);
  });

  test('is tried again while it is too much', async () => {
    const { link, clock, calls } = editor({ claim: [429, 429, { version: 1, secret }] });
    const taken = link.claim(token);
    await clock.advance(1_500);
    expect(await taken).toBeUndefined();
    expect(calls.map((call) => call.secret)).toEqual([token, token, token]);
  });

  test('is given up when it stays too much', async () => {
    const { link, clock, calls } = editor({ claim: [429] });
    const taken = link.claim(token);
    await clock.advance(15_500);
    expect(await taken).toBe('gone');
    expect(calls).toHaveLength(6);
  });

  test.each<[string, Record<string, readonly Answer[]>, string | undefined, string]>([
    ['another tab has it', { claim: [409] }, token, 'second'],
    ['the token is not known', { claim: [403] }, token, 'broken'],
    ['nobody answers', { claim: [new TypeError('failed')] }, token, 'gone'],
    ['somebody else answers', { claim: [{ version: 1, secret: 'short' }] }, token, 'gone'],
    ['the editor is of another version', { claim: [{ version: 2, secret }] }, token, 'gone'],
    ['there is no token', { lost: [{}] }, undefined, 'broken'],
    ['there is no token, and another tab has it', { lost: [409] }, undefined, 'second'],
  ])('%s', async (_, answers, given, end) => {
    expect(await editor(answers).link.claim(given)).toBe(end);
  });
});

describe('listening', () => {
  async function listen(answers: readonly Answer[], most = 3, endsWhenOffline = false) {
    const replies = { ...claimed, poll: answers };
    const { link, clock, calls } = editor(replies, '', true, endsWhenOffline);
    await link.claim(token);
    const heard: WalletPageReply[] = [];
    const offline: boolean[] = [];
    const ended = link.listen({
      has: () => ({ state: 1, asking: null }),
      onReply: (reply) => heard.push(reply) < most,
      offline: (isOffline) => offline.push(isOffline),
    });
    return { ended, clock, calls, heard, offline };
  }

  test('never asks more than once a second for what is not new', async () => {
    const { ended, clock, heard } = await listen([quiet]);
    await clock.advance(999);
    expect(heard).toHaveLength(1);
    await clock.advance(1_001);
    expect(heard).toHaveLength(3);
    expect(await ended).toBeUndefined();
  });

  test('asks again at once after news', async () => {
    const { ended, clock } = await listen([{ ...quiet, asking: 'a' }]);
    await clock.advance(0);
    expect(await ended).toBeUndefined();
  });

  test.each<[string, Answer]>([
    ['nobody answers', new TypeError('failed')],
    ['it is too much', 429],
    ['something in between fails', 502],
  ])('tries again when %s, and gives up after a while', async (_, answer) => {
    const { ended, clock, offline, calls } = await listen([answer]);
    await clock.advance(15_500);
    expect(await ended).toBe('gone');
    expect(offline).toEqual(Array(5).fill(true));
    expect(calls.filter(({ name }) => name === 'poll')).toHaveLength(6);
  });

  test('ends at once when nobody answers a page that must not go on alone', async () => {
    const { ended, calls } = await listen([new TypeError('failed'), quiet], 3, true);
    expect(await ended).toBe('gone');
    expect(calls.filter(({ name }) => name === 'poll')).toHaveLength(1);
  });

  test('goes on when the editor answers again', async () => {
    const { ended, clock, offline } = await listen([new TypeError('failed'), quiet], 1);
    await clock.advance(500);
    expect(await ended).toBeUndefined();
    expect(offline).toEqual([true, false]);
  });

  test.each<[string, Answer, string]>([
    ['another tab took over', 409, 'second'],
    ['it does not know us', 403, 'gone'],
    ['it sends something else', { state: 'x' }, 'gone'],
  ])('ends when %s', async (_, answer, end) => {
    expect(await (await listen([answer])).ended).toBe(end);
  });
});

test('an answer is sent again until it arrives, and no longer', async () => {
  const failed = new TypeError('failed');
  const { link, clock, calls } = editor({ ...claimed, answer: [failed, 429, 404] });
  await link.claim(token);
  const answered = link.sendWithRetry('answer', { id: 'a', error: 'rejected' });
  await clock.advance(60_000);
  await answered;
  expect(calls.filter(({ name }) => name === 'answer')).toEqual(
    Array.from({ length: 3 }, () => ({
      name: 'answer',
      secret,
      body: { id: 'a', error: 'rejected' },
    })),
  );
});

test.each([
  [`#${token}`, '/', token],
  [`#t=${token}`, '/', token],
  [`#t%3D${token}`, '/', token],
  ['', `/${token}`, token],
  ['', `/proxy/8080/${token}`, token],
  ['', '/', undefined],
  ['#', '/wallet', undefined],
  [`#${token.slice(1)}`, '/', undefined],
  ['', `/${token}/`, undefined],
])('the token in %j and %j is %j', (hash, pathname, expected) => {
  expect(findToken({ hash, pathname })).toBe(expected);
});

test.each<[Answer, boolean]>([
  [{}, true],
  [413, false],
  [new TypeError('failed'), false],
])('what is sent once and answered with %j is taken: %s', async (answer, isTaken) => {
  const { link, calls } = editor({ ...claimed, audio: [answer] });
  await link.claim(token);
  expect(await link.send('audio', { number: 0 })).toBe(isTaken);
  expect(calls).toHaveLength(2);
});
