import * as vscode from 'vscode';
import { isSignedInState } from '../account/key-state.ts';
import { defaultVendorPrefix, getConfiguredPrefix } from '../service/http/vendor-prefix.ts';
import type { Account } from '../account/vscode/account.ts';
import { showFailure, toShownFailure } from '../account/vscode/show-failure.ts';
import { isRecord, readStringOr } from '../base/json.ts';
import {
  findBaseUrlFailure,
  checkApiKey,
  type ConfirmedOrigins,
  parseBaseUrl,
} from '../service/http/endpoint.ts';
import type { ResponseInfo } from '../service/chat/chat-types.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import { createPrivacyPorts } from '../privacy/vscode/contribute.ts';
import { showStatusMessage } from '../platform/notifications.ts';
import { getSetting } from '../platform/settings.ts';
import { accountVersion } from './model-information.ts';
import { Emitter, type Event } from '../base/event.ts';
import { estimateCost } from '../service/pricing.ts';
import { haveSameModels, ModelCorrections } from '../models/model-corrections.ts';
import { findModelById, findModelsByName } from '../models/model-selection.ts';
import { listModelsWithDetails } from '../service/models.ts';
import { createAbortError, toServiceError } from '../service/http/network-failure.ts';
import type { Bill, PaidRequest, Spending } from '../service/chat/spending.ts';
import type { ModelCatalog } from '../models/vscode/model-catalog.ts';

/** Source of chat models. Requests to the models go to the service of the source. */
export interface ModelSource {
  readonly service: ServiceContext;
  /** Value of the field `version` of the source's models in VS Code. The value identifies the source. */
  readonly version: string;
  /** Normalized base URL of the service. Empty if the base URL is invalid. */
  readonly baseUrl: string;
  /**
   * Models of the last received list, including models that the setting `inferenceService.privateModelsOnly` excludes.
   */
  readonly allModels: readonly Model[];
  /**
   * Creates a callback that updates the account with the outcome of one request. Call this method when the request
   * starts.
   */
  createReporter(): (outcome: ServiceFailure | ResponseInfo) => void;
  /**
   * Returns the models that VS Code can list.
   * @throws ServiceError if the models cannot be listed
   */
  listModels(signal: AbortSignal): Promise<readonly Model[]>;
}

export type SourceHost = Pick<Host, 'account' | 'models' | 'service'>;

/** Model source for the account of the active profile. Has no models without a key. */
export class AccountSource implements ModelSource {
  readonly version = accountVersion;
  readonly #host: SourceHost;

  constructor(host: SourceHost) {
    this.#host = host;
  }

  get service(): ServiceContext {
    return this.#host.service;
  }

  get baseUrl(): string {
    const { profile, unencryptedOrigins } = this.#host.account;
    return normalizeBaseUrl(profile.baseUrl, unencryptedOrigins);
  }

  get allModels(): readonly Model[] {
    return this.#host.models.allModels;
  }

  async isSignedIn(): Promise<boolean> {
    return isSignedInState(await this.#host.account.readKey());
  }

  createReporter(): ReturnType<ModelSource['createReporter']> {
    const { account } = this.#host;
    const { profile } = account;
    return (outcome) => {
      account.reportOutcome(outcome, profile);
      offerToOmitOption(outcome, account);
    };
  }

  /**
   * Returns the last received models and refreshes the list in the background. Waits for the list only if no models
   * have been received yet.
   */
  async listModels(signal: AbortSignal): Promise<readonly Model[]> {
    const { models } = this.#host;
    const refreshPromise = models.refresh();
    if (models.models.length === 0) {
      const waitController = new AbortController();
      const modelsPromise = waitForModels(models, AbortSignal.any([signal, waitController.signal]));
      try {
        await Promise.race([refreshPromise, modelsPromise]);
      } finally {
        waitController.abort();
      }
    }
    return models.models;
  }
}

/** Resolves when the catalog has models or the signal aborts. */
function waitForModels(models: Host['models'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finishWait = (): void => {
      subscription.dispose();
      signal.removeEventListener('abort', finishWait);
      resolve();
    };
    const subscription = models.onDidChange(() => {
      if (models.models.length > 0) finishWait();
    });
    signal.addEventListener('abort', finishWait, { once: true });
  });
}

/**
 * Model source for a key and a base URL from VS Code's model groups. The key is sent only to that URL, and is never
 * logged. Models, prices and protection, such as encryption, are those of the service at that URL.
 */
export class GroupSource implements ModelSource {
  readonly service: ServiceContext;
  readonly version: string;
  readonly #models: GroupModels;
  readonly #account: Pick<Account, 'getConnection'>;
  readonly #getBaseUrl: () => string;

  constructor(host: SourceHost, { apiKey, baseUrl }: GroupConfiguration, version: string) {
    const { service, account } = host;
    this.version = version;
    this.#account = account;
    this.#getBaseUrl = () => normalizeBaseUrl(baseUrl, account.unencryptedOrigins);
    const baseContext: ServiceContext = {
      ...service,
      getEndpoint: async () => {
        const url = parseBaseUrl(baseUrl, account.unencryptedOrigins);
        const connection = account.getConnection(url);
        const key = checkApiKey(requireApiKey(apiKey), url);
        return {
          baseUrl: url,
          connection,
          vendorPrefix: connection.vendorPrefix ?? getConfiguredPrefix(defaultVendorPrefix, key),
          apiKey: key,
        };
      },
    };
    this.#models = new GroupModels(baseContext, () =>
      getSetting('inferenceService.models.overrides'),
    );
    this.service = {
      ...baseContext,
      ...createPrivacyPorts({
        account: { service: baseContext, state: account.state },
        models: this.#models,
      }),
      refusals: this.#models,
      ...(service.spending && { spending: this.#models.withPricing(service.spending) }),
    };
  }

  /** Base URL of the service. Changes when the user permits unencrypted requests to the address. */
  get baseUrl(): string {
    return this.#getBaseUrl();
  }

  get allModels(): readonly Model[] {
    return this.#models.allModels;
  }

  /**
   * Creates a callback that offers to omit an option if the service refused it. Does not update the account, because a
   * group does not belong to the active profile.
   */
  createReporter(): ReturnType<ModelSource['createReporter']> {
    return (outcome) => offerToOmitOption(outcome, this.#account);
  }

  listModels(signal: AbortSignal): Promise<readonly Model[]> {
    return this.#models.list(signal);
  }
}

/**
 * Offers to omit an option that the service refused, so that later requests do not contain it. VS Code shows only the
 * message of a failed request, and the extension cannot repeat the request.
 */
function offerToOmitOption(
  outcome: ServiceFailure | ResponseInfo,
  account: Pick<Account, 'getConnection'>,
): void {
  if (!('code' in outcome) || outcome.code !== 'unsupported-option') return;
  const { refusedField, connection } = outcome;
  if (refusedField === undefined || connection === undefined) return;
  const omitOption = (): void => {
    account.getConnection(new URL(connection)).omitField(refusedField);
    showStatusMessage(vscode.l10n.t('The option is left out from now on. Send the message again.'));
  };
  void showFailure(toShownFailure(outcome), {
    sendWithoutRefusedField: omitOption,
    excludedActions: ['choose-model'],
  });
}

/** Configuration of a group in VS Code. A field is an empty string if VS Code lost its value. */
export interface GroupConfiguration {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/**
 * Reads a group's configuration, even if incomplete. Returns `undefined` if VS Code requests the
 * account's models.
 */
export function readGroupConfiguration(options: unknown): GroupConfiguration | undefined {
  const configuration = isRecord(options) ? options['configuration'] : undefined;
  if (!isRecord(configuration)) return undefined;
  const { apiKey, baseUrl } = configuration;
  return { apiKey: readStringOr(apiKey, '').trim(), baseUrl: readStringOr(baseUrl, '').trim() };
}

const normalizeBaseUrl = (baseUrl: string, confirmedOrigins: ConfirmedOrigins): string =>
  findBaseUrlFailure(baseUrl, confirmedOrigins) === undefined
    ? parseBaseUrl(baseUrl, confirmedOrigins).href
    : '';

function requireApiKey(apiKey: string): string {
  if (apiKey !== '') return apiKey;
  const message = vscode.l10n.t('Inference Service needs an API key.');
  throw new ServiceError({ code: 'no-key', message });
}

export const toServiceFailure = (error: unknown): ServiceFailure =>
  error instanceof ServiceError
    ? error.failure
    : {
        code: 'internal-error',
        message: vscode.l10n.t('That did not work. See the log for details.'),
      };

/** Lifetime of the cached model list in milliseconds. Prices and model states change a few times a day. */
const cacheTtlMs = 10 * 60_000;

/**
 * Delay in milliseconds before the next request with a refused API key. VS Code requests models many times a minute,
 * and the service blocks keys after repeated refusals.
 */
const refusalTtlMs = 5 * 60_000;

/**
 * Models of the service at a group's base URL. Each group has its own list, because another service may list
 * different models with the same names.
 */
export class GroupModels implements Pick<
  ModelCatalog,
  'allModels' | 'failure' | 'refresh' | 'recordRefusal' | 'onDidChange'
> {
  readonly #service: ServiceContext;
  readonly #getOverrides: () => unknown;
  readonly #onDidChangeEmitter = new Emitter<void>();
  #allModels: readonly Model[] = [];
  readonly #corrections = new ModelCorrections(Date.now);
  #validUntil = -Infinity;
  #failure: ServiceFailure | undefined;
  #refreshPromise: Promise<void> | undefined;

  /** @param overrides Returns the value of the setting that contains the user's corrections of models. */
  constructor(service: ServiceContext, overrides: () => unknown = () => ({})) {
    this.#service = service;
    this.#getOverrides = overrides;
  }

  /** Fires when the model list changes. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get allModels(): readonly Model[] {
    return this.#corrections.applyCorrections(this.#allModels, this.#getOverrides());
  }

  /**
   * Records for an hour, or until the list changes, that a model does not support a capability. `name` is the id of the
   * model or one of its traits, such as `default_code`. Ignores failures that are not caused by a missing capability.
   */
  recordRefusal(name: string, failure: ServiceFailure): void {
    const [model] = findModelsByName(this.#allModels, name);
    if (model !== undefined && this.#corrections.recordRefusal(model.id, failure))
      this.#onDidChangeEmitter.fire();
  }

  get failure(): ServiceFailure | undefined {
    return this.#failure;
  }

  /**
   * Refreshes and returns the model list. Returns the previous list if the service is unreachable.
   * @throws ServiceError if there is no previous list, if the service refuses the key, or if the signal aborts
   */
  async list(signal: AbortSignal): Promise<readonly Model[]> {
    if (signal.aborted) throw createAbortError(signal);
    const abortResolvers = Promise.withResolvers<never>();
    const onAbort = (): void => abortResolvers.reject(createAbortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.refresh(), abortResolvers.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    const failure = this.#failure;
    if (failure === undefined || (this.#allModels.length > 0 && !isAccessRefusal(failure)))
      return this.allModels;
    throw new ServiceError(failure);
  }

  /**
   * Refreshes the model list. Concurrent callers share one request, which continues if a caller
   * cancels. Never throws.
   */
  async refresh(): Promise<void> {
    const now = this.#service.clock.now();
    if (now < this.#validUntil) return;
    this.#refreshPromise ??= this.#loadModels(now);
    await this.#refreshPromise;
  }

  async #loadModels(now: number): Promise<void> {
    const { signal } = new AbortController();
    try {
      const { models } = await listModelsWithDetails(this.#service, signal);
      if (!haveSameModels(models, this.#allModels)) this.#corrections.clearRefusals();
      this.#allModels = models;
      this.#validUntil = now + cacheTtlMs;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = toServiceError(error).failure;
      this.#validUntil = isAccessRefusal(this.#failure) ? now + refusalTtlMs : -Infinity;
      return;
    } finally {
      this.#refreshPromise = undefined;
    }
    this.#onDidChangeEmitter.fire();
  }

  /**
   * Returns a wrapper of `spending` for services that report usage but no cost. Computes the cost from the usage and
   * the prices of the group's models.
   */
  withPricing(spending: Spending): Spending {
    return {
      authorizeRequest: (request, signal) => spending.authorizeRequest(request, signal),
      recordSpending: (request, bill) =>
        spending.recordSpending(request, this.#withCost(request, bill)),
      releaseReservedPrice: (request) => spending.releaseReservedPrice(request),
    };
  }

  #withCost({ model = '', price }: PaidRequest, bill: Bill): Bill {
    if (bill.cost !== undefined || bill.usage === undefined || price !== undefined) return bill;
    const pricing = findModelById(this.#allModels, model)?.pricing;
    // Usage of a model without a price costs nothing here, because the prices of another service do
    // not apply.
    return { ...bill, cost: estimateCost(bill.usage, pricing) ?? { usd: 0 } };
  }
}

const isAccessRefusal = ({ status }: ServiceFailure): boolean => status === 401 || status === 403;
