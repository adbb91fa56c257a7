import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import * as l10n from '@vscode/l10n';
import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  parseJson,
  truncatedString,
} from '../../base/json.ts';
import { fromHex, fromText, equalBytes, toHex } from './bytes.ts';
import type { RootKey } from './certificate-chain.ts';
import {
  checkQuotingEnclave,
  checkSignature,
  checkTdxModule,
  type Quote,
  readQuote,
} from './quote.ts';

/** What is checked of an attestation, in this order. */
export type CheckName =
  /** There is a quote of a TDX machine. */
  | 'quote'
  /** It is about the model that was asked for. */
  | 'model'
  /** It was made for our question. */
  | 'nonce'
  /** The quote names the enclave's key. */
  | 'key-bound'
  /** Nobody can look into the machine by debugging it. */
  | 'debug'
  /** The quote was signed by its own key. */
  | 'signature'
  /** Hardware that the pinned root vouches for made that key. */
  | 'hardware'
  /** The enclave's key is one that can be encrypted to. */
  | 'key'
  /** What the GPU says, if it says something, is of this moment, too. */
  | 'gpu-nonce';

export interface AttestationCheck {
  readonly name: CheckName;
  readonly passed: boolean;
  /** What was seen, or what is wrong: technical, in the editor's language, ≤ 300 characters. */
  readonly detail: string;
}

/** What a model's enclave says of itself, checked. */
export interface Attestation {
  readonly model: string;
  /** `verified` when every check passed. */
  readonly verdict: 'verified' | 'failed';
  readonly checks: readonly AttestationCheck[];
  /** The enclave's, uncompressed, in hexadecimal; absent where it told none, or none that holds. */
  readonly publicKey?: string;
  /** Of the software in the machine, in hexadecimal, by the name of the register. */
  readonly measurements?: Readonly<Record<string, string>>;
  /** When it was checked, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** What the service calls the maker of the enclave. */
  readonly provider?: string;
  /** Everything the service answered, as JSON. */
  readonly evidence: string;
}

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

const maxTextLength = 300;

/** Reads the body of `GET /tee/attestation`; fields that are not what they should be count as absent. */
export function readAttestationReport(body: JsonRecord): AttestationReport {
  const report = { ...body, ...partOf(body) };
  const gpu = jsonRecord(report['nvidia_payload']);
  return omitUndefined({
    nonce: hexText(report['nonce']) ?? hexText(report['request_nonce']),
    model:
      truncatedString(report['model'], maxTextLength) ??
      truncatedString(report['model_name'], maxTextLength),
    provider: truncatedString(report['tee_provider'], maxTextLength),
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
    typeof value === 'string' && value.length <= maxTextLength ? fromHex(value) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : toHex(bytes);
}

/** The payload is JSON in a text, or JSON. */
function jsonRecord(value: unknown): JsonRecord {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isRecord(parsed) ? parsed : {};
}

/** What an attestation is measured against. */
export interface ExpectedAttestation {
  readonly model: string;
  /** The 32 bytes that were asked with. */
  readonly nonce: Uint8Array;
  readonly roots: readonly RootKey[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Checks what can be checked without asking anybody: that the quote is of this moment (our nonce) and of this key, of a
 * machine that nobody debugs, and signed by hardware that the pinned root vouches for. Not checked: whether a
 * certificate was revoked, whether the platform has all updates, whether the measurements are those of published
 * software, and the evidence of the GPU beyond its nonce. Never throws.
 */
export function verifyAttestation(
  report: AttestationReport,
  expected: ExpectedAttestation,
): Pick<Attestation, 'verdict' | 'checks' | 'publicKey' | 'measurements'> {
  const checks = new Checks();
  const quote = checks.run('quote', () => quoteIn(report));
  checks.run('model', () => checkModel(report, expected));
  if (quote !== undefined) checkQuote(checks, quote, report, expected);
  const publicKey = checks.run('key', () => validKey(report));
  checks.run('gpu-nonce', () => checkGpu(report, expected));
  return omitUndefined({
    verdict: checks.allPassed ? ('verified' as const) : ('failed' as const),
    checks: checks.list,
    publicKey: publicKey === undefined ? undefined : toHex(publicKey),
    measurements: quote === undefined ? undefined : measurementsOf(quote),
  });
}

class Checks {
  readonly list: AttestationCheck[] = [];

  get allPassed(): boolean {
    return this.list.every(({ passed }) => passed);
  }

  /** Notes what `check` comes to: what it returns as text is the detail, what it throws is why it failed. */
  run<T>(name: CheckName, check: () => T): T | undefined {
    try {
      const value = check();
      const detail = typeof value === 'string' ? value : '';
      this.list.push({ name, passed: true, detail });
      return value;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.list.push({ name, passed: false, detail: detail.slice(0, 300) });
      return undefined;
    }
  }
}

function quoteIn({ quote }: AttestationReport): Quote {
  if (quote === undefined) throw new Error(l10n.t('The service gave no quote.'));
  const read = readQuote(quote);
  if (read.teeType !== 0x81) throw new Error(l10n.t('The quote is not of a TDX machine.'));
  return read;
}

/** That of a service which says nothing rests on the key alone. */
function checkModel({ model }: AttestationReport, expected: ExpectedAttestation): string {
  if (model === undefined || model === expected.model) return expected.model;
  throw new Error(l10n.t('It is about the model {0}.', model));
}

function checkQuote(
  checks: Checks,
  quote: Quote,
  report: AttestationReport,
  expected: ExpectedAttestation,
): void {
  const { reportData, attributes } = quote.report;
  checks.run('nonce', () => checkNonce(reportData, report, expected));
  checks.run('key-bound', () => checkKeyBound(reportData, report));
  checks.run('debug', () => {
    // The whole first byte is about debugging (TDX, ATTRIBUTES.TUD); any bit of it opens the machine.
    if (attributes[0] !== 0) throw new Error(l10n.t('The machine can be debugged from outside.'));
    return l10n.t('attributes {0}', toHex(attributes));
  });
  checks.run('signature', () => checkSignature(quote));
  checks.run('hardware', () => {
    checkQuotingEnclave(quote, expected);
    checkTdxModule(quote);
  });
}

function checkNonce(
  reportData: Uint8Array,
  { nonce: told }: AttestationReport,
  { nonce }: ExpectedAttestation,
): string {
  if (!equalBytes(reportData.subarray(32, 64), nonce))
    throw new Error(l10n.t('The quote has another nonce.'));
  if (told !== undefined && told !== toHex(nonce))
    throw new Error(l10n.t('The answer has another nonce.'));
  return toHex(nonce);
}

/** The quote has the key's address in its first 32 bytes, with zeros behind it. */
function checkKeyBound(reportData: Uint8Array, { publicKey, address }: AttestationReport): string {
  const bound = publicKey === undefined ? address : addressOf(publicKey);
  if (bound === undefined) throw new Error(l10n.t('The service named no key.'));
  if (address !== undefined && !equalBytes(address, bound)) {
    throw new Error(l10n.t('The address is of another key.'));
  }
  const expected = Buffer.concat([bound, Buffer.alloc(12)]);
  if (!equalBytes(reportData.subarray(0, 32), expected))
    throw new Error(l10n.t('The quote has another key.'));
  return `0x${toHex(bound)}`;
}

const addressOf = (publicKey: Uint8Array): Uint8Array =>
  keccak_256(publicKey.subarray(1)).subarray(12);

/** Absent where a model only attests; a point that is not on the curve is none. */
function validKey({ publicKey }: AttestationReport): Uint8Array | undefined {
  if (publicKey === undefined) return undefined;
  secp256k1.ProjectivePoint.fromHex(publicKey).assertValidity();
  return publicKey;
}

function checkGpu({ gpuNonce }: AttestationReport, { nonce }: ExpectedAttestation): string {
  if (gpuNonce !== undefined && gpuNonce !== toHex(nonce)) {
    throw new Error(l10n.t('The evidence of the GPU has another nonce.'));
  }
  return gpuNonce === undefined ? l10n.t('no evidence of a GPU') : '';
}

const measurementsOf = ({ report }: Quote): Readonly<Record<string, string>> => ({
  MRTD: toHex(report.mrTd),
  MRCONFIGID: toHex(report.mrConfigId),
  MROWNER: toHex(report.mrOwner),
  ...Object.fromEntries(report.rtmrs.map((bytes, index) => [`RTMR${index}`, toHex(bytes)])),
});
