import { randomBytes } from 'node:crypto';
import { fetchAttestation } from '../../service/privacy/attestation.ts';
import type { Attestation } from '../../service/privacy/verify-attestation.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { attestationRoots } from './attestation-roots.ts';

/** An enclave keeps its key until it restarts; asking with every message would cost a second each. */
const validMs = 10 * 60_000;

/** Asks the enclave of a model to attest itself now, and checks it. @throws ServiceError */
export async function attest(
  service: ServiceContext,
  model: string,
  signal: AbortSignal,
): Promise<Attestation> {
  const { baseUrl } = await service.endpoint();
  const roots = attestationRoots(baseUrl);
  return fetchAttestation(service, { model, signal, roots, randomBytes });
}

/** Attestations that were verified some minutes ago at most. One that failed is never kept. */
export class Attestations {
  readonly #service: ServiceContext;
  readonly #verified: (attestation: Attestation) => Promise<void>;
  readonly #known = new Map<string, Attestation>();

  /** @param verified Told of each that was verified, once, before it counts. Never throws. */
  constructor(service: ServiceContext, verified: (attestation: Attestation) => Promise<void>) {
    this.#service = service;
    this.#verified = verified;
  }

  /** @throws ServiceError */
  async of(model: string, signal: AbortSignal): Promise<Attestation> {
    const name = await this.#nameOf(model);
    const known = this.#known.get(name);
    const age = this.#service.clock.now() - (known?.checkedAt ?? 0);
    if (known !== undefined && age >= 0 && age < validMs) return known;
    const attestation = await attest(this.#service, model, signal);
    this.#known.delete(name);
    if (attestation.verdict === 'verified') {
      this.#known.set(name, attestation);
      await this.#verified(attestation);
    }
    return attestation;
  }

  /** The next one who asks has it checked anew. */
  async forget(model: string): Promise<void> {
    this.#known.delete(await this.#nameOf(model));
  }

  async #nameOf(model: string): Promise<string> {
    const { baseUrl } = await this.#service.endpoint();
    return JSON.stringify([baseUrl.href, model]);
  }
}
