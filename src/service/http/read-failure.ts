import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, numberOr, parseJson, stringOr } from '../../base/json.ts';
import { redact } from '../../base/redact.ts';
import type { FailureCode, ServiceFailure } from './failure.ts';
import { requestIdOf } from './response.ts';

/**
 * Content of an error body. The service sends several formats: `error` as text or object, `message`, `detail`, or lists
 * of issues.
 */
export interface ErrorBody {
  /** Error message of the service. Empty if there is none. */
  readonly text: string;
  /** `code` and `type` of the error in lower case, separated by a space. */
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** True if the body lists payment or sign-in options, because the request had no credentials. */
  readonly isDiscovery: boolean;
}

/** Parses an error body. Text that is not JSON becomes the message, except HTML. */
export function readErrorBody(text: string): ErrorBody {
  const json = parseJson(text);
  if (json !== undefined) return readErrorJson(json);
  const isPage = /^\s*</.test(text);
  return { text: isPage ? '' : text.trim(), code: '', isDiscovery: false };
}

/** Reads a parsed error body, or an error object from a stream. */
export function readErrorJson(json: unknown): ErrorBody {
  if (!isRecord(json)) return { text: stringOr(json, ''), code: '', isDiscovery: false };
  const innerError = isRecord(json['error']) ? json['error'] : {};
  const requestId = stringOr(json['request_id'], undefined);
  const retryAfter = numberOr(innerError['retry_after'] ?? json['retry_after'], undefined);
  return {
    text: findErrorText(json, innerError),
    code: [innerError['code'], innerError['type'], json['code'], json['reason']]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .toLowerCase(),
    isDiscovery: 'authOptions' in json || ('x402Version' in json && 'accepts' in json),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: Math.max(0, retryAfter * 1_000) }),
  };
}

function findErrorText(json: Record<string, unknown>, inner: Record<string, unknown>): string {
  const main = [inner['message'], json['error'], json['message'], json['detail']].find(
    (part) => typeof part === 'string' && part !== '',
  );
  const details = typeof json['details'] === 'string' ? [json['details']] : formatIssues(json);
  return [stringOr(main, ''), ...details].filter((part) => part !== '').join('; ');
}

/** Formats validation issues as `path: message`. Falls back to the field errors in `details`. */
function formatIssues(json: Record<string, unknown>): string[] {
  const issues = Array.isArray(json['issues']) ? json['issues'].filter(isRecord) : [];
  if (issues.length > 0) return issues.slice(0, 5).map(issueText);
  const details = isRecord(json['details']) ? Object.entries(json['details']) : [];
  return details.slice(0, 5).flatMap(([field, value]) => {
    const errors = isRecord(value) ? value['_errors'] : undefined;
    return Array.isArray(errors) ? errors.map((error) => `${field}: ${String(error)}`) : [];
  });
}

function issueText(issue: Record<string, unknown>): string {
  const path = Array.isArray(issue['path']) ? issue['path'].join('.') : '';
  const message = stringOr(issue['message'], '');
  return path === '' || message.includes(path) ? message : `${path}: ${message}`;
}

/**
 * Returns the retry delay in milliseconds from `Retry-After`, or else from the reset time of the request limit.
 * Undefined if neither header is valid.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  return (
    retryAfter(headers['retry-after'], parseDateHeader(headers) ?? now) ??
    resetTime(headers['x-ratelimit-reset-requests'], now)
  );
}

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3) to milliseconds. The value is in seconds, or a date.
 * @param now Current time of the server.
 */
function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Math.max(0, Number(text) * 1_000);
  // Date.parse accepts nearly any text. An HTTP date starts with the name of a weekday.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/**
 * Converts a reset time to a delay in milliseconds. The unit follows from the magnitude: seconds from now, Unix seconds
 * or Unix milliseconds.
 */
function resetTime(value: string | undefined, now: number): number | undefined {
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value.trim())) return undefined;
  const number = Number(value);
  if (number >= 1e12) return Math.max(0, number - now);
  if (number >= 1e9) return Math.max(0, number * 1_000 - now);
  return number * 1_000;
}

function parseDateHeader(headers: Readonly<Record<string, string>>): number | undefined {
  const at = Date.parse(headers['date'] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Current time in milliseconds since the Unix epoch, for `Retry-After` dates. */
  readonly now: number;
  /** Values to remove from the failure, such as the API key. */
  readonly secrets: readonly string[];
}

/** Converts an error response to a failure (spec §7). */
export function readFailure(response: FailedResponse): ServiceFailure {
  const body = readErrorBody(response.text);
  const code = toFailureCode(response.status, body);
  const hasRetryDelay = code === 'rate-limited' || code === 'overloaded' || code === 'server-error';
  return describeFailure(code, {
    body,
    secrets: response.secrets,
    status: response.status,
    requestId: requestIdOf(response.headers),
    retryAfterMs: hasRetryDelay ? retryAfterMs(response.headers, response.now) : undefined,
  });
}

/** Converts an error object from a stream to a failure. The status of such a response is 200. */
export const readStreamFailure = (body: ErrorBody, secrets: readonly string[]): ServiceFailure =>
  describeFailure(toFailureCode(0, body), { body, secrets });

interface FailureDetails {
  readonly body: ErrorBody;
  readonly secrets: readonly string[];
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

function describeFailure(code: FailureCode, failureDetails: FailureDetails): ServiceFailure {
  const { body, secrets } = failureDetails;
  const isBlocked = body.text.includes('Too many failed attempts');
  const waitMs =
    failureDetails.retryAfterMs ?? body.retryAfterMs ?? (isBlocked ? 30_000 : undefined);
  const detail = redact(body.text, secrets, 300);
  return omitUndefined({
    code,
    message: formatMessage(code, failureDetails.status, `${body.code} ${body.text}`),
    status: failureDetails.status,
    retryAfterMs: waitMs === undefined ? undefined : Math.min(waitMs, maxWaitMs),
    requestId: redactOptional(failureDetails.requestId ?? body.requestId, secrets),
    detail: detail === '' ? undefined : detail,
  });
}

/** Maximum retry delay in milliseconds: one year, so that any date plus the delay is valid. */
const maxWaitMs = 365 * 24 * 60 * 60 * 1_000;

const redactOptional = (text: string | undefined, secrets: readonly string[]): string | undefined =>
  text === undefined ? undefined : redact(text, secrets, 128);

/** Failure codes by pattern of the error text. The first match applies and takes precedence over the status. */
const codesByText: readonly (readonly [RegExp, FailureCode])[] = [
  [/context_length_exceeded|too_many_tokens|maximum context/i, 'context-overflow'],
  [/not supported by this model|does not support/i, 'unsupported-feature'],
  [
    /image[_ ]too[_ ](large|small)|too many pixels|corrupted[_ ]image|video_duration|upstream_validation/i,
    'invalid-request',
  ],
  [/content_filter|content_blocked|content_policy|content policy/i, 'content-policy'],
  // The nonce was reused or the clock is wrong. A retry signs a new message with the time of the service.
  [
    /x402_sign_in_(expired|future_timestamp|not_before|timestamp_mismatch|nonce_reused)/i,
    'sign-in-stale',
  ],
  [/x402_sign_in_|x402_invalid_sign_in|sign-in-with-x signature/i, 'sign-in-refused'],
  [/payment_required/i, 'wallet-out-of-funds'],
  [/spend limit exceeded|spend_limit_exceeded/i, 'spend-limit'],
  [/pro_only_model|pro users/i, 'model-access'],
  [/model_not_found|specified model not found/i, 'model-not-found'],
  [/too many failed attempts|rate_limit|rate limit exceeded/i, 'rate-limited'],
  [/model_overloaded|model_at_capacity|overloaded/i, 'overloaded'],
];

const byStatus: Readonly<Record<number, FailureCode>> = {
  401: 'unauthorized',
  402: 'out-of-funds',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-found',
  407: 'proxy',
  408: 'timeout',
  410: 'not-found',
  413: 'payload-too-large',
  415: 'unsupported-media-type',
  422: 'content-policy',
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timeout',
};

function toFailureCode(status: number, body: ErrorBody): FailureCode {
  if (status === 402 && body.isDiscovery) return 'no-key';
  const text = `${body.code} ${body.text}`;
  const isMeaningful = status === 0 || (status >= 400 && status < 500) || status === 503;
  const codeByText = isMeaningful
    ? codesByText.find(([pattern]) => pattern.test(text))?.[1]
    : undefined;
  return (
    codeByText ??
    byStatus[status] ??
    (status >= 400 && status < 500 ? 'invalid-request' : 'server-error')
  );
}

const messages = (): Partial<Record<FailureCode, string>> => ({
  'no-key': l10n.t('The service asks for an API key and none was sent. Set an API key.'),
  unauthorized: l10n.t(
    'The service does not accept this API key. Check that it is complete, of the right kind and not expired, or set another one.',
  ),
  forbidden: l10n.t('This API key is not allowed to do this. Use another key or another model.'),
  'model-access': l10n.t(
    'This model needs a higher access tier than this API key has. Choose another model.',
  ),
  'out-of-funds': l10n.t(
    'The account has not enough balance for this request. Add credits, or choose a cheaper model.',
  ),
  'wallet-out-of-funds': l10n.t(
    'The balance that the service keeps for this wallet is not enough for this request. Top it up, or choose a cheaper model. Nothing was paid.',
  ),
  'sign-in-refused': l10n.t(
    'The service does not accept the sign-in of this wallet. Check that the chain in the settings is the one that the service uses; the log has what it said.',
  ),
  'sign-in-stale': l10n.t(
    "The service takes the wallet's sign-in for an old one. Check the clock of this machine, then retry.",
  ),
  'spend-limit': l10n.t(
    'This API key has reached its spend limit; the account itself may still have balance. Use another key or raise the limit.',
  ),
  'model-not-found': l10n.t(
    'The service does not know this model, or no longer offers it. Choose another model.',
  ),
  'not-found': l10n.t(
    'The service has nothing at this address. Check the base address; it ends in /api/v1.',
  ),
  'invalid-request': l10n.t('The service did not accept the request. The log has what it said.'),
  'unsupported-feature': l10n.t(
    'This model does not support a feature the request uses. Choose another model or leave the feature out.',
  ),
  'context-overflow': l10n.t(
    "The conversation is longer than the model's context. Start a new chat, remove attachments, or choose a model with a larger context.",
  ),
  'payload-too-large': l10n.t('The request is too large for the service. Remove attachments.'),
  'unsupported-media-type': l10n.t('The service did not accept the format of the request.'),
  'content-policy': l10n.t(
    "The service refused this content under its policy. Change the request's words.",
  ),
  'rate-limited': l10n.t('Too many requests in a short time. Wait a little and retry.'),
  overloaded: l10n.t(
    'The model is at capacity. Retry after a short wait, or choose another model.',
  ),
  'server-error': l10n.t('The service failed to process the request. Retry.'),
  timeout: l10n.t('The service took too long to answer. Retry.'),
  proxy: l10n.t('The network proxy asks for credentials. Check the proxy settings.'),
});

/** Messages about problems with the image in a request, by pattern of the error text. */
const imageMessages = (): readonly (readonly [RegExp, string])[] => [
  [
    /image[_ ]too[_ ]large|too many pixels/i,
    l10n.t('The picture is too large for the service. Use a smaller one.'),
  ],
  [/image[_ ]too[_ ]small/i, l10n.t('The picture is too small for the service. Use a larger one.')],
  [
    /corrupted[_ ]image/i,
    l10n.t('The service cannot read the picture. Save it again as PNG, JPEG or WebP, and retry.'),
  ],
];

function formatMessage(code: FailureCode, status: number | undefined, errorText: string): string {
  const imageMessage =
    code === 'invalid-request'
      ? imageMessages().find(([pattern]) => pattern.test(errorText))?.[1]
      : undefined;
  return (
    imageMessage ??
    messages()[code] ??
    l10n.t('The service answered with status {0}.', status ?? l10n.t('unknown'))
  );
}
