import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import * as l10n from '@vscode/l10n';
import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  parseJson,
  truncateString,
} from '../../base/json.ts';
import { decodeHex, decodeHexOrBase64, areBytesEqual, encodeHex } from './bytes.ts';
import type { RootKey } from './certificate-chain.ts';
import {
  checkQuotingEnclave,
  checkSignature,
  checkTdxModule,
  type Quote,
  readQuote,
} from './quote.ts';

/** Names of the checks of an attestation, in execution order. */
export type CheckName =
  /** The response contains a quote of a TDX machine. */
  | 'quote'
  /** The attestation contains the name of the requested model, or no model name. */
  | 'model'
  /** The quote contains the request's nonce. */
  | 'nonce'
  /** The quote contains the address of the enclave's key. */
  | 'key-bound'
  /** The machine cannot be debugged from outside. */
  | 'debug'
  /** The attestation key in the quote signed the quote. */
  | 'signature'
  /** Genuine hardware, certified by a trusted root, generated the attestation key. */
  | 'hardware'
  /** The enclave's key is valid for encryption. */
  | 'key'
  /** The GPU evidence, if any, contains the request's nonce. */
  | 'gpu-nonce';

export interface AttestationCheck {
  readonly name: CheckName;
  readonly hasPassed: boolean;
  /**
   * Finding of the check as technical text or, if the check failed, an error message in the user's language. At most
   * 300 characters.
   */
  readonly detail: string;
}

/** Result of verifying the attestation of a model's enclave. */
export interface Attestation {
  readonly model: string;
  /** `verified` if all checks passed. */
  readonly verdict: 'verified' | 'failed';
  readonly checks: readonly AttestationCheck[];
  /** Uncompressed public key of the enclave in hexadecimal. Absent without a valid key. */
  readonly publicKey?: string;
  /** Software measurements in hexadecimal, by register name. */
  readonly measurements?: Readonly<Record<string, string>>;
  /** Time of verification in milliseconds since the Unix epoch. */
  readonly checkedAt: number;
  /** Provider of the enclave as named by the service. */
  readonly provider?: string;
  /** Complete response of the service as formatted JSON. */
  readonly evidence: string;
}

/** Attestation of a model's enclave as sent by the service. Nothing is verified. */
export interface AttestationReport {
  readonly nonce?: string;
  readonly model?: string;
  readonly provider?: string;
  /** The service's own verdict. Shown to the user but never trusted. */
  readonly isVerifiedByService?: boolean;
  readonly quote?: Uint8Array;
  /** Uncompressed public key of the enclave, 65 bytes. */
  readonly publicKey?: Uint8Array;
  /** Address of the key: the last 20 bytes of its Keccak-256 hash, as in Ethereum. */
  readonly address?: Uint8Array;
  /** Nonce in the GPU evidence, in hexadecimal. */
  readonly gpuNonce?: string;
}

const maxTextLength = 300;

/** Decodes the body of `GET /tee/attestation`. Omits invalid fields. */
export function readAttestationReport(body: JsonRecord): AttestationReport {
  const report = { ...body, ...getFirstAttestation(body) };
  const gpuPayload = toJsonRecord(report['nvidia_payload']);
  return omitUndefined({
    nonce: readHexText(report['nonce']) ?? readHexText(report['request_nonce']),
    model:
      truncateString(report['model'], maxTextLength) ??
      truncateString(report['model_name'], maxTextLength),
    provider: truncateString(report['tee_provider'], maxTextLength),
    isVerifiedByService: typeof report['verified'] === 'boolean' ? report['verified'] : undefined,
    quote: decodeQuote(report['intel_quote'] ?? report['quote']),
    publicKey: decodePublicKey(
      report['signing_key'] ?? report['signing_public_key'] ?? report['model_public_key'],
    ),
    address: decodeBytes(report['signing_address'], 20),
    gpuNonce: readHexText(gpuPayload['nonce']) ?? readHexText(gpuPayload['eat_nonce']),
  });
}

/**
 * Returns the first entry of a response that lists one attestation per machine. One entry is enough, because all
 * entries attest the same model. Returns an empty record for other responses.
 */
function getFirstAttestation(body: JsonRecord): JsonRecord {
  const attestations = body['model_attestations'] ?? body['all_attestations'];
  const firstAttestation: unknown = Array.isArray(attestations) ? attestations[0] : undefined;
  return isRecord(firstAttestation) ? firstAttestation : {};
}

function decodeQuote(value: unknown): Uint8Array | undefined {
  const text = isRecord(value) ? value['quote'] : value;
  return typeof text === 'string' && text !== '' ? decodeHexOrBase64(text) : undefined;
}

/** Decodes a public key to 65 bytes. Accepts keys with or without the prefix `04` of uncompressed points. */
function decodePublicKey(value: unknown): Uint8Array | undefined {
  const uncompressedKey = decodeBytes(value, 65);
  if (uncompressedKey !== undefined) return uncompressedKey[0] === 4 ? uncompressedKey : undefined;
  const point = decodeBytes(value, 64);
  return point === undefined ? undefined : Uint8Array.of(4, ...point);
}

function decodeBytes(value: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? decodeHex(value) : undefined;
  return bytes?.length === length ? bytes : undefined;
}

function readHexText(value: unknown): string | undefined {
  const bytes =
    typeof value === 'string' && value.length <= maxTextLength ? decodeHex(value) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : encodeHex(bytes);
}

/** Decodes a payload that is an object, or an object as JSON text. Returns an empty record for other values. */
function toJsonRecord(value: unknown): JsonRecord {
  const parsedValue = typeof value === 'string' ? parseJson(value) : value;
  return isRecord(parsedValue) ? parsedValue : {};
}

/** Values that a valid attestation must contain or match. */
export interface ExpectedAttestation {
  readonly model: string;
  /** Nonce of the attestation request, 32 bytes. */
  readonly nonce: Uint8Array;
  readonly roots: readonly RootKey[];
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Verifies an attestation offline. The quote must contain the nonce and the key, attest a machine that cannot be
 * debugged, and be signed by hardware with a trusted root. Does not check certificate revocation, platform updates, the
 * measurements, or the GPU evidence except for its nonce. Never throws.
 */
export function verifyAttestation(
  report: AttestationReport,
  expected: ExpectedAttestation,
): Pick<Attestation, 'verdict' | 'checks' | 'publicKey' | 'measurements'> {
  const checks = new AttestationChecks();
  const quote = checks.run('quote', () => readReportedQuote(report));
  checks.run('model', () => checkModel(report, expected));
  if (quote !== undefined) checkQuote(checks, quote, report, expected);
  const publicKey = checks.run('key', () => getValidPublicKey(report));
  checks.run('gpu-nonce', () => checkGpuNonce(report, expected));
  return omitUndefined({
    verdict: checks.hasPassed ? ('verified' as const) : ('failed' as const),
    checks: checks.results,
    publicKey: publicKey === undefined ? undefined : encodeHex(publicKey),
    measurements: quote === undefined ? undefined : encodeMeasurements(quote),
  });
}

class AttestationChecks {
  readonly results: AttestationCheck[] = [];

  get hasPassed(): boolean {
    return this.results.every(({ hasPassed }) => hasPassed);
  }

  /**
   * Runs a check and records the result. The recorded detail is the text that `check` returns, or the message of the
   * error that it throws.
   */
  run<T>(name: CheckName, check: () => T): T | undefined {
    try {
      const value = check();
      const detail = typeof value === 'string' ? value : '';
      this.results.push({ name, hasPassed: true, detail });
      return value;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.results.push({ name, hasPassed: false, detail: detail.slice(0, 300) });
      return undefined;
    }
  }
}

function readReportedQuote({ quote }: AttestationReport): Quote {
  if (quote === undefined) throw new Error(l10n.t('Not as expected: {0}', 'quote'));
  const parsedQuote = readQuote(quote);
  if (parsedQuote.teeType !== 0x81) throw new Error(l10n.t('Not as expected: {0}', 'TEE type'));
  return parsedQuote;
}

/** Checks that the model name in the report, if any, is that of the expected model. */
function checkModel({ model }: AttestationReport, expected: ExpectedAttestation): string {
  if (model === undefined || model === expected.model) return expected.model;
  throw new Error(l10n.t('Not as expected: {0}', `model ${model}`));
}

function checkQuote(
  checks: AttestationChecks,
  quote: Quote,
  report: AttestationReport,
  expected: ExpectedAttestation,
): void {
  const { reportData, attributes } = quote.report;
  checks.run('nonce', () => checkNonce(reportData, report, expected));
  checks.run('key-bound', () => checkKeyBinding(reportData, report));
  checks.run('debug', () => {
    // Every bit of the first byte (TDX, ATTRIBUTES.TUD) permits some kind of debugging.
    if (attributes[0] !== 0) throw new Error(l10n.t('Not as expected: {0}', 'TD attributes'));
    return `attributes ${encodeHex(attributes)}`;
  });
  checks.run('signature', () => checkSignature(quote));
  checks.run('hardware', () => {
    checkQuotingEnclave(quote, expected);
    checkTdxModule(quote);
  });
}

function checkNonce(
  reportData: Uint8Array,
  { nonce: reportedNonce }: AttestationReport,
  { nonce }: ExpectedAttestation,
): string {
  if (!areBytesEqual(reportData.subarray(32, 64), nonce))
    throw new Error(l10n.t('Not as expected: {0}', 'quote nonce'));
  if (reportedNonce !== undefined && reportedNonce !== encodeHex(nonce))
    throw new Error(l10n.t('Not as expected: {0}', 'nonce'));
  return encodeHex(nonce);
}

/** Checks that the first 32 bytes of the report data are the address of the key, followed by zeros. */
function checkKeyBinding(
  reportData: Uint8Array,
  { publicKey, address }: AttestationReport,
): string {
  const expectedAddress = publicKey === undefined ? address : computeAddress(publicKey);
  if (expectedAddress === undefined) throw new Error(l10n.t('Not as expected: {0}', 'signing key'));
  if (address !== undefined && !areBytesEqual(address, expectedAddress)) {
    throw new Error(l10n.t('Not as expected: {0}', 'signing address'));
  }
  const expected = Buffer.concat([expectedAddress, Buffer.alloc(12)]);
  if (!areBytesEqual(reportData.subarray(0, 32), expected))
    throw new Error(l10n.t('Not as expected: {0}', 'quote key'));
  return `0x${encodeHex(expectedAddress)}`;
}

const computeAddress = (publicKey: Uint8Array): Uint8Array =>
  keccak_256(publicKey.subarray(1)).subarray(12);

/**
 * Returns the key; `undefined` if the service sent no key.
 * @throws Error if the key is not a point on the curve
 */
function getValidPublicKey({ publicKey }: AttestationReport): Uint8Array | undefined {
  if (publicKey === undefined) return undefined;
  secp256k1.ProjectivePoint.fromHex(publicKey).assertValidity();
  return publicKey;
}

function checkGpuNonce({ gpuNonce }: AttestationReport, { nonce }: ExpectedAttestation): string {
  if (gpuNonce !== undefined && gpuNonce !== encodeHex(nonce)) {
    throw new Error(l10n.t('Not as expected: {0}', 'GPU nonce'));
  }
  return gpuNonce === undefined ? '–' : '';
}

const encodeMeasurements = ({ report }: Quote): Readonly<Record<string, string>> => ({
  MRTD: encodeHex(report.mrTd),
  MRCONFIGID: encodeHex(report.mrConfigId),
  MROWNER: encodeHex(report.mrOwner),
  ...Object.fromEntries(report.rtmrs.map((bytes, index) => [`RTMR${index}`, encodeHex(bytes)])),
});
