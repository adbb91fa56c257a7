import * as vscode from 'vscode';
import { isSignedInBy } from '../account/key-state.ts';
import { isRecord, stringOr } from '../base/json.ts';
import { baseUrlFailure, checkApiKey, parseBaseUrl } from '../service/http/endpoint.ts';
import type { ResponseInfo } from '../service/chat/chat-types.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import { createPrivacyPorts } from '../privacy/vscode/contribute.ts';
import { GroupModels } from './group-models.ts';
import { accountVersion } from './model-information.ts';

/** A source of models, and the service that receives their requests. */
export interface ModelSource {
  readonly service: ServiceContext;
  /** Version of the source's models in VS Code. Identifies the source. */
  readonly version: string;
  /** Normalized address of the service. Empty if the address is invalid. */
  readonly address: string;
  /** All models of the last list. */
  readonly allModels: readonly Model[];
  /**
   * Creates a callback that reports the outcome of a request to the account. Call this when the
   * request starts.
   */
  createReporter(): (outcome: ServiceFailure | ResponseInfo) => void;
  /** @throws ServiceError */
  models(signal: AbortSignal): Promise<readonly Model[]>;
}

export type SourceHost = Pick<Host, 'account' | 'models' | 'service'>;

/** The account of the active profile. Has no models without a key. */
export class AccountSource implements ModelSource {
  readonly version = accountVersion;
  readonly #host: SourceHost;

  constructor(host: SourceHost) {
    this.#host = host;
  }

  get service(): ServiceContext {
    return this.#host.service;
  }

  get address(): string {
    return normalizeAddress(this.#host.account.profile);
  }

  get allModels(): readonly Model[] {
    return this.#host.models.allModels;
  }

  async isSignedIn(): Promise<boolean> {
    return isSignedInBy(await this.#host.account.readKey());
  }

  createReporter(): ReturnType<ModelSource['createReporter']> {
    const { account } = this.#host;
    const { profile } = account;
    return (outcome) => account.report(outcome, profile);
  }

  /** Returns known models without waiting; the list refreshes in the background. */
  async models(signal: AbortSignal): Promise<readonly Model[]> {
    const { models } = this.#host;
    const refreshed = models.refresh();
    if (models.models.length === 0) await Promise.race([refreshed, waitForModels(models, signal)]);
    return models.models;
  }
}

/** Resolves when the catalog has models, for example from its cache, or when the signal aborts. */
function waitForModels(models: Host['models'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      subscription.dispose();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const subscription = models.onDidChange(() => {
      if (models.models.length > 0) finish();
    });
    signal.addEventListener('abort', finish, { once: true });
  });
}

/**
 * A key and an address configured in VS Code's model groups, which stores them. The key is sent
 * only to that address and never logged. Models, protection and prices come from that address.
 */
export class GroupSource implements ModelSource {
  readonly service: ServiceContext;
  readonly version: string;
  readonly address: string;
  readonly #models: GroupModels;

  constructor(host: SourceHost, { apiKey, baseUrl }: GroupConfiguration, version: string) {
    const { service, account } = host;
    this.version = version;
    this.address = normalizeAddress({ baseUrl });
    const base: ServiceContext = {
      ...service,
      endpoint: async () => ({
        baseUrl: parseBaseUrl(baseUrl),
        vendorWord: account.profile.vendorWord,
        apiKey: checkApiKey(requireApiKey(apiKey)),
      }),
    };
    this.#models = new GroupModels(base);
    this.service = {
      ...base,
      ...createPrivacyPorts({
        account: { service: base, state: account.state },
        models: this.#models,
      }),
      ...(service.spending && { spending: this.#models.withPricing(service.spending) }),
    };
  }

  get allModels(): readonly Model[] {
    return this.#models.allModels;
  }

  /** Returns a no-op: a group's requests do not affect the account of the active profile. */
  createReporter(): () => void {
    return () => {};
  }

  models(signal: AbortSignal): Promise<readonly Model[]> {
    return this.#models.list(signal);
  }
}

/** Configuration of a group. VS Code can lose a key: fields are then empty. */
export interface GroupConfiguration {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/**
 * Reads a group's configuration, complete or not. Returns undefined if VS Code requests the
 * account's models.
 */
export function readGroupConfiguration(options: unknown): GroupConfiguration | undefined {
  const configuration = isRecord(options) ? options['configuration'] : undefined;
  if (!isRecord(configuration)) return undefined;
  const { apiKey, baseUrl } = configuration;
  return { apiKey: stringOr(apiKey, '').trim(), baseUrl: stringOr(baseUrl, '').trim() };
}

const normalizeAddress = ({ baseUrl }: Pick<GroupConfiguration, 'baseUrl'>): string =>
  baseUrlFailure(baseUrl) === undefined ? parseBaseUrl(baseUrl).href : '';

function requireApiKey(apiKey: string): string {
  if (apiKey !== '') return apiKey;
  const message = vscode.l10n.t('VS Code has no API key for this group. Set one.');
  throw new ServiceError({ code: 'no-key', message });
}

export const toServiceFailure = (error: unknown): ServiceFailure =>
  error instanceof ServiceError
    ? error.failure
    : {
        code: 'internal-error',
        message: vscode.l10n.t('Something in this extension failed. See its log for details.'),
      };
