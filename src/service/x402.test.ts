import { describe, expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../test/support/scripted-transport.ts';
import { ServiceError } from './http/failure.ts';
import {
  getTopUpRequirements,
  getWalletBalance,
  listWalletTransactions,
  sendTopUp,
  readTopUpRefusal,
} from './x402.ts';
import { encodeHeaderJson, x402HeaderProfiles } from './payment-requirements.ts';

const { signal } = new AbortController();
const address = '0x00000000000000000000000000000000000000Aa';
const createJsonAnswer = (value: unknown, rest: Partial<ScriptedAnswer> = {}): ScriptedAnswer => ({
  body: [JSON.stringify(value)],
  ...rest,
});
const paymentOption = {
  scheme: 'exact',
  network: 'eip155:31337',
  amount: '5000000',
  asset: '0x1111111111111111111111111111111111111111',
  payTo: '0x2222222222222222222222222222222222222222',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const paymentTerms = { x402Version: 2, accepts: [paymentOption] };

describe('getTopUpRequirements', () => {
  test.each<[string, ScriptedAnswer]>([
    ['the body', createJsonAnswer(paymentTerms, { status: 402 })],
    [
      'the header',
      createJsonAnswer(
        {},
        { status: 402, headers: { 'payment-required': encodeHeaderJson(paymentTerms) } },
      ),
    ],
  ])(
    'sends no credentials and reads the payment terms from %s of the 402 response',
    async (_, answer) => {
      const { context, requests } = createScriptedService(answer);
      expect(await getTopUpRequirements(context, { signal })).toEqual({
        version: 2,
        accepts: [paymentOption],
      });
      expect(requests).toHaveLength(1);
      expect(requests[0]?.method).toBe('POST');
      expect(requests[0]?.url.href).toBe('https://api.service.test/api/v1/x402/top-up');
      expect(Object.keys(requests[0]?.headers ?? {})).toEqual(['accept', 'content-type']);
    },
  );

  test.each<[string, unknown, unknown]>([
    [
      'terms with a resource URL',
      { ...paymentTerms, resource: { url: 'https://a.test' } },
      { resource: 'https://a.test' },
    ],
    [
      'a list with invalid options',
      { ...paymentTerms, accepts: [null, 7, {}, { ...paymentOption, amount: 5 }, paymentOption] },
      { accepts: [paymentOption] },
    ],
    [
      'a list with an overlong recipient',
      { ...paymentTerms, accepts: [{ ...paymentOption, payTo: 'x'.repeat(300) }] },
      { accepts: [] },
    ],
    [
      'a list of 99 options, up to the limit of 16',
      { ...paymentTerms, accepts: Array.from({ length: 99 }, () => paymentOption) },
      { accepts: { length: 16 } },
    ],
    [
      'a list with invalid optional fields',
      {
        ...paymentTerms,
        accepts: [{ ...paymentOption, extra: { name: {}, a: 1 }, maxTimeoutSeconds: '9' }],
      },
      { accepts: [{ extra: { a: 1 }, maxTimeoutSeconds: 0 }] },
    ],
    ['an empty list', { accepts: [] }, { version: 0, accepts: [] }],
  ])('reads only the usable payment options from %s', async (_terms, body, expected) => {
    const { context } = createScriptedService(createJsonAnswer(body, { status: 402 }));
    expect(await getTopUpRequirements(context, { signal })).toMatchObject(expected as object);
  });

  test.each<[string, ScriptedAnswer]>([
    ['a response without payment options', createJsonAnswer({ error: 'x' }, { status: 402 })],
    ['an HTML page', { status: 402, body: ['<html>'] }],
    [
      'a malformed header',
      createJsonAnswer({}, { status: 402, headers: { 'payment-required': '%%%' } }),
    ],
    [
      'an endless body',
      { status: 402, body: Array.from({ length: 40 }, () => 'x'.repeat(65_536)) },
    ],
  ])('rejects a response with invalid payment terms: %s', async (_, answer) => {
    const { context } = createScriptedService(answer);
    const requirementsPromise = getTopUpRequirements(context, { signal });
    await expect(requirementsPromise).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  });

  test('rejects a response with a success status, without a retry', async () => {
    const { context, requests } = createScriptedService(
      createJsonAnswer({ success: true, data: {} }),
    );
    await expect(getTopUpRequirements(context, { signal })).rejects.toThrow(ServiceError);
    expect(requests).toHaveLength(1);
  });
});

describe('sendTopUp', () => {
  const send = (answer: ScriptedAnswer, headers = x402HeaderProfiles.v2) => {
    const service = createScriptedService(answer);
    return {
      ...service,
      receiptPromise: sendTopUp(service.context, { payment: 'cGF5', headers, signal }),
    };
  };

  test.each(['v2', 'compatible'] as const)(
    'sends the payment only in the payment header of the header profile "%s"',
    async (name) => {
      const headers = x402HeaderProfiles[name];
      const { receiptPromise, requests } = send(
        createJsonAnswer({ data: {} }),
        headers as typeof x402HeaderProfiles.v2,
      );
      await receiptPromise;
      expect(requests[0]?.headers).toEqual({
        accept: 'application/json',
        'content-type': 'application/json',
        [headers.payment]: 'cGF5',
      });
    },
  );

  test('returns a receipt from the response body and header', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const settlement = {
      success: true,
      network: paymentOption.network,
      payer: address,
      transaction: hash,
    };
    const data = { walletAddress: address, amountCredited: '5', newBalance: 7.5, paymentId: 'p-1' };
    const headers = { 'payment-response': encodeHeaderJson(settlement) };
    expect(
      await send(createJsonAnswer({ success: true, data }, { headers })).receiptPromise,
    ).toEqual({
      balanceUsd: 7.5,
      hash,
    });
  });

  test.each<[string, unknown, Record<string, string>]>([
    [
      'invalid values in the body',
      { data: { amountCredited: 'NaN', newBalance: '1e9', paymentId: 7 } },
      {},
    ],
    [
      'an invalid transaction hash in the header',
      { data: {} },
      { 'payment-response': encodeHeaderJson({ transaction: '0xabc' }) },
    ],
    ['a header that is not Base64', { data: {} }, { 'payment-response': 'not base64' }],
    ['an array in the header', { data: {} }, { 'payment-response': encodeHeaderJson(['x']) }],
  ])('returns an empty receipt for a response with %s', async (_description, body, headers) => {
    expect(await send(createJsonAnswer(body, { headers })).receiptPromise).toEqual({});
  });

  test.each<[string, ScriptedAnswer]>([
    ['a 500 response', { status: 500, body: ['{}'] }],
    ['a 429 response', { status: 429, headers: { 'retry-after': '0' }, body: ['{}'] }],
    ['a 402 response', { status: 402, body: [JSON.stringify(paymentTerms)] }],
    ['a timeout', new ServiceError({ code: 'timeout', message: 'late' })],
    ['an interruption', new ServiceError({ code: 'interrupted', message: 'cut' })],
    ['a redirect', new ServiceError({ code: 'redirected', message: 'elsewhere' })],
  ])('does not resend the payment after %s', async (_description, answer) => {
    const { receiptPromise, requests } = send(answer);
    await expect(receiptPromise).rejects.toThrow(ServiceError);
    expect(requests).toHaveLength(1);
  });

  const readRefusal = async (status: number, body: unknown) => {
    const error: unknown = await send(createJsonAnswer(body, { status })).receiptPromise.catch(
      (error: unknown) => error,
    );
    return readTopUpRefusal((error as ServiceError).failure);
  };

  test.each<[number, unknown, NonNullable<ReturnType<typeof readTopUpRefusal>>]>([
    ...[
      'INVALID_PAYMENT_FORMAT',
      'INVALID_PAYMENT',
      'X402_INVALID_PAYMENT',
      'UNSUPPORTED_NETWORK',
      'INVALID_PAYMENT_RECIPIENT',
      'UNSUPPORTED_TOKEN',
      'UNSUPPORTED_SCHEME',
      'INVALID_AMOUNT',
      'INVALID_PAYMENT_PAYER',
      'PAYMENT_VERIFICATION_FAILED',
    ].map((error): [number, unknown, 'payment'] => [400, { error, message: 'no' }, 'payment']),
    [400, { error: 'AMOUNT_TOO_LOW', message: 'no' }, 'amount'],
    [400, { error: 'AMOUNT_TOO_HIGH', message: 'no' }, 'amount'],
    [400, { error: 'AMOUNT_TOO_LOW', message: 'USDC is required' }, 'amount'],
    [402, { error: 'SETTLEMENT_FAILED', message: 'no' }, 'settlement'],
    [402, { error: 'SETTLEMENT_FAILED', details: 'gas' }, 'settlement'],
    [400, { error: 'AMOUNT_TOO_LOW', message: 'no', details: 'at least 5' }, 'amount'],
    [400, { error: 'INVALID_PAYMENT', message: 'no (AMOUNT_TOO_LOW)' }, 'payment'],
    [402, paymentTerms, 'payment'],
    [404, {}, 'not-offered'],
    [503, { error: 'X402_NOT_CONFIGURED', message: 'no' }, 'not-offered'],
    [429, { error: 'Rate limit exceeded' }, 'rate-limited'],
  ])(
    'fails with status %i and the body %j, which readTopUpRefusal classifies as "%s"',
    async (status, body, refusal) => {
      expect(await readRefusal(status, body)).toBe(refusal);
    },
  );

  test.each([
    [409, { error: 'PAYMENT_IN_PROGRESS', message: 'wait' }],
    [504, { error: 'SETTLEMENT_TIMEOUT', message: 'late' }],
    [500, {}],
    [503, {}],
  ])(
    'fails with status %i and the body %j, which readTopUpRefusal does not classify as a refusal',
    async (status, body) => {
      expect(await readRefusal(status, body)).toBeUndefined();
    },
  );

  test('does not report a timeout as a rejected payment', () => {
    expect(readTopUpRefusal({ code: 'timeout', message: 'late' })).toBeUndefined();
  });
});

describe('getWalletBalance', () => {
  const read = (body: unknown) =>
    getWalletBalance(createScriptedService(createJsonAnswer(body)).context, { address, signal });

  test('returns the balance of the wallet', async () => {
    const data = {
      walletAddress: address.toLowerCase(),
      balanceUsd: 4.23,
      canConsume: false,
      minimumTopUpUsd: 5,
      diemBalanceUsd: '0.5',
    };
    expect(await read({ success: true, data })).toEqual({
      usd: 4.23,
      canConsume: false,
      diem: 0.5,
    });
  });

  test.each([
    {},
    [],
    null,
    { data: { balanceUsd: 'much' } },
    { data: { balanceUsd: 1, walletAddress: '0x2222222222222222222222222222222222222222' } },
  ])('rejects %j as a balance', async (body) => {
    const rejection = expect(read(body)).rejects;
    await rejection.toMatchObject({ failure: { code: 'unexpected-response' } });
  });

  test('retries after a rejected sign-in', async () => {
    const refusal = createJsonAnswer(
      { error: 'Invalid Sign-in-with-x signature' },
      { status: 401 },
    );
    const { context, requests, clock } = createScriptedService(
      refusal,
      createJsonAnswer({ data: { balanceUsd: 1 } }),
    );
    const balancePromise = getWalletBalance(context, { address, signal });
    await clock.advance(60_000);
    expect(await balancePromise).toMatchObject({ usd: 1 });
    expect(requests).toHaveLength(2);
  });
});

test('listWalletTransactions reads valid transactions and skips invalid ones', async () => {
  const transactions = [
    {
      id: 't3',
      amount: -0.012,
      type: 'CHARGE',
      createdAt: '2026-11-21T10:00:00.000Z',
      modelId: 'm',
    },
    {
      id: 't2',
      amount: '5',
      balanceAfter: 5,
      type: 'TOP_UP',
      createdAt: 'yesterday',
      modelId: null,
    },
    { id: 7, amount: 1, type: '__proto__' },
    { id: 't1', amount: {} },
    'x',
  ];
  const data = { transactions, pagination: { hasMore: true } };
  const { context, requests } = createScriptedService(createJsonAnswer({ data }));
  const options = { address, limit: 10, offset: 20, signal };
  expect(await listWalletTransactions(context, options)).toEqual({
    transactions: [
      {
        id: 't3',
        kind: 'charge',
        amountUsd: -0.012,
        time: Date.UTC(2026, 10, 21, 10),
        modelId: 'm',
      },
      { id: 't2', kind: 'top-up', amountUsd: 5, balanceAfterUsd: 5 },
      { id: '', kind: 'other', amountUsd: 1 },
    ],
    hasMore: true,
  });
  expect(requests[0]?.url.search).toBe('?limit=10&offset=20');
});
