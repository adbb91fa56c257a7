import { parseArgs } from 'node:util';
import { type ChainFacts, createChainSetting, defaultChainId } from './chain/chain-facts.ts';
import { type LocalService, startLocalService } from './server.ts';

const usageText = `Usage: npm run service -- [options]

  --port PORT          port of the API (default: any free one)
  --json               print one line of JSON when ready
  --vendor-word WORD   the word in vendor-named fields and headers (default: service)
  --upstream URL       let an OpenAI-compatible server answer chats, e.g. http://127.0.0.1:11434/v1
  --seed N             same seed, same answers and keys (default: 1)
  --pace PACE          natural (default) or instant
  --completions        have a route /completions, as servers of code models do
  --chain              start a chain with a token, a staking contract and dollars, for wallets
  --chain-id N         id of the chain (default: 31337). Another id is for automated tests with the
                       published test accounts. Never connect a wallet of your own to such a chain
  --missing-key STATUS 402 (default) or 401 for requests without credentials
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
    'vendor-word': { type: 'string', default: 'service' },
    upstream: { type: 'string' },
    seed: { type: 'string', default: '1' },
    pace: { type: 'string', default: 'natural' },
    completions: { type: 'boolean', default: false },
    chain: { type: 'boolean', default: false },
    'chain-id': { type: 'string' },
    'missing-key': { type: 'string', default: '402' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(usageText);
else await startService();

async function startService(): Promise<void> {
  const chainId = readChainId();
  const service = await startLocalService({
    port: Number(values.port),
    vendorPrefix: values['vendor-word'],
    seed: Number(values.seed),
    pace: values.pace === 'instant' ? 'instant' : 'natural',
    hasCompletionsRoute: values.completions,
    missingKeyStatus: values['missing-key'] === '401' ? 401 : 402,
    ...(values.chain && { chain: true }),
    ...(chainId !== undefined && { chainId }),
    ...(values.upstream !== undefined && { upstreamUrl: values.upstream.replace(/\/$/, '') }),
  });
  const stop = (): void => void service.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // On a signal, the shell of npm exits without forwarding the signal, so this process stops when
  // its parent has exited.
  if (process.env['npm_lifecycle_event'] !== undefined) runWhenOrphaned(stop);
  const { baseUrl, controlUrl, apiKey, adminKey, chain } = service;
  const facts = { baseUrl, controlUrl, apiKey, adminKey, ...(chain && { chain }) };
  process.stdout.write(values.json ? `${JSON.stringify(facts)}\n` : formatFacts(facts));
}

/**
 * Returns the chain id from `--chain-id`. Returns undefined without this option.
 * @throws Error if the id is not a positive integer, or if `--chain` is missing
 */
function readChainId(): number | undefined {
  const { chain: hasChain, 'chain-id': text } = values;
  if (text === undefined) return undefined;
  const chainId = Number(text);
  if (!hasChain || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw new Error(
      '--chain-id needs --chain and a positive integer, as in --chain --chain-id 8453',
    );
  }
  return chainId;
}

function runWhenOrphaned(startService: () => void): void {
  const initialParentId = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === initialParentId) return;
    clearInterval(timer);
    startService();
  }, 100);
  timer.unref();
}

type ServiceFacts = Pick<LocalService, 'baseUrl' | 'controlUrl' | 'apiKey' | 'adminKey' | 'chain'>;

function formatFacts({ chain, ...facts }: ServiceFacts): string {
  const lines = Object.entries({ ...facts, ...(chain && formatChain(chain)) }).map(
    ([name, value]) => `  ${name.padEnd(11)}${value}\n`,
  );
  return `The local service is ready; Ctrl+C stops it.\n${lines.join('')}`;
}

/** Returns the chain setting, and the private keys of accounts that a user can import into a wallet. */
function formatChain(chain: ChainFacts): Record<string, string> {
  const { accounts, chainId } = chain;
  if (chainId !== defaultChainId) {
    return { chain: `${chainId}, for automated tests only. Connect no wallet of your own` };
  }
  const listedAccounts = [
    [1, 'tokens and USDC'],
    [4, 'a stake'],
    [5, 'nothing but currency'],
  ] as const;
  const chainSetting = JSON.stringify({
    'inferenceService.wallet.chain': createChainSetting(chain),
  });
  const walletEntries = listedAccounts.map(([index, contents]) => [
    `private key of an account with ${contents}:`,
    ` ${accounts[index]?.privateKey ?? ''}`,
  ]);
  return { setting: chainSetting, ...Object.fromEntries(walletEntries) };
}
