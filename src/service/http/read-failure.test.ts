import { describe, expect, test } from 'vitest';
import { isErrorReply, readErrorJson, readFailure, readStreamFailure } from './read-failure.ts';
import { type FailureCode, failureTable, type ServiceFailure } from './failure.ts';

const readTestFailure = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ServiceFailure =>
  readFailure({
    status,
    headers,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    now: 0,
    secrets: ['canary-key'],
  });

const paymentDiscovery = {
  x402Version: 2,
  error: 'Authentication required',
  accepts: [{ scheme: 'exact' }],
  authOptions: { apiKey: { header: 'Authorization' } },
};
const createIssues = (message: string) => ({
  error: 'Invalid request parameters',
  details: { _errors: [], tools: { _errors: [message] } },
  issues: [{ code: 'custom', path: ['tools'], message }],
});

describe('readFailure', () => {
  test('names the usual base URL endings if the address has no service', () => {
    expect(readTestFailure(404, 'page not found').message).toContain('/api/v1 or /v1');
  });

  test.each<[number, unknown, FailureCode, string?]>([
    [400, { error: 'model is required' }, 'invalid-request', 'model is required'],
    [
      400,
      createIssues('Required'),
      'invalid-request',
      'Invalid request parameters; tools: Required',
    ],
    [
      400,
      { error: 'Bad', details: 'upstream said no' },
      'invalid-request',
      'Bad; upstream said no',
    ],
    [
      400,
      { error: 'Bad', details: { _errors: [], top_p: { _errors: ['too big'] } } },
      'invalid-request',
      'Bad; top_p: too big',
    ],
    [
      400,
      createIssues('tools is not supported by this model'),
      'unsupported-feature',
      'Invalid request parameters; tools is not supported by this model',
    ],
    [
      400,
      { error: { message: 'Too long', code: 'context_length_exceeded' } },
      'context-overflow',
      'Too long',
    ],
    [
      400,
      { error: "Your request exceeds the model's maximum context. Please reduce" },
      'context-overflow',
    ],
    [400, { error: 'rejected', request_id: 'r1' }, 'invalid-request', 'rejected'],
    [401, { error: 'Authentication failed' }, 'unauthorized', 'Authentication failed'],
    [401, { error: 'Admin API key required' }, 'forbidden'],
    [401, { error: 'This model is only available to Pro users' }, 'model-access'],
    [404, { error: 'Not found: /api/v1/api_keys/rate_limits' }, 'not-found'],
    [401, { error: 'The model needs a higher access tier' }, 'model-access'],
    [
      403,
      { error: 'This model is not available on your plan. Upgrade your plan.' },
      'model-access',
    ],
    ...[
      'Upgrade to Pro to use this model',
      'This model requires Pro',
      'Pro account required',
      'A paid subscription is required for this model.',
      'Your plan does not include this model',
      "Your plan doesn't support this model",
      'You do not have access to this model',
      'Project p does not have access to model `m`',
      'This model is not available for your subscription',
      'Model is restricted to paid users',
    ].flatMap((error): [number, unknown, FailureCode][] => [
      [401, { error }, 'model-access'],
      [403, { error: { message: error } }, 'model-access'],
    ]),
    ...[
      'Invalid API key provided',
      'Authentication required. Upgrade your client.',
      'Your account does not exist',
      'This key requires a proof of possession',
      'You do not have access to this organization',
    ].map((error): [number, unknown, FailureCode] => [401, { error }, 'unauthorized']),
    [429, { error: 'Rate limit exceeded. Upgrade your plan.' }, 'rate-limited'],
    [401, { error: 'Your subscription is inactive' }, 'out-of-funds'],
    [401, { error: 'x', code: 'AUTHENTICATION_FAILED_INACTIVE_KEY' }, 'out-of-funds'],
    [402, { error: 'This needs a paid plan' }, 'out-of-funds'],
    [402, { error: 'Insufficient USD or Diem balance to complete request.' }, 'out-of-funds'],
    [
      402,
      { error: 'Payment required', code: 'PAYMENT_REQUIRED', reason: 'insufficient_balance' },
      'wallet-out-of-funds',
      'Payment required',
    ],
    [401, { error: 'Old', code: 'X402_SIGN_IN_EXPIRED' }, 'sign-in-stale'],
    [401, { error: 'Early', code: 'X402_SIGN_IN_FUTURE_TIMESTAMP' }, 'sign-in-stale'],
    [401, { error: 'Early', code: 'X402_SIGN_IN_NOT_BEFORE' }, 'sign-in-stale'],
    [401, { error: 'Off', code: 'X402_SIGN_IN_TIMESTAMP_MISMATCH' }, 'sign-in-stale'],
    [401, { error: 'Used', code: 'X402_SIGN_IN_NONCE_REUSED' }, 'sign-in-stale'],
    ...[
      'INVALID_PAYLOAD',
      'PARSE_ERROR',
      'INVALID_MESSAGE',
      'ADDRESS_MISMATCH',
      'INVALID_CHAIN_ID',
      'CHAIN_MISMATCH',
      'UNSUPPORTED_CHAIN',
      'MISSING_NONCE',
      'DOMAIN_MISMATCH',
      'INVALID_SIGNATURE',
      'INVALID_WALLET',
    ].map((code): [number, unknown, FailureCode] => [
      401,
      { error: 'Sign-in refused', code: `X402_SIGN_IN_${code}` },
      'sign-in-refused',
    ]),
    [401, { error: 'Invalid Sign-in-with-x signature' }, 'sign-in-refused'],
    [400, { error: 'No', code: 'PAYMENT_HEADER_NOT_ACCEPTED' }, 'invalid-request'],
    [429, { error: 'Too many', code: 'X402_CONCURRENCY_LIMIT' }, 'rate-limited'],
    [403, { error: 'You can only access balance for your own wallet' }, 'forbidden'],
    [402, { error: 'API key DIEM spend limit exceeded. Your account may' }, 'spend-limit'],
    [403, { error: 'API access disabled' }, 'forbidden'],
    [404, { error: 'Specified model not found: x' }, 'model-not-found'],
    [404, '<html><body>nginx</body></html>', 'not-found', ''],
    [408, '', 'timeout'],
    [410, { error: 'Gone' }, 'not-found'],
    [410, { error: 'The model maple-70b was removed.' }, 'model-not-found'],
    [
      404,
      { error: 'No character could be found from the provided character_slug' },
      'invalid-request',
    ],
    [413, { code: 'PAYLOAD_TOO_LARGE', error: 'Too large' }, 'payload-too-large', 'Too large'],
    [415, { error: 'Invalid request content-type' }, 'unsupported-media-type'],
    [422, { error: 'Refused', suggested_prompt: 'a cat' }, 'content-policy', 'Refused'],
    [422, { error: { message: 'x', type: 'content_filter_error' } }, 'content-policy'],
    // Other texts about a reply that the service cannot process do not mean that the content was refused.
    [422, { error: 'Unprocessable entity' }, 'invalid-request', 'Unprocessable entity'],
    [422, { error: { message: 'Template failed', code: 422 } }, 'invalid-request'],
    [422, '', 'invalid-request', ''],
    [
      422,
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'top_k'],
            msg: 'Extra inputs are not permitted',
          },
          { type: 'missing', loc: ['body', 'model'], msg: 'Field required' },
        ],
      },
      'invalid-request',
      'body.top_k: Extra inputs are not permitted; body.model: Field required',
    ],
    [422, createIssues('Required'), 'invalid-request'],
    [422, { error: { message: 'top_k: Extra inputs are not permitted' } }, 'invalid-request'],
    [422, { error: 'Blocked', code: 'CONTENT_POLICY_VIOLATION' }, 'content-policy'],
    [422, { code: 'IMAGE_TOO_LARGE', error: 'Image too large' }, 'invalid-request'],
    [429, { error: 'Rate limit exceeded' }, 'rate-limited'],
    [429, { error: 'The model is currently overloaded. Please try again later.' }, 'overloaded'],
    [500, { error: 'Inference processing failed' }, 'server-error'],
    [500, 'not json', 'server-error', 'not json'],
    [500, '', 'server-error', ''],
    [500, '[]', 'server-error', ''],
    [500, 'null', 'server-error', ''],
    [502, '<html>bad gateway</html>', 'server-error', ''],
    [503, { error: 'The model is at capacity.' }, 'overloaded'],
    [504, { error: 'timeout' }, 'timeout'],
    [418, { error: 'teapot' }, 'invalid-request'],
    [599, {}, 'server-error'],
  ])(
    'converts the status %i with the body %j to the failure code %s',
    (status, body, code, ...expectedDetails) => {
      const failure = readTestFailure(status, body);
      expect(failure).toMatchObject({ code, status });
      if (expectedDetails.length > 0) expect(failure.detail ?? '').toBe(expectedDetails[0]);
    },
  );
});

test.each([
  [
    '<b>Quota</b> used up.<br/>See <a href="https://e.tld/x">the plans</a>',
    'Quota used up. See the plans',
  ],
  ['**Quota** used up for `maple-70b`', 'Quota used up for maple-70b'],
  ['__Quota__ used up', 'Quota used up'],
  [
    'Upstream: <html><head><title>502</title><style>b {}</style></head><body><h1>Bad gateway</h1></body></html>',
    'Upstream: Bad gateway',
  ],
  ['a &lt; b &amp;&amp; &quot;c&quot; &#39;d&#39;', 'a < b && "c" \'d\''],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
])('readFailure converts the service message %j to the plain text %j', (error, detail) => {
  expect(readTestFailure(500, { error }).detail).toBe(detail);
});

test.each(['Use <model>:<tag>, not 2**3**4 or x_1__y', 'Set seed to <a number>, not a<b and c>d'])(
  'readFailure does not change the service message %j, which contains no markup',
  (error) => {
    expect(readTestFailure(500, { error }).detail).toBe(error);
  },
);

test('readFailure redacts a secret that is split by HTML tags', () => {
  expect(readTestFailure(500, { error: 'canary<b></b>-key' }).detail).not.toContain('canary-key');
  expect(readTestFailure(500, { error: 'canary**-key**' }).detail).not.toContain('canary-key');
});

test('readFailure shows the error message of a service before the error code', () => {
  const error = 'UPSTREAM_NOT_READY';
  expect(readTestFailure(500, { error, message: 'Come back later' }).detail).toBe(
    'Come back later (UPSTREAM_NOT_READY)',
  );
  expect(readTestFailure(500, { error }).detail).toBe('UPSTREAM_NOT_READY');
  const message = 'x'.repeat(400);
  expect(readTestFailure(500, { error, message }).detail).toMatch(/x \(UPSTREAM_NOT_READY\)$/);
});

test('readFailure explains that a service does not offer pay-per-request, and suggests a key', () => {
  const failure = readTestFailure(503, { error: 'X402_NOT_CONFIGURED', message: 'Not set up' });
  expect(failure).toMatchObject({
    code: 'no-pay-per-request',
    message: 'This service has no pay-per-request. Set an API key, or get one with a wallet.',
    detail: 'Not set up (X402_NOT_CONFIGURED)',
  });
  expect(failureTable[failure.code]).toEqual({
    isRetryable: false,
    actions: ['set-key', 'mint-key'],
  });
});

test('readFailure reads the retry delay from the header, the body, or the message about a blocked key', () => {
  expect(readTestFailure(429, {}, { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
  expect(readTestFailure(503, { error: { message: 'x', retry_after: 3 } }).retryAfterMs).toBe(
    3_000,
  );
  const blockedReply = {
    error: 'Too many failed attempts (> 50) resulting in a non-success status code.',
  };
  expect(readTestFailure(429, blockedReply)).toMatchObject({
    code: 'rate-limited',
    retryAfterMs: 30_000,
  });
  expect(readTestFailure(401, {}, { 'retry-after': '7' }).retryAfterMs).toBeUndefined();
  const yearMs = 365 * 24 * 60 * 60 * 1_000;
  expect(readTestFailure(429, {}, { 'retry-after': '9'.repeat(400) }).retryAfterMs).toBe(yearMs);
  expect(readTestFailure(429, '{"retry_after":1e308}').retryAfterMs).toBe(yearMs);
});

test('readFailure reads the request id from the headers or the body', () => {
  expect(readTestFailure(500, {}, { 'cf-ray': 'ray-1' }).requestId).toBe('ray-1');
  expect(readTestFailure(400, { error: 'x', request_id: 'r1' }).requestId).toBe('r1');
});

test('readFailure removes secrets from every field of the failure', () => {
  const failure = readTestFailure(401, {
    error: `key canary-key, Bearer abcdefgh ${'x'.repeat(400)}`,
    request_id: 'canary-key',
  });
  expect(JSON.stringify(failure)).not.toMatch(/canary|abcdefgh/);
  expect(failure.detail).toHaveLength(300);
});

test.each<[unknown, FailureCode]>([
  [
    { error: { message: 'busy', type: 'server_error', code: 'model_overloaded', retry_after: 2 } },
    'overloaded',
  ],
  [{ error: { message: 'x', type: 'api_error', code: 'upstream_error' } }, 'server-error'],
  [
    { error: { message: 'x', type: 'content_filter_error', code: 'content_blocked_by_provider' } },
    'content-policy',
  ],
  [{ error: 'some words' }, 'server-error'],
  [{ error: { message: 'x', code: 'context_length_exceeded' } }, 'context-overflow'],
  [{ error: 7 }, 'server-error'],
])(
  'readStreamFailure converts the error %j inside a stream to the failure code %s',
  (body, code) => {
    expect(readStreamFailure(readErrorJson(body), []).code).toBe(code);
  },
);

test('readFailure returns a short message and a known failure code for every status', () => {
  for (const status of [400, 401, 402, 403, 404, 407, 408, 413, 415, 422, 429, 500, 503, 504]) {
    const { code, message } = readTestFailure(status, {});
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message).not.toContain('status');
    expect(failureTable[code]).toBeDefined();
  }
});

test.each([
  { error: 'Unexpected endpoint or method. (GET /x)' },
  { error: { message: 'x' } },
  { errors: [{ message: 'x' }] },
  { object: 'error', code: 400 },
  { message: 'x', code: 400 },
])('isErrorReply returns true for the reply %j with status 200', (reply) => {
  expect(isErrorReply(reply)).toBe(true);
});

test.each([
  { errors: [] },
  { error: null, choices: [] },
  { message: 'x', choices: [] },
  { message: 'x', data: [] },
])('isErrorReply returns false for the reply %j with status 200', (reply) => {
  expect(isErrorReply(reply)).toBe(false);
});

test.each([
  ['an API key', 'key', 'out-of-funds', 'add-credits'],
  ['a wallet', 'wallet', 'wallet-out-of-funds', 'add-credits'],
  ['no credentials', 'none', 'payment-required', 'connect-wallet'],
] as const)(
  'for a request with %s, readFailure converts status 402 with payment options to the code "$2" and the action "$3"',
  (_description, credentials, code, action) => {
    const text = JSON.stringify(paymentDiscovery);
    const response = { status: 402, headers: {}, text, now: 0, secrets: [], credentials };
    const failure = readFailure(response);
    expect(failure.code).toBe(code);
    expect(failureTable[failure.code].actions).toContain(action);
  },
);

test.each([
  [
    401,
    { error: { message: 'key not allowed to access model.', type: 'key_model_access_denied' } },
  ],
  [403, { error: { message: 'team not allowed', type: 'team_model_access_denied', code: '403' } }],
])(
  'readFailure reports that the key may not use the model for the status %i with the body %j',
  (status, body) => {
    expect(readTestFailure(status, body)).toMatchObject({ code: 'model-access', status });
  },
);

test.each([400, 401, 403, 429])(
  'readFailure reports an exhausted key budget with status %i as not retryable, and not as an invalid key',
  (status) => {
    const error = {
      message: 'Budget has been exceeded! Current cost: 5.0, Max budget: 1.0',
      type: 'budget_exceeded',
    };
    const failure = readTestFailure(status, { error });
    expect(failure).toMatchObject({ code: 'spend-limit', status });
    expect(failureTable[failure.code].isRetryable).toBe(false);
  },
);

test('readFailure does not report an invalid key if status 401 rejects only the route', () => {
  const message =
    "Virtual key is not allowed to call this route. Only allowed to call routes: ['llm_api_routes'].";
  expect(readTestFailure(401, { error: { message } })).toMatchObject({ code: 'forbidden' });
});
