import type { PaceSetting } from './chat/pace.ts';
import { timeLimits } from '../support/time-limits.ts';
import type { Script } from './chat/script.ts';
import type {
  AccountChange,
  ChainChange,
  ClockChange,
  LimitChange,
  ModelChange,
  RouteChange,
} from './control/control-server.ts';
import type { FaultPlan } from './control/faults.ts';
import type { LogSnapshot, RecordedRequest } from './control/request-log.ts';
import type { CodeModelMisbehavior } from './models/completion/misbehavior.ts';
import type { Accounts } from './money/accounts.ts';
import type { SearchOptionsChange } from './web/search-options.ts';
import type { EnclaveMisbehavior } from './tee/misbehavior.ts';
import type { TopUpMisbehavior } from './x402/misbehavior.ts';
import type { Web3Change } from './web3/web3-mode.ts';

/** A test's hand on a running service. Every change holds once its promise is resolved. */
export class Control {
  readonly #url: string;

  constructor(controlUrl: string) {
    this.#url = controlUrl;
  }

  /** All requests since the last reset, oldest first. */
  async getRequests(): Promise<readonly RecordedRequest[]> {
    return (await this.#log('')).requests;
  }

  /**
   * The first recorded request that fits, waiting for it if need be; `fits` sees each request anew
   * whenever its body arrives or it closes.
   * @throws Error when none fits within `timeoutMs`.
   */
  async waitForRequest(
    matches: (request: RecordedRequest) => boolean,
    timeoutMs: number = timeLimits.condition,
  ): Promise<RecordedRequest> {
    const deadline = Date.now() + timeoutMs;
    let log = await this.#log('');
    for (;;) {
      const found = log.requests.find(matches);
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`No request fits; seen: ${JSON.stringify(log.requests)}`);
      log = await this.#log(`?after=${log.version}&wait=${left}`);
    }
  }

  /** Plans a fault for the next fitting requests. Plans are used in the order they were made. */
  injectFault(plan: FaultPlan): Promise<void> {
    return this.#post('faults', plan);
  }

  /** Plans the replies to the next fitting chat requests: each request takes the first script that fits it. */
  addScripts(...scripts: readonly Script[]): Promise<void> {
    return this.#post('script', scripts);
  }

  /** How many scripted replies were not asked for yet. */
  async countRemainingScripts(): Promise<number> {
    const reply = await fetch(`${this.#url}/script`);
    return ((await reply.json()) as { left: number }).left;
  }

  /** How much a model holds from now on; the list of models says so too unless `listed` is false. */
  changeModel(change: ModelChange): Promise<void> {
    return this.#post('models', change);
  }

  /** Lets scripts and replies go on that hold under this name, now and later. */
  release(name: string): Promise<void> {
    return this.#post('release', { name });
  }

  setPace(pace: PaceSetting): Promise<void> {
    return this.#post('pace', { pace });
  }

  /** How models misbehave from now on when they complete code; `{}` is not at all. */
  setCodeModelMisbehavior(misbehavior: CodeModelMisbehavior): Promise<void> {
    return this.#post('habits', misbehavior);
  }

  /** How top-ups lie from now on; `{}` is not at all. */
  setTopUpMisbehavior(misbehavior: TopUpMisbehavior): Promise<void> {
    return this.#post('x402', misbehavior);
  }

  /** How the enclave lies from now on; `{}` is not at all. */
  setEnclaveMisbehavior(misbehavior: EnclaveMisbehavior): Promise<void> {
    return this.#post('tee', misbehavior);
  }

  /** Which routes there are besides those of the specification. */
  setRoutes(change: RouteChange): Promise<void> {
    return this.#post('routes', change);
  }

  /** How searches of the web show in replies from now on; `{}` is as usual. */
  setWebSearch(manners: SearchOptionsChange): Promise<void> {
    return this.#post('web', manners);
  }

  /** `set` is an ISO instant, `advance` is in milliseconds. */
  changeClock(change: ClockChange): Promise<void> {
    return this.#post('clock', change);
  }

  /** Requests and tokens per minute of a model, or of all. */
  setLimits(change: LimitChange): Promise<void> {
    return this.#post('limits', change);
  }

  /** Sets balances (whole units) and adds keys; an unknown account is opened. */
  changeAccount(change: AccountChange): Promise<void> {
    return this.#post('accounts', change);
  }

  /** How the endpoints that mint keys for wallets behave from now on, and what goes wrong there once. */
  changeWeb3(change: Web3Change): Promise<void> {
    return this.#post('web3', change);
  }

  /** Balances, keys and charges, in millionths. */
  async getAccounts(): Promise<ReturnType<Accounts['all']>> {
    const reply = await fetch(`${this.#url}/accounts`);
    return (await reply.json()) as ReturnType<Accounts['all']>;
  }

  /** Adds blocks to the chain, sets the time of its next one, goes back to a snapshot. */
  changeChain(change: Omit<ChainChange, 'snapshot'>): Promise<void> {
    return this.#post('chain', change);
  }

  /** The chain as it is now, for `chain({ revert })`, once. */
  async takeChainSnapshot(): Promise<string> {
    const { snapshot } = (await this.#send('chain', { snapshot: true })) as { snapshot: string };
    return snapshot;
  }

  /** Back to how the service started; the chain stays as it is. */
  reset(): Promise<void> {
    return this.#post('reset', {});
  }

  async #log(query: string): Promise<LogSnapshot> {
    const reply = await fetch(`${this.#url}/requests${query}`);
    return (await reply.json()) as LogSnapshot;
  }

  async #post(path: string, body: unknown): Promise<void> {
    await this.#send(path, body);
  }

  async #send(path: string, body: unknown): Promise<unknown> {
    const reply = await fetch(`${this.#url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST /${path}: ${await reply.text()}`);
    return reply.json();
  }
}
