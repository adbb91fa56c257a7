import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { writeFileAtomically } from '../../platform/atomic-file.ts';
import type { AttestationSummary } from '../../service/chat/protection.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { isLoopback } from '../../service/http/endpoint.ts';
import { fetchAttestation } from '../../service/privacy/attestation.ts';
import { decodeHex } from '../../service/privacy/bytes.ts';
import { intelRootKey, type RootKey } from '../../service/privacy/certificate-chain.ts';
import type { Attestation } from '../../service/privacy/verify-attestation.ts';

/**
 * Name of the environment variable that adds a trusted root key (x and y in hexadecimal). Applies only to a service on
 * this machine.
 */
const attestationRootVariable = 'INFERENCE_SERVICE_ATTESTATION_ROOT';

/**
 * Returns the root keys to trust: Intel's key and, only for a service on this machine, the key in the environment
 * variable.
 */
export function getTrustedRoots(baseUrl: URL, environment = process.env): readonly RootKey[] {
  const localRoot = decodeHex(environment[attestationRootVariable] ?? '');
  return isLoopback(baseUrl.hostname) && localRoot?.length === 64
    ? [intelRootKey, localRoot]
    : [intelRootKey];
}

/**
 * Lifetime of a cached attestation in milliseconds. Caching is safe, because an enclave keeps its key until it
 * restarts. A new attestation for each message would take about a second.
 */
const cacheLifetimeMs = 10 * 60_000;

/** Requests a new attestation from a model's enclave, and verifies it with the trusted root keys. */
export async function requestAttestation(
  service: ServiceContext,
  model: string,
  signal: AbortSignal,
): Promise<Attestation> {
  const { baseUrl } = await service.getEndpoint();
  const roots = getTrustedRoots(baseUrl);
  return fetchAttestation(service, { model, signal, roots, randomBytes });
}

/** Cache of attestations that were verified in the last ten minutes. Never contains failed attestations. */
export class AttestationCache {
  readonly #service: ServiceContext;
  readonly #onVerified: (attestation: Attestation) => Promise<void>;
  readonly #attestations = new Map<string, Attestation>();

  /** @param onVerified Called with each newly verified attestation before its first use. Never throws. */
  constructor(service: ServiceContext, onVerified: (attestation: Attestation) => Promise<void>) {
    this.#service = service;
    this.#onVerified = onVerified;
  }

  /**
   * Returns the cached attestation of a model. If there is none, requests and verifies a new attestation; the caller
   * must check its verdict.
   * @throws ServiceError if the request fails
   */
  async get(model: string, signal: AbortSignal): Promise<Attestation> {
    const name = await this.#createCacheKey(model);
    const cachedAttestation = this.#attestations.get(name);
    const age = this.#service.clock.now() - (cachedAttestation?.checkedAt ?? 0);
    if (cachedAttestation !== undefined && age >= 0 && age < cacheLifetimeMs)
      return cachedAttestation;
    const attestation = await requestAttestation(this.#service, model, signal);
    this.#attestations.delete(name);
    if (attestation.verdict === 'verified') {
      this.#attestations.set(name, attestation);
      await this.#onVerified(attestation);
    }
    return attestation;
  }

  /** Removes the attestation of a model, so that the next `get` verifies the enclave again. */
  async discardAttestation(model: string): Promise<void> {
    this.#attestations.delete(await this.#createCacheKey(model));
  }

  async #createCacheKey(model: string): Promise<string> {
    const { baseUrl } = await this.#service.getEndpoint();
    return JSON.stringify([baseUrl.href, model]);
  }
}

/**
 * Maximum number of stored reports. A report has several hundred kilobytes. A model adds at most one report per ten
 * minutes.
 */
const maxReports = 100;
/** Maximum size of a report in bytes, so that a service cannot fill the disk. */
const maxReportBytes = 1024 * 1024;

/**
 * Store for the newest attestation reports of verified enclaves. The user can open the report of the attestation that
 * protected an answer.
 */
export class AttestationReports {
  readonly #folder: string;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    this.#folder = join(globalStorageUri.fsPath, 'attestations');
  }

  /**
   * Stores a report. Ignores a report that exceeds {@link maxReportBytes}. If more than {@link maxReports} reports are
   * stored, deletes the oldest reports.
   * @throws if the report cannot be written
   */
  async storeReport(summary: AttestationSummary, text: string): Promise<void> {
    if (Buffer.byteLength(text) > maxReportBytes) return;
    await writeFileAtomically(this.#getReportPath(summary), text);
    const names = (await readdir(this.#folder))
      .filter((name) => reportFileNamePattern.test(name))
      .toSorted();
    for (const name of names.slice(0, -maxReports)) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Returns the stored report of the attestation that protected an answer. Empty if the report is not stored. */
  async readReport(summary: AttestationSummary): Promise<string> {
    return readFile(this.#getReportPath(summary), 'utf8').catch(() => '');
  }

  /** Returns the file path of a report. Paths in alphabetical order are in the order of the verification times. */
  #getReportPath({ checkedAt, publicKey = '' }: AttestationSummary): string {
    const time = String(Math.trunc(checkedAt)).padStart(16, '0');
    const keyHash = createHash('sha256').update(publicKey).digest('hex').slice(0, 32);
    return join(this.#folder, `${time}-${keyHash}.txt`);
  }
}

const reportFileNamePattern = /^\d{16}-[0-9a-f]{32}\.txt$/u;
