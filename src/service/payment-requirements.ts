import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  readNumberOr,
  parseJson,
  readStringOr,
} from '../base/json.ts';

/**
 * Payment terms of a service (x402 version 2). Decoding checks only the format, and not, for example, the network or
 * the payee.
 */
export interface PaymentRequirements {
  readonly version: number;
  /** URL of the resource to pay for. Absent if the service does not name it. */
  readonly resource?: string;
  readonly accepts: readonly PaymentRequirement[];
}

/** Payment option that the service accepts. */
export interface PaymentRequirement {
  readonly scheme: string;
  /** CAIP-2 id of the network. */
  readonly network: string;
  /** Decimal number in the smallest unit of the asset. For a top-up, the minimum amount. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** Name and version of the asset's EIP-712 domain, and other fields with a string, number or boolean value. */
  readonly extra: Readonly<Record<string, string | number | boolean>>;
}

const maxPaymentOptions = 16;
const maxExtraFields = 16;
const maxTextLength = 256;
const maxUrlLength = 2_048;

/** Decodes payment terms. Omits malformed options. Returns `undefined` if there is no list of options. */
export function readPaymentRequirements(json: unknown): PaymentRequirements | undefined {
  if (!isRecord(json) || !Array.isArray(json['accepts'])) return undefined;
  const { resource } = json;
  const url = isRecord(resource) ? resource['url'] : resource;
  return omitUndefined({
    version: readNumberOr(json['x402Version'], 0),
    resource: typeof url === 'string' ? url.slice(0, maxUrlLength) : undefined,
    accepts: json['accepts'].slice(0, maxPaymentOptions).flatMap(readOption),
  });
}

function readOption(option: unknown): PaymentRequirement[] {
  if (!isRecord(option)) return [];
  const texts = ['scheme', 'network', 'amount', 'asset', 'payTo'].map((name) => option[name]);
  const maxTimeoutSeconds = readNumberOr(option['maxTimeoutSeconds'], 0);
  if (!texts.every(isShortText)) return [];
  const [scheme = '', network = '', amount = '', asset = '', payTo = ''] = texts;
  const extra = readExtra(isRecord(option['extra']) ? option['extra'] : {});
  return [{ scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra }];
}

const readExtra = (extra: JsonRecord): PaymentRequirement['extra'] =>
  Object.fromEntries(
    Object.entries(extra)
      .filter((entry): entry is [string, string | number | boolean] => isSimpleValue(entry[1]))
      .slice(0, maxExtraFields),
  );

const isSimpleValue = (value: unknown): boolean =>
  isShortText(value) || typeof value === 'number' || typeof value === 'boolean';

const isShortText = (value: unknown): value is string =>
  readStringOr(value, '').length <= maxTextLength && typeof value === 'string';

/** Maximum length of a header value in characters. Longer values are rejected. */
const maxHeaderLength = 64 * 1024;

/** Encodes JSON for an x402 header, as base64 of UTF-8. */
export const encodeHeaderJson = (value: object): string =>
  btoa(String.fromCodePoint(...new TextEncoder().encode(JSON.stringify(value))));

/** Decodes the JSON in an x402 header. Returns `undefined` if the header is not base64 of JSON. */
export function decodeHeaderJson(text: string | undefined): unknown {
  if (text === undefined || text.length > maxHeaderLength) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Header names for requests that a wallet signs or pays. A request uses the names of one entry of
 * {@link x402HeaderProfiles} only.
 */
export interface X402Headers {
  /** Name of the header for the signed sign-in message. */
  readonly signIn: string;
  /** Name of the header for the signed payment. */
  readonly payment: string;
}

/**
 * Header names by version of the x402 protocol: `v2` for version 2, and `compatible` for earlier names, which many
 * services accept.
 */
export const x402HeaderProfiles = {
  v2: { signIn: 'SIGN-IN-WITH-X', payment: 'PAYMENT-SIGNATURE' },
  compatible: { signIn: 'X-Sign-In-With-X', payment: 'X-402-Payment' },
} as const satisfies Record<string, X402Headers>;

/** Response header with payment terms. Transports return header names in lower case. */
export const paymentRequiredHeader = 'payment-required';
export const paymentResponseHeader = 'payment-response';
