import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Address, Hex } from 'viem';

export interface AnvilOptions {
  readonly chainId: number;
  /**
   * Interval in seconds at which the node mines blocks, in addition to one block per transaction. Omit it to mine
   * blocks only for transactions.
   */
  readonly blockTimeS?: number;
}

/** Private chain on a free loopback port. Its node stops when this process ends. */
export interface Anvil {
  readonly rpcUrl: string;
  /** Unlocked accounts, each with 10,000 units of the native currency. */
  readonly accounts: readonly ChainAccount[];
  readonly stop: () => Promise<void>;
}

export interface ChainAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/**
 * Starts an Anvil node with a private chain.
 * @throws Error with the output of the node if it does not start
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn(
    '/bin/sh',
    ['-c', nodeRunnerScript, findAnvil(), ...createArguments(options)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl+C must not reach the node, because the service calls the chain until the service has
      // stopped.
      detached: true,
    },
  );
  const exitPromise = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = (): Promise<void> => {
    child.ref();
    child.stdin.end();
    return exitPromise;
  };
  try {
    const banner = await readBannerText(child);
    // The handles do not keep this process alive. The pipe to the node stays open, so the node
    // continues to run.
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) unrefHandle(handle);
    return { ...readBanner(banner), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Shell script that runs the node. Kills the node when the pipe from this process closes, which also happens if this
 * process is killed.
 */
const nodeRunnerScript = '"$0" "$@" </dev/null & exec >/dev/null 2>&1; cat; kill -9 $!; wait $!';

function createArguments({ chainId, blockTimeS }: AnvilOptions): string[] {
  const blockTimeArguments =
    blockTimeS === undefined ? [] : ['--block-time', String(blockTimeS), '--mixed-mining'];
  return [
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--chain-id',
    String(chainId),
    ...blockTimeArguments,
  ];
}

const architectureNames: Readonly<Partial<Record<string, string>>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

/** Returns the path of the node's binary. The launcher in its package would start an additional process. */
function findAnvil(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${architectureNames[process.arch] ?? process.arch}`;
  const launcherPath = createRequire(import.meta.url).resolve('@foundry-rs/anvil/bin.mjs');
  const manifestPath = createRequire(launcherPath).resolve(`${name}/package.json`);
  return join(dirname(manifestPath), 'bin', 'anvil');
}

/** Collects the output of the node until it accepts connections. */
async function readBannerText(child: ChildProcess): Promise<string> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new Error(`The chain did not start:\n${text}`));
    const collect = (bytes: Buffer): void => {
      text += bytes.toString();
      if (listeningPattern.test(text)) resolve();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.stdout?.once('end', fail);
    child.once('error', fail);
  });
  return text;
}

const listeningPattern = /^Listening on (?<address>\S+)$/mu;

function readBanner(banner: string): Pick<Anvil, 'rpcUrl' | 'accounts'> {
  const address = listeningPattern.exec(banner)?.groups?.['address'];
  const addresses = readHexValues(banner, 40);
  const keys = readHexValues(banner, 64);
  const accounts = addresses.map((address, index) => ({
    address,
    privateKey: keys[index] ?? '0x',
  }));
  return { rpcUrl: `http://${address}`, accounts };
}

/** Returns the hexadecimal values with `digitCount` digits from the numbered lists in the node's output. */
const readHexValues = (text: string, digitCount: number): Hex[] =>
  [...text.matchAll(new RegExp(`^\\(\\d+\\) (0x[0-9a-fA-F]{${digitCount}})\\b`, 'gmu'))].map(
    (match) => match[1] as Hex,
  );

function unrefHandle(handle: unknown): void {
  (handle as { unref?: () => void }).unref?.();
}
