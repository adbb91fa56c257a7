import type * as vscode from 'vscode';
import {
  type Balance,
  computeBalanceAfterCall,
  getHealth,
  isFailure,
  getPersistentFailure,
  type CallOutcome,
  unknownBalance,
} from '../health.ts';
import {
  type KeylessSource,
  needsNoKey,
  recordNoKeyNeeded,
  recordKeyNeeded,
  type Account,
  Connections,
} from './account.ts';
import {
  type KeySlot,
  type KeySources,
  type KeyState,
  resolveKeyState,
  getSlotId,
} from '../key-state.ts';
import type { Profile } from '../profile.ts';
import { addOutcome, type RecentOutcome } from '../recent-outcomes.ts';
import { systemClock } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { AccountView } from '../protocol.ts';
import {
  findBaseUrlFailure,
  checkApiKey,
  isLocalBaseUrl,
  parseBaseUrl,
} from '../../service/http/endpoint.ts';
import { getConfiguredPrefix } from '../../service/http/vendor-prefix.ts';
import { RateLimitQueues } from '../../service/http/rate-limit-queue.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { Connection } from '../../service/http/connection.ts';
import type { Endpoint, ServiceContext, SignIn } from '../../service/http/client.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { withServiceClock, ServiceClock } from '../../service/http/service-clock.ts';
import type { Log } from '../../platform/log.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { createTransportSource, type TransportSource } from '../../platform/network.ts';
import { paysPerRequest, stopPayingPerRequest, getWalletState } from './payment-choice.ts';
import { createAccountView } from './account-view.ts';
import {
  EnvironmentKey,
  deleteStoredKeyInfo,
  KeyMemory,
  type KeyRetention,
  KeyStore,
} from './key-store.ts';
import { UnencryptedOrigins } from './unencrypted-origins.ts';
import { readActiveProfile } from './profile-settings.ts';
import { getWorkspaceId } from '../../platform/window.ts';

/** Creates the function that signs the requests of an account with the wallet that the user chose. */
export type WalletSignIn = (account: {
  readonly context: AccountOptions['context'];
  readonly account: Account;
  readonly baseUrl: URL;
  readonly apiKey?: string;
}) => Promise<SignIn>;

export interface AccountOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>;
  readonly log: Log;
  /** All keys that this process has read. The log removes these keys from its lines. */
  readonly knownKeys: Set<string>;
  /** Creates the function that signs a request. Called before each request that a wallet pays for. */
  readonly walletSignIn: WalletSignIn;
  /** Value of the `User-Agent` header of requests to the service. */
  readonly userAgent: string;
  /** Environment variables, read once. Only `INFERENCE_SERVICE_API_KEY` is used. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Creates the account. Reads the active profile's key in the background, without a request. */
export const createAccount = (options: AccountOptions): Account & Disposable =>
  new HostAccount(options);

class HostAccount implements Account, Disposable {
  readonly transports: TransportSource;
  readonly service: ServiceContext;
  readonly serviceClock = new ServiceClock(systemClock);
  readonly state: vscode.Memento;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter: Emitter<void>;
  readonly #connections: Connections;
  readonly unencryptedOrigins: UnencryptedOrigins;
  readonly #keyStore: KeyStore;
  readonly #keyMemory: KeyMemory;
  readonly #log: Log;
  readonly #knownKeys: Set<string>;
  readonly #environment: EnvironmentKey;
  readonly #signIn: WalletSignIn;
  readonly #context: AccountOptions['context'];
  #profile: Profile;
  #typedAddress: { readonly profile?: Profile; readonly address: string } = { address: '' };
  #key: KeyState;
  #failure: ServiceFailure | undefined;
  #balance = unknownBalance;
  #recentOutcomes: readonly RecentOutcome[] = [];

  constructor(options: AccountOptions) {
    const { context, log, knownKeys, environment = process.env } = options;
    this.#signIn = options.walletSignIn;
    this.#onDidChangeEmitter = this.#disposables.add(
      new Emitter<void>((error) => log.error('Could not run a listener', error)),
    );
    this.state = context.globalState;
    this.#context = context;
    this.#connections = new Connections(context.globalState);
    this.unencryptedOrigins = new UnencryptedOrigins(context.globalState);
    this.#keyStore = new KeyStore(context);
    this.#keyMemory = new KeyMemory(context.globalState);
    this.#log = log;
    this.#knownKeys = knownKeys;
    this.#environment = new EnvironmentKey(environment, log);
    if (this.#environment.key !== undefined) knownKeys.add(this.#environment.key);
    this.#profile = readActiveProfile();
    this.#key = this.createInitialKeyState();
    this.transports = this.#disposables.add(createTransportSource(log));
    this.service = {
      getEndpoint: () => this.getEndpoint(),
      getTransport: async () =>
        withServiceClock(await this.transports.getTransport(), this.serviceClock),
      clock: systemClock,
      breakers: new CircuitBreakers(systemClock),
      rateLimits: new RateLimitQueues(systemClock),
      random: Math.random,
      userAgent: options.userAgent,
    };
    this.#watchSettings();
    void this.#refreshKey();
  }

  get profile(): Profile {
    return this.#profile;
  }

  get profileId(): string {
    return this.#profile.id;
  }

  get key(): KeyState {
    return this.#key;
  }

  get balance(): Balance {
    return this.#balance.balance;
  }

  get recentOutcomes(): readonly RecentOutcome[] {
    return this.#recentOutcomes;
  }

  get connection(): Connection {
    return this.getConnection(this.#parseUrl(this.#profile.baseUrl));
  }

  getConnection(baseUrl: URL): Connection {
    return this.#connections.get(baseUrl);
  }

  forgetRefusedFields(): void {
    this.#connections.forgetRefusedFields();
  }

  get keyRetention(): KeyRetention {
    return this.#keyMemory.retention;
  }

  get typedAddress(): string {
    const { profile, address } = this.#typedAddress;
    const { id, baseUrl } = this.#profile;
    return profile?.id === id && profile.baseUrl === baseUrl ? address : '';
  }

  set typedAddress(address: string) {
    this.#typedAddress = { profile: this.#profile, address };
  }

  get view(): AccountView {
    const failure =
      findBaseUrlFailure(this.#profile.baseUrl, this.unencryptedOrigins) ?? this.#failure;
    const view = createAccountView(this.#profile, getHealth(this.#key, failure));
    return this.typedAddress === '' ? view : { ...view, address: this.typedAddress };
  }

  get onDidChange(): Account['onDidChange'] {
    return this.#onDidChangeEmitter.event;
  }

  async getEndpoint(): Promise<Endpoint> {
    const profile = this.#profile;
    const baseUrl = this.#parseUrl(profile.baseUrl);
    const state = await this.#readApiKey(profile);
    const apiKey = state.kind === 'usable' ? state.key : undefined;
    const wallet = getWalletState(this.state, baseUrl.origin);
    const signIn = wallet === undefined ? undefined : this.#createWalletSignIn(baseUrl, apiKey);
    const connection = this.getConnection(baseUrl);
    const configuredPrefix = getConfiguredPrefix(profile.vendorPrefix, apiKey);
    connection.recordConfiguredPrefix(configuredPrefix);
    const vendorPrefix = connection.vendorPrefix ?? configuredPrefix;
    return omitUndefined({ baseUrl, vendorPrefix, connection, apiKey, signIn });
  }

  reportOutcome(outcome: CallOutcome, profile: Profile): void {
    if (isFailure(outcome)) this.#log.warn(formatFailureLine(outcome));
    if (profile !== this.#profile) return;
    this.#recentOutcomes = addOutcome(this.#recentOutcomes, outcome, systemClock.now());
    if (this.#key.kind === 'keyless' && isFailure(outcome) && missingKeyCodes.has(outcome.code)) {
      recordKeyNeeded(this.connection);
      void this.#refreshKey();
      return;
    }
    const failure = getPersistentFailure(this.#failure, outcome);
    const balance = computeBalanceAfterCall(this.#balance, outcome);
    if (failure === this.#failure && balance === this.#balance) return;
    this.#failure = failure;
    this.#balance = balance;
    this.#onDidChangeEmitter.fire();
  }

  reportBalance(balance: Balance, profile: Profile): void {
    // The reported balance belongs to a key. A wallet has a separate balance.
    if (profile !== this.#profile || this.#key.kind !== 'usable') return;
    this.#balance = { ...this.#balance, balance };
    this.#onDidChangeEmitter.fire();
  }

  async storeKey({ id, baseUrl }: Profile, key: string, slot?: KeySlot): Promise<void> {
    const url = this.#parseUrl(baseUrl);
    const boundKey = { origin: url.origin, key: checkApiKey(key, url) };
    this.#knownKeys.add(key);
    await this.#keyStore.store(getSlotId(id, slot), boundKey);
    if (slot === undefined) await this.#removeUnusableWorkspaceKey(id);
    // Ends payment by wallet, because the user entered this key later.
    if (slot === undefined && paysPerRequest()) await stopPayingPerRequest();
    // The new key belongs to the address of the profile, not to the typed address of the connect form.
    if (slot === undefined && id === this.#profile.id) this.typedAddress = '';
    await this.#refreshKey();
  }

  async readStoredKey(profile: Profile, slot: KeySlot): Promise<string | undefined> {
    const boundKey = await this.#keyStore.read(getSlotId(profile.id, slot));
    if (boundKey === undefined || boundKey === 'unreadable') return undefined;
    if (boundKey.origin !== this.#getOrigin(profile)) return undefined;
    this.#knownKeys.add(boundKey.key);
    return boundKey.key;
  }

  reloadKey(): Promise<void> {
    return this.#refreshKey();
  }

  readKey(): Promise<KeyState> {
    return this.#readKeyState(this.#profile);
  }

  async removeKey(profileId: string, slot?: KeySlot): Promise<void> {
    await this.#keyStore.remove(getSlotId(profileId, slot));
    await this.#refreshKey();
  }

  async removeKeys(profileId: string): Promise<void> {
    for (const slot of [profileId, ...this.#keyStore.listSlots(profileId)]) {
      await this.#keyStore.remove(slot);
    }
    await deleteStoredKeyInfo(this.state, profileId);
    await this.#refreshKey();
  }

  reportKeylessServer(profile: Profile, source: KeylessSource): void {
    if (profile !== this.#profile || this.#key.kind !== 'none') return;
    const url = this.#parseUrl(profile.baseUrl);
    if (!isLocalBaseUrl(url)) return;
    recordNoKeyNeeded(this.getConnection(url), source);
    void this.#refreshKey();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async allowUnencryptedOrigin(origin: string): Promise<void> {
    await this.unencryptedOrigins.storeConfirmedOrigin(origin);
    await this.#refreshKey();
  }

  /**
   * Parses a base URL.
   * @throws ServiceError `no-address`, `invalid-address` or `unencrypted-address` if the URL is missing, invalid, or
   *   unencrypted without the user's permission
   */
  #parseUrl(baseUrl: string): URL {
    return parseBaseUrl(baseUrl, this.unencryptedOrigins);
  }

  #getOrigin({ baseUrl }: Profile): string | undefined {
    return findBaseUrlFailure(baseUrl, this.unencryptedOrigins) === undefined
      ? this.#parseUrl(baseUrl).origin
      : undefined;
  }

  #watchSettings(): void {
    this.#disposables.add(
      this.#keyStore.onDidChange(
        () => [this.profileId, getWorkspaceSlot(this.#profile)],
        () => void this.#refreshKey(),
      ),
    );
    this.#disposables.add(this.transports.onDidChange(() => this.#forgetFailure()));
    this.#disposables.add(onDidChangeSettings(['inferenceService'], () => this.#refreshProfile()));
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.wallet'], () => void this.#refreshKey()),
    );
  }

  #refreshProfile(): void {
    const [previousProfile, profile] = [this.#profile, readActiveProfile()];
    if (JSON.stringify(profile) === JSON.stringify(previousProfile)) return;
    this.#profile = profile;
    const isSameAddress =
      profile.baseUrl === previousProfile.baseUrl && this.#getOrigin(profile) !== undefined;
    if (isSameAddress && profile.vendorPrefix !== previousProfile.vendorPrefix)
      this.connection.recordConfiguredPrefix(profile.vendorPrefix);
    this.#key = this.createInitialKeyState();
    this.#balance = unknownBalance;
    this.#recentOutcomes = [];
    this.#forgetFailure();
    void this.#refreshKey();
  }

  createInitialKeyState(): KeyState {
    const wallet = getWalletState(this.state, this.#getOrigin(this.#profile));
    if (wallet !== undefined) return wallet;
    const slots = [this.#profile.id, getWorkspaceSlot(this.#profile)];
    const isStored = slots.some((slot) => this.#keyStore.findStoringSessionId(slot) !== undefined);
    const isExpected =
      isStored || this.#environment.isForProfile(this.#profile) || this.#isKeyless(this.#profile);
    return { kind: 'unread', isKeyExpected: isExpected };
  }

  /** Reads the key again and clears the failure of the previous key. */
  async #refreshKey(): Promise<void> {
    const profile = this.#profile;
    const state = await this.#readKeyState(profile);
    if (profile !== this.#profile) return;
    const isFirstRead = this.#key.kind === 'unread';
    if (!isFirstRead && getPayer(state) !== getPayer(this.#key)) this.#balance = unknownBalance;
    this.#key = state;
    this.#forgetFailure();
  }

  #forgetFailure(): void {
    this.#failure = undefined;
    this.#onDidChangeEmitter.fire();
  }

  async #readKeyState(profile: Profile): Promise<KeyState> {
    return getWalletState(this.state, this.#getOrigin(profile)) ?? this.#readApiKey(profile);
  }

  /**
   * Creates the function that signs requests with the wallet.
   * @param apiKey Key for the API endpoints that do not accept a wallet.
   */
  #createWalletSignIn(baseUrl: URL, apiKey: string | undefined): SignIn {
    return async (request) => {
      const connection = omitUndefined({ baseUrl, apiKey });
      const signIn = await this.#signIn({ ...connection, context: this.#context, account: this });
      return signIn(request);
    };
  }

  async #readApiKey(profile: Profile): Promise<KeyState> {
    const origin = this.#getOrigin(profile);
    const workspace = await this.#readWorkspaceKey(profile);
    const storedKey = await this.#keyStore.read(profile.id);
    const storingSessionId = this.#keyStore.findStoringSessionId(profile.id);
    const environment = this.#environment.getBoundKey(profile, origin);
    const isKeyExpected = storingSessionId !== undefined;
    const isKeyless = this.#isKeyless(profile);
    const state = resolveKeyState({
      workspace,
      stored: storedKey,
      environment,
      isKeyExpected,
      origin,
      isKeyless,
    });
    if (state.kind === 'usable') this.#knownKeys.add(state.key);
    await this.#keyMemory.recordKeyLookup({ storingSessionId, isFound: storedKey !== undefined });
    return state;
  }

  #isKeyless({ baseUrl }: Profile): boolean {
    if (findBaseUrlFailure(baseUrl, this.unencryptedOrigins) !== undefined) return false;
    const url = this.#parseUrl(baseUrl);
    return isLocalBaseUrl(url) && needsNoKey(this.getConnection(url));
  }

  /** Reads the workspace key, but only if one was stored. Most workspaces have none. */
  async #readWorkspaceKey(profile: Profile): Promise<KeySources['workspace']> {
    const slot = getWorkspaceSlot(profile);
    if (this.#keyStore.findStoringSessionId(slot) === undefined) return undefined;
    return (await this.#keyStore.read(slot)) ?? 'lost';
  }

  /** Removes an unusable workspace key after the user has entered another key. */
  async #removeUnusableWorkspaceKey(profileId: string): Promise<void> {
    const profile = this.#profile;
    if (profile.id !== profileId) return;
    const { kind, source } = { source: undefined, ...(await this.#readApiKey(profile)) };
    if (source === 'workspace' && kind !== 'usable') {
      await this.#keyStore.remove(getWorkspaceSlot(profile));
    }
  }
}

/** Returns the key or wallet address to which the balance belongs; `undefined` if requests have neither. */
const getPayer = (state: KeyState): string | undefined => {
  if (state.kind === 'wallet') return state.address;
  return state.kind === 'usable' ? state.key : undefined;
};

/** Failure codes that show that a server needs a key, although it lists its models without a key. */
const missingKeyCodes: ReadonlySet<string> = new Set([
  'no-key',
  'payment-required',
  'unauthorized',
]);

const getWorkspaceSlot = ({ id }: Profile): string =>
  getSlotId(id, { workspace: getWorkspaceId() });

/** Formats a failure for the log, on one line regardless of the service's text. */
const formatFailureLine = ({ code, status, requestId, detail, message }: ServiceFailure): string =>
  ['A call failed', code, status, requestId, detail ?? message]
    .filter((field) => field !== undefined)
    .join(' · ')
    .replaceAll(/\s+/g, ' ');
