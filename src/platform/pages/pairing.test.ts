import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { PagePairing } from './pairing.ts';

function begin({ mayReload = true } = {}) {
  const clock = new ManualClock();
  const events: string[] = [];
  let count = 0;
  const pairing = new PagePairing({
    ...{ clock, version: 1, reloadMs: 5_000, pollMs: 25_000 },
    ...(mayReload ? { onReload: () => events.push('reload') } : {}),
    onClosed: () => events.push('closed'),
    onIdle: () => events.push('idle'),
    secret: () => String(++count).padStart(43, 's'),
  });
  /** The body of the reply, or the status of a refusal. */
  const ask = async (
    name: string,
    secret: string,
    body: unknown = {},
  ): Promise<object | number> => {
    const reply = await pairing.respond({ name, secret, body }, (call) => ({ body: call }));
    return typeof reply === 'number' ? reply : reply.body;
  };
  const claim = (secret: string): Promise<object | number> => ask('claim', secret, { version: 1 });
  return { clock, events, pairing, ask, claim };
}

async function beginClaimed(options = {}) {
  const parts = begin(options);
  const { secret } = (await parts.claim(parts.pairing.token)) as { readonly secret: string };
  return { ...parts, secret };
}

test('secrets are random, and fit into an address', async () => {
  const options = { clock: new ManualClock(), version: 1, reloadMs: 1, pollMs: 1 };
  const make = () => new PagePairing({ ...options, onClosed: () => {}, onIdle: () => {} }).token;
  const tokens = Array.from({ length: 50 }, make);
  expect(new Set(tokens).size).toBe(50);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
});

describe.each([
  ['a page that can be loaded again', true],
  ['a page that cannot be loaded again', false],
])('%s', (_, mayReload) => {
  test('the token works once; the second tab is told that the page is taken', async () => {
    const { pairing, ask, claim } = begin({ mayReload });
    expect(await claim('x'.repeat(43))).toBe(403);
    expect(await ask('poll', pairing.token)).toBe(403);
    expect(pairing.isClaimed).toBe(false);
    const first = await claim(pairing.token);
    expect(first).toEqual({ version: 1, secret: expect.any(String) });
    expect(first).not.toMatchObject({ secret: pairing.token });
    expect(pairing.isClaimed).toBe(true);
    expect(await claim(pairing.token)).toBe(409);
    expect(await ask('poll', pairing.token)).toBe(409);
  });

  test('only the tab that has the page is answered', async () => {
    const { ask, secret } = await beginClaimed({ mayReload });
    const call = { name: 'event', secret, body: { event: 'x' } };
    expect(await ask('event', secret, call.body)).toEqual(call);
  });

  test.each(['', 's', 's'.repeat(44), 'ſ'.repeat(43)])('%j is nobody', async (presented) => {
    const { ask, claim } = await beginClaimed({ mayReload });
    for (const name of ['poll', 'event', 'answer', 'audio', 'other'])
      expect(await ask(name, presented)).toBe(403);
    expect(await claim(presented)).toBe(403);
  });

  test.each([undefined, null, {}, { version: 2 }, { version: '1' }, { version: 1, more: true }])(
    'the claim %j gets nothing',
    async (body) => {
      const { pairing, ask } = begin({ mayReload });
      expect(await ask('claim', pairing.token, body)).toBe(400);
      expect(pairing.isClaimed).toBe(false);
    },
  );

  test('a page without a token is opened again, but only while no tab has one', async () => {
    const { pairing, ask, claim } = begin({ mayReload });
    let lost = 0;
    void pairing.lost.then(() => (lost += 1));
    expect(await ask('lost', '')).toEqual({});
    expect(await ask('lost', '')).toEqual({});
    expect(lost).toBe(1);
    await claim(pairing.token);
    expect(await ask('lost', '')).toBe(409);
  });

  test('a closed page ends after its time, unless it comes back', async () => {
    const { pairing, clock, events } = await beginClaimed({ mayReload });
    pairing.leave();
    await clock.advance(4_000);
    pairing.stay();
    await clock.advance(10_000);
    expect(events).toEqual([]);
    pairing.leave();
    await clock.advance(5_000);
    expect(events).toEqual(['closed']);
  });

  test('a page that says nothing for five minutes is idle; strangers do not keep it alive', async () => {
    const { ask, clock, events, secret } = await beginClaimed({ mayReload });
    await clock.advance(299_000);
    await ask('event', secret);
    await clock.advance(299_000);
    await ask('event', 'x'.repeat(43));
    expect(events).toEqual([]);
    await clock.advance(1_000);
    expect(events).toEqual(['idle']);
  });

  test('one that is never opened is idle too', async () => {
    const { clock, events } = begin({ mayReload });
    await clock.advance(300_000);
    expect(events).toEqual(['idle']);
  });

  test('after the end nothing is called, and the page is still answered', async () => {
    const { pairing, ask, clock, events, secret } = await beginClaimed({ mayReload });
    pairing.leave();
    pairing.end();
    expect(await ask('poll', secret)).toMatchObject({ name: 'poll' });
    await clock.advance(600_000);
    expect(events).toEqual([]);
    expect(clock.waiting).toBe(0);
  });
});

describe('loading the page again', () => {
  test('gets another secret, and the one before counts no more', async () => {
    const { ask, claim, events, secret } = await beginClaimed();
    const again = await claim(secret);
    expect(again).toEqual({ version: 1, secret: expect.any(String) });
    expect(again).not.toMatchObject({ secret });
    expect(await ask('poll', secret)).toBe(409);
    expect(await claim(secret)).toBe(409);
    expect(events).toEqual(['reload']);
  });

  test('keeps a page from being closed', async () => {
    const { pairing, claim, clock, events, secret } = await beginClaimed();
    pairing.leave();
    await claim(secret);
    await clock.advance(10_000);
    expect(events).toEqual(['reload']);
  });

  test('gets nothing where a page cannot be loaded again', async () => {
    const { ask, claim, secret } = await beginClaimed({ mayReload: false });
    expect(await claim(secret)).toBe(403);
    expect(await ask('poll', secret)).toMatchObject({ name: 'poll' });
  });
});

describe('waiting for news', () => {
  test('ends at once when there is some, with a wake, and after its time', async () => {
    const { pairing, clock } = begin();
    expect(await pairing.waitForNews(true)).toBe(true);
    const woken = pairing.waitForNews(false);
    pairing.wake();
    expect(await woken).toBe(true);
    const quiet = pairing.waitForNews(false);
    await clock.advance(25_000);
    expect(await quiet).toBe(true);
  });

  test.each([true, false])('a newer poll ends an older one; news for it: %s', async (isThere) => {
    const { pairing } = begin();
    const older = pairing.waitForNews(false);
    const newer = pairing.waitForNews(isThere);
    expect(await older).toBe(false);
    pairing.wake();
    expect(await newer).toBe(true);
  });
});
