import { defined } from '../../base/json.ts';
import type { ReplyInfo } from '../chat/chat-types.ts';

type Headers = Readonly<Record<string, string>>;

/** What a reply's headers say. Headers of the vendor word win over the neutral ones. */
export function readReplyInfo(headers: Headers, vendorWord: string): ReplyInfo {
  const own = (name: string): string | undefined => ownHeader(headers, vendorWord, name);
  return defined({
    requestId: requestIdOf(headers)?.slice(0, 128),
    serviceVersion: own('version'),
    modelId: own('model-id'),
    // The first is that of a wallet, after the request; the other that of an account, before it.
    balanceUsd: figure(headers['x-balance-remaining'] ?? own('balance-usd')),
    balanceDiem: figure(own('balance-diem')),
    deprecationWarning: own('model-deprecation-warning'),
    deprecationDate: own('model-deprecation-date'),
    remainingRequests: figure(headers['x-ratelimit-remaining-requests']),
    remainingTokens: figure(headers['x-ratelimit-remaining-tokens']),
  });
}

/** A header that carries the vendor word, or the neutral one in its place; `name` is what follows. */
export const ownHeader = (headers: Headers, vendorWord: string, name: string): string | undefined =>
  headers[`x-${vendorWord.toLowerCase()}-${name}`] ?? headers[`x-service-${name}`];

/** The service's id of a request, for its support. */
export const requestIdOf = (headers: Headers): string | undefined =>
  headers['cf-ray'] ?? headers['x-request-id'];

function figure(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
