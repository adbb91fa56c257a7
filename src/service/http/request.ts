import * as l10n from '@vscode/l10n';
import { computeBackoffMs, wait } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import { checkApiKey, buildEndpointUrl } from './endpoint.ts';
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
import { Connection, type OptionalField } from './connection.ts';
import {
  listContainedFields,
  findRefusedField,
  removeOmittedFields,
} from './optional-body-fields.ts';
import { findVendorPrefix } from './vendor-prefix.ts';
import { getModelUse } from './model-gate.ts';
import { maxWaitMs, priorities, type RateLimitQueue } from './rate-limit-queue.ts';
import { isUnencryptedPrivateUrl } from './private-network.ts';
import { failureTable, type RetryWait, ServiceError, type ServiceFailure } from './failure.ts';
import { type Credentials, type FailedResponse, isRefusal, readFailure } from './read-failure.ts';
import { createAbortError, toServiceError } from './network-failure.ts';

/**
 * Request to a service, described without the base URL and the credentials, which each attempt takes from the active
 * endpoint.
 */
export interface ServiceCall {
  readonly method: TransportRequest['method'];
  /** Path below the base URL, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Base URL for which the call was built. The call fails if the active service has another base URL. */
  readonly baseUrl?: string;
  /** JSON body, or a function that builds the body from the vendor prefix and the stored facts about the service. */
  readonly body?: object | ((vendorPrefix: string, connection: Connection) => object);
  /**
   * Fields of the body that the service may refuse. If the service refuses a field that the user did not choose, the
   * request is sent again without the field.
   */
  readonly optionalFields?: readonly OptionalField[];
  /** Multipart form to send instead of `body`. `type` is the content type, including the boundary. */
  readonly form?: { readonly type: string; readonly bytes: Uint8Array };
  /** Model of a multipart form. For a JSON body, the model is read from the body. */
  readonly model?: string;
  readonly accept?: string;
  /**
   * True for a route that some servers do not have. A `not-found` response then does not count as a failure of the
   * server.
   */
  readonly isOptionalRoute?: boolean;
  /** True to send the request without credentials. */
  readonly isPublic?: boolean;
  /** Additional headers, or a function that builds them from the vendor prefix. */
  readonly headers?: RequestHeaders | ((vendorPrefix: string) => RequestHeaders);
  /** Timeouts that replace the defaults, or a function that returns them for the endpoint. */
  readonly timeouts?: Partial<Timeouts> | ((endpoint: ConnectedEndpoint) => Partial<Timeouts>);
  /** Status that means success instead of 2xx, such as 402 for a request of payment terms. */
  readonly expectedStatus?: number;
  /**
   * Checks whether a failed attempt may be retried. Default: a retryable failure, or a connection that closed without a
   * response.
   */
  readonly canRetry?: (failure: ServiceFailure) => boolean;
  /**
   * Returns the current priority of the call. The priority decides the order of calls while the service limits their
   * rate. Only for calls that run a model.
   */
  readonly getPriority?: () => number;
}

type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Returns the endpoint of the context; `undefined` if it is unavailable. Does not throw, because the call that the
 * caller sends next reports the failure.
 */
export const findEndpoint = async ({
  getEndpoint,
}: ServiceContext): Promise<Endpoint | undefined> =>
  Promise.resolve(getEndpoint()).catch(() => undefined);

/**
 * Returns the `baseUrl` option that restricts a call to the service of `endpoint`. Without an endpoint, returns no
 * restriction.
 */
export const bindToEndpoint = (endpoint: Endpoint | undefined): Pick<ServiceCall, 'baseUrl'> =>
  endpoint === undefined ? {} : { baseUrl: endpoint.baseUrl.href };

/** Response with an expected status. The body has not been read. */
export interface ServiceResponse {
  readonly headers: TransportResponse['headers'];
  readonly body: TransportResponse['body'];
  readonly info: ResponseInfo;
  readonly endpoint: Endpoint;
  /** Paths of the optional fields that the request left out. Absent if the request left out no field. */
  readonly omittedFields?: readonly string[];
}

const maxAttempts = 3;

const defaultTimeouts: Timeouts = { connectMs: 15_000, headersMs: 60_000, idleMs: 60_000 };

/**
 * Checks whether a request may be sent again: the code of the failure is retryable, or the connection closed without a
 * response.
 */
export const isSafeToRepeat = (failure: ServiceFailure): boolean =>
  failureTable[failure.code].isRetryable ||
  (failure.code === 'interrupted' && failure.status === undefined);

/**
 * Time in milliseconds within which a service rejects a call that exceeds its rate limit. A call without a reply for
 * longer counts as accepted, so calls with a lower priority need not wait for the reply, which can take a minute for an
 * image.
 */
const maxRejectionMs = 5_000;

/**
 * Sends a call in at most three attempts. Yields an event before each delay, including a delay before the first attempt
 * if the service already limits the rate. Returns when the headers of a successful response arrive; later failures are
 * not retried.
 * @throws ServiceError if the request fails
 */
export async function* sendWithRetries(
  context: ServiceContext,
  call: ServiceCall,
  signal: AbortSignal,
): AsyncGenerator<RetryWait, ServiceResponse> {
  const target: RequestTarget = omitUndefined({ baseUrl: call.baseUrl });
  const limits = await findRateLimits(context, call);
  const { getPriority = () => priorities.other } = call;
  let release: (() => void) | undefined;
  const markAsLimited = (): void =>
    void (release ??= limits.priorityQueue?.addLimitedCall(getPriority));
  const markAsSent = (): void => {
    release?.();
    release = undefined;
  };
  try {
    for (let attempt = 1; ; attempt++) {
      for await (const failure of waitForRateLimit(context, { ...limits, call, signal })) {
        markAsLimited();
        yield { attempt, delayMs: failure.retryAfterMs, failure };
      }
      const cancelTimer = release && context.clock.after(maxRejectionMs, markAsSent);
      try {
        return await trySendCall(context, { ...call, target }, signal).finally(cancelTimer);
      } catch (error) {
        const { failure } = toServiceError(error);
        limits.queue?.recordLimit(limits.getModelOrPath, failure);
        const delayMs = getDelayBeforeRetry({ failure, attempt, call, random: context.random });
        if (delayMs === undefined) throw new ServiceError(failure);
        if (delayMs === 0) continue;
        if (failure.code === 'rate-limited') markAsLimited();
        yield { attempt: attempt + 1, delayMs, failure };
        await waitOrThrow(delayMs, context, signal);
      }
    }
  } finally {
    release?.();
  }
}

/**
 * Waits until no rate limit applies and no call with a higher priority waits. Yields the failure of each rate limit
 * before waiting for its end.
 * @throws ServiceError if the delay is too long, or if the call must not be retried
 */
async function* waitForRateLimit(
  context: ServiceContext,
  { call, signal, ...limits }: RateLimits & { call: ServiceCall; signal: AbortSignal },
): AsyncGenerator<ServiceFailure & { readonly retryAfterMs: number }> {
  const { queue, priorityQueue, getModelOrPath } = limits;
  const { getPriority = () => priorities.other, canRetry = isSafeToRepeat } = call;
  for (;;) {
    const limitFailure = queue?.findLimit(getModelOrPath);
    if (limitFailure === undefined) {
      const hasWaited = await priorityQueue?.waitForTurn(getPriority, signal);
      if (hasWaited !== true) return;
      continue;
    }
    if (limitFailure.retryAfterMs > maxWaitMs || !canRetry(limitFailure))
      throw new ServiceError(limitFailure);
    yield limitFailure;
    await waitOrThrow(limitFailure.retryAfterMs, context, signal);
  }
}

interface RateLimits {
  /** Rate limit queue for the origin and the key of a call; `undefined` if the context has no queues. */
  readonly queue?: RateLimitQueue;
  /**
   * The same queue as `queue`, but only for a call that runs a model; otherwise `undefined`. Only such calls wait for
   * calls with a higher priority.
   */
  readonly priorityQueue?: RateLimitQueue;
  /** Returns the model of the call, or its path if the call has no model. */
  readonly getModelOrPath: () => string;
}

async function findRateLimits(context: ServiceContext, call: ServiceCall): Promise<RateLimits> {
  const getPath = (): string => call.path;
  // A service limits the rate of a key, so calls without a key do not wait.
  const hasKey = call.isPublic !== true;
  const endpoint = hasKey && context.rateLimits ? await findEndpoint(context) : undefined;
  if (context.rateLimits === undefined || endpoint === undefined)
    return { getModelOrPath: getPath };
  const queue = context.rateLimits.get(endpoint.baseUrl.origin, endpoint.apiKey);
  if (getModelUse(call) === undefined) return { queue, getModelOrPath: getPath };
  const { connection = new Connection() } = endpoint;
  const readBody = (): object | undefined => resolveBody(call, { ...endpoint, connection });
  const getModelOrPath = (): string =>
    getModelUse({ ...call, body: readBody() })?.model ?? getPath();
  return { queue, priorityQueue: queue, getModelOrPath };
}

/**
 * Converts each delay of {@link sendWithRetries} with `toEvent` and yields the result. Returns the response. Ends the
 * call if the caller leaves the iteration.
 */
export async function* yieldRetryWaits<T>(
  retries: AsyncGenerator<RetryWait, ServiceResponse>,
  toEvent: (wait: RetryWait) => T,
): AsyncGenerator<T, ServiceResponse> {
  try {
    let result = await retries.next();
    for (; !result.done; result = await retries.next()) yield toEvent(result.value);
    return result.value;
  } finally {
    // Node 22 of the oldest supported VS Code does not support `await using` for generators.
    await retries.return(undefined as never);
  }
}

/** Sends a call like {@link sendWithRetries}. Reports the delays only to `onRetryWait` of the context. */
export async function sendCall(
  context: ServiceContext,
  call: ServiceCall,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  const retries = sendWithRetries(context, call, signal);
  const retryWaits = yieldRetryWaits(retries, (wait) => context.onRetryWait?.(wait));
  let result = await retryWaits.next();
  while (!result.done) result = await retryWaits.next();
  return result.value;
}

function getDelayBeforeRetry(failedAttempt: {
  failure: ServiceFailure;
  attempt: number;
  call: ServiceCall;
  random: () => number;
}): number | undefined {
  const { failure, attempt, call, random } = failedAttempt;
  const canRetry = call.canRetry ?? isSafeToRepeat;
  if (attempt >= maxAttempts || !canRetry(failure)) return undefined;
  // The server may have closed an idle connection just before its reuse, so the first retry is immediate.
  if (failure.code === 'interrupted' && attempt === 1) return 0;
  const delayMs = failure.retryAfterMs ?? computeBackoffMs(attempt, random());
  return delayMs > maxWaitMs ? undefined : delayMs;
}

async function waitOrThrow(
  ms: number,
  context: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  await wait(ms, { clock: context.clock, signal }).catch(() => {
    throw createAbortError(signal);
  });
}

/** State shared by the attempts of a call. */
interface RequestTarget {
  /** Base URL of the first attempt. The content of a request must not reach another service. */
  baseUrl?: string;
}

type TargetedCall = ServiceCall & { readonly target: RequestTarget };

async function trySendCall(
  context: ServiceContext,
  call: TargetedCall,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  // A server must not cause more repetitions than one for the vendor prefix and one for each optional field.
  const maxRepetitions = 1 + (call.optionalFields?.length ?? 0);
  const trials: FieldTrial[] = [];
  let lastFailure: ServiceFailure | undefined;
  try {
    for (let repetitionCount = 0; ; repetitionCount++) {
      if (signal.aborted) throw createAbortError(signal);
      const preparedRequest = await prepareRequest(context, call, signal);
      const result = await sendPreparedRequest(context, call, { ...preparedRequest, signal });
      lastFailure = result instanceof ServiceError ? result.failure : undefined;
      if (!(result instanceof ServiceError)) return result;
      const isRepeatable = adaptToRefusal(result.failure, preparedRequest, trials);
      if (!isRepeatable || repetitionCount >= maxRepetitions) throw result;
    }
  } finally {
    for (const trial of trials) if (hasSameText(trial.failure, lastFailure)) trial.undo();
  }
}

/**
 * Attempt to send a request again without a field that the service refused. The response shows whether the refusal was
 * really about the field.
 */
interface FieldTrial {
  /** Failure of the request that contained the refused field. */
  readonly failure: ServiceFailure;
  readonly undo: () => void;
}

/**
 * Checks whether the request without the refused field failed with the same error text as the request with the field,
 * so that omitting the field did not help.
 */
const hasSameText = (refusal: ServiceFailure, lastFailure: ServiceFailure | undefined): boolean =>
  lastFailure !== undefined && refusal.detail === lastFailure.detail;

export type ConnectedEndpoint = Endpoint & { readonly connection: Connection };

interface PreparedRequest {
  readonly endpoint: ConnectedEndpoint;
  readonly request: TransportRequest;
  readonly transport: Transport;
  /** Optional fields that the body contains. */
  readonly sentFields: readonly OptionalField[];
  /** Paths of the optional fields that were left out of the body. */
  readonly omittedFields: readonly string[];
  /** True if the body contains vendor parameters (spec §2.3). */
  readonly hasParameters: boolean;
}

/** Sends a request once. Returns the response, or an error if the response has an unexpected status. */
async function sendPreparedRequest(
  context: ServiceContext,
  call: ServiceCall,
  { endpoint, request, transport, signal, ...fields }: PreparedRequest & { signal: AbortSignal },
): Promise<ServiceResponse | ServiceError> {
  const { sentFields, omittedFields } = fields;
  const settle = await context.breakers.get(endpoint.baseUrl.origin).waitForTurn(signal);
  let hasFailed = false;
  try {
    const response = await transport.send(request);
    const replyPrefix = findVendorPrefix(response.headers);
    if (replyPrefix !== undefined) endpoint.connection.recordVendorPrefix(replyPrefix);
    if (!isExpectedStatus(response.status, call)) {
      hasFailed = response.status !== 400;
      const secrets = [...listSecrets(endpoint), ...listSecretHeaderValues(request)];
      const credentials = getCredentialsKind(request, { call, endpoint });
      const refusedCall = { secrets, credentials, sentFields, endpoint };
      const error = await readFailedResponse(response, context, refusedCall);
      hasFailed &&= countsAsFailure(error.failure, call);
      return error;
    }
    for (const { key } of sentFields) endpoint.connection.recordField(key, true);
    const vendorPrefix = replyPrefix ?? endpoint.vendorPrefix;
    return {
      ...response,
      info: readResponseInfo(response.headers, vendorPrefix),
      endpoint: { ...endpoint, vendorPrefix },
      ...(omittedFields.length === 0 ? {} : { omittedFields }),
    };
  } finally {
    settle(hasFailed);
  }
}

/**
 * Stores the facts that the reply to a refused request reveals. Returns true if a changed request should be sent: the
 * reply contains another vendor prefix, or names an optional field that the user did not choose. The service does not
 * charge refused requests.
 */
function adaptToRefusal(
  failure: ServiceFailure,
  { endpoint: { connection, vendorPrefix }, sentFields, hasParameters }: PreparedRequest,
  trials: FieldTrial[],
): boolean {
  const { refusedField } = failure;
  if (!isAboutFields(failure)) return false;
  if (
    hasParameters &&
    connection.vendorPrefix !== undefined &&
    connection.vendorPrefix !== vendorPrefix
  )
    return true;
  const field = sentFields.find(({ key }) => key === refusedField);
  if (field === undefined) return false;
  const { [field.key]: wasAccepted } = connection.facts.fields ?? {};
  connection.recordField(field.key, false);
  if (field.chosenName !== undefined) return false;
  trials.push({ failure, undo: () => connection.recordField(field.key, wasAccepted) });
  return true;
}

/** Checks whether a failure is about the fields of the request. FastAPI rejects invalid fields with status 422. */
const isAboutFields = ({ status, code }: ServiceFailure): boolean =>
  status === 400 ||
  (status === 422 && (code === 'invalid-request' || code === 'unsupported-option'));

/**
 * Checks whether the circuit breaker counts a failed response. Refused requests do not count, because the service does
 * not block a key for them.
 */
const countsAsFailure = (failure: ServiceFailure, { isOptionalRoute }: ServiceCall): boolean =>
  !isAboutFields(failure) &&
  !isRefusal(failure) &&
  failure.code !== 'unsupported-option' &&
  !(isOptionalRoute === true && failure.code === 'not-found');

const isExpectedStatus = (status: number, { expectedStatus }: ServiceCall): boolean =>
  expectedStatus === undefined ? status >= 200 && status < 300 : status === expectedStatus;

/**
 * Facts about the service for calls whose endpoint has no `connection`. They apply to all attempts of one call, so a
 * retry leaves out the fields that the service refused before.
 */
const connectionsByCall = new WeakMap<ServiceCall, Connection>();

function createSingleConnection(call: ServiceCall): Connection {
  const connection = connectionsByCall.get(call) ?? new Connection();
  connectionsByCall.set(call, connection);
  return connection;
}

/** Builds the request of an attempt and authorizes it. The circuit breaker does not count a failure of this step. */
async function prepareRequest(
  context: ServiceContext,
  call: TargetedCall,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  try {
    const currentEndpoint = await context.getEndpoint();
    requireSameTarget(call.target, currentEndpoint);
    const { connection = createSingleConnection(call) } = currentEndpoint;
    const endpoint = {
      ...currentEndpoint,
      connection,
      vendorPrefix: connection.vendorPrefix ?? currentEndpoint.vendorPrefix,
    };
    await authorizeModel(context, { call, endpoint, signal });
    const fields = call.optionalFields ?? [];
    const wholeBody = resolveBody(call, endpoint);
    const body = wholeBody && removeOmittedFields(wholeBody, fields, endpoint);
    const builtCall = { ...call, ...omitUndefined({ body }), userAgent: context.userAgent };
    const request = await buildRequest(endpoint, builtCall, signal);
    const sentFields = listContainedFields(body, fields, endpoint.vendorPrefix);
    const omittedFields =
      body === wholeBody
        ? []
        : listContainedFields(wholeBody, fields, endpoint.vendorPrefix)
            .filter((field) => !sentFields.includes(field))
            .map(({ path }) => path);
    const hasParameters = body !== undefined && `${endpoint.vendorPrefix}_parameters` in body;
    const transport = await context.getTransport();
    return { endpoint, request, sentFields, omittedFields, hasParameters, transport };
  } catch (error) {
    throw error instanceof ServiceError ? error : createInternalError(error);
  }
}

/**
 * Rejects an attempt whose base URL differs from that of the first attempt, for example after the user switched the
 * profile.
 */
function requireSameTarget(target: RequestTarget, { baseUrl: { href } }: Endpoint): void {
  target.baseUrl ??= href;
  if (target.baseUrl === href) return;
  throw new ServiceError({
    code: 'address-changed',
    message: l10n.t('The address of the service changed, so the request was not sent. Retry.'),
  });
}

/** Checks with `gate` that the model of a request may be used. Called for every request. */
async function authorizeModel(
  { gate }: ServiceContext,
  {
    call,
    endpoint,
    signal,
  }: { call: ServiceCall; endpoint: ConnectedEndpoint; signal: AbortSignal },
): Promise<void> {
  if (gate === undefined) return;
  const modelUse = getModelUse({ ...call, body: resolveBody(call, endpoint) });
  if (modelUse !== undefined) await gate.authorize(modelUse, signal);
}

async function buildRequest(
  endpoint: ConnectedEndpoint,
  call: ServiceCall & { readonly userAgent: string | undefined },
  signal: AbortSignal,
): Promise<TransportRequest> {
  requireEncryptionForWallet(endpoint, call);
  const url = buildEndpointUrl(endpoint.baseUrl, call.path, call.query);
  const body = resolveBody(call, endpoint);
  return {
    method: call.method,
    url,
    headers: {
      accept: call.accept ?? 'application/json',
      ...(call.userAgent === undefined ? {} : { 'user-agent': call.userAgent }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.form === undefined ? {} : { 'content-type': call.form.type }),
      ...(typeof call.headers === 'function' ? call.headers(endpoint.vendorPrefix) : call.headers),
      ...(call.isPublic === true
        ? {}
        : await createCredentialHeaders(endpoint, { ...call, url, signal })),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(call.form === undefined ? {} : { body: call.form.bytes }),
    signal,
    timeouts: { ...defaultTimeouts, ...resolveTimeouts(call, endpoint) },
  };
}

/** Path prefixes of the endpoints for wallets: payments, and keys that a wallet mints. */
const walletPaths = ['/x402/', '/api_keys/generate_web3_key'] as const;

/** Rejects a wallet call to an unencrypted address, even if the user confirmed the address for other calls. */
function requireEncryptionForWallet({ baseUrl, signIn }: Endpoint, { path }: ServiceCall): void {
  const isForWallet =
    signIn !== undefined || walletPaths.some((pathPrefix) => path.startsWith(pathPrefix));
  if (!isForWallet || !isUnencryptedPrivateUrl(baseUrl)) return;
  throw new ServiceError({
    code: 'invalid-address',
    message: l10n.t('Wallets need an encrypted connection. Use an address with https://.'),
  });
}

const resolveBody = (
  { body }: ServiceCall,
  { vendorPrefix, connection }: ConnectedEndpoint,
): object | undefined => (typeof body === 'function' ? body(vendorPrefix, connection) : body);

const resolveTimeouts = (
  { timeouts }: ServiceCall,
  endpoint: ConnectedEndpoint,
): Partial<Timeouts> | undefined =>
  typeof timeouts === 'function' ? timeouts(endpoint) : timeouts;

async function createCredentialHeaders(
  { apiKey, signIn }: Endpoint,
  request: Parameters<SignIn>[0],
): Promise<Readonly<Record<string, string>>> {
  if (signIn !== undefined) return signIn(request);
  if (apiKey === undefined) return {};
  const key = checkApiKey(apiKey, request.url);
  return { authorization: `Bearer ${key}` };
}

async function readFailedResponse(
  response: TransportResponse,
  context: ServiceContext,
  {
    secrets,
    credentials,
    sentFields,
    endpoint: { baseUrl, vendorPrefix },
  }: Pick<PreparedRequest, 'sentFields' | 'endpoint'> &
    Pick<FailedResponse, 'secrets' | 'credentials'>,
): Promise<ServiceError> {
  const { status, headers } = response;
  const text = await readTextStart(response.body, 64 * 1024);
  const failure = readFailure({
    status,
    headers,
    text,
    now: context.clock.now(),
    ...omitUndefined({ secrets, credentials }),
  });
  const field = isAboutFields(failure)
    ? findRefusedField(text, sentFields, vendorPrefix)
    : findRefusedDocumentsField(text, { status, sentFields });
  if (field === undefined) return new ServiceError(failure);
  return new ServiceError({
    ...createRefusedFieldFailure(failure, field),
    connection: baseUrl.href,
  });
}

/**
 * Returns the optional field for the documents of a request if the response refuses documents with status 500, as older
 * builds of llama.cpp do; otherwise `undefined`.
 */
const findRefusedDocumentsField = (
  text: string,
  { status, sentFields }: { status: number; sentFields: readonly OptionalField[] },
): OptionalField | undefined =>
  status === 500
    ? sentFields.find(
        ({ chosenName, refusalPattern }) =>
          chosenName !== undefined && refusalPattern?.test(text) === true,
      )
    : undefined;

const createRefusedFieldFailure = (
  failure: ServiceFailure,
  { key, chosenName }: OptionalField,
): ServiceFailure =>
  chosenName === undefined
    ? { ...failure, refusedField: key }
    : {
        ...failure,
        code: 'unsupported-option',
        message: l10n.t('This service does not support this option: {0}.', chosenName),
        refusedField: key,
      };

function getCredentialsKind(
  { headers }: TransportRequest,
  { call, endpoint }: { readonly call: ServiceCall; readonly endpoint: Endpoint },
): Credentials {
  if (headers['authorization'] !== undefined) return 'key';
  return endpoint.signIn !== undefined && call.isPublic !== true ? 'wallet' : 'none';
}

/**
 * Returns the values of all secret headers, such as a sign-in or payment, because a response can quote these values.
 */
const listSecretHeaderValues = ({ headers }: TransportRequest): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => !['accept', 'content-type', 'user-agent'].includes(name))
    .map(([, value]) => value);

/** Returns the secrets of an endpoint, which must never appear in a message. */
export const listSecrets = (endpoint: Endpoint): readonly string[] =>
  endpoint.apiKey === undefined ? [] : [endpoint.apiKey];

/** Converts an unexpected error. Reports only the name of the error, because the message can contain the key. */
const createInternalError = (error: unknown): ServiceError =>
  new ServiceError({
    code: 'internal-error',
    message: l10n.t('That did not work. See the log for details.'),
    detail: error instanceof Error ? error.name : typeof error,
  });
