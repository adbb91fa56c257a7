import { omitUndefined, isRecord } from '../../base/json.ts';
import {
  type Attestation,
  readAttestationReport,
  verifyAttestation,
} from './verify-attestation.ts';
import { createUnrecognizedResponseError, readJson } from '../http/response.ts';
import type { ServiceContext } from '../http/client.ts';
import { listSecrets, sendCall } from '../http/request.ts';
import { encodeHex } from './bytes.ts';
import type { RootKey } from './certificate-chain.ts';

interface AttestationOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** Public keys of trusted root certificates. A genuine certificate chain ends in one of these certificates. */
  readonly roots: readonly RootKey[];
  readonly randomBytes: (count: number) => Uint8Array;
}

/**
 * Maximum response size in bytes. A quote, its certificate chain and the evidence of several GPUs need a few hundred
 * kilobytes.
 */
const maxBytes = 4 * 1024 * 1024;

/**
 * Requests the attestation of a model's enclave (`GET /tee/attestation`) with a new nonce, and verifies it. Supports
 * Intel TDX enclaves with secp256k1 keys. An attestation that fails the verification is returned with the verdict
 * `failed`.
 * @throws ServiceError if the service sends no attestation
 */
export async function fetchAttestation(
  context: ServiceContext,
  { model, signal, roots, randomBytes }: AttestationOptions,
): Promise<Attestation> {
  const nonce = randomBytes(32);
  const query = { model, nonce: encodeHex(nonce) };
  const response = await sendCall(
    context,
    { method: 'GET', path: '/tee/attestation', query },
    signal,
  );
  const secrets = listSecrets(response.endpoint);
  const body = await readJson(response.body, { maxBytes, secrets });
  if (!isRecord(body)) throw createUnrecognizedResponseError(JSON.stringify(body), secrets);
  const report = readAttestationReport(body);
  const now = context.clock.now();
  return omitUndefined({
    model,
    ...verifyAttestation(report, { model, nonce, roots, now }),
    checkedAt: now,
    provider: report.provider,
    evidence: JSON.stringify(body, null, 2),
  });
}
