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
import type { Web3Change } from './web3/web3-settings.ts';

/** Client for the control plane of a running service. A change has taken effect when its promise resolves. */
export class Control {
  readonly #url: string;

  constructor(controlUrl: string) {
    this.#url = controlUrl;
  }

  /** Returns all requests since the last reset, oldest first. */
  async getRequests(): Promise<readonly RecordedRequest[]> {
    return (await this.#readLog('')).requests;
  }

  /**
   * Returns the first recorded request that matches. If there is none, waits for one. Calls `matches` again when the
   * body of a request is received or its connection closes.
   * @throws Error if no request matches within `timeoutMs` milliseconds
   */
  async waitForRequest(
    matches: (request: RecordedRequest) => boolean,
    timeoutMs: number = timeLimits.condition,
  ): Promise<RecordedRequest> {
    const deadline = Date.now() + timeoutMs;
    let log = await this.#readLog('');
    for (;;) {
      const recordedRequest = log.requests.find(matches);
      if (recordedRequest !== undefined) return recordedRequest;
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0)
        throw new Error(`No request fits; seen: ${JSON.stringify(log.requests)}`);
      log = await this.#readLog(`?after=${log.version}&wait=${remainingMs}`);
    }
  }

  /**
   * Plans a fault for the next requests that match its conditions. If several faults match a request, the one that was
   * planned first applies.
   */
  injectFault(plan: FaultPlan): Promise<void> {
    return this.#post('faults', plan);
  }

  /** Queues scripted chat replies. Each request takes the first script that matches it. */
  addScripts(...scripts: readonly Script[]): Promise<void> {
    return this.#post('script', scripts);
  }

  /** Returns the total number of requests that the queued scripts can still answer. */
  async countRemainingReplies(): Promise<number> {
    const reply = await fetch(`${this.#url}/script`);
    return ((await reply.json()) as { left: number }).left;
  }

  /** Changes the context length of a model. The model list contains the changed length unless `listed` is false. */
  changeModel(change: ModelChange): Promise<void> {
    return this.#post('models', change);
  }

  /**
   * Continues all scripts and held replies that wait at a pause with this name. Later replies do not pause at this
   * name.
   */
  releasePause(name: string): Promise<void> {
    return this.#post('release', { name });
  }

  setResponsePace(pace: PaceSetting): Promise<void> {
    return this.#post('pace', { pace });
  }

  /** Makes code models send the faulty answers that the options describe; `{}` restores normal answers. */
  setCodeModelMisbehavior(misbehavior: CodeModelMisbehavior): Promise<void> {
    return this.#post('misbehavior', misbehavior);
  }

  /** Makes top-ups fail or deviate in the ways that the options describe; `{}` restores normal top-ups. */
  setTopUpMisbehavior(misbehavior: TopUpMisbehavior): Promise<void> {
    return this.#post('x402', misbehavior);
  }

  /** Makes the enclave fail or deviate in the ways that the options describe; `{}` restores normal behavior. */
  setEnclaveMisbehavior(misbehavior: EnclaveMisbehavior): Promise<void> {
    return this.#post('tee', misbehavior);
  }

  /** Enables or disables routes that are not in the specification. */
  setRoutes(change: RouteChange): Promise<void> {
    return this.#post('routes', change);
  }

  /** Sets how web search results appear in replies; `{}` restores the defaults. */
  setSearchOptions(change: SearchOptionsChange): Promise<void> {
    return this.#post('web', change);
  }

  /** Changes the clock of the service. `set` is a time in ISO 8601 format, `advance` a duration in milliseconds. */
  changeClock(change: ClockChange): Promise<void> {
    return this.#post('clock', change);
  }

  /** Sets the limits of one model, or of all models, for requests and tokens per minute. */
  setLimits(change: LimitChange): Promise<void> {
    return this.#post('limits', change);
  }

  /**
   * Sets the balances of an account, in dollars or diem (one diem has the value of one dollar), and adds API keys. If
   * the account does not exist, opens it.
   */
  changeAccount(change: AccountChange): Promise<void> {
    return this.#post('accounts', change);
  }

  /**
   * Changes the behavior of the endpoints that mint API keys for wallets. Settings apply until the next reset, and
   * faults apply once.
   */
  changeWeb3Settings(change: Web3Change): Promise<void> {
    return this.#post('web3', change);
  }

  /** Returns balances, API keys and charges of all accounts. Amounts are in millionths of a dollar or a diem. */
  async getAccounts(): Promise<ReturnType<Accounts['listAll']>> {
    const reply = await fetch(`${this.#url}/accounts`);
    return (await reply.json()) as ReturnType<Accounts['listAll']>;
  }

  /** Mines blocks, sets the time of the next block, or reverts to a snapshot. */
  changeChain(change: Omit<ChainChange, 'snapshot'>): Promise<void> {
    return this.#post('chain', change);
  }

  /** Takes a snapshot of the chain. Returns its id, which is valid for one call of `changeChain({ revert })`. */
  async takeChainSnapshot(): Promise<string> {
    const { snapshot } = (await this.#send('chain', { snapshot: true })) as { snapshot: string };
    return snapshot;
  }

  /** Restores the initial state of the service. The chain does not change. */
  reset(): Promise<void> {
    return this.#post('reset', {});
  }

  async #readLog(query: string): Promise<LogSnapshot> {
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
