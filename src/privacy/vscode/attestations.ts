import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { writeFileAtomically } from '../../platform/atomic-file.ts';
import type { AttestationSummary } from '../../service/chat/protection.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { isLoopback } from '../../service/http/endpoint.ts';
import { fetchAttestation } from '../../service/privacy/attestation.ts';
import { fromHex } from '../../service/privacy/bytes.ts';
import { intelRoot, type RootKey } from '../../service/privacy/certificate-chain.ts';
import type { Attestation } from '../../service/privacy/verify-attestation.ts';

/**
 * Environment variable with an additional root key, x and y in hexadecimal, for a service on this
 * machine.
 */
const rootVariable = 'INFERENCE_SERVICE_ATTESTATION_ROOT';

/** Returns the trusted root keys. A developer can add one only for a service on this machine. */
export function trustedRoots(baseUrl: URL, environment = process.env): readonly RootKey[] {
  const localRoot = fromHex(environment[rootVariable] ?? '');
  return isLoopback(baseUrl.hostname) && localRoot?.length === 64
    ? [intelRoot, localRoot]
    : [intelRoot];
}

/**
 * Validity of an attestation. An enclave keeps its key until it restarts, and checking each message
 * would cost a second.
 */
const validMs = 10 * 60_000;

/** Requests a new attestation from a model's enclave and verifies it. */
export async function requestAttestation(
  service: ServiceContext,
  model: string,
  signal: AbortSignal,
): Promise<Attestation> {
  const { baseUrl } = await service.endpoint();
  const roots = trustedRoots(baseUrl);
  return fetchAttestation(service, { model, signal, roots, randomBytes });
}

/** Attestations that were verified in the last ten minutes. Never contains a failed one. */
export class AttestationCache {
  readonly #service: ServiceContext;
  readonly #onVerified: (attestation: Attestation) => Promise<void>;
  readonly #attestations = new Map<string, Attestation>();

  /**
   * @param verified Called once with each verified attestation, before it is used. Never throws.
   */
  constructor(service: ServiceContext, verified: (attestation: Attestation) => Promise<void>) {
    this.#service = service;
    this.#onVerified = verified;
  }

  /** @throws ServiceError */
  async get(model: string, signal: AbortSignal): Promise<Attestation> {
    const name = await this.#cacheKey(model);
    const cached = this.#attestations.get(name);
    const age = this.#service.clock.now() - (cached?.checkedAt ?? 0);
    if (cached !== undefined && age >= 0 && age < validMs) return cached;
    const attestation = await requestAttestation(this.#service, model, signal);
    this.#attestations.delete(name);
    if (attestation.verdict === 'verified') {
      this.#attestations.set(name, attestation);
      await this.#onVerified(attestation);
    }
    return attestation;
  }

  /** Removes a model's attestation, so that the next request verifies it again. */
  async forget(model: string): Promise<void> {
    this.#attestations.delete(await this.#cacheKey(model));
  }

  async #cacheKey(model: string): Promise<string> {
    const { baseUrl } = await this.#service.endpoint();
    return JSON.stringify([baseUrl.href, model]);
  }
}

/**
 * Maximum number of stored reports. A report has some hundred kilobytes, and each model creates at
 * most one per ten minutes.
 */
const maxReports = 100;
/** Size limit of a report, so that a service cannot fill the disk. */
const maxReportBytes = 1024 * 1024;

/**
 * Stores the newest reports of verified enclaves, so that they can be shown for an answer later.
 */
export class AttestationReports {
  readonly #folder: string;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    this.#folder = join(globalStorageUri.fsPath, 'attestations');
  }

  /**
   * Stores a report. Drops a text above one megabyte.
   * @throws the file system's error
   */
  async save(attested: AttestationSummary, text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxReportBytes) return;
    await writeFileAtomically(this.#pathOf(attested), text);
    const names = (await readdir(this.#folder))
      .filter((name) => reportFileName.test(name))
      .toSorted();
    for (const name of names.slice(0, -maxReports)) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Returns the report for an answer. Empty when it is not stored. */
  async find(attested: AttestationSummary): Promise<string> {
    return readFile(this.#pathOf(attested), 'utf8').catch(() => '');
  }

  /** Returns the path of a report. File names sort by age. */
  #pathOf({ checkedAt, publicKey = '' }: AttestationSummary): string {
    const time = String(Math.trunc(checkedAt)).padStart(16, '0');
    const key = createHash('sha256').update(publicKey).digest('hex').slice(0, 32);
    return join(this.#folder, `${time}-${key}.txt`);
  }
}

const reportFileName = /^\d{16}-[0-9a-f]{32}\.txt$/u;
