import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import * as l10n from '@vscode/l10n';
import { defined } from '../../base/json.ts';
import type { Attestation, AttestationCheck, CheckName } from './attestation-types.ts';
import type { AttestationReport } from './attestation-report.ts';
import { isSame, toHex } from './bytes.ts';
import type { RootKey } from './certificate-chain.ts';
import { type Quote, readQuote } from './quote.ts';
import { checkQuotingEnclave, checkSignature, checkTdxModule } from './quote-proof.ts';

/** What an attestation is measured against. */
export interface Expected {
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
  expected: Expected,
): Pick<Attestation, 'verdict' | 'checks' | 'publicKey' | 'measurements'> {
  const checks = new Checks();
  const quote = checks.run('quote', () => quoteIn(report));
  checks.run('model', () => checkModel(report, expected));
  if (quote !== undefined) checkQuote(checks, quote, report, expected);
  const publicKey = checks.run('key', () => validKey(report));
  checks.run('gpu-nonce', () => checkGpu(report, expected));
  return defined({
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
function checkModel({ model }: AttestationReport, expected: Expected): string {
  if (model === undefined || model === expected.model) return expected.model;
  throw new Error(l10n.t('It is about the model {0}.', model));
}

function checkQuote(
  checks: Checks,
  quote: Quote,
  report: AttestationReport,
  expected: Expected,
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
  { nonce }: Expected,
): string {
  if (!isSame(reportData.subarray(32, 64), nonce))
    throw new Error(l10n.t('The quote has another nonce.'));
  if (told !== undefined && told !== toHex(nonce))
    throw new Error(l10n.t('The answer has another nonce.'));
  return toHex(nonce);
}

/** The quote has the key's address in its first 32 bytes, with zeros behind it. */
function checkKeyBound(reportData: Uint8Array, { publicKey, address }: AttestationReport): string {
  const bound = publicKey === undefined ? address : addressOf(publicKey);
  if (bound === undefined) throw new Error(l10n.t('The service named no key.'));
  if (address !== undefined && !isSame(address, bound)) {
    throw new Error(l10n.t('The address is of another key.'));
  }
  const expected = Buffer.concat([bound, Buffer.alloc(12)]);
  if (!isSame(reportData.subarray(0, 32), expected))
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

function checkGpu({ gpuNonce }: AttestationReport, { nonce }: Expected): string {
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
