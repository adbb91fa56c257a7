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
const neverAbortedSignal = new AbortController().signal;

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

const getFailureCode = (resultPromise: Promise<unknown>): Promise<string> =>
  resultPromise.then(
    () => 'no failure',
    (error: WalletError) => error.failure.code,
  );

describe('a page session', () => {
  test('responds to a poll immediately with a new state, and otherwise after the next change', async () => {
    const { session } = await createClaimedSession();
    const firstReply = await session.answerPoll({ state: 0, requestId: null });
    expect(firstReply.state).toMatchObject({ number: 1, purpose: 'Test' });
    const nextPollPromise = session.answerPoll(pollBody);
    session.updateState({ account: address });
    expect((await nextPollPromise).state).toMatchObject({ number: 2, account: address });
  });

  test('responds to a poll after 25 seconds without a change', async () => {
    const { session, clock } = await createClaimedSession();
    const replyPromise = session.answerPoll(pollBody);
    await clock.advance(25_000);
    expect(await replyPromise).toEqual({ state: null, requestId: null, request: null });
  });

  test('repeats a request until the page confirms the receipt, and withdraws the request when it is canceled', async () => {
    const { session } = await createClaimedSession();
    const abortController = new AbortController();
    const failurePromise = getFailureCode(
      session.requestFromPage(signRequest, abortController.signal),
    );
    const { request } = await session.answerPoll(pollBody);
    expect(request).toMatchObject(signRequest);
    expect((await session.answerPoll(pollBody)).request).toEqual(request);
    const requestId = request?.id ?? null;
    const pollPromise = session.answerPoll({ state: 1, requestId });
    abortController.abort();
    expect(await pollPromise).toEqual({ state: null, requestId: null, request: null });
    expect(await failurePromise).toBe('stopped');
  });

  test('delivers a request only to the page’s newest poll', async () => {
    const { session } = await createClaimedSession();
    const olderPollPromise = session.answerPoll(pollBody);
    const newestPollPromise = session.answerPoll(pollBody);
    const resultPromise = session.requestFromPage(signRequest, neverAbortedSignal);
    expect((await olderPollPromise).request).toBeNull();
    const { request } = await newestPollPromise;
    session.applyAnswer({ id: request?.id ?? '', error: 'rejected' });
    expect(await getFailureCode(resultPromise)).toBe('rejected');
  });
});

describe('a page session', () => {
  test('accepts one answer for a delivered request if the answer has the kind of the request', async () => {
    const { session } = await createClaimedSession();
    const resultPromise = session.requestFromPage(signRequest, neverAbortedSignal);
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
    expect(await resultPromise).toEqual(result);
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
  ] as const)('reports the page error “%s” as the failure “%s”', async (error, code) => {
    const { session } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal));
    const { request } = await session.answerPoll(pollBody);
    session.applyAnswer({ id: request?.id ?? '', error });
    expect(await failurePromise).toBe(code);
  });

  test('rejects a second request while the first request is pending', async () => {
    const { session } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal));
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal))).toBe(
      'wallet-busy',
    );
    session.endFlow();
    expect(await failurePromise).toBe('stopped');
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal))).toBe(
      'stopped',
    );
  });
});

describe('a page session', () => {
  test('fails a request if the wallet does not respond for five minutes', async () => {
    const { session, clock } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal));
    for (let minute = 0; minute < 5; minute++) {
      // The page keeps polling.
      void session.answerPoll(pollBody);
      session.handleEvent('wallet-requested');
      await clock.advance(60_000);
    }
    expect(await failurePromise).toBe('wallet-timeout');
  });

  test('ends after five minutes without a call from the page and fails later requests', async () => {
    const { session, clock, secret } = await createClaimedSession();
    await clock.advance(299_000);
    await session.respond({ name: 'event', secret, body: { event: 'wallet-requested' } });
    await clock.advance(299_000);
    expect(session.endSignal.aborted).toBe(false);
    await clock.advance(2_000);
    expect(session.endSignal.aborted).toBe(true);
    expect(await getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal))).toBe(
      'wallet-timeout',
    );
  });

  test.each(['account-changed', 'wrong-chain', 'disconnected'] as const)(
    'fails the current and later requests after the event %s',
    async (event) => {
      const { session } = await createClaimedSession();
      const code = event === 'disconnected' ? 'wallet-unavailable' : event;
      const failurePromise = getFailureCode(
        session.requestFromPage(signRequest, neverAbortedSignal),
      );
      session.handleEvent(event);
      expect(await failurePromise).toBe(code);
      expect(await getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal))).toBe(
        code,
      );
    },
  );

  test('ends five seconds after the page closes, unless the page is reloaded', async () => {
    const { session, clock, secret } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(signRequest, neverAbortedSignal));
    session.handleEvent('page-closed');
    await clock.advance(4_000);
    await claimPage(session, secret);
    await clock.advance(10_000);
    expect(session.endSignal.aborted).toBe(false);
    session.handleEvent('page-closed');
    await clock.advance(5_000);
    expect(await failurePromise).toBe('rejected');
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
    const claimedSession = await createClaimedSession();
    const { session } = claimedSession;
    const failurePromise = getFailureCode(session.requestFromPage(sendRequest, neverAbortedSignal));
    await session.answerPoll(pollBody);
    session.handleEvent('wallet-requested');
    await endSession(claimedSession);
    expect(await failurePromise).toBe(code);
  });

  test.each([
    ['rejected', 'rejected'],
    ['canceled', 'transaction-unknown'],
  ] as const)(
    'reports the page error “%s” for a transaction in the wallet as the failure “%s”',
    async (error, code) => {
      const { session } = await createClaimedSession();
      const failurePromise = getFailureCode(
        session.requestFromPage(sendRequest, neverAbortedSignal),
      );
      const { request } = await session.answerPoll(pollBody);
      session.handleEvent('wallet-requested');
      session.applyAnswer({ id: request?.id ?? '', error });
      expect(await failurePromise).toBe(code);
    },
  );

  test('does not repeat a transaction request after a reload if the wallet received the request', async () => {
    const { session, secret } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(sendRequest, neverAbortedSignal));
    await session.answerPoll(pollBody);
    session.handleEvent('wallet-requested');
    await claimPage(session, secret);
    expect(await failurePromise).toBe('transaction-unknown');
    expect((await session.answerPoll({ state: 0, requestId: null })).request).toBeNull();
  });

  test('repeats a transaction request after a reload if the wallet did not receive the request', async () => {
    const { session, secret } = await createClaimedSession();
    const failurePromise = getFailureCode(session.requestFromPage(sendRequest, neverAbortedSignal));
    await session.answerPoll(pollBody);
    await claimPage(session, secret);
    const { request } = await session.answerPoll(pollBody);
    session.applyAnswer({ id: request?.id ?? '', error: 'rejected' });
    expect(await failurePromise).toBe('rejected');
  });

  test('delivers the outcome to the page and waits at most two seconds for the delivery', async () => {
    const { session, clock } = await createClaimedSession();
    const pollPromise = session.answerPoll(pollBody);
    const deliveryPromise = session.showOutcome('done', 'All is well.');
    const reply = await pollPromise;
    expect(reply.state?.ended).toEqual({ outcome: 'done', message: 'All is well.' });
    expect(
      await Promise.race([deliveryPromise.then(() => 'told'), setImmediate('on its way')]),
    ).toBe('on its way');
    session.onPollReplySent(reply);
    await deliveryPromise;
    const otherSession = await createClaimedSession();
    const otherDeliveryPromise = otherSession.session.showOutcome('failed', 'Not well.');
    await otherSession.clock.advance(2_000);
    await otherDeliveryPromise;
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
