import * as l10n from '@vscode/l10n';
import { defined, isRecord, parseJson } from '../base/json.ts';
import { isApiKey } from './http/endpoint.ts';
import type { ServiceContext } from './http/client.ts';
import type { ServiceFailure } from './http/failure.ts';
import { abortFailure, networkFailure } from './http/network-failure.ts';
import { readText, unexpectedResponse } from './http/reply.ts';
import { type Reply, send } from './http/request.ts';
import { type KeyOptions, type KeyType, type NewKey, readKeyRecord } from './key-record.ts';

/**
 * A new key with what the service says it is: in an envelope `data` or without (service facts §5.3). Absent when there
 * is no key that can stand in a header; whatever else is not as it should be is left out.
 * @param wanted The type that was asked for, where the reply names none.
 */
export function readNewKey(json: unknown, wanted: KeyType): NewKey | undefined {
  if (!isRecord(json)) return undefined;
  const data = isRecord(json['data']) ? json['data'] : json;
  const apiKey = data['apiKey'] ?? json['apiKey'];
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined;
  return { apiKey, record: readKeyRecord(data, { type: wanted, apiKey }) };
}

/** Why a key could not be minted: the refusals of spec §7.1, and what else has an action of its own. */
export type MintProblem =
  | 'invalid-address'
  | 'token-expired'
  | 'token-signature'
  | 'token-claims'
  | 'token-malformed'
  | 'wrong-signature'
  /** The service could not check the signature just now. The same token may be sent again. */
  | 'signature-unverified'
  | 'no-stake'
  /** The service does not take the type, description, expiry, limit or privacy that was asked for. */
  | 'invalid-options'
  /** The service offers no keys for wallets at this address. */
  | 'not-offered'
  /** The answer was lost: there may be a key now that nobody has. The list of keys shows it. */
  | 'maybe-minted'
  /** No key was minted, for the reason in `failure`. */
  | 'failed';

/** A key was not minted, or may have been lost. Neither its message nor `failure` holds words of the service. */
export class MintError extends Error {
  readonly problem: MintProblem;
  /** What the call itself came to. */
  readonly failure: ServiceFailure;

  constructor(problem: MintProblem, failure: ServiceFailure) {
    super(`No key: ${problem} (${failure.code}).`);
    this.name = 'MintError';
    this.problem = problem;
    this.failure = failure;
  }
}

/** What a failed try to mint means. A reply can repeat token, signature and key, so nothing of its words is kept. */
export function mintError(error: unknown): MintError {
  const { detail, ...failure } = networkFailure(error).failure;
  return new MintError(problemOf(failure, detail ?? ''), failure);
}

function problemOf(failure: ServiceFailure, words: string): MintProblem {
  const { code, status } = failure;
  if (status === 400 || status === 422) {
    const said = byWords.find(([pattern]) => pattern.test(words))?.[1];
    return said ?? 'invalid-options';
  }
  if (code === 'not-found') return 'not-offered';
  return mayHaveMinted(failure) ? 'maybe-minted' : 'failed';
}

/** By contents, and in the words of any deployment: names and an address may stand in between (spec §7.1). */
const byWords: readonly (readonly [RegExp, MintProblem])[] = [
  [/invalid wallet address/i, 'invalid-address'],
  [/jwt has expired/i, 'token-expired'],
  [/jwt signature is invalid/i, 'token-signature'],
  [/jwt claims are invalid/i, 'token-claims'],
  [/jwt is malformed/i, 'token-malformed'],
  [/wallet signature does not match/i, 'wrong-signature'],
  [/could not verify wallet signature/i, 'signature-unverified'],
  [/wallet\b.{0,80}\bhas no staked\b/i, 'no-stake'],
  // What else there is to say of a token, such as that it was used before: another one can put it right.
  [/\bjwt\b/i, 'token-expired'],
];

/** The request may have been carried out: it arrived, and how it ended is not known. */
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

/** What the service wants signed, unchecked. */
export interface ValidationToken {
  readonly token: string;
  /** Milliseconds since the Unix epoch, by our clock. */
  readonly receivedAt: number;
  /** The same moment by the service's clock, to the second; absent when it does not tell. */
  readonly serverTime?: number;
}

export interface MintRequest {
  readonly address: string;
  /** `personal_sign` over exactly `token`. */
  readonly signature: string;
  readonly token: string;
  readonly options: KeyOptions;
}

const path = '/api_keys/generate_web3_key';
/** Far more than any of these replies has. */
const maxBytes = 64 * 1024;

/**
 * A token to sign (spec §4.3). Asked for without a key.
 * @throws ServiceError; what is wrong with a reply that holds a token is told without any part of it
 */
export async function getValidationToken(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<ValidationToken> {
  const reply = await send(context, { method: 'GET', path, isPublic: true }, signal);
  const receivedAt = context.clock.now();
  const json = await readReply(reply);
  const data = isRecord(json) && isRecord(json['data']) ? json['data'] : json;
  const token = isRecord(data) ? data['token'] : undefined;
  if (typeof token !== 'string') throw notAToken();
  const serverTime = Date.parse(reply.headers['date'] ?? '');
  return defined({
    token,
    receivedAt,
    serverTime: Number.isFinite(serverTime) ? serverTime : undefined,
  });
}

/**
 * Exchanges a signed token for a key (spec §4.4). Sent once and never repeated: the key of a lost answer cannot be had
 * again.
 * @throws MintError
 */
export async function mintWeb3Key(
  context: ServiceContext,
  { address, signature, token, options }: MintRequest,
  { signal }: { signal: AbortSignal },
): Promise<NewKey> {
  const { type: apiKeyType, ...rest } = options;
  const body = { address, signature, token, apiKeyType, ...rest };
  const call = { method: 'POST', path, body, isPublic: true, mayRepeat: () => false } as const;
  if (signal.aborted) throw new MintError('failed', abortFailure(signal).failure);
  const reply = await send(context, call, signal).catch((error: unknown) => {
    throw mintError(error);
  });
  const key = await readReply(reply).then(
    (json) => readNewKey(json, options.type),
    () => undefined,
  );
  // The service accepted: there is a key, whatever became of the reply.
  return key ?? raise(new MintError('maybe-minted', notAKey().failure));
}

/** A reply that holds a secret: what is wrong with it is told without any part of it. */
async function readReply({ body }: Reply): Promise<unknown> {
  return parseJson(await readText(body, maxBytes));
}

const raise = (error: Error): never => {
  throw error;
};

const notAToken = () =>
  unexpectedResponse(
    l10n.t(
      'The reply holds no token to sign. Check the base address; a sign-in page of the network can also answer in its place.',
    ),
  );

const notAKey = () =>
  unexpectedResponse(l10n.t('The service accepted the request, but its reply holds no key.'));
