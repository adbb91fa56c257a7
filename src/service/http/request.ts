import * as l10n from '@vscode/l10n';
import { backoffMs, wait } from '../../base/clock.ts';
import { checkApiKey, endpointUrl } from './endpoint.ts';
import { readReplyInfo, readTextStart } from './reply.ts';
import type { ReplyInfo } from '../chat/chat-types.ts';
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
import { readFailure } from './failure-reading.ts';
import { abortFailure, networkFailure } from './network-failure.ts';

/** One call of an endpoint, before address, key and retries. */
export interface Call {
  readonly method: TransportRequest['method'];
  /** Below the base address, starting with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. A function is given the vendor word. */
  readonly body?: object | ((vendorWord: string) => object);
  /** Sent as it is, in place of `body`: a multipart form with the type that names its boundary. */
  readonly form?: { readonly type: string; readonly bytes: Uint8Array };
  /** What a form names; of a body it is read. */
  readonly model?: string;
  readonly accept?: string;
  /** Sent without key and sign-in, whatever the endpoint has. */
  readonly isPublic?: boolean;
  /** Besides those that every call has. A function is given the vendor word. */
  readonly headers?: Headers | ((vendorWord: string) => Headers);
  readonly timeouts?: Partial<Timeouts>;
  /** The status that is wanted in place of 2xx: 402 where a price is asked for. */
  readonly expects?: number;
  /** Whether a try that failed like this may be repeated; by default what is safe for calls that change nothing but the balance. */
  readonly mayRepeat?: (failure: ServiceFailure) => boolean;
}

type Headers = Readonly<Record<string, string>>;

/** A successful reply whose body has not been read. */
export interface Reply {
  readonly headers: TransportResponse['headers'];
  readonly body: TransportResponse['body'];
  readonly info: ReplyInfo;
  readonly endpoint: Endpoint;
}

/** A failed try, and how long we wait before the next. */
export interface RetryWait {
  /** The try that comes after the wait, from 2. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly failure: ServiceFailure;
}

const maxTries = 3;
/** A longer wait is the person's decision: the failure carries it instead. */
const longestWaitMs = 60_000;

const defaultTimeouts: Timeouts = { connect: 15_000, headers: 60_000, idle: 60_000 };

/** What the table calls retryable, and a connection closed unanswered. */
const isSafeToRepeat = (failure: ServiceFailure): boolean =>
  failureTable[failure.code].retryable ||
  (failure.code === 'interrupted' && failure.status === undefined);

/**
 * Sends a call until the service accepts it, at most three times, and yields before each wait.
 * Returns when the headers of a successful reply are in; the body is never asked for twice.
 * @throws ServiceError
 */
export async function* exchange(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): AsyncGenerator<RetryWait, Reply> {
  for (let tries = 1; ; tries++) {
    try {
      return await trySend(context, call, signal);
    } catch (error) {
      const { failure } = networkFailure(error);
      const delayMs = delayBefore({ failure, tries, call, random: context.random });
      if (delayMs === undefined) throw new ServiceError(failure);
      if (delayMs === 0) continue;
      yield { attempt: tries + 1, delayMs, failure };
      await waitOrStop(delayMs, context, signal);
    }
  }
}

/** {@link exchange} for callers that do not show the waits. */
export async function send(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): Promise<Reply> {
  const tries = exchange(context, call, signal);
  let step = await tries.next();
  while (!step.done) step = await tries.next();
  return step.value;
}

function delayBefore(about: {
  failure: ServiceFailure;
  tries: number;
  call: Call;
  random: () => number;
}): number | undefined {
  const { failure, tries, call, random } = about;
  const mayRepeat = call.mayRepeat ?? isSafeToRepeat;
  if (tries >= maxTries || !mayRepeat(failure)) return undefined;
  // A server that closes an idle connection just as we use it is no sign of trouble.
  if (failure.code === 'interrupted' && tries === 1) return 0;
  const delayMs = failure.retryAfterMs ?? backoffMs(tries, random());
  return delayMs > longestWaitMs ? undefined : delayMs;
}

async function waitOrStop(ms: number, context: ServiceContext, signal: AbortSignal): Promise<void> {
  await wait(ms, { clock: context.clock, signal }).catch(() => {
    throw abortFailure(signal);
  });
}

async function trySend(context: ServiceContext, call: Call, signal: AbortSignal): Promise<Reply> {
  if (signal.aborted) throw abortFailure(signal);
  const { endpoint, request, transport } = await prepare(context, call, signal);
  const settle = await context.breakers.of(endpoint.baseUrl.origin).begin(signal);
  let hasFailed = false;
  try {
    const response = await transport.send(request);
    hasFailed = !isWanted(response.status, call);
    if (hasFailed) {
      const secrets = [...secretsOf(endpoint), ...secretsIn(request)];
      throw await failureOf(response, context, secrets);
    }
    return { ...response, info: readReplyInfo(response.headers, endpoint.vendorWord), endpoint };
  } finally {
    settle(hasFailed);
  }
}

const isWanted = (status: number, { expects }: Call): boolean =>
  expects === undefined ? status >= 200 && status < 300 : status === expects;

/** What a request needs. Failing here is no sign of what the service or the network do. */
async function prepare(
  context: ServiceContext,
  call: Call,
  signal: AbortSignal,
): Promise<{ endpoint: Endpoint; request: TransportRequest; transport: Transport }> {
  try {
    const endpoint = await context.endpoint();
    await admitModel(context, { call, endpoint, signal });
    const request = await requestFor(endpoint, call, signal);
    return { endpoint, request, transport: await context.transport() };
  } catch (error) {
    throw error instanceof ServiceError ? error : internalError(error);
  }
}

/** Here, since every request comes through: nobody can forget it. */
async function admitModel(
  { gate }: ServiceContext,
  { call, endpoint, signal }: { call: Call; endpoint: Endpoint; signal: AbortSignal },
): Promise<void> {
  if (gate === undefined) return;
  const use = modelUseOf({ ...call, body: said(call.body, endpoint) });
  if (use !== undefined) await gate.admit(use, signal);
}

async function requestFor(
  endpoint: Endpoint,
  call: Call,
  signal: AbortSignal,
): Promise<TransportRequest> {
  const url = endpointUrl(endpoint.baseUrl, call.path, call.query);
  const body = said(call.body, endpoint);
  return {
    method: call.method,
    url,
    headers: {
      accept: call.accept ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.form === undefined ? {} : { 'content-type': call.form.type }),
      ...said(call.headers, endpoint),
      ...(call.isPublic === true ? {} : await credentials(endpoint, { ...call, url, signal })),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(call.form === undefined ? {} : { body: call.form.bytes }),
    signal,
    timeouts: { ...defaultTimeouts, ...call.timeouts },
  };
}

/** What a call gives itself, or makes of the vendor word. */
const said = <T extends object>(
  given: T | ((vendorWord: string) => T) | undefined,
  { vendorWord }: Endpoint,
): T | undefined => (typeof given === 'function' ? given(vendorWord) : given);

async function credentials(
  { apiKey, signIn }: Endpoint,
  request: Parameters<SignIn>[0],
): Promise<Readonly<Record<string, string>>> {
  if (signIn !== undefined) return signIn(request);
  return apiKey === undefined ? {} : { authorization: `Bearer ${checkApiKey(apiKey)}` };
}

async function failureOf(
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

/** Whatever a request carries besides its form: a sign-in or a payment, which a reply can quote. */
const secretsIn = ({ headers }: TransportRequest): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => name !== 'accept' && name !== 'content-type')
    .map(([, value]) => value);

/** What must never appear in a message. */
export const secretsOf = (endpoint: Endpoint): readonly string[] =>
  endpoint.apiKey === undefined ? [] : [endpoint.apiKey];

/** Only the kind of the error is told: its text can hold the key, as that of a failing secret storage does. */
const internalError = (error: unknown): ServiceError =>
  new ServiceError({
    code: 'internal-error',
    message: l10n.t(
      'The request could not be prepared: something in this extension failed. Retry.',
    ),
    detail: error instanceof Error ? error.name : typeof error,
  });
