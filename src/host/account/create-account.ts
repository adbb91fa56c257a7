import * as vscode from 'vscode';
import { healthOf, isFailure, lastingFailure, type Outcome } from '../../account/health.ts';
import { type KeyState, keyState } from '../../account/key-state.ts';
import { defaultProfileId, type Profile } from '../../account/profile.ts';
import type { BoundKey } from '../../account/stored-key.ts';
import { systemClock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { AccountView } from '../../protocol/view-state.ts';
import { parseBaseUrl } from '../../service/address.ts';
import { checkApiKey, isApiKey } from '../../service/api-key.ts';
import { CircuitBreakers } from '../../service/circuit-breaker.ts';
import type { Endpoint, ServiceContext } from '../../service/client.ts';
import { ServiceError, type ServiceFailure } from '../../service/failure.ts';
import type { Log } from '../log.ts';
import { createTransportSource, type TransportSource } from '../network/transport-source.ts';
import type { Account, Balance } from './account.ts';
import { accountView, keyVariable } from './account-words.ts';
import { KeyMemory, type KeyRetention } from './key-retention.ts';
import { KeyStore } from './key-store.ts';
import { profileFromSettings } from './profile-settings.ts';

export interface AccountOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>;
  readonly log: Log;
  /** Receives every key this process holds, so that the log can leave them out. */
  readonly knownKeys: Set<string>;
  /** Read once; `INFERENCE_SERVICE_API_KEY` is the only variable used. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Reads the active profile's key at once, in the background; no request is made. */
export const createAccount = (options: AccountOptions): Account & Disposable =>
  new HostAccount(options);

class HostAccount implements Account, Disposable {
  readonly transports: TransportSource;
  readonly service: ServiceContext;
  readonly #owned = new DisposableStore();
  readonly #changed: Emitter<void>;
  readonly #keys: KeyStore;
  readonly #memory: KeyMemory;
  readonly #log: Log;
  readonly #knownKeys: Set<string>;
  readonly #environmentKey: string | undefined;
  #environment: BoundKey | undefined;
  #profile: Profile;
  #key: KeyState;
  #failure: ServiceFailure | undefined;
  #balance: Balance = {};

  constructor({ context, log, knownKeys, environment = process.env }: AccountOptions) {
    this.#changed = this.#owned.add(new Emitter<void>((error) => log.error('A listener', error)));
    this.#keys = new KeyStore(context);
    this.#memory = new KeyMemory(context.globalState);
    this.#log = log;
    this.#knownKeys = knownKeys;
    this.#environmentKey = keyFromEnvironment(environment, log);
    if (this.#environmentKey !== undefined) knownKeys.add(this.#environmentKey);
    this.#profile = profileFromSettings();
    this.#key = this.#unread();
    this.transports = this.#owned.add(createTransportSource(log));
    this.service = {
      endpoint: () => this.endpoint(),
      transport: () => this.transports.current(),
      clock: systemClock,
      breakers: new CircuitBreakers(systemClock),
      random: Math.random,
    };
    this.#watch();
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
    return this.#balance;
  }

  get keyRetention(): KeyRetention {
    return this.#memory.retention;
  }

  get view(): AccountView {
    const failure = addressFailure(this.#profile) ?? this.#failure;
    return accountView(this.#profile, healthOf(this.#key, failure));
  }

  get onDidChange(): Account['onDidChange'] {
    return this.#changed.event;
  }

  async endpoint(): Promise<Endpoint> {
    const profile = this.#profile;
    const baseUrl = parseBaseUrl(profile.baseUrl);
    const state = await this.#keyOf(profile);
    return defined({
      baseUrl,
      vendorWord: profile.vendorWord,
      apiKey: state.kind === 'usable' ? state.key : undefined,
    });
  }

  report(outcome: Outcome, profile: Profile): void {
    if (isFailure(outcome)) this.#log.warn(failureLine(outcome));
    if (profile !== this.#profile) return;
    const failure = lastingFailure(this.#failure, outcome);
    const balance = balanceAfter(this.#balance, outcome);
    if (failure === this.#failure && balance === this.#balance) return;
    this.#failure = failure;
    this.#balance = balance;
    this.#changed.fire();
  }

  async storeKey({ id, baseUrl }: Profile, key: string): Promise<void> {
    const bound = { origin: parseBaseUrl(baseUrl).origin, key: checkApiKey(key) };
    this.#knownKeys.add(key);
    await this.#keys.store(id, bound);
    await this.#refreshKey();
  }

  readKey(): Promise<KeyState> {
    return this.#keyOf(this.#profile);
  }

  async removeKey(profileId: string): Promise<void> {
    await this.#keys.remove(profileId);
    await this.#refreshKey();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #watch(): void {
    this.#owned.add(
      this.#keys.onDidChange(
        () => this.profileId,
        () => void this.#refreshKey(),
      ),
    );
    this.#owned.add(this.transports.onDidChange(() => this.#forgetFailure()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('inferenceService')) this.#refreshProfile();
      }),
    );
  }

  #refreshProfile(): void {
    const profile = profileFromSettings();
    if (JSON.stringify(profile) === JSON.stringify(this.#profile)) return;
    this.#profile = profile;
    this.#key = this.#unread();
    this.#balance = {};
    this.#forgetFailure();
    void this.#refreshKey();
  }

  #unread(): KeyState {
    const { id } = this.#profile;
    const hasEnvironment = id === defaultProfileId && this.#environmentKey !== undefined;
    return { kind: 'unread', expected: hasEnvironment || this.#keys.storedIn(id) !== undefined };
  }

  /** Reads the key anew, and forgets what the previous one ran into. */
  async #refreshKey(): Promise<void> {
    const profile = this.#profile;
    const state = await this.#keyOf(profile);
    if (profile !== this.#profile) return;
    this.#key = state;
    this.#forgetFailure();
  }

  #forgetFailure(): void {
    this.#failure = undefined;
    this.#changed.fire();
  }

  async #keyOf(profile: Profile): Promise<KeyState> {
    const origin = originOf(profile);
    const stored = await this.#keys.read(profile.id);
    const storedIn = this.#keys.storedIn(profile.id);
    const environment = this.#environmentFor(profile, origin);
    const state = keyState({ stored, environment, expected: storedIn !== undefined, origin });
    if (state.kind === 'usable') this.#knownKeys.add(state.key);
    await this.#memory.learn({ storedIn, found: stored !== undefined });
    return state;
  }

  /** The environment names no address, so its key belongs to the first one that is configured; a reload binds anew. */
  #environmentFor(profile: Profile, origin: string | undefined): BoundKey | undefined {
    if (profile.id !== defaultProfileId) return undefined;
    if (
      this.#environment === undefined &&
      this.#environmentKey !== undefined &&
      origin !== undefined
    ) {
      this.#environment = { origin, key: this.#environmentKey };
    }
    return this.#environment;
  }
}

function addressFailure(profile: Profile): ServiceFailure | undefined {
  try {
    parseBaseUrl(profile.baseUrl);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure;
    throw error;
  }
}

const originOf = (profile: Profile): string | undefined =>
  addressFailure(profile) === undefined ? parseBaseUrl(profile.baseUrl).origin : undefined;

function keyFromEnvironment(environment: NodeJS.ProcessEnv, log: Log): string | undefined {
  const key = environment[keyVariable]?.trim();
  if (key === undefined || key === '') return undefined;
  if (isApiKey(key)) return key;
  log.warn(`${keyVariable} does not hold an API key and is not used.`);
  return undefined;
}

/** What happened, for the log, on one line whatever the service said. */
const failureLine = ({ code, status, requestId, detail, message }: ServiceFailure): string =>
  ['A call failed', code, status, requestId, detail ?? message]
    .filter((part) => part !== undefined)
    .join(' · ')
    .replaceAll(/\s+/g, ' ');

function balanceAfter(balance: Balance, outcome: Outcome): Balance {
  if (outcome === 'reached' || isFailure(outcome)) return balance;
  const { balanceUsd, balanceDiem } = outcome;
  if (balanceUsd === undefined && balanceDiem === undefined) return balance;
  if (balanceUsd === balance.usd && balanceDiem === balance.diem) return balance;
  return defined({ usd: balanceUsd, diem: balanceDiem });
}
