import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, parseJson } from '../base/json.ts';
import { isApiKey } from './http/endpoint.ts';
import type { ServiceContext } from './http/client.ts';
import type { ServiceFailure } from './http/failure.ts';
import { createAbortError, toServiceError } from './http/network-failure.ts';
import { readText, createUnexpectedResponseError } from './http/response.ts';
import { type ServiceCall, type ServiceResponse, sendCall } from './http/request.ts';
import {
  listKeyOptionFields,
  type KeyOptionPath,
  type KeyOptions,
  type KeyType,
  type NewKey,
  readKeyRecord,
  findRefusedKeyOption,
} from './key-record.ts';

/**
 * Decodes the response with a new key and its record, which may be in the field `data`. Returns `undefined` if there is
 * no key that is valid in a header. Omits other invalid fields.
 * @param requestedType Type to use if the response contains none.
 */
export function readNewKey(json: unknown, requestedType: KeyType): NewKey | undefined {
  if (!isRecord(json)) return undefined;
  const data = isRecord(json['data']) ? json['data'] : json;
  const apiKey = data['apiKey'] ?? json['apiKey'];
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined;
  return { apiKey, record: readKeyRecord(data, { type: requestedType, apiKey }) };
}

/**
 * Reason why the service minted (created) no key for a wallet: a rejection in the list of spec §7.1, or another failure
 * that requires a specific user action.
 */
export type MintProblem =
  | 'invalid-address'
  | 'token-expired'
  | 'token-signature'
  | 'token-claims'
  | 'token-malformed'
  | 'wrong-signature'
  /** The service could not verify the signature. The user can submit the same token again later. */
  | 'signature-unverified'
  | 'no-stake'
  /** The service rejects the type, description, expiry, limit or privacy of the requested key. */
  | 'invalid-options'
  /** The service does not mint keys for wallets at this URL. */
  | 'not-offered'
  /** The response was lost, so a key that cannot be retrieved may exist. The user can revoke it in the list of keys. */
  | 'maybe-minted'
  /** No key was minted for another reason; see `failure`. */
  | 'failed';

/** Thrown if no key was minted or the response was lost. Its message and `failure` contain no text from the service. */
export class MintError extends Error {
  readonly problem: MintProblem;
  /** Failure of the mint request. */
  readonly failure: ServiceFailure;

  constructor(problem: MintProblem, failure: ServiceFailure) {
    super(`No key: ${problem} (${failure.code}).`);
    this.name = 'MintError';
    this.problem = problem;
    this.failure = failure;
  }
}

/**
 * Converts the error of a mint request. Drops the service's error text, because the text can contain the token, the
 * signature or the key.
 */
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

/**
 * Patterns of the service's error texts, each with the problem that the text reports. The patterns allow for names
 * and addresses that services insert in the texts (spec §7.1).
 */
const problemPatterns: readonly (readonly [RegExp, MintProblem])[] = [
  [/invalid wallet address/i, 'invalid-address'],
  [/jwt has expired/i, 'token-expired'],
  [/jwt signature is invalid/i, 'token-signature'],
  [/jwt claims are invalid/i, 'token-claims'],
  [/jwt is malformed/i, 'token-malformed'],
  [/wallet signature does not match/i, 'wrong-signature'],
  [/could not verify wallet signature/i, 'signature-unverified'],
  [/wallet\b.{0,80}\bhas no staked\b/i, 'no-stake'],
  // Any other error about the token, for example that it was used before. A new token solves the problem.
  [/\bjwt\b/i, 'token-expired'],
];

/**
 * Checks whether the service may have minted a key although the call failed: the request may have reached the service,
 * and the outcome is unknown.
 */
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

/** Validation token for the wallet to sign. The token is not verified. */
export interface ValidationToken {
  readonly token: string;
  /** Local time at which the token arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /**
   * Time of the service when it sent the token, in milliseconds since the Unix epoch, rounded to seconds. Absent
   * without a `Date` header.
   */
  readonly serverTime?: number;
}

export interface MintRequest {
  readonly address: string;
  /** Signature of the exact text of `token`, created with `personal_sign`. */
  readonly signature: string;
  readonly token: string;
  readonly options: KeyOptions;
}

const mintPath = '/api_keys/generate_web3_key';
/** Maximum size of a response in bytes. Valid responses are much smaller. */
const maxBytes = 64 * 1024;

/**
 * Requests a token that the wallet must sign (spec §4.3). Sends no credentials.
 * @throws ServiceError if the request fails. Its texts contain nothing from a response with a token.
 */
export async function getValidationToken(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<ValidationToken> {
  const response = await sendCall(
    context,
    { method: 'GET', path: mintPath, isPublic: true },
    signal,
  );
  const receivedAt = context.clock.now();
  const json = await readReply(response);
  const data = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  const token = isRecord(data) ? data['token'] : undefined;
  if (typeof token !== 'string') throw createMissingTokenError();
  const serverTime = Date.parse(response.headers['date'] ?? '');
  return omitUndefined({
    token,
    receivedAt,
    serverTime: Number.isFinite(serverTime) ? serverTime : undefined,
  });
}

/**
 * Exchanges a signed token for a key (spec §4.4). Never retries, because the key in a lost response cannot be retrieved
 * again.
 * @throws MintError if no key was minted or the response was lost
 */
export async function mintWeb3Key(
  context: ServiceContext,
  { address, signature, token, options }: MintRequest,
  { signal }: { signal: AbortSignal },
): Promise<NewKey> {
  const { type: apiKeyType, ...rest } = options;
  const body = { address, signature, token, apiKeyType, ...rest };
  const optionalFields = listKeyOptionFields();
  const call: ServiceCall = {
    method: 'POST',
    path: mintPath,
    body,
    optionalFields,
    isPublic: true,
    canRetry: () => false,
  };
  if (signal.aborted) throw new MintError('failed', createAbortError(signal).failure);
  const response = await sendCall(context, call, signal).catch((error: unknown) => {
    throw toMintError(error);
  });
  const key = await readReply(response).then(
    (json) => readNewKey(json, options.type),
    () => undefined,
  );
  // The service accepted the request, so a key exists even if the response is invalid.
  return key ?? throwError(new MintError('maybe-minted', createMissingKeyError().failure));
}

/** Returns the key option because of which the service refused to mint a key; `undefined` for other failures. */
export const findRefusedOption = ({ problem, failure }: MintError): KeyOptionPath | undefined =>
  problem === 'invalid-options' ? findRefusedKeyOption(failure) : undefined;

/** Reads a response that contains a secret. Thrown errors do not contain any part of the response. */
async function readReply({ body }: ServiceResponse): Promise<unknown> {
  return parseJson(await readText(body, maxBytes));
}

const throwError = (error: Error): never => {
  throw error;
};

const createMissingTokenError = () =>
  createUnexpectedResponseError(
    l10n.t(
      'The reply is not from the service. Check the base address; a sign-in page of the network can also answer in its place.',
    ),
  );

const createMissingKeyError = () =>
  createUnexpectedResponseError(
    l10n.t('The service accepted the request, but its reply holds no key.'),
  );
