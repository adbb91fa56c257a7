import { expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../test/support/scripted-transport.ts';
import { ServiceError } from './http/failure.ts';
import type { KeyOptions } from './key-record.ts';
import { getValidationToken, type MintProblem, mintWeb3Key } from './web3-key.ts';

const signal = new AbortController().signal;
const token = 'eyJhbGciOiJFUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl';
const signature = `0x${'ab'.repeat(65)}`;
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const apiKey = 'SERVICE_INFERENCE_KEY_canary-0123456789';
const secrets = [token, signature, apiKey];

const requestToken = (answer: ScriptedAnswer) => {
  const service = createScriptedService(answer);
  return { ...service, resultPromise: getValidationToken(service.context, { signal }) };
};

const mintWithAnswer = (answer: ScriptedAnswer, options: KeyOptions = { type: 'INFERENCE' }) => {
  const service = createScriptedService(answer);
  const request = { address, signature, token, options };
  return { ...service, resultPromise: mintWeb3Key(service.context, request, { signal }) };
};

const getFailure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const expectNoSecret = (error: unknown): void => {
  const { message, stack, ...fields } = error as Error;
  const text = JSON.stringify([message, stack, fields, (error as { failure?: unknown }).failure]);
  for (const secret of secrets) expect(text).not.toContain(secret);
};

test.each([
  ['the top level of the response', { token }],
  ['the data object of the response', { success: true, data: { token } }],
  ['the data object if the top level has another token', { data: { token }, token: 'other' }],
])('getValidationToken reads the validation token from %s', async (_location, json) => {
  const { resultPromise, requests, clock } = requestToken({ body: [JSON.stringify(json)] });
  expect(await resultPromise).toEqual({ token, receivedAt: clock.now() });
  expect(requests[0]?.url.pathname).toBe('/api/v1/api_keys/generate_web3_key');
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
});

/** Requests a token, and returns the service time that the client reads from a Date header. */
async function readServerTime(date: string): Promise<number | undefined> {
  const { resultPromise } = requestToken({ headers: { date }, body: [JSON.stringify({ token })] });
  return (await resultPromise).serverTime;
}

test('getValidationToken reads the service time from the Date header', async () => {
  const serverTime = Date.UTC(2026, 0, 1, 0, 10);
  expect(await readServerTime('Thu, 01 Jan 2026 00:10:00 GMT')).toBe(serverTime);
});

test.each(['yesterday', ''])(
  'getValidationToken returns no service time for the invalid Date header "%s"',
  async (date) => {
    expect(await readServerTime(date)).toBeUndefined();
  },
);

test.each(['', '7', '[]', '{}', '{"data":{}}', '{"token":7}', '{"data":{"token":null}}', '<html>'])(
  'getValidationToken rejects the response %j, which contains no token',
  async (text) => {
    await expect(requestToken({ body: [text] }).resultPromise).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  },
);

test('getValidationToken rejects a token response larger than the size limit', async () => {
  const body = Array.from({ length: 100 }, () => 'x'.repeat(1024));
  const error = await getFailure(requestToken({ body }).resultPromise);
  expect(error).toMatchObject({ failure: { code: 'unexpected-response' } });
});

test('mintWeb3Key sends all key options, and no authorization header', async () => {
  const options: KeyOptions = {
    type: 'ADMIN',
    description: 'Editor',
    expiresAt: '2026-12-01',
    consumptionLimit: { usd: 5 },
    limitPeriod: 'MONTH',
    modelPrivacy: 'ALL',
  };
  const { resultPromise, requests } = mintWithAnswer(
    { body: [JSON.stringify({ apiKey })] },
    options,
  );
  expect(await resultPromise).toEqual({ apiKey, record: { type: 'ADMIN' } });
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
  const { type, ...rest } = options;
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    ...{ address, signature, token, apiKeyType: type },
    ...rest,
  });
});

test('mintWeb3Key returns the record of a minted key', async () => {
  const data = {
    apiKey,
    apiKeyType: 'ADMIN',
    id: 'id-1',
    description: 'a\u202e\nb',
    expiresAt: '2026-12-01T00:00:00Z',
    consumptionLimit: { usd: null, diem: '2.5', vcu: 7 },
    limitPeriod: 'EPOCH',
    modelPrivacy: 'PRIVATE_ONLY',
  };
  expect(
    (await mintWithAnswer({ body: [JSON.stringify({ success: true, data })] }).resultPromise)
      .record,
  ).toEqual({
    type: 'ADMIN',
    id: 'id-1',
    description: 'a b',
    expiresAt: '2026-12-01T00:00:00.000Z',
    consumptionLimit: { diem: 2.5 },
    limitPeriod: 'EPOCH',
    modelPrivacy: 'PRIVATE_ONLY',
  });
});

test.each([
  [
    'values of the wrong type',
    { id: 7, description: [], expiresAt: 7, consumptionLimit: 'all', limitPeriod: 'WEEK' },
  ],
  [
    'the API key, an invalid date or a negative limit',
    { id: apiKey, description: `key ${apiKey}`, expiresAt: 'soon', consumptionLimit: { usd: -1 } },
  ],
  [
    'empty, infinite or unknown values',
    {
      id: '',
      consumptionLimits: { usd: Number.POSITIVE_INFINITY, diem: '1e5' },
      modelPrivacy: 'NONE',
    },
  ],
])('mintWeb3Key omits fields with %s from the record of a minted key', async (_values, fields) => {
  const text = JSON.stringify({ data: { apiKey, ...fields } }).replace('null', '1e999');
  expect(await mintWithAnswer({ body: [text] }).resultPromise).toEqual({
    apiKey,
    record: { type: 'INFERENCE' },
  });
});

test.each<[string, MintProblem]>([
  ['Invalid wallet address', 'invalid-address'],
  ['JWT has expired', 'token-expired'],
  ['jwt signature is INVALID.', 'token-signature'],
  ['JWT claims are invalid', 'token-claims'],
  ['Error: JWT is malformed', 'token-malformed'],
  ['Wallet signature does not match', 'wrong-signature'],
  ['Could not verify wallet signature', 'signature-unverified'],
  ['Wallet has no staked TKN on Chain', 'no-stake'],
  [`Wallet ${address} has no staked TKN on Chain`, 'no-stake'],
  ['JWT has already been used', 'token-expired'],
  ['Invalid request parameters', 'invalid-options'],
  ['', 'invalid-options'],
])(
  'mintWeb3Key classifies the error message %j of a mint request as "%s"',
  async (text, problem) => {
    const bodies = [
      { error: text },
      { error: { message: text } },
      { errors: [text] },
      { errors: [{ message: text, path: ['token'] }] },
    ];
    for (const body of bodies) {
      const { resultPromise, requests } = mintWithAnswer({
        status: 400,
        body: [JSON.stringify(body)],
      });
      await expect(resultPromise).rejects.toMatchObject({ problem });
      expect(requests).toHaveLength(1);
    }
  },
);

test.each<[string, MintProblem, ScriptedAnswer]>([
  ['an interrupted connection', 'maybe-minted', createServiceError('interrupted')],
  ['a timeout', 'maybe-minted', createServiceError('timeout')],
  ['a stop during the request', 'maybe-minted', createServiceError('stopped')],
  ['a 502 response', 'maybe-minted', { status: 502, body: [apiKey] }],
  ['a truncated JSON response', 'maybe-minted', { body: [`{"apiKey":"${apiKey}`] }],
  [
    'a connection lost within the response',
    'maybe-minted',
    { body: [apiKey, createServiceError('offline')] },
  ],
  ['a response without a key', 'maybe-minted', { body: ['{"data":{}}'] }],
  ['a malformed key', 'maybe-minted', { body: [`{"apiKey":"${apiKey}\\r\\nx: y"}`] }],
  ['an unreachable service', 'failed', createServiceError('offline')],
  ['an untrusted certificate', 'failed', createServiceError('tls')],
  ['a redirect', 'failed', createServiceError('redirected')],
  ['a 429 response', 'failed', { status: 429, body: ['{}'] }],
  ['a 503 response', 'failed', { status: 503, body: ['{}'] }],
  ['a 404 response', 'not-offered', { status: 404, body: ['{}'] }],
  [
    'a token error with status 401',
    'failed',
    { status: 401, body: ['{"error":"JWT has expired"}'] },
  ],
])(
  'after %s, mintWeb3Key reports the problem "%s" and does not retry',
  async (_description, problem, answer) => {
    const { resultPromise, requests } = mintWithAnswer(answer);
    const error = await getFailure(resultPromise);
    expect(error).toMatchObject({ problem });
    expectNoSecret(error);
    expect(requests).toHaveLength(1);
  },
);

test('mintWeb3Key redacts secrets that an error response echoes', async () => {
  const serviceText = `Invalid request parameters: ${secrets.join(' ')}`;
  const error = await getFailure(
    mintWithAnswer({ status: 400, body: [serviceText] }).resultPromise,
  );
  expect(error).toMatchObject({ problem: 'invalid-options' });
  expectNoSecret(error);
});

test('mintWeb3Key sends no request if the signal is already aborted', async () => {
  const { context, requests } = createScriptedService({});
  const request = { address, signature, token, options: { type: 'INFERENCE' } } as const;
  const abortedOptions = { signal: AbortSignal.abort() };
  const error = await getFailure(mintWeb3Key(context, request, abortedOptions));
  expect(error).toMatchObject({ problem: 'failed', failure: { code: 'stopped' } });
  expect(requests).toHaveLength(0);
});

function createServiceError(
  code: 'offline' | 'interrupted' | 'timeout' | 'stopped' | 'tls' | 'redirected',
) {
  return new ServiceError({ code, message: code });
}
