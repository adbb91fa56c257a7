import { defined, isRecord, type JsonRecord, numberOr, parseJson, stringOr } from '../base/json.ts';

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

/** Longer header values are the answer to nothing. */
const longestHeader = 64 * 1024;

/** JSON as x402 puts it into headers: UTF-8 in base64 of the standard alphabet. */
export const encodeHeaderJson = (value: object): string =>
  btoa(String.fromCodePoint(...new TextEncoder().encode(JSON.stringify(value))));

/** `undefined` for what is not base64 of JSON. */
export function decodeHeaderJson(text: string | undefined): unknown {
  if (text === undefined || text.length > longestHeader) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** How a deployment names the headers for calls that a wallet signs or pays. Only these are sent, never both kinds. */
export interface X402Headers {
  /** Carries the signed message (service facts §6.1). */
  readonly signIn: string;
  /** Carries the signed payment (service facts §6.2). */
  readonly payment: string;
}

/** `v2` is x402 version 2; `compatible` has the names from before it, which many deployments still take. */
export const x402HeaderProfiles = {
  v2: { signIn: 'SIGN-IN-WITH-X', payment: 'PAYMENT-SIGNATURE' },
  compatible: { signIn: 'X-Sign-In-With-X', payment: 'X-402-Payment' },
} as const satisfies Record<string, X402Headers>;

/** Replies have one name each, as transports give it: lower case. */
export const paymentRequiredHeader = 'payment-required';
export const paymentResponseHeader = 'payment-response';
