import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { PagePairing } from './pairing.ts';

function createPairing({ mayReload = true } = {}) {
  const clock = new ManualClock();
  const events: string[] = [];
  let count = 0;
  const pairing = new PagePairing({
    ...{ clock, version: 1, reloadMs: 5_000, maxPollMs: 25_000 },
    ...(mayReload ? { onReload: () => events.push('reload') } : {}),
    onClosed: () => events.push('closed'),
    onIdle: () => events.push('idle'),
    createSecret: () => String(++count).padStart(43, 's'),
  });
  /** Sends a call to the pairing. Returns the response body, or the status of a rejection. */
  const sendCall = async (
    name: string,
    secret: string,
    body: unknown = {},
  ): Promise<object | number> => {
    const reply = await pairing.respond({ name, secret, body }, (call) => ({ body: call }));
    return typeof reply === 'number' ? reply : reply.body;
  };
  const claim = (secret: string): Promise<object | number> =>
    sendCall('claim', secret, { version: 1 });
  return { clock, events, pairing, sendCall, claim };
}

async function createClaimedPairing(options = {}) {
  const parts = createPairing(options);
  const { secret } = (await parts.claim(parts.pairing.token)) as { readonly secret: string };
  return { ...parts, secret };
}

test('PagePairing generates different tokens that need no URL encoding', async () => {
  const options = { clock: new ManualClock(), version: 1, reloadMs: 1, maxPollMs: 1 };
  const createToken = () =>
    new PagePairing({ ...options, onClosed: () => {}, onIdle: () => {} }).token;
  const tokens = Array.from({ length: 50 }, createToken);
  expect(new Set(tokens).size).toBe(50);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
});

const pageKinds = [
  ['a reloadable page', true],
  ['a page that cannot be reloaded', false],
] as const;

describe.each(pageKinds)('PagePairing with %s', (_, mayReload) => {
  test('accepts the token from one tab and rejects a second tab with status 409', async () => {
    const { pairing, sendCall, claim } = createPairing({ mayReload });
    expect(await claim('x'.repeat(43))).toBe(403);
    expect(await sendCall('poll', pairing.token)).toBe(403);
    expect(pairing.isClaimed).toBe(false);
    const firstReply = await claim(pairing.token);
    expect(firstReply).toEqual({ version: 1, secret: expect.any(String) });
    expect(firstReply).not.toMatchObject({ secret: pairing.token });
    expect(pairing.isClaimed).toBe(true);
    expect(await claim(pairing.token)).toBe(409);
    expect(await sendCall('poll', pairing.token)).toBe(409);
  });

  test('responds only to the tab that claimed the page', async () => {
    const { sendCall, secret } = await createClaimedPairing({ mayReload });
    const call = { name: 'event', secret, body: { event: 'x' } };
    expect(await sendCall('event', secret, call.body)).toEqual(call);
  });

  test.each([
    ['an empty secret', ''],
    ['a secret that is too short', 's'],
    ['a secret that is too long', 's'.repeat(44)],
    ['a secret with characters outside ASCII', 'ſ'.repeat(43)],
  ])('rejects %s', async (_name, secret) => {
    const { sendCall, claim } = await createClaimedPairing({ mayReload });
    for (const name of ['poll', 'event', 'answer', 'audio', 'other'])
      expect(await sendCall(name, secret)).toBe(403);
    expect(await claim(secret)).toBe(403);
  });

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['the body null', null],
    ['an empty object as its body', {}],
    ['another version', { version: 2 }],
    ['a string as the version', { version: '1' }],
    ['an additional field', { version: 1, more: true }],
  ])('rejects a claim with %s', async (_name, body) => {
    const { pairing, sendCall } = createPairing({ mayReload });
    expect(await sendCall('claim', pairing.token, body)).toBe(400);
    expect(pairing.isClaimed).toBe(false);
  });

  test('resolves `tokenLoss` after a report of a lost token, and rejects such reports from a claimed page', async () => {
    const { pairing, sendCall, claim } = createPairing({ mayReload });
    let tokenLossCount = 0;
    void pairing.tokenLoss.then(() => (tokenLossCount += 1));
    expect(await sendCall('lost', '')).toEqual({});
    expect(await sendCall('lost', '')).toEqual({});
    expect(tokenLossCount).toBe(1);
    await claim(pairing.token);
    expect(await sendCall('lost', '')).toBe(409);
  });

  test('reports a page as closed after the reload time, unless the close is canceled', async () => {
    const { pairing, clock, events } = await createClaimedPairing({ mayReload });
    pairing.scheduleClose();
    await clock.advance(4_000);
    pairing.cancelClose();
    await clock.advance(10_000);
    expect(events).toEqual([]);
    pairing.scheduleClose();
    await clock.advance(5_000);
    expect(events).toEqual(['closed']);
  });

  test('reports a page as idle after five minutes without accepted calls', async () => {
    const { sendCall, clock, events, secret } = await createClaimedPairing({ mayReload });
    await clock.advance(299_000);
    await sendCall('event', secret);
    await clock.advance(299_000);
    await sendCall('event', 'x'.repeat(43));
    expect(events).toEqual([]);
    await clock.advance(1_000);
    expect(events).toEqual(['idle']);
  });

  test('reports a page that was never opened as idle', async () => {
    const { clock, events } = createPairing({ mayReload });
    await clock.advance(300_000);
    expect(events).toEqual(['idle']);
  });

  test('reports no events after the end of the session, but still responds to polls', async () => {
    const { pairing, sendCall, clock, events, secret } = await createClaimedPairing({ mayReload });
    pairing.scheduleClose();
    pairing.stopTimers();
    expect(await sendCall('poll', secret)).toMatchObject({ name: 'poll' });
    await clock.advance(600_000);
    expect(events).toEqual([]);
    expect(clock.pendingTimerCount).toBe(0);
  });
});

describe('reloading the page', () => {
  test('returns a new secret and invalidates the previous secret', async () => {
    const { sendCall, claim, events, secret } = await createClaimedPairing();
    const reloadReply = await claim(secret);
    expect(reloadReply).toEqual({ version: 1, secret: expect.any(String) });
    expect(reloadReply).not.toMatchObject({ secret });
    expect(await sendCall('poll', secret)).toBe(409);
    expect(await claim(secret)).toBe(409);
    expect(events).toEqual(['reload']);
  });

  test('cancels a scheduled close of the page', async () => {
    const { pairing, claim, clock, events, secret } = await createClaimedPairing();
    pairing.scheduleClose();
    await claim(secret);
    await clock.advance(10_000);
    expect(events).toEqual(['reload']);
  });

  test('is rejected if the pairing does not permit reloads', async () => {
    const { sendCall, claim, secret } = await createClaimedPairing({ mayReload: false });
    expect(await claim(secret)).toBe(403);
    expect(await sendCall('poll', secret)).toMatchObject({ name: 'poll' });
  });
});

describe('waitForEvents', () => {
  test('resolves if events are available, after `endPoll`, and after the maximum duration', async () => {
    const { pairing, clock } = createPairing();
    expect(await pairing.waitForEvents(true)).toBe(true);
    const pollPromise = pairing.waitForEvents(false);
    pairing.endPoll();
    expect(await pollPromise).toBe(true);
    const secondPollPromise = pairing.waitForEvents(false);
    await clock.advance(25_000);
    expect(await secondPollPromise).toBe(true);
  });

  test.each([
    ['with available events', true],
    ['without available events', false],
  ])('ends an older poll when a newer poll %s starts', async (_name, hasEvents) => {
    const { pairing } = createPairing();
    const olderPollPromise = pairing.waitForEvents(false);
    const newerPollPromise = pairing.waitForEvents(hasEvents);
    expect(await olderPollPromise).toBe(false);
    pairing.endPoll();
    expect(await newerPollPromise).toBe(true);
  });
});
