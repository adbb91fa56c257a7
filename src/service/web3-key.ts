import * as l10n from '@vscode/l10n';
import { defined, isRecord, parseJson } from '../base/json.ts';
import { readText, unexpectedResponse } from './http/reply.ts';
import type { ServiceContext } from './http/client.ts';
import type { KeyOptions, NewKey } from './key-record.ts';
import { readNewKey } from './new-key-reading.ts';
import { abortFailure } from './http/network-failure.ts';
import { type Reply, send } from './http/request.ts';
import { mintError, MintError } from './web3-key-failure.ts';

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
