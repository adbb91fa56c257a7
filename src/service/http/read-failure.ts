import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, readNumberOr, parseJson, readStringOr } from '../../base/json.ts';
import { redact } from '../../base/redact.ts';
import type { FailureCode, ServiceFailure } from './failure.ts';
import { paymentRequiredHeader } from '../payment-requirements.ts';
import { findRefusal, type Refusal } from './refusal.ts';
import { readRequestId } from './response.ts';

/**
 * Content of an error body. Services send several formats: `error` as a string or an object, `message`, `detail`, or
 * lists of issues or errors.
 */
export interface ErrorBody {
  /** Error message of the service. Empty if none exists. */
  readonly text: string;
  /** `code` and `type` of the error in lower case, separated by a space. */
  readonly code: string;
  /** HTTP status in the numeric `code` of an error. Errors inside replies with status 200 have such a code. */
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /**
   * True if the body suggests another prompt, because the content of the request violates the policy of the service.
   */
  readonly hasSuggestedPrompt?: boolean;
  /** True if the body lists payment options or sign-in methods (x402). */
  readonly hasPaymentOptions: boolean;
}

/** Parses an error body. Text that is neither JSON nor HTML becomes the error message. */
export function readErrorBody(text: string): ErrorBody {
  const json = parseJson(text);
  if (json !== undefined) return readErrorJson(json);
  const isHtmlPage = /^\s*</.test(text);
  return { text: isHtmlPage ? '' : text.trim(), code: '', hasPaymentOptions: false };
}

/** Reads a parsed error body, or an error object from a stream. */
export function readErrorJson(json: unknown): ErrorBody {
  if (!isRecord(json)) return { text: readStringOr(json, ''), code: '', hasPaymentOptions: false };
  const innerError = isRecord(json['error']) ? json['error'] : {};
  const status = readStatus(innerError['code'] ?? json['code']);
  const requestId = readStringOr(json['request_id'], undefined);
  const retryAfterSeconds = readNumberOr(innerError['retry_after'] ?? json['retry_after'], 0);
  return {
    text: findErrorText(json, innerError),
    code: [innerError['code'], innerError['type'], json['code'], json['reason']]
      .filter((code) => typeof code === 'string')
      .join(' ')
      .toLowerCase(),
    hasPaymentOptions: 'authOptions' in json || ('x402Version' in json && 'accepts' in json),
    ...('suggested_prompt' in json ? { hasSuggestedPrompt: true } : {}),
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterSeconds > 0 ? { retryAfterMs: retryAfterSeconds * 1_000 } : {}),
  };
}

/**
 * Checks whether a reply contains an error instead of an answer. Servers send an error as a string, as an object, or as
 * the fields of the reply itself.
 */
export const isErrorReply = (json: Record<string, unknown>): boolean =>
  json['error'] != null ||
  (Array.isArray(json['errors']) && json['errors'].length > 0 && !('choices' in json)) ||
  json['object'] === 'error' ||
  (typeof json['message'] === 'string' && !('choices' in json) && !('data' in json));

/**
 * Reads the HTTP status from the code of an error; `undefined` for other codes. LiteLLM sends the status as a string.
 */
function readStatus(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function findErrorText(json: Record<string, unknown>, innerError: Record<string, unknown>): string {
  const messages = [innerError['message'], json['error'], json['message'], json['detail']]
    .map((text) => readStringOr(text, ''))
    .filter((text) => text !== '');
  const [firstMessage = ''] = messages;
  const sentence = codePattern.test(firstMessage)
    ? messages.find((message) => !codePattern.test(message))
    : undefined;
  const mainMessage =
    sentence === undefined
      ? firstMessage
      : `${sentence.slice(0, maxSentenceLength)} (${firstMessage})`;
  const details = typeof json['details'] === 'string' ? [json['details']] : formatIssues(json);
  return [mainMessage, ...details].filter((part) => part !== '').join('; ');
}

/**
 * Maximum length, in characters, of the sentence before an error code. A short sentence leaves room for the code when
 * the detail is truncated.
 */
const maxSentenceLength = 200;

/** Matches an error code in place of a message, such as `X402_NOT_CONFIGURED`. */
const codePattern = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** Formats validation issues as `path: message`. Falls back to the field errors in `details`. */
function formatIssues(json: Record<string, unknown>): string[] {
  const issues = listIssues(json);
  if (issues.length > 0) return issues.slice(0, 5).map(formatIssue);
  const details = isRecord(json['details']) ? Object.entries(json['details']) : [];
  return details.slice(0, 5).flatMap(([field, value]) => {
    const errors = isRecord(value) ? value['_errors'] : undefined;
    return Array.isArray(errors) ? errors.map((error) => `${field}: ${String(error)}`) : [];
  });
}

/** Lists the validation issues of a body. FastAPI names the list `detail`. */
const listIssues = (json: Record<string, unknown>): readonly unknown[] =>
  [json['issues'], json['errors'], json['detail']].find(Array.isArray) ?? [];

function formatIssue(issue: unknown): string {
  if (!isRecord(issue)) return readStringOr(issue, '');
  const pathParts = issue['path'] ?? issue['loc'];
  const path = Array.isArray(pathParts) ? pathParts.join('.') : '';
  const message = readStringOr(issue['message'] ?? issue['msg'], '');
  return path === '' || message.includes(path) ? message : `${path}: ${message}`;
}

/**
 * Returns the retry delay in milliseconds from the `Retry-After` header or, if it is missing, from the headers with the
 * reset times of exhausted request and token limits. Returns `undefined` if no header contains a delay above 0.
 */
export function readRetryDelayMs(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const serverTime = parseDateHeader(headers) ?? now;
  const requestedDelayMs = parseRetryAfter(headers['retry-after'], serverTime);
  if (requestedDelayMs !== undefined) return requestedDelayMs;
  const delays = ['requests', 'tokens'].flatMap((unit) => {
    const isExhausted = Number(headers[`x-ratelimit-remaining-${unit}`] ?? 0) <= 0;
    const resetTime = headers[`x-ratelimit-reset-${unit}`];
    return isExhausted ? (parseResetTime(resetTime, serverTime) ?? []) : [];
  });
  return delays.length === 0 ? undefined : Math.max(...delays);
}

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3) to milliseconds. The value is in seconds, or a date.
 * @param now Current time of the server, in milliseconds since the Unix epoch.
 */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return getPositiveDelay(Number(text) * 1_000);
  // Date.parse accepts nearly any text. An HTTP date starts with the name of a weekday.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  return getPositiveDelay(Date.parse(text) - now);
}

/**
 * Converts a reset time to a delay in milliseconds. The unit follows from the magnitude: seconds from now, Unix seconds
 * or Unix milliseconds.
 * @param now Current time of the server, in milliseconds since the Unix epoch.
 */
function parseResetTime(value: string | undefined, now: number): number | undefined {
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value.trim())) return undefined;
  const resetNumber = Number(value);
  if (resetNumber >= 1e12) return getPositiveDelay(resetNumber - now);
  return getPositiveDelay(resetNumber >= 1e9 ? resetNumber * 1_000 - now : resetNumber * 1_000);
}

/** Returns a delay above 0; `undefined` for any other number, because an immediate retry would fail again. */
const getPositiveDelay = (delayMs: number): number | undefined =>
  delayMs > 0 ? delayMs : undefined;

function parseDateHeader(headers: Readonly<Record<string, string>>): number | undefined {
  const responseTime = Date.parse(headers['date'] ?? '');
  return Number.isNaN(responseTime) ? undefined : responseTime;
}

export interface FailedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Current time in milliseconds since the Unix epoch, for `Retry-After` dates. */
  readonly now: number;
  /** Values to remove from the failure, such as the API key. */
  readonly secrets: readonly string[];
  /** Kind of credentials that the request had. Default: `key`. */
  readonly credentials?: Credentials;
}

/** Credentials of a request: an API key, the signature of a wallet, or none. */
export type Credentials = 'key' | 'wallet' | 'none';

/**
 * Statuses of responses whose headers are searched for a retry delay. Responses with other statuses can contain
 * request-limit headers that have nothing to do with the failure.
 */
const statusesWithDelay: ReadonlySet<number> = new Set([429, 503]);

/** Converts an error response to a failure (spec §7). */
export function readFailure(response: FailedResponse): ServiceFailure {
  const { status, headers, now, secrets, credentials = 'key' } = response;
  const { retryAfterMs: bodyDelayMs, ...body } = readErrorBody(response.text);
  const code =
    status === 402 && requestsPayment(body, headers)
      ? paymentCodes[credentials]
      : toFailureCode(status, body);
  const delayMs = statusesWithDelay.has(status)
    ? (readRetryDelayMs(headers, now) ?? bodyDelayMs)
    : undefined;
  return createFailure(code === 'unauthorized' && credentials === 'none' ? 'no-key' : code, {
    body,
    secrets,
    status,
    requestId: readRequestId(headers),
    retryAfterMs: delayMs,
  });
}

/** Checks whether a response with status 402 lists payment options, in its body or in the x402 header. */
const requestsPayment = (body: ErrorBody, headers: FailedResponse['headers']): boolean =>
  body.hasPaymentOptions || paymentRequiredHeader in headers;

/**
 * Failure codes of responses with status 402 and payment options, by the credentials of the request. Requests with a
 * key are charged to its account, and requests of a wallet to its balance at the service. A request without credentials
 * can also be paid individually.
 */
const paymentCodes: Readonly<Record<Credentials, FailureCode>> = {
  key: 'out-of-funds',
  wallet: 'wallet-out-of-funds',
  none: 'payment-required',
};

/** Converts an error object from a stream to a failure. The status of such a response is 200. */
export const readStreamFailure = (body: ErrorBody, secrets: readonly string[]): ServiceFailure =>
  createFailure(toFailureCode(0, body), { body, secrets });

/**
 * Returns the fields of a failure that describe an unsupported request part, an unsupported route or an exceeded
 * context size.
 */
const getRefusalFields = (
  refusal: Refusal | undefined,
): Pick<ServiceFailure, 'refusedPart' | 'refusesRoute' | 'contextTokens'> => {
  if (refusal === undefined) return {};
  const { kind, contextTokens } = refusal;
  if (kind === 'insert') return { refusesRoute: true };
  return omitUndefined({ refusedPart: kind === 'size' ? undefined : kind, contextTokens });
};

/**
 * Checks whether a failure means only that the model does not support this request. The service itself works, so other
 * requests can succeed.
 */
export const isRefusal = ({ code, refusedPart, refusesRoute }: ServiceFailure): boolean =>
  refusedPart !== undefined || refusesRoute === true || code === 'context-overflow';

interface FailureDetails {
  readonly body: ErrorBody;
  readonly secrets: readonly string[];
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

function createFailure(code: FailureCode, failureDetails: FailureDetails): ServiceFailure {
  const { body, secrets } = failureDetails;
  const isBlocked = body.text.includes('Too many failed attempts');
  const waitMs =
    failureDetails.retryAfterMs ?? body.retryAfterMs ?? (isBlocked ? 30_000 : undefined);
  const detail = redact(toPlainText(redact(body.text, secrets)), secrets, 300);
  return omitUndefined({
    code,
    message: formatMessage(code, failureDetails.status, formatCodeAndText(body)),
    status: failureDetails.status,
    retryAfterMs: waitMs === undefined ? undefined : Math.min(waitMs, maxWaitMs),
    requestId: redactOptionalText(failureDetails.requestId ?? body.requestId, secrets),
    detail: detail === '' ? undefined : detail,
    ...getRefusalFields(findRefusal(failureDetails.status ?? 0, formatCodeAndText(body))),
  });
}

/** Maximum length, in characters, of a service message that is converted to plain text, including its markup. */
const maxMarkupLength = 8_192;

/** Removes HTML tags and Markdown emphasis, because pages and notifications show service messages as plain text. */
const toPlainText = (text: string): string =>
  text
    .slice(0, maxMarkupLength)
    .replace(/<head\b[^]*<\/head>/i, ' ')
    .replaceAll(htmlTagPattern, (tag) =>
      /^<\/?(?:b|i|em|strong|code|span|a|small)\b/i.test(tag) ? '' : ' ',
    )
    .replaceAll(/(?<![\w*])(\*\*|__)(?=\S)([^*_\n]{1,200})(?<=\S)\1(?![\w*])/g, '$2')
    .replaceAll(/`([^`\n]{1,200})`/g, '$1')
    .replaceAll(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

const htmlTagPattern =
  /<\/?(?:html|head|body|title|h[1-6]|p|b|i|em|strong|code|pre|br|hr|div|span|small|center|a|ul|ol|li|table|tbody|tr|td|th|font|img|script|style)(?:\s+[\w-]+\s*=[^<>]{0,500})?\s*\/?>/gi;

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Maximum retry delay in milliseconds: one year, so that any date plus the delay is valid. */
const maxWaitMs = 365 * 24 * 60 * 60 * 1_000;

const redactOptionalText = (
  text: string | undefined,
  secrets: readonly string[],
): string | undefined => (text === undefined ? undefined : redact(text, secrets, 128));

/** Failure codes by pattern of the error text. The first match applies, and takes precedence over the status. */
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
  [/x402_not_configured/i, 'no-pay-per-request'],
  [/payment_required/i, 'wallet-out-of-funds'],
  [/spend limit exceeded|spend_limit_exceeded/i, 'spend-limit'],
  // LiteLLM refuses a key without budget with status 400, 401 or 429, depending on its release.
  [
    /budget_exceeded|exceeded\w*budget:|budget has been exceeded|max budget limit reached/i,
    'spend-limit',
  ],
  [
    /model_not_found|specified model not found|\bmodel [`'"][^`'"]*[`'"] (?:not found|does not exist)|not a valid model id|invalid model (?:identifier|name)|no models loaded/i,
    'model-not-found',
  ],
  [/unexpected endpoint or method/i, 'not-found'],
  [/no character could be found/i, 'invalid-request'],
  [/subscription is inactive|authentication_failed_inactive_key/i, 'out-of-funds'],
  // LiteLLM without a database refuses an unknown key with status 400.
  [/\bno connected db\b/i, 'unauthorized'],
  [/too many failed attempts|rate_limit(?:_\w+)?\b|rate limit exceeded/i, 'rate-limited'],
  [/model_overloaded|model_at_capacity|overloaded/i, 'overloaded'],
];

/**
 * Patterns of error texts of status 401 and 403 for a valid key whose access tier is too low for the model. Sources:
 * spec §7.2, public documents of the service, and texts of other services.
 */
const tierPatterns = [
  /pro_only_model|(?:higher|different) (?:access )?tier|access tier|not available (?:on|in|for|to|with) your (?:current )?(?:plan|tier|account|subscription)/i,
  /(?:(?:only|exclusively) available|restricted|limited|reserved) (?:to|for|on|with) [\w ]{0,30}(?:users|subscribers|members|customers|accounts|plans?|tiers?)/i,
  /(?:requires?|needs?) (?:a |an )?(?:pro|paid|premium|higher|upgraded)\b[\w -]{0,20}(?:plan|tier|subscription|account)/i,
  /(?:requires?|needs?|upgrade to) (?:a |an |the )?(?:pro|premium|enterprise)\b/i,
  /(?:pro|paid|premium|enterprise|higher|upgraded) (?:plan|tier|subscription|account|membership) (?:is )?(?:required|needed)/i,
  /upgrade (?:your|to a) [\w ]{0,20}(?:plan|tier|subscription|account)/i,
  /(?:plan|tier|subscription) (?:does not|doesn't) (?:include|cover|support|allow|permit)\b/i,
  /have (?:no )?access to (?:this |the )?model\b/i,
  // LiteLLM: the key, its team or its user may call only other models.
  /\b\w+_model_access_denied\b|not allowed to access model\b/i,
];

/**
 * Matches error texts of status 401 for a valid key that may not call the route: the route requires a key of type
 * `ADMIN`, or LiteLLM restricts the key to other routes.
 */
const routeTextPattern = /admin (?:api )?key (?:is )?required|not allowed to call this route/i;

/**
 * Returns the failure code of a response with status 401 or 403 for a valid key; `undefined` if the key may be invalid.
 */
function getAccessFailureCode(status: number, text: string): FailureCode | undefined {
  if (status !== 401 && status !== 403 && status !== 0) return undefined;
  if (tierPatterns.some((pattern) => pattern.test(text))) return 'model-access';
  return routeTextPattern.test(text) ? 'forbidden' : undefined;
}

const codesByStatus: Readonly<Record<number, FailureCode>> = {
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
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timeout',
  // Cloudflare: the server behind the gateway did not answer in time.
  524: 'timeout',
};

function toFailureCode(status: number, body: ErrorBody): FailureCode {
  const text = formatCodeAndText(body);
  const refusal = findRefusal(status, text);
  if (refusal !== undefined)
    return refusal.kind === 'size' ? 'context-overflow' : 'unsupported-feature';
  const accessCode = getAccessFailureCode(status, text);
  if (accessCode !== undefined) return accessCode;
  const isMeaningful = status === 0 || (status >= 400 && status < 500) || status === 503;
  const codeFromText = isMeaningful
    ? codesByText.find(([pattern]) => pattern.test(text))?.[1]
    : undefined;
  const knownStatus = status === 0 ? (body.status ?? 0) : status;
  return (
    codeFromText ??
    (knownStatus === 410 && /model/i.test(text) ? 'model-not-found' : undefined) ??
    (knownStatus === 422 && body.hasSuggestedPrompt === true ? 'content-policy' : undefined) ??
    codesByStatus[knownStatus] ??
    (knownStatus >= 400 && knownStatus < 500 ? 'invalid-request' : 'server-error')
  );
}

const formatCodeAndText = ({ code, text }: ErrorBody): string => `${code} ${text}`;

const getNoKeyMessage = (): string =>
  l10n.t('The service asks for an API key and none was sent. Set an API key.');

const getFailureMessages = (): Partial<Record<FailureCode, string>> => ({
  'no-key': getNoKeyMessage(),
  'payment-required': getNoKeyMessage(),
  unauthorized: l10n.t(
    'The service does not accept this API key. Check that it is complete, of the right kind and not expired, or set another one.',
  ),
  forbidden: l10n.t('This API key is not allowed to do this. Use another key or another model.'),
  'model-access': l10n.t(
    'This model needs a higher access tier than this API key has. Choose another model.',
  ),
  'out-of-funds': l10n.t(
    'The account does not have enough balance for this request. Add credits, or choose a cheaper model.',
  ),
  'wallet-out-of-funds': l10n.t(
    'The balance that the service keeps for this wallet is not enough for this request. Top it up, or choose a cheaper model. Nothing was paid.',
  ),
  'no-pay-per-request': l10n.t(
    'This service has no pay-per-request. Set an API key, or get one with a wallet.',
  ),
  'sign-in-refused': l10n.t(
    'The service does not accept the sign-in of this wallet. Check that the chain in the settings is the one that the service uses; the log contains its answer.',
  ),
  'sign-in-stale': l10n.t(
    "The service rejected the wallet's sign-in as expired. Check the clock of this machine, then retry.",
  ),
  'spend-limit': l10n.t(
    'This API key has reached its spend limit; the account itself may still have balance. Use another key or raise the limit.',
  ),
  'model-not-found': l10n.t(
    'The service does not know this model, or no longer offers it. Choose another model.',
  ),
  'not-found': l10n.t(
    'The service has nothing at this address. Check the base address; it usually ends in /api/v1 or /v1.',
  ),
  'invalid-request': l10n.t('The service did not accept the request. See the log for its answer.'),
  'unsupported-feature': l10n.t(
    'This model does not support a feature the request uses. Choose another model or leave the feature out.',
  ),
  'context-overflow': l10n.t(
    "The conversation is longer than the model's context. Start a new chat, remove attachments, or choose a model with a larger context.",
  ),
  'payload-too-large': l10n.t('The request is too large for the service. Remove attachments.'),
  'unsupported-media-type': l10n.t(
    'The service did not accept the request. See the log for its answer.',
  ),
  'content-policy': l10n.t(
    "The service refused this content under its policy. Change the request's words.",
  ),
  'rate-limited': l10n.t('Too many requests in a short time. Wait before you retry.'),
  overloaded: l10n.t(
    'The model is at capacity. Retry after a short wait, or choose another model.',
  ),
  'server-error': l10n.t('The service failed to process the request. Retry.'),
  timeout: l10n.t('The service took too long to answer. Retry.'),
  proxy: l10n.t(
    'The network proxy asks for credentials (407). Set http.proxy with user name and password, or use the editor transport.',
  ),
});

/** Messages about problems with the images in a request, each with a pattern of the service's error text. */
const getImageMessages = (): readonly (readonly [RegExp, string])[] => [
  [
    /image[_ ]too[_ ]large|too many pixels/i,
    l10n.t('The image is too large for the service. Use a smaller one.'),
  ],
  [/image[_ ]too[_ ]small/i, l10n.t('The image is too small for the service. Use a larger one.')],
  [
    /corrupted[_ ]image/i,
    l10n.t('The service cannot read the image. Save it again as PNG, JPEG or WebP, and retry.'),
  ],
];

function formatMessage(code: FailureCode, status: number | undefined, errorText: string): string {
  const imageMessage =
    code === 'invalid-request'
      ? getImageMessages().find(([pattern]) => pattern.test(errorText))?.[1]
      : undefined;
  return (
    imageMessage ??
    getFailureMessages()[code] ??
    l10n.t('The service answered with status {0}.', status ?? l10n.t('unknown'))
  );
}
