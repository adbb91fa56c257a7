import { defined, isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';

/** What a service asks for before it takes a payment (x402 version 2). Nothing in it is checked but its form. */
export interface PaymentRequirements {
  readonly version: number;
  /** What would be paid for, when the service says it. */
  readonly resource?: string;
  readonly accepts: readonly PaymentRequirement[];
}

/** One way to pay. */
export interface PaymentRequirement {
  readonly scheme: string;
  /** CAIP-2. */
  readonly network: string;
  /** In the smallest unit of the asset, decimal digits: for a top-up the least that is taken. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** Plain values only: the name and version of the asset for EIP-712. */
  readonly extra: Readonly<Record<string, string | number | boolean>>;
}

const mostWays = 16;
const mostExtras = 16;
const longestText = 256;
const longestUrl = 2_048;

/** Ways to pay that are malformed are left out; `undefined` for what is no such offer at all. */
export function readPaymentRequirements(json: unknown): PaymentRequirements | undefined {
  if (!isRecord(json) || !Array.isArray(json['accepts'])) return undefined;
  const { resource } = json;
  const url = isRecord(resource) ? resource['url'] : resource;
  return defined({
    version: numberOr(json['x402Version'], 0),
    resource: typeof url === 'string' ? url.slice(0, longestUrl) : undefined,
    accepts: json['accepts'].slice(0, mostWays).flatMap(readWay),
  });
}

function readWay(way: unknown): PaymentRequirement[] {
  if (!isRecord(way)) return [];
  const texts = ['scheme', 'network', 'amount', 'asset', 'payTo'].map((name) => way[name]);
  const maxTimeoutSeconds = numberOr(way['maxTimeoutSeconds'], 0);
  if (!texts.every(isShort)) return [];
  const [scheme = '', network = '', amount = '', asset = '', payTo = ''] = texts;
  const extra = readExtra(isRecord(way['extra']) ? way['extra'] : {});
  return [{ scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra }];
}

const readExtra = (extra: JsonRecord): PaymentRequirement['extra'] =>
  Object.fromEntries(
    Object.entries(extra)
      .filter((entry): entry is [string, string | number | boolean] => isPlain(entry[1]))
      .slice(0, mostExtras),
  );

const isPlain = (value: unknown): boolean =>
  isShort(value) || typeof value === 'number' || typeof value === 'boolean';

const isShort = (value: unknown): value is string =>
  stringOr(value, '').length <= longestText && typeof value === 'string';
