import { defined, isRecord, type JsonRecord, parseJson } from '../../base/json.ts';
import { fromHex, fromText, toHex } from './bytes.ts';

/** What the service says of a model's enclave, read tolerantly; nothing of it is checked yet. */
export interface AttestationReport {
  readonly nonce?: string;
  readonly model?: string;
  readonly provider?: string;
  /** What the service itself says of the attestation. Shown, never relied on. */
  readonly claimed?: boolean;
  readonly quote?: Uint8Array;
  /** The enclave's key, uncompressed, 65 bytes. */
  readonly publicKey?: Uint8Array;
  /** 20 bytes: the end of the key's Keccak-256, as Ethereum writes it. */
  readonly address?: Uint8Array;
  /** The nonce that the GPU's evidence was made for, in hexadecimal. */
  readonly gpuNonce?: string;
}

const longestText = 300;

/** Reads the body of `GET /tee/attestation`; fields that are not what they should be count as absent. */
export function readAttestationReport(body: JsonRecord): AttestationReport {
  const report = { ...body, ...partOf(body) };
  const gpu = jsonRecord(report['nvidia_payload']);
  return defined({
    nonce: hexText(report['nonce']) ?? hexText(report['request_nonce']),
    model: shortText(report['model']) ?? shortText(report['model_name']),
    provider: shortText(report['tee_provider']),
    claimed: typeof report['verified'] === 'boolean' ? report['verified'] : undefined,
    quote: quoteOf(report['intel_quote'] ?? report['quote']),
    publicKey: publicKeyOf(
      report['signing_key'] ?? report['signing_public_key'] ?? report['model_public_key'],
    ),
    address: bytesOf(report['signing_address'], 20),
    gpuNonce: hexText(gpu['nonce']) ?? hexText(gpu['eat_nonce']),
  });
}

/** Of a model that runs in several places some list them; each attests the same. */
function partOf(body: JsonRecord): JsonRecord {
  const list = body['model_attestations'] ?? body['all_attestations'];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(first) ? first : {};
}

function quoteOf(value: unknown): Uint8Array | undefined {
  const text = isRecord(value) ? value['quote'] : value;
  return typeof text === 'string' && text !== '' ? fromText(text) : undefined;
}

/** Keys are told with the prefix `04` of an uncompressed point, or without. */
function publicKeyOf(value: unknown): Uint8Array | undefined {
  const whole = bytesOf(value, 65);
  if (whole !== undefined) return whole[0] === 4 ? whole : undefined;
  const point = bytesOf(value, 64);
  return point === undefined ? undefined : Uint8Array.of(4, ...point);
}

function bytesOf(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? fromHex(value) : undefined;
  return bytes?.length === length ? bytes : undefined;
}

function hexText(value: unknown): string | undefined {
  const bytes =
    typeof value === 'string' && value.length <= longestText ? fromHex(value) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : toHex(bytes);
}

const shortText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, longestText) : undefined;

/** The payload is JSON in a text, or JSON. */
function jsonRecord(value: unknown): JsonRecord {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isRecord(parsed) ? parsed : {};
}
