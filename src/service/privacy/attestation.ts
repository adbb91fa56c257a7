import { omitUndefined, isRecord } from '../../base/json.ts';
import {
  type Attestation,
  readAttestationReport,
  verifyAttestation,
} from './verify-attestation.ts';
import { unrecognizedResponse, readJson } from '../http/response.ts';
import type { ServiceContext } from '../http/client.ts';
import { secretsOf, send } from '../http/request.ts';
import { toHex } from './bytes.ts';
import type { RootKey } from './certificate-chain.ts';

interface AttestationOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  /** Root keys in which a genuine certificate chain ends. */
  readonly roots: readonly RootKey[];
  readonly randomBytes: (count: number) => Uint8Array;
}

/** Maximum response size. A quote, its chain and the evidence of several GPUs need some hundred kilobytes. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Requests the attestation of a model's enclave (`GET /tee/attestation`, service facts §4.6) with a fresh nonce and
 * verifies it. Supports deployments on Intel TDX with secp256k1 keys: `intel_quote`, `signing_key`, `signing_address`,
 * `nvidia_payload`, where the report data is the key's address, zeros, and the nonce. An invalid attestation is
 * returned with a failed verdict.
 * @throws ServiceError if there is no response.
 */
export async function fetchAttestation(
  context: ServiceContext,
  { model, signal, roots, randomBytes }: AttestationOptions,
): Promise<Attestation> {
  const nonce = randomBytes(32);
  const query = { model, nonce: toHex(nonce) };
  const response = await send(context, { method: 'GET', path: '/tee/attestation', query }, signal);
  const secrets = secretsOf(response.endpoint);
  const body = await readJson(response.body, { maxBytes, secrets });
  if (!isRecord(body)) throw unrecognizedResponse(JSON.stringify(body), secrets);
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
