import * as l10n from '@vscode/l10n';
import { backoffMs, wait } from '../../base/clock.ts';
import { checkApiKey, endpointUrl } from './endpoint.ts';
import { readResponseInfo, readTextStart } from './response.ts';
import type { ResponseInfo } from '../chat/chat-types.ts';
import {
  type Endpoint,
  type ServiceContext,
  type SignIn,
  type Timeouts,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './client.ts';
import { modelUseOf } from './model-gate.ts';
import { failureTable, ServiceError, type ServiceFailure } from './failure.ts';
import { readFailure } from './read-failure.ts';
import { abortError, toServiceError } from './network-failure.ts';

/** Call of an endpoint, independent of the base URL and the key. */
export interface Call {
  readonly method: TransportRequest['method'];
  /** Path below the base URL, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON body, or a function that builds the body from the vendor word. */
  readonly body?: object | ((vendorWord: string) => object);
  /** Multipart form to send instead of `body`. `type` is the content type, including the boundary. */
  readonly form?: { readonly type: string; readonly bytes: Uint8Array };
  /** Model of a multipart form. For a JSON body, the model is read from the body. */
  readonly model?: string;
  readonly accept?: string;
  /** True to send the request without credentials. */
  readonly isPublic?: boolean;
  /** Additional headers, or a function that builds them from the vendor word. */
  readonly headers?: Headers | ((vendorWord: string) => Headers);
  readonly timeouts?: Partial<Timeouts>;
  /** Status that means success instead of 2xx. A request for payment terms expects 402. */
  readonly expectedStatus?: number;
  /**
   * Checks whether a failed attempt may be retried. Default: a retryable failure, or a connection that closed without a
   * response.
   */
  readonly canRetry?: (failure: ServiceFailure) => boolean;
}

type Headers = Readonly<Record<string, string>>;

/** Response with an expected status. The body has not been read. */
export interface ServiceResponse {
  readonly headers: TransportResponse['headers'];
  readonly body: TransportResponse['body'];
  readonly info: ResponseInfo;
  readonly endpoint: Endpoint;
}

/** Failed attempt and the delay before the next attempt. */
export interface RetryWait {
  /** Number of the next attempt, starting at 2. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly failure: ServiceFailure;
}

const maxTries = 3;
/** Maximum delay in milliseconds before an automatic retry. If the service requests a longer delay, the call fails. */
const maxWaitMs = 60_000;

const defaultTimeouts: Timeouts = { connect: 15_000, headers: 60_000, idle: 60_000 };

/** Checks for a retryable failure, or for a connection that closed without a response. */
const isSafeToRepeat = (failure: ServiceFailure): boolean =>
  failureTable[failure.code].retryable ||
  (failure.code === 'interrupted' && failure.status === undefined);

/**
 * Sends a call in at most three attempts. Yields before each delay. Returns when the headers of a successful response
 * arrive; later failures are not retried.
 * @throws ServiceError
 */
export async function* sendWithRetries(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): AsyncGenerator<RetryWait, ServiceResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await trySend(context, call, signal);
    } catch (error) {
      const { failure } = toServiceError(error);
      const delayMs = delayBefore({ failure, tries: attempt, call, random: context.random });
      if (delayMs === undefined) throw new ServiceError(failure);
      if (delayMs === 0) continue;
      yield { attempt: attempt + 1, delayMs, failure };
      await waitOrStop(delayMs, context, signal);
    }
  }
}

/** Sends a call like {@link sendWithRetries}, but does not report the delays. */
export async function send(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  const retries = sendWithRetries(context, call, signal);
  let result = await retries.next();
  while (!result.done) result = await retries.next();
  return result.value;
}

function delayBefore(failedAttempt: {
  failure: ServiceFailure;
  tries: number;
  call: Call;
  random: () => number;
}): number | undefined {
  const { failure, tries, call, random } = failedAttempt;
  const canRetry = call.canRetry ?? isSafeToRepeat;
  if (tries >= maxTries || !canRetry(failure)) return undefined;
  // The server may have closed an idle connection just before its reuse, so the first retry is immediate.
  if (failure.code === 'interrupted' && tries === 1) return 0;
  const delayMs = failure.retryAfterMs ?? backoffMs(tries, random());
  return delayMs > maxWaitMs ? undefined : delayMs;
}

async function waitOrStop(ms: number, context: ServiceContext, signal: AbortSignal): Promise<void> {
  await wait(ms, { clock: context.clock, signal }).catch(() => {
    throw abortError(signal);
  });
}

async function trySend(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (signal.aborted) throw abortError(signal);
  const { endpoint, request, transport } = await prepare(context, call, signal);
  const settle = await context.breakers.of(endpoint.baseUrl.origin).begin(signal);
  let hasFailed = false;
  try {
    const response = await transport.send(request);
    hasFailed = !isExpectedStatus(response.status, call);
    if (hasFailed) {
      const secrets = [...secretsOf(endpoint), ...findSecretHeaders(request)];
      throw await readFailedResponse(response, context, secrets);
    }
    return { ...response, info: readResponseInfo(response.headers, endpoint.vendorWord), endpoint };
  } finally {
    settle(hasFailed);
  }
}

const isExpectedStatus = (status: number, { expectedStatus }: Call): boolean =>
  expectedStatus === undefined ? status >= 200 && status < 300 : status === expectedStatus;

/** Prepares a request. The circuit breaker does not count a failure of this step. */
async function prepare(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): Promise<{ endpoint: Endpoint; request: TransportRequest; transport: Transport }> {
  try {
    const endpoint = await context.endpoint();
    await authorizeModel(context, { call, endpoint, signal });
    const request = await buildRequest(endpoint, call, signal);
    return { endpoint, request, transport: await context.transport() };
  } catch (error) {
    throw error instanceof ServiceError ? error : internalError(error);
  }
}

/** Checks whether the request may use its model. All requests pass this check. */
async function authorizeModel(
  { gate }: ServiceContext,
  { call, endpoint, signal }: { call: Call; endpoint: Endpoint; signal: AbortSignal },
): Promise<void> {
  if (gate === undefined) return;
  const use = modelUseOf({ ...call, body: resolveValue(call.body, endpoint) });
  if (use !== undefined) await gate.authorize(use, signal);
}

async function buildRequest(
  endpoint: Endpoint,
  call: Call,
  signal: AbortSignal,
): Promise<TransportRequest> {
  const url = endpointUrl(endpoint.baseUrl, call.path, call.query);
  const body = resolveValue(call.body, endpoint);
  return {
    method: call.method,
    url,
    headers: {
      accept: call.accept ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.form === undefined ? {} : { 'content-type': call.form.type }),
      ...resolveValue(call.headers, endpoint),
      ...(call.isPublic === true ? {} : await credentials(endpoint, { ...call, url, signal })),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(call.form === undefined ? {} : { body: call.form.bytes }),
    signal,
    timeouts: { ...defaultTimeouts, ...call.timeouts },
  };
}

/** Returns a value that a call contains directly or computes from the vendor word. */
const resolveValue = <T extends object>(
  value: T | ((vendorWord: string) => T) | undefined,
  { vendorWord }: Endpoint,
): T | undefined => (typeof value === 'function' ? value(vendorWord) : value);

async function credentials(
  { apiKey, signIn }: Endpoint,
  request: Parameters<SignIn>[0],
): Promise<Readonly<Record<string, string>>> {
  if (signIn !== undefined) return signIn(request);
  return apiKey === undefined ? {} : { authorization: `Bearer ${checkApiKey(apiKey)}` };
}

async function readFailedResponse(
  response: TransportResponse,
  context: ServiceContext,
  secrets: readonly string[],
): Promise<ServiceError> {
  const text = await readTextStart(response.body, 64 * 1024);
  return new ServiceError(
    readFailure({
      status: response.status,
      headers: response.headers,
      text,
      now: context.clock.now(),
      secrets,
    }),
  );
}

/** Returns the values of all headers that may be secret, such as a sign-in or payment. A response can quote them. */
const findSecretHeaders = ({ headers }: TransportRequest): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => name !== 'accept' && name !== 'content-type')
    .map(([, value]) => value);

/** Returns the secrets of an endpoint, which must never appear in a message. */
export const secretsOf = (endpoint: Endpoint): readonly string[] =>
  endpoint.apiKey === undefined ? [] : [endpoint.apiKey];

/** Converts an unexpected error. Reports only the name of the error, because the message can contain the key. */
const internalError = (error: unknown): ServiceError =>
  new ServiceError({
    code: 'internal-error',
    message: l10n.t(
      'The request could not be prepared: something in this extension failed. Retry.',
    ),
    detail: error instanceof Error ? error.name : typeof error,
  });
