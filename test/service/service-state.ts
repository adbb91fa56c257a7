import type { RunningChain } from './chain/start-chain.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';
import type { PaceSetting } from './chat/pace.ts';
import { Scripts } from './chat/script.ts';
import { ServiceClock } from './service-clock.ts';
import { Faults } from './control/faults.ts';
import { RequestLog } from './control/request-log.ts';
import { KeyIssuer } from './keys/key-issuer.ts';
import { ImageCounter } from './images/image-counter.ts';
import { FailureBudget, RateLimits } from './limits.ts';
import type { CodeModelMisbehavior } from './models/completion/misbehavior.ts';
import { Accounts } from './money/accounts.ts';
import { toMicro } from './money/amounts.ts';
import type { SentReply } from './openapi/reply-checker.ts';
import { createSeededRandom } from './random.ts';
import { Enclave } from './tee/enclave.ts';
import { VendorNaming } from './vendor-naming.ts';
import { BuiltInWeb } from './web/built-in-web.ts';
import { Stakers } from './web3/stakers.ts';
import { ValidationTokens } from './web3/validation-tokens.ts';
import { Web3Settings } from './web3/web3-settings.ts';
import { Wallets } from './x402/wallets.ts';

export interface ServiceStateOptions {
  readonly vendorPrefix: string;
  readonly seed: number;
  readonly pace: PaceSetting;
  /** HTTP status for requests without credentials to a route that requires them. */
  readonly missingKeyStatus: 401 | 402;
  readonly catalog: ModelCatalog;
  /** True to enable the route `/completions`, which the specification does not define. */
  readonly hasCompletionsRoute: boolean;
  /** Base URL of an OpenAI-compatible server that answers chats in place of scripted models. */
  readonly upstreamUrl?: string;
  /** Called with each reply, except replies whose content a test has set. */
  readonly onReply?: (reply: SentReply) => void;
  /** Chain on which wallets stake and pay. If absent, wallets cannot sign in. */
  readonly chain?: RunningChain;
}

/** State of one running service. */
export class ServiceState {
  readonly options: ServiceStateOptions;
  readonly naming: VendorNaming;
  readonly catalog: ModelCatalog;
  readonly clock = new ServiceClock();
  readonly accounts = new Accounts(this.clock);
  readonly wallets = new Wallets(this.accounts);
  readonly limits = new RateLimits();
  readonly failures = new FailureBudget();
  readonly faults = new Faults();
  readonly scripts = new Scripts();
  readonly log = new RequestLog();
  readonly web = new BuiltInWeb();
  readonly enclave = new Enclave();
  readonly imageCounter: ImageCounter;
  readonly keyIssuer: KeyIssuer;
  readonly web3 = new Web3Settings();
  readonly tokens = new ValidationTokens();
  readonly stakers: Stakers;
  readonly apiKey: string;
  readonly adminKey: string;
  pace: PaceSetting;
  /** Misbehavior of code models that a test has set. */
  codeModelMisbehavior: CodeModelMisbehavior = {};
  hasCompletionsRoute: boolean;

  constructor(options: ServiceStateOptions) {
    this.options = options;
    this.naming = new VendorNaming(options.vendorPrefix);
    this.catalog = options.catalog;
    this.imageCounter = new ImageCounter(options.seed);
    this.keyIssuer = new KeyIssuer(this.accounts, this.clock, options.vendorPrefix);
    const { accounts, clock, web3: web3Settings } = this;
    this.stakers = new Stakers({ accounts, clock, web3Settings, chain: options.chain });
    const random = createSeededRandom(options.seed);
    const prefix = options.vendorPrefix.toUpperCase();
    this.apiKey = `${prefix}_INFERENCE_KEY_${createSecret(random)}`;
    this.adminKey = `${prefix}_ADMIN_KEY_${createSecret(random)}`;
    this.pace = options.pace;
    this.hasCompletionsRoute = options.hasCompletionsRoute;
    this.openMainAccount();
  }

  /** Restores the initial state. Running requests and the chain do not change. */
  reset(): void {
    this.clock.reset();
    this.limits.reset();
    this.failures.reset();
    this.faults.reset();
    this.scripts.reset();
    this.log.reset();
    this.enclave.reset();
    this.imageCounter.reset();
    this.web.reset();
    this.catalog.reset();
    this.accounts.clear();
    this.keyIssuer.reset();
    this.web3.reset();
    this.stakers.reset();
    this.wallets.reset();
    this.pace = this.options.pace;
    this.codeModelMisbehavior = {};
    this.hasCompletionsRoute = this.options.hasCompletionsRoute;
    this.openMainAccount();
  }

  openMainAccount(): void {
    const account = this.accounts.openAccount('main');
    account.usd = toMicro(50);
    account.bundled = toMicro(10);
    account.stakedDiem = toMicro(5);
    const accountId = account.id;
    const mainKeys = [
      { type: 'INFERENCE', secret: this.apiKey, description: 'Main' },
      { type: 'ADMIN', secret: this.adminKey, description: 'Administration' },
    ] as const;
    for (const key of mainKeys) this.accounts.addKey({ accountId, ...key });
  }
}

const secretAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const createSecret = (random: () => number): string =>
  Array.from(
    { length: 32 },
    () => secretAlphabet[Math.floor(random() * secretAlphabet.length)],
  ).join('');
