import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { KeyState } from '../../account/key-state.ts';
import type { Account } from '../../account/vscode/account.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from '../cache-record.ts';
import { haveSameModels, ModelCorrections } from '../model-corrections.ts';
import {
  selectChatModels,
  getDefaultChatModel,
  findModelById,
  findModelByIdOrTrait,
  findModelsByName,
  selectPermittedModels,
  type ModelChoices,
} from '../model-selection.ts';
import { writeFileAtomically } from '../../platform/atomic-file.ts';
import type { Log } from '../../platform/log.ts';
import { mayBeNewerFile } from '../../platform/newer-file.ts';
import { isEnabledInAnyScope, onDidChangeSettings, getSetting } from '../../platform/settings.ts';
import { type RetryWait, ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';

/**
 * Checks whether only private models are permitted. True if the user settings or the workspace settings require private
 * models.
 */
export const isPrivateOnly = (): boolean =>
  isEnabledInAnyScope('inferenceService.privateModelsOnly');

/**
 * Cache files of model lists, one per profile. If the file of a profile is in the format of a newer version of the
 * extension, this version uses a second file for the profile.
 */
export class ModelCacheFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads the cached list of a profile. Returns `undefined` if the profile has no readable file. */
  async read(profileId: string): Promise<CacheRecord | undefined> {
    try {
      const text = await readFile(this.#getPath(profileId), 'utf8');
      return decodeCacheRecord(
        isFromNewerVersion(text)
          ? await readFile(this.#getAlternativePath(profileId), 'utf8')
          : text,
      );
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the cached list of a profile.
   * @throws if the file cannot be written; the cached list is then unchanged
   */
  async write(profileId: string, record: CacheRecord): Promise<void> {
    const path = this.#getPath(profileId);
    const mayBeNewer = await mayBeNewerFile(path);
    await writeFileAtomically(
      mayBeNewer ? this.#getAlternativePath(profileId) : path,
      encodeCacheRecord(record),
    );
  }

  #getPath(profileId: string): string {
    return join(this.#folder, `${profileId}.json`);
  }

  #getAlternativePath(profileId: string): string {
    return join(this.#folder, `${profileId}.v1.json`);
  }
}

/** Models of the active profile. Cached in memory and on disk, and refreshed in the background. */
export interface ModelCatalog {
  /** Id of the active profile. */
  readonly profileId: string;
  /** Known models of all types, except those that the private-only setting excludes. Empty until a list is loaded. */
  readonly models: readonly Model[];
  /** Models that the user pinned or recently used in any window. */
  readonly choices: ModelChoices;
  /** Known models of all types, including those that the private-only setting excludes. */
  readonly allModels: readonly Model[];
  /** True if the settings permit only private models. */
  readonly isPrivateOnly: boolean;
  /** Sentence with the reason why the model list may be outdated. `undefined` if the list is current. */
  readonly staleReason: string | undefined;
  /**
   * Failure of the last refresh or, while a refresh waits for a retry, of its last request. `undefined` after a
   * successful refresh.
   */
  readonly failure: ServiceFailure | undefined;
  /**
   * Earliest time at which the service permits another request for the list, in milliseconds since the epoch.
   * `undefined` if the last request succeeded, or the service named no time.
   */
  readonly retryAt: number | undefined;
  readonly isLoading: boolean;
  /** True while the running refresh waits until `retryAt` before it repeats its request. */
  readonly isWaiting: boolean;
  readonly onDidChange: Event<void>;
  /**
   * Loads the list from disk. Also loads it from the service if the list is older than ten minutes, or if `force` is
   * true. Without `force`, sends no request before `retryAt`. Never throws.
   */
  refresh(options?: { force?: boolean }): Promise<void>;
  /**
   * Loads the list from the service after a command of the user. Also forgets which request fields the service refused,
   * so that later requests contain these fields again.
   */
  refreshForUser(): Promise<void>;
  /** Ends a refresh that waits for a retry, without sending another request. Does not change `failure`. */
  cancelRetry(): void;
  /** Finds a model in `allModels` by its id. */
  find(id: string): Model | undefined;
  /**
   * Chat model for new requests. The first of these models that is in the list: the model selected in this window, the
   * model in the setting (id or trait), the model selected last in any window, the service's default. `undefined` if
   * there are no chat models.
   */
  readonly chatModel: Model | undefined;
  /**
   * Id or trait of the chat model that the user selected, even if it is not in the list. `undefined` without a
   * selection.
   */
  readonly selectedName: string | undefined;
  /** Pins a model in the model picker. Unpins it if it is pinned. */
  togglePin(id: string): Promise<void>;
  selectChatModel(id: string): Promise<void>;
  /**
   * Records that a model rejected a capability, for an hour or until a new list is loaded. `model` is the id or a trait
   * of the model. Ignores failures that concern no capability.
   */
  recordRefusal(model: string, failure: ServiceFailure): void;
}

export interface ModelCatalogOptions {
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'globalStorageUri'>;
  readonly account: Account;
  readonly log: Log;
}

/** Creates the catalog of the active profile. Loads nothing until the first call of `refresh`. */
export const createModelCatalog = (options: ModelCatalogOptions): ModelCatalog & Disposable =>
  new HostModelCatalog(options);

/**
 * Maximum age of a cached list in milliseconds. An older list is loaded again, because prices and availability change a
 * few times a day.
 */
const maxAgeMs = 10 * 60_000;

/** Maximum length in characters of a model id in the messages of the chat page. */
const maxIdLength = 300;

/** Models of one profile at one base URL. If the profile or the URL changes, a new object replaces this object. */
interface ProfileModels {
  readonly profileId: string;
  readonly baseUrl: string;
  readonly abortController: AbortController;
  key: KeyState;
  record?: CacheRecord;
  readonly corrections: ModelCorrections;
  failure?: ServiceFailure | undefined;
  retryAt?: number | undefined;
  /** Ends the running refresh while it waits for a retry. Absent if no refresh waits. */
  cancelRetry?: (() => void) | undefined;
  refreshPromise?: Promise<void> | undefined;
  /** Id of the model that the user selected in this window. */
  selectedId?: string | undefined;
}

class HostModelCatalog implements ModelCatalog, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter: Emitter<void>;
  readonly #account: Account;
  readonly #log: Log;
  readonly #state: vscode.Memento;
  readonly #file: ModelCacheFile;
  #profileModels: ProfileModels;
  #isRefreshRequested = false;

  constructor({ context, account, log }: ModelCatalogOptions) {
    this.#account = account;
    this.#log = log;
    this.#state = context.globalState;
    this.#file = new ModelCacheFile(vscode.Uri.joinPath(context.globalStorageUri, 'models').fsPath);
    this.#onDidChangeEmitter = this.#disposables.add(
      new Emitter<void>((error) => log.error('Could not run a listener', error)),
    );
    this.#profileModels = createEmptyProfileModels(account);
    this.#disposables.add({ dispose: () => this.#profileModels.abortController.abort() });
    this.#disposables.add(account.onDidChange(() => this.#handleAccountChange()));
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.chat.model'], () => this.#setSelectedModel(undefined)),
    );
    this.#disposables.add(
      onDidChangeSettings(
        [
          'inferenceService.privateModelsOnly',
          'inferenceService.chat.encrypt',
          'inferenceService.models.overrides',
        ],
        () => this.#onDidChangeEmitter.fire(),
      ),
    );
  }

  get profileId(): string {
    return this.#profileModels.profileId;
  }

  get models(): readonly Model[] {
    return selectPermittedModels(this.allModels, this.isPrivateOnly);
  }

  get allModels(): readonly Model[] {
    const { record, corrections } = this.#profileModels;
    return record === undefined
      ? noModels
      : corrections.applyCorrections(
          record.models,
          getSetting('inferenceService.models.overrides'),
        );
  }

  get isPrivateOnly(): boolean {
    return isPrivateOnly();
  }

  get failure(): ServiceFailure | undefined {
    return this.#profileModels.failure;
  }

  get retryAt(): number | undefined {
    return this.#profileModels.retryAt;
  }

  get staleReason(): string | undefined {
    const { failure, record } = this.#profileModels;
    if (failure === undefined) return undefined;
    if (record === undefined) return failure.message;
    const fetchedAt = new Date(record.fetchedAt).toLocaleString(vscode.env.language);
    return vscode.l10n.t('Models as of {0}. {1}', fetchedAt, failure.message);
  }

  get isLoading(): boolean {
    return this.#profileModels.refreshPromise !== undefined;
  }

  get isWaiting(): boolean {
    const { cancelRetry, retryAt = 0 } = this.#profileModels;
    return cancelRetry !== undefined && retryAt > Date.now();
  }

  get onDidChange(): ModelCatalog['onDidChange'] {
    return this.#onDidChangeEmitter.event;
  }

  get chatModel(): Model | undefined {
    const candidates = selectChatModels(this.models);
    for (const name of this.#selectedNames) {
      const model = findModelByIdOrTrait(candidates, name);
      if (model !== undefined) return model;
    }
    return getDefaultChatModel(candidates);
  }

  get selectedName(): string | undefined {
    const candidates = selectChatModels(this.allModels);
    const names = this.#selectedNames;
    return names.find((name) => findModelByIdOrTrait(candidates, name) !== undefined) ?? names[0];
  }

  get #selectedNames(): readonly string[] {
    return [
      this.#profileModels.selectedId,
      getSetting('inferenceService.chat.model'),
      this.#state.get<string>(getSelectionKey(this.#profileModels)),
    ].filter((name) => name !== undefined && name !== '') as string[];
  }

  find(id: string): Model | undefined {
    return findModelById(this.allModels, id);
  }

  get choices(): ModelChoices {
    return { pinnedIds: this.#getIds(pinnedKey), recentIds: this.#getIds(recentKey) };
  }

  async togglePin(id: string): Promise<void> {
    const { pinnedIds } = this.choices;
    const otherIds = pinnedIds.filter((pinnedId) => pinnedId !== id);
    await this.#state.update(pinnedKey, pinnedIds.includes(id) ? otherIds : [...otherIds, id]);
    this.#onDidChangeEmitter.fire();
  }

  #getIds(key: string): readonly string[] {
    const storedValue: unknown = this.#state.get(key);
    return Array.isArray(storedValue) ? storedValue.filter((id) => typeof id === 'string') : [];
  }

  async selectChatModel(id: string): Promise<void> {
    this.#setSelectedModel(id);
    const otherIds = this.choices.recentIds.filter((recentId) => recentId !== id);
    await Promise.all([
      this.#state.update(getSelectionKey(this.#profileModels), id),
      this.#state.update(recentKey, [id, ...otherIds].slice(0, maxRecentModels)),
    ]);
  }

  async refresh({ force = false }: { force?: boolean } = {}): Promise<void> {
    this.#isRefreshRequested = true;
    const profileModels = this.#profileModels;
    const isFirstRefresh = profileModels.refreshPromise === undefined;
    profileModels.refreshPromise ??= this.#loadModels(profileModels, force);
    await profileModels.refreshPromise;
    if (!isFirstRefresh) return;
    profileModels.refreshPromise = undefined;
    this.#onDidChangeEmitter.fire();
  }

  refreshForUser(): Promise<void> {
    this.#account.forgetRefusedFields();
    return this.refresh({ force: true });
  }

  cancelRetry(): void {
    this.#profileModels.cancelRetry?.();
  }

  recordRefusal(name: string, failure: ServiceFailure): void {
    const { corrections, record } = this.#profileModels;
    const [model] = findModelsByName(record?.models ?? [], name);
    if (model !== undefined && corrections.recordRefusal(model.id, failure))
      this.#onDidChangeEmitter.fire();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #setSelectedModel(id: string | undefined): void {
    this.#profileModels.selectedId = id;
    this.#onDidChangeEmitter.fire();
  }

  #handleAccountChange(): void {
    const newProfileModels = createEmptyProfileModels(this.#account);
    if (
      newProfileModels.profileId === this.#profileModels.profileId &&
      newProfileModels.baseUrl === this.#profileModels.baseUrl
    ) {
      this.#handleKeyChange();
      return;
    }
    this.#profileModels.abortController.abort();
    this.#profileModels = newProfileModels;
    this.#onDidChangeEmitter.fire();
    if (this.#isRefreshRequested) void this.refresh();
  }

  /** Refreshes the list after the API key changed, because another key can have access to other models. */
  #handleKeyChange(): void {
    const profileModels = this.#profileModels;
    const { key } = this.#account;
    const previousKey = profileModels.key;
    profileModels.key = key;
    if (previousKey.kind === 'unread' || JSON.stringify(previousKey) === JSON.stringify(key))
      return;
    if (this.#isRefreshRequested) void this.refresh({ force: true });
  }

  async #loadModels(profileModels: ProfileModels, force: boolean): Promise<void> {
    await this.#loadModelsFromDisk(profileModels);
    const isFresh =
      profileModels.record !== undefined &&
      profileModels.failure === undefined &&
      Math.abs(Date.now() - profileModels.record.fetchedAt) < maxAgeMs;
    const isBlocked = (profileModels.retryAt ?? 0) > Date.now();
    if (force || (!isFresh && !isBlocked)) await this.#loadModelsFromService(profileModels);
  }

  async #loadModelsFromDisk(profileModels: ProfileModels): Promise<void> {
    if (profileModels.record !== undefined) return;
    const record = await this.#file.read(profileModels.profileId);
    if (record?.baseUrl !== profileModels.baseUrl) return;
    profileModels.record = record;
    this.#onDidChangeEmitter.fire();
  }

  async #loadModelsFromService(profileModels: ProfileModels): Promise<void> {
    const { profile, service } = this.#account;
    const waitController = new AbortController();
    try {
      const signal = AbortSignal.any([profileModels.abortController.signal, waitController.signal]);
      // The code for requests is loaded with the first request.
      const { listModelsWithDetails } = await import('../../service/models.ts');
      const onRetryWait = ({ delayMs, failure }: RetryWait): void => {
        // Other waits are short and usually end with success.
        if (failure.retryAfterMs === undefined) return;
        profileModels.cancelRetry = () => waitController.abort();
        setFailure(profileModels, { ...failure, retryAfterMs: delayMs });
        this.#onDidChangeEmitter.fire();
      };
      const { models, isPlain } = await listModelsWithDetails({ ...service, onRetryWait }, signal);
      if (!haveSameModels(models, profileModels.record?.models ?? []))
        profileModels.corrections.clearRefusals();
      profileModels.record = {
        baseUrl: profileModels.baseUrl,
        fetchedAt: Date.now(),
        models: models.filter(({ id }) => id.length <= maxIdLength),
      };
      setFailure(profileModels, undefined);
      this.#account.reportOutcome('reached', profile);
      if (isPlain) this.#account.reportKeylessServer(profile, 'model-list');
    } catch (error) {
      if (profileModels.abortController.signal.aborted) return;
      const failure = waitController.signal.aborted
        ? profileModels.failure
        : this.#toFailure(error);
      if (!waitController.signal.aborted) setFailure(profileModels, failure);
      if (failure !== undefined) this.#account.reportOutcome(failure, profile);
      return;
    } finally {
      profileModels.cancelRetry = undefined;
    }
    await this.#file
      .write(profileModels.profileId, profileModels.record)
      .catch((error: unknown) => this.#log.error('Could not store the list of models', error));
  }

  #toFailure(error: unknown): ServiceFailure {
    if (error instanceof ServiceError) return error.failure;
    this.#log.error('Could not load the list of models', error);
    return createUnexpectedFailure();
  }
}

const createEmptyProfileModels = ({ profile, key }: Account): ProfileModels => ({
  profileId: profile.id,
  baseUrl: profile.baseUrl,
  key,
  abortController: new AbortController(),
  corrections: new ModelCorrections(Date.now),
});

function setFailure(profileModels: ProfileModels, failure: ServiceFailure | undefined): void {
  profileModels.failure = failure;
  const { retryAfterMs } = failure ?? {};
  profileModels.retryAt = retryAfterMs === undefined ? undefined : Date.now() + retryAfterMs;
}

const noModels: readonly Model[] = [];

const pinnedKey = 'models.pinned';
const recentKey = 'models.recent';
const maxRecentModels = 10;

const getSelectionKey = ({ profileId }: ProfileModels): string => `chatModel.${profileId}`;

const createUnexpectedFailure = (): ServiceFailure => ({
  code: 'internal-error',
  message: vscode.l10n.t('That did not work. See the log for details.'),
});
