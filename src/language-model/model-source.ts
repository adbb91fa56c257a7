import * as vscode from 'vscode';
import { isSignedInBy } from '../account/key-state.ts';
import { isRecord, stringOr } from '../base/json.ts';
import { addressFailure, checkApiKey, parseBaseUrl } from '../service/http/endpoint.ts';
import type { ReplyInfo } from '../service/chat/chat-types.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import { createPrivacyPorts } from '../privacy/vscode/contribute.ts';
import { GroupModels } from './group-models.ts';
import { accountVersion } from './model-information.ts';

/** Where models come from, and where requests to them go. */
export interface ModelSource {
  readonly service: ServiceContext;
  /** The version of its models in VS Code, which tells whose they are. */
  readonly version: string;
  /** Of its service, however it is written; empty where that is no address. */
  readonly address: string;
  /** All models, as last listed. */
  readonly all: readonly Model[];
  /** @returns what takes what a request that begins now says about the account */
  createReporter(): (outcome: ServiceFailure | ReplyInfo) => void;
  /** @throws ServiceError */
  models(signal: AbortSignal): Promise<readonly Model[]>;
}

export type SourceHost = Pick<Host, 'account' | 'models' | 'service'>;

/** The active profile. Without a key there are no models. */
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

  get all(): readonly Model[] {
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

  /** What is known already is enough: the list is brought up to date meanwhile. */
  async models(signal: AbortSignal): Promise<readonly Model[]> {
    const { models } = this.#host;
    const refreshed = models.refresh();
    if (models.models.length === 0) await Promise.race([refreshed, waitForModels(models, signal)]);
    return models.models;
  }
}

/** Resolves with the first models there are, such as those kept on disk, or when nobody waits any more. */
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
 * A key and an address that the person gave to VS Code itself, which keeps them. The key goes to that address alone,
 * and into no log. What its models offer, protect and cost is what that address says of them.
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

  get all(): readonly Model[] {
    return this.#models.allModels;
  }

  /** It says nothing about the account of the active profile. */
  createReporter(): () => void {
    return () => {};
  }

  models(signal: AbortSignal): Promise<readonly Model[]> {
    return this.#models.list(signal);
  }
}

/** Both are empty where VS Code has none: it can lose a key. */
export interface GroupConfiguration {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** What VS Code gives of a group, whole or not; undefined where it asks for the models of the account. */
export function readGroupConfiguration(options: unknown): GroupConfiguration | undefined {
  const configuration = isRecord(options) ? options['configuration'] : undefined;
  if (!isRecord(configuration)) return undefined;
  const { apiKey, baseUrl } = configuration;
  return { apiKey: stringOr(apiKey, '').trim(), baseUrl: stringOr(baseUrl, '').trim() };
}

const normalizeAddress = ({ baseUrl }: Pick<GroupConfiguration, 'baseUrl'>): string =>
  addressFailure(baseUrl) === undefined ? parseBaseUrl(baseUrl).href : '';

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
