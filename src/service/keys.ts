import { defined, isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { ReplyInfo } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { secretsOf, send } from './http/request.ts';

/** What a key may do and has left. Balances in units of their currency. */
export interface RateLimits {
  /** Whether paid endpoints can be called now. */
  readonly accessPermitted: boolean;
  readonly balances: { readonly usd?: number; readonly diem?: number; readonly bundled?: number };
  /** ISO instants as the service gave them. */
  readonly keyExpiration?: string;
  readonly nextEpochBegins?: string;
  readonly limits: readonly ModelLimit[];
  readonly info: ReplyInfo;
}

interface ModelLimit {
  readonly modelId: string;
  /** `RPM`, `RPD`, `TPM`, or what else the service counts. */
  readonly type: string;
  readonly amount: number;
}

/** Limits and balances of the key in use; the cheapest way to learn whether address and key are right. */
export async function getRateLimits(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<RateLimits> {
  const reply = await send(context, { method: 'GET', path: '/api_keys/rate_limits' }, signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { secrets });
  const data = isRecord(json) ? (json['data'] ?? json) : undefined;
  if (!isRecord(data)) throw notUnderstood(JSON.stringify(json), secrets);
  return defined({
    accessPermitted: data['accessPermitted'] !== false,
    balances: readBalances(isRecord(data['balances']) ? data['balances'] : {}),
    keyExpiration: stringOr(data['keyExpiration'], undefined),
    nextEpochBegins: stringOr(data['nextEpochBegins'], undefined),
    limits: recordsOf(data['rateLimits']).flatMap(readLimits),
    info: reply.info,
  });
}

function readBalances(balances: JsonRecord): RateLimits['balances'] {
  const figure = (...names: string[]): number | undefined =>
    names.map((name) => numberOr(balances[name], undefined)).find((value) => value !== undefined);
  return defined({
    usd: figure('USD', 'usd'),
    diem: figure('DIEM', 'diem', 'VCU', 'vcu'),
    bundled: figure('BUNDLED_CREDITS', 'bundledCredits'),
  });
}

function readLimits(model: JsonRecord): ModelLimit[] {
  const modelId = stringOr(model['apiModelId'], '');
  return recordsOf(model['rateLimits']).flatMap(({ type, amount }) =>
    typeof type === 'string' && typeof amount === 'number' ? [{ modelId, type, amount }] : [],
  );
}

const recordsOf = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
