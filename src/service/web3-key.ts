import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, parseJson } from '../base/json.ts';
import { isApiKey } from './http/endpoint.ts';
import type { ServiceContext } from './http/client.ts';
import type { ServiceFailure } from './http/failure.ts';
import { abortError, toServiceError } from './http/network-failure.ts';
import { readText, unexpectedResponseError } from './http/response.ts';
import { type ServiceResponse, send } from './http/request.ts';
import { type KeyOptions, type KeyType, type NewKey, readKeyRecord } from './key-record.ts';

/**
 * Decodes a new key with its record, in a `data` envelope or without (service facts §5.3). Returns `undefined` without a
 * key that is valid in a header. Omits other invalid fields.
 * @param requestedType Type to use if the response has none.
 */
export function readNewKey(json: unknown, requestedType: KeyType): NewKey | undefined {
  if (!isRecord(json)) return undefined;
  const data = isRecord(json['data']) ? json['data'] : json;
  const apiKey = data['apiKey'] ?? json['apiKey'];
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined;
  return { apiKey, record: readKeyRecord(data, { type: requestedType, apiKey }) };
}

/** Reasons why no key was minted: the rejections of spec §7.1, and others with their own action. */
export type MintProblem =
  | 'invalid-address'
  | 'token-expired'
  | 'token-signature'
  | 'token-claims'
  | 'token-malformed'
  | 'wrong-signature'
  /** The service could not verify the signature at this time. The same token may be sent again. */
  | 'signature-unverified'
  | 'no-stake'
  /** The service rejects the requested type, description, expiry, limit or privacy. */
  | 'invalid-options'
  /** The service mints no keys for wallets at this URL. */
  | 'not-offered'
  /** The response was lost, so an unusable key may exist. The list of keys shows it. */
  | 'maybe-minted'
  /** No key was minted. `failure` contains the reason. */
  | 'failed';

/** Thrown if no key was minted or its response was lost. Neither the message nor `failure` contains service text. */
export class MintError extends Error {
  readonly problem: MintProblem;
  /** Failure of the request. */
  readonly failure: ServiceFailure;

  constructor(problem: MintProblem, failure: ServiceFailure) {
    super(`No key: ${problem} (${failure.code}).`);
    this.name = 'MintError';
    this.problem = problem;
    this.failure = failure;
  }
}

/** Classifies a failed mint. Drops the service's text, because it can repeat the token, the signature and the key. */
export function toMintError(error: unknown): MintError {
  const { detail, ...failure } = toServiceError(error).failure;
  return new MintError(classifyFailure(failure, detail ?? ''), failure);
}

function classifyFailure(failure: ServiceFailure, serviceText: string): MintProblem {
  const { code, status } = failure;
  if (status === 400 || status === 422) {
    const problem = problemPatterns.find(([pattern]) => pattern.test(serviceText))?.[1];
    return problem ?? 'invalid-options';
  }
  if (code === 'not-found') return 'not-offered';
  return mayHaveMinted(failure) ? 'maybe-minted' : 'failed';
}

/** Problems by patterns of the error text, into which deployments insert names and addresses (spec §7.1). */
const problemPatterns: readonly (readonly [RegExp, MintProblem])[] = [
  [/invalid wallet address/i, 'invalid-address'],
  [/jwt has expired/i, 'token-expired'],
  [/jwt signature is invalid/i, 'token-signature'],
  [/jwt claims are invalid/i, 'token-claims'],
  [/jwt is malformed/i, 'token-malformed'],
  [/wallet signature does not match/i, 'wrong-signature'],
  [/could not verify wallet signature/i, 'signature-unverified'],
  [/wallet\b.{0,80}\bhas no staked\b/i, 'no-stake'],
  // Any other token error, for example a reused token. A new token resolves it.
  [/\bjwt\b/i, 'token-expired'],
];

/** Checks whether a key may exist: the request reached the service and its outcome is unknown. */
function mayHaveMinted({ code, status }: ServiceFailure): boolean {
  switch (code) {
    case 'interrupted':
    case 'unexpected-response':
    case 'stopped':
    case 'timeout':
      return true;
    case 'server-error':
      return status !== 501;
    default:
      return false;
  }
}

/** Unverified token to sign. */
export interface ValidationToken {
  readonly token: string;
  /** Local time of receipt in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** Service time at receipt, with a resolution of one second. Absent without a `Date` header. */
  readonly serverTime?: number;
}

export interface MintRequest {
  readonly address: string;
  /** Signature by `personal_sign` over exactly `token`. */
  readonly signature: string;
  readonly token: string;
  readonly options: KeyOptions;
}

const path = '/api_keys/generate_web3_key';
/** Maximum response size in bytes. Valid responses are much smaller. */
const maxBytes = 64 * 1024;

/**
 * Requests a token to sign, without sending a key (spec §4.3).
 * @throws ServiceError; its text contains no part of a response that holds a token.
 */
export async function getValidationToken(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<ValidationToken> {
  const response = await send(context, { method: 'GET', path, isPublic: true }, signal);
  const receivedAt = context.clock.now();
  const json = await readReply(response);
  const data = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  const token = isRecord(data) ? data['token'] : undefined;
  if (typeof token !== 'string') throw missingTokenError();
  const serverTime = Date.parse(response.headers['date'] ?? '');
  return omitUndefined({
    token,
    receivedAt,
    serverTime: Number.isFinite(serverTime) ? serverTime : undefined,
  });
}

/**
 * Exchanges a signed token for a key (spec §4.4). Never retried: the key of a lost response cannot be retrieved again.
 * @throws MintError
 */
export async function mintWeb3Key(
  context: ServiceContext,
  { address, signature, token, options }: MintRequest,
  { signal }: { signal: AbortSignal },
): Promise<NewKey> {
  const { type: apiKeyType, ...rest } = options;
  const body = { address, signature, token, apiKeyType, ...rest };
  const call = { method: 'POST', path, body, isPublic: true, canRetry: () => false } as const;
  if (signal.aborted) throw new MintError('failed', abortError(signal).failure);
  const response = await send(context, call, signal).catch((error: unknown) => {
    throw toMintError(error);
  });
  const key = await readReply(response).then(
    (json) => readNewKey(json, options.type),
    () => undefined,
  );
  // The service accepted the request, so a key exists even if the response is unreadable.
  return key ?? throwError(new MintError('maybe-minted', missingKeyError().failure));
}

/** Reads a response that contains a secret. Errors contain no part of it. */
async function readReply({ body }: ServiceResponse): Promise<unknown> {
  return parseJson(await readText(body, maxBytes));
}

const throwError = (error: Error): never => {
  throw error;
};

const missingTokenError = () =>
  unexpectedResponseError(
    l10n.t(
      'The reply holds no token to sign. Check the base address; a sign-in page of the network can also answer in its place.',
    ),
  );

const missingKeyError = () =>
  unexpectedResponseError(l10n.t('The service accepted the request, but its reply holds no key.'));
