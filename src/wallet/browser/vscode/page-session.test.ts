import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import { walletPageVersion, type WalletPageState } from '../protocol.ts';
import type { WalletError } from '../../wallet-failure.ts';
import { PageSession } from './page-session.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const signature = `0x${'11'.repeat(65)}`;
const transactionHash = `0x${'22'.repeat(32)}`;
const review = { purpose: 'Test', rows: [], warnings: [] };
const signRequest = { kind: 'sign', address, chainId: 1, text: 'Hello', review } as const;
const sendRequest = {
  kind: 'send',
  address,
  chainId: 1,
  to: address,
  data: '0x',
  value: '0x0',
  review,
} as const;
const pollBody = { state: 1, requestId: null };
const neverAborted = new AbortController().signal;

function createSession() {
  const clock = new ManualClock();
  let count = 0;
  const createSecret = (): string => String(++count).padStart(43, 's');
  const session = new PageSession({ state: firstState, clock, createSecret });
  return { clock, session };
}

async function createClaimedSession() {
  const { clock, session } = createSession();
  return { clock, session, secret: await claimPage(session, session.pairing.token) };
}

/** Claims the session for a tab and returns the tab's secret. */
async function claimPage(session: PageSession, secret: string): Promise<string> {
  const reply = await session.respond({
    name: 'claim',
    secret,
    body: { version: walletPageVersion },
  });
  if (typeof reply === 'number') throw new Error(`${reply}`);
  return (reply.body as { readonly secret: string }).secret;
}

const getFailureCode = (result: Promise<unknown>): Promise<string> =>
  result.then(
    () => 'no failure',
    (error: WalletError) => error.failure.code,
  );

describe('a page session', () => {
  test('returns a new state immediately and otherwise waits for the next change', async () => {
    const { session } = await createClaimedSession();
    const firstReply = await session.answerPoll({ state: 0, requestId: null });
    expect(firstReply.state).toMatchObject({ number: 1, purpose: 'Test' });
    const nextPoll = session.answerPoll(pollBody);
    session.updateState({ account: address });
    expect((await nextPoll).state).toMatchObject({ number: 2, account: address });
  });

  test('responds to a poll after 25 seconds without a change', async () => {
    const { session, clock } = await createClaimedSession();
    const reply = session.answerPoll(pollBody);
    await clock.advance(25_000);
    expect(await reply).toEqual({ state: null, requestId: null, request: null });
  });

  test('repeats a request until the page confirms the receipt, and reports a cancellation', async () => {
    const { session } = await createClaimedSession();
    const abortController = new AbortController();
    const result = getFailureCode(session.requestFromPage(signRequest, abortController.signal));
    const { request } = await session.answerPoll(pollBody);
    expect(request).toMatchObject(signRequest);
    expect((await session.answerPoll(pollBody)).request).toEqual(request);
    const requestId = request?.id ?? null;
    const pendingPoll = session.answerPoll({ state: 1, requestId });
    abortController.abort();
    expect(await pendingPoll).toEqual({ state: null, requestId: null, request: null });
    expect(await result).toBe('stopped');
  });

  test('delivers a request only to the page’s newest poll', async () => {
    const { session } = await createClaimedSession();
    const olderPoll = session.answerPoll(pollBody);
    const newestPoll = session.answerPoll(pollBody);
    const result = session.requestFromPage(signRequest, neverAborted);
    expect((await olderPoll).request).toBeNull();
    const { request } = await newestPoll;
    session.applyAnswer({ id: request?.id ?? '', error: 'rejected' });
    expect(await getFailureCode(result)).toBe('rejected');
  });
});

describe('a page session', () => {
  test('accepts one answer for a delivered request if the answer has the kind of the request', async () => {
    const { session } = await createClaimedSession();
    const pendingRequest = session.requestFromPage(signRequest, neverAborted);
    const result = { kind: 'sign', address, chainId: 1, signature } as const;
    expect(session.applyAnswer({ id: 'x', result })).toBe('unknown');
    const { request } = await session.answerPoll(pollBody);
    const id = request?.id ?? '';
    expect(session.applyAnswer({ id: `${id}x`, result })).toBe('unknown');
    expect(
      session.applyAnswer({
        id,
        result: { kind: 'send', address, chainId: 1, hash: transactionHash },
      }),
    ).toBe('wrong-kind');
    expect(session.applyAnswer({ id, result })).toBe('ok');
    expect(await pendingRequest).toEqual(result);
    expect(session.applyAnswer({ id, result })).toBe('unknown');
  });

  test.each([
    ['rejected', 'rejected'],
    ['canceled', 'rejected'],
    ['busy', 'wallet-busy'],
    ['unauthorised', 'wallet-unavailable'],
    ['unsupported', 'wallet-unavailable'],
    ['disconnected', 'wallet-unavailable'],
    ['account-changed', 'account-changed'],
    ['wrong-chain', 'wrong-chain'],
    ['other', 'wallet-unavailable'],
  ] as const)('maps the page error %s to the failure %s', async (error, code) => {
    const { session } = await createClaimedSession();
    const result = getFailureCode(session.requestFromPage(signRequest, neverAborted));
    const { request } = await session.answerPoll(pollBody);
    session.applyAnswer({ id: request?.id ?? '', error });
    expect(await result).toBe(code);
  });

  test('rejects a second request while the first request is pending', async () => {
    const { session } = await createClaimedSession();
    const firstFailure = getFailureCode(session.requestFromPage(signRequest, neverAborted));
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAborted))).toBe(
      'wallet-busy',
    );
    session.endFlow();
    expect(await firstFailure).toBe('stopped');
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAborted))).toBe(
      'stopped',
    );
  });
});

describe('a page session', () => {
  test('fails a request if the wallet does not respond for five minutes', async () => {
    const { session, clock } = await createClaimedSession();
    const result = getFailureCode(session.requestFromPage(signRequest, neverAborted));
    for (let minute = 0; minute < 5; minute++) {
      // The page keeps polling.
      void session.answerPoll(pollBody);
      session.handleEvent('wallet-requested');
      await clock.advance(60_000);
    }
    expect(await result).toBe('wallet-timeout');
  });

  test('ends after five minutes without a call from the page and fails later requests', async () => {
    const { session, clock, secret } = await createClaimedSession();
    await clock.advance(299_000);
    await session.respond({ name: 'event', secret, body: { event: 'wallet-requested' } });
    await clock.advance(299_000);
    expect(session.endSignal.aborted).toBe(false);
    await clock.advance(2_000);
    expect(session.endSignal.aborted).toBe(true);
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAborted))).toBe(
      'wallet-timeout',
    );
  });

  test.each(['account-changed', 'wrong-chain', 'disconnected'] as const)(
    'fails the current and later requests after the event %s',
    async (event) => {
      const { session } = await createClaimedSession();
      const code = event === 'disconnected' ? 'wallet-unavailable' : event;
      const result = getFailureCode(session.requestFromPage(signRequest, neverAborted));
      session.handleEvent(event);
      expect(await result).toBe(code);
      expect(await getFailureCode(session.requestFromPage(signRequest, neverAborted))).toBe(code);
    },
  );

  test('ends five seconds after the page closes, unless the page is reloaded', async () => {
    const { session, clock, secret } = await createClaimedSession();
    const result = getFailureCode(session.requestFromPage(signRequest, neverAborted));
    session.handleEvent('page-closed');
    await clock.advance(4_000);
    await claimPage(session, secret);
    await clock.advance(10_000);
    expect(session.endSignal.aborted).toBe(false);
    session.handleEvent('page-closed');
    await clock.advance(5_000);
    expect(await result).toBe('rejected');
  });

  test.each<[string, (parts: Awaited<ReturnType<typeof createClaimedSession>>) => unknown, string]>(
    [
      [
        'the extension stops the session',
        ({ session }) => session.failFlow('stopped', 'Stopped.'),
        'transaction-unknown',
      ],
      [
        'the page closes',
        ({ session, clock }) => {
          session.handleEvent('page-closed');
          return clock.advance(5_000);
        },
        'transaction-unknown',
      ],
      [
        'the account changes',
        ({ session }) => session.handleEvent('account-changed'),
        'transaction-unknown',
      ],
      [
        'the chain changes',
        ({ session }) => session.handleEvent('wrong-chain'),
        'transaction-unknown',
      ],
      [
        'the wallet disconnects',
        ({ session }) => session.handleEvent('disconnected'),
        'transaction-unknown',
      ],
      ['the user cancels', ({ session }) => session.handleEvent('canceled'), 'transaction-unknown'],
      ['the page stops responding', ({ clock }) => clock.advance(300_000), 'wallet-timeout'],
    ],
  )('treats a transaction in the wallet as possibly sent if %s', async (_, endSession, code) => {
    const parts = await createClaimedSession();
    const { session } = parts;
    const result = getFailureCode(session.requestFromPage(sendRequest, neverAborted));
    await session.answerPoll(pollBody);
    session.handleEvent('wallet-requested');
    await endSession(parts);
    expect(await result).toBe(code);
  });

  test.each([
    ['rejected', 'rejected'],
    ['canceled', 'transaction-unknown'],
  ] as const)(
    'maps the page error %s for a transaction in the wallet to the failure %s',
    async (error, code) => {
      const { session } = await createClaimedSession();
      const result = getFailureCode(session.requestFromPage(sendRequest, neverAborted));
      const { request } = await session.answerPoll(pollBody);
      session.handleEvent('wallet-requested');
      session.applyAnswer({ id: request?.id ?? '', error });
      expect(await result).toBe(code);
    },
  );

  test('does not repeat a transaction request after a reload if the wallet received the request', async () => {
    const { session, secret } = await createClaimedSession();
    const result = getFailureCode(session.requestFromPage(sendRequest, neverAborted));
    await session.answerPoll(pollBody);
    session.handleEvent('wallet-requested');
    await claimPage(session, secret);
    expect(await result).toBe('transaction-unknown');
    expect((await session.answerPoll({ state: 0, requestId: null })).request).toBeNull();
  });

  test('repeats a transaction request after a reload if the wallet did not receive the request', async () => {
    const { session, secret } = await createClaimedSession();
    const result = getFailureCode(session.requestFromPage(sendRequest, neverAborted));
    await session.answerPoll(pollBody);
    await claimPage(session, secret);
    const { request } = await session.answerPoll(pollBody);
    session.applyAnswer({ id: request?.id ?? '', error: 'rejected' });
    expect(await result).toBe('rejected');
  });

  test('delivers the outcome to the page and waits at most two seconds for the delivery', async () => {
    const { session, clock } = await createClaimedSession();
    const pendingPoll = session.answerPoll(pollBody);
    const completion = session.showOutcome('done', 'All is well.');
    const reply = await pendingPoll;
    expect(reply.state?.ended).toEqual({ outcome: 'done', message: 'All is well.' });
    expect(await Promise.race([completion.then(() => 'told'), setImmediate('on its way')])).toBe(
      'on its way',
    );
    session.onPollReplySent(reply);
    await completion;
    const otherSession = await createClaimedSession();
    const otherCompletion = otherSession.session.showOutcome('failed', 'Not well.');
    await otherSession.clock.advance(2_000);
    await otherCompletion;
    session.endFlow();
    otherSession.session.endFlow();
    expect([clock.pendingTimerCount, otherSession.clock.pendingTimerCount]).toEqual([0, 0]);
  });
});

const firstState: Omit<WalletPageState, 'number'> = {
  purpose: 'Test',
  chain: { id: 1, name: 'Test' },
  account: null,
  steps: [{ step: 'connect', state: 'waiting' }],
  ended: null,
};
