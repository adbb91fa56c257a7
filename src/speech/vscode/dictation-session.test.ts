import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { dictationPageVersion, maxDictationSeconds } from '../dictation-protocol.ts';
import { DictationSession } from './dictation-session.ts';

const versionField = { version: dictationPageVersion };
const samplesBase64 = Buffer.from([1, 0, 2, 0]).toString('base64');
let clock: ManualClock;
let session: DictationSession;
let tokenLossCount: number;

beforeEach(() => {
  clock = new ManualClock();
  tokenLossCount = 0;
  let count = 0;
  const createSecret = (): string => String(++count).padStart(43, 's');
  session = new DictationSession({ clock, createSecret });
  void session.pairing.tokenLoss.then(() => (tokenLossCount += 1));
});

/** Sends a request as the page does. Returns the response body, or the status if the request is rejected. */
async function sendCall(name: string, body: unknown, secret = ''): Promise<object | number> {
  const reply = await session.respond({ name, secret, body });
  return typeof reply === 'number' ? reply : reply.body;
}

async function claimPage(): Promise<string> {
  const reply = (await sendCall('claim', versionField, session.pairing.token)) as {
    readonly secret: string;
  };
  return reply.secret;
}

describe('access to a dictation session', () => {
  test('is allowed only for the first page with the token', async () => {
    const secret = await claimPage();
    expect(secret).not.toBe(session.pairing.token);
    expect(await sendCall('claim', versionField, session.pairing.token)).toBe(409);
    expect(await sendCall('claim', versionField, 'x'.repeat(43))).toBe(403);
    expect(
      await sendCall('audio', { number: 0, samples: samplesBase64 }, session.pairing.token),
    ).toBe(409);
    expect(await sendCall('claim', versionField, secret)).toBe(403);
    expect(await sendCall('audio', { number: 0, samples: samplesBase64 }, secret)).toEqual({});
  });

  test.each(['poll', 'audio', 'event'])(
    'is denied for the call "%s" before a page is paired',
    async (name) => expect(await sendCall(name, {}, session.pairing.token)).toBe(403),
  );

  test('is offered again after a page reports a lost token, until a page is paired', async () => {
    expect([await sendCall('lost', {}), tokenLossCount]).toEqual([{}, 1]);
    await claimPage();
    expect([await sendCall('lost', {}), tokenLossCount]).toEqual([409, 1]);
  });
});

test('DictationSession returns the audio chunks in order when the recording finishes', async () => {
  const secret = await claimPage();
  await sendCall('audio', { number: 0, samples: samplesBase64 }, secret);
  await sendCall('audio', { number: 1, samples: samplesBase64 }, secret);
  expect(await sendCall('event', { event: 'finished' }, secret)).toEqual({});
  expect(await session.result).toEqual({
    kind: 'recorded',
    pcm: Buffer.from([1, 0, 2, 0, 1, 0, 2, 0]),
  });
});

test.each([
  ['that is null', null],
  ['that is a number', 7],
  ['without fields', {}],
  ['whose number skips a chunk', { number: 1, samples: samplesBase64 }],
  ['without samples', { number: 0 }],
  ['with empty samples', { number: 0, samples: '' }],
  ['with samples that are not Base64', { number: 0, samples: 'not base64!!' }],
  ['with Base64 padding inside the samples', { number: 0, samples: 'AAA=AAAA' }],
  ['with an odd number of bytes', { number: 0, samples: 'AAAA' }],
  ['with a negative number', { number: -1, samples: samplesBase64 }],
  ['with an unknown field', { number: 0, samples: samplesBase64, more: 1 }],
  ['larger than the limit', { number: 0, samples: 'AAAA'.repeat(20_000) }],
])('DictationSession rejects an audio chunk %s', async (_, body) => {
  const secret = await claimPage();
  expect(await sendCall('audio', body, secret)).toBe(400);
});

test('DictationSession rejects audio beyond the maximum duration', async () => {
  const secret = await claimPage();
  const samples = Buffer.alloc(29_998).toString('base64');
  let reply: object | number = {};
  let chunkNumber = 0;
  for (; typeof reply !== 'number' && chunkNumber < 10 * maxDictationSeconds; chunkNumber++) {
    reply = await sendCall('audio', { number: chunkNumber, samples }, secret);
  }
  expect(reply).toBe(413);
});

test.each(['canceled', 'denied', 'no-microphone'] as const)(
  'DictationSession ends the recording when the page reports the event "%s"',
  async (event) => {
    const secret = await claimPage();
    await sendCall('event', { event }, secret);
    expect(await session.result).toEqual({ kind: event });
  },
);

test('DictationSession ends the recording three seconds after the page closes', async () => {
  const secret = await claimPage();
  await sendCall('event', { event: 'page-closed' }, secret);
  await clock.advance(3_000);
  expect(await session.result).toEqual({ kind: 'page-closed' });
});

test('DictationSession ends the recording if no page connects for five minutes', async () => {
  await clock.advance(5 * 60_000);
  expect(await session.result).toEqual({ kind: 'idle' });
});

test('DictationSession replies to a pending poll when the state changes', async () => {
  const secret = await claimPage();
  expect(await sendCall('poll', { state: null }, secret)).toEqual({ state: 'ready', message: '' });
  const replyPromise = sendCall('poll', { state: 'ready' }, secret);
  session.show('done', 'Fine');
  expect(await replyPromise).toEqual({ state: 'done', message: 'Fine' });
  expect(await sendCall('poll', { state: 'other' }, secret)).toBe(400);
});

test.each([
  [
    'the page closes',
    (secret: string) => sendCall('event', { event: 'page-closed' }, secret),
    3_000,
  ],
  ['the page stops polling', async () => ({}), 5 * 60_000],
  [
    'a part does not arrive',
    (secret: string) => sendCall('event', { event: 'incomplete' }, secret),
    0,
  ],
  ['another dictation interrupts the recording', async () => session.interrupt(), 0],
])('DictationSession keeps the recorded part if %s', async (_case, interrupt, waitMs) => {
  const secret = await claimPage();
  await sendCall('audio', { number: 0, samples: samplesBase64 }, secret);
  await interrupt(secret);
  await clock.advance(waitMs);
  const pcm = Buffer.from(samplesBase64, 'base64');
  expect(await session.result).toEqual({ kind: 'cut-off', pcm });
});

test('DictationSession discards the recorded part if the user cancels', async () => {
  const secret = await claimPage();
  await sendCall('audio', { number: 0, samples: samplesBase64 }, secret);
  session.cancel();
  expect(await session.result).toEqual({ kind: 'stopped' });
});

test('DictationSession keeps the complete recording if it is interrupted after its end', async () => {
  const secret = await claimPage();
  await sendCall('audio', { number: 0, samples: samplesBase64 }, secret);
  await sendCall('event', { event: 'finished' }, secret);
  session.interrupt();
  expect(await session.result).toMatchObject({ kind: 'recorded' });
});
