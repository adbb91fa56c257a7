import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Address, Hex } from 'viem';

export interface AnvilOptions {
  readonly chainId: number;
  /** Blocks come every so many seconds, besides the one that each transaction makes; without it only those. */
  readonly blockTimeS?: number;
}

/** A chain of this machine alone, on a free port of loopback. It dies with this process, however that ends. */
export interface Anvil {
  readonly rpcUrl: string;
  /** The node signs for them too; each has 10,000 of the currency. */
  readonly accounts: readonly ChainAccount[];
  readonly stop: () => Promise<void>;
}

export interface ChainAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** @throws Error with all that the node printed, when it does not start. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn('/bin/sh', ['-c', lifetimeGuard, anvilPath(), ...anvilArguments(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl+C is for us: we still ask the chain while we stop.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = (): Promise<void> => {
    child.ref();
    child.stdin.end();
    return exited;
  };
  try {
    const banner = await readBannerText(child);
    // Nothing of it holds this process; the pipe that keeps the node alive stays open.
    for (const part of [child, child.stdin, child.stdout, child.stderr]) unref(part);
    return { ...readBanner(banner), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends the node when our end of the pipe closes, which it does even if this process is killed. */
const lifetimeGuard = '"$0" "$@" </dev/null & exec >/dev/null 2>&1; cat; kill -9 $!; wait $!';

function anvilArguments({ chainId, blockTimeS }: AnvilOptions): string[] {
  const interval =
    blockTimeS === undefined ? [] : ['--block-time', String(blockTimeS), '--mixed-mining'];
  return ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), ...interval];
}

const processors: Readonly<Partial<Record<string, string>>> = { x64: 'amd64', arm64: 'arm64' };

/** The binary itself: the package's own starter is one more process between us and it. */
function anvilPath(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${processors[process.arch] ?? process.arch}`;
  const starter = createRequire(import.meta.url).resolve('@foundry-rs/anvil/bin.mjs');
  const manifest = createRequire(starter).resolve(`${name}/package.json`);
  return join(dirname(manifest), 'bin', 'anvil');
}

/** All that is printed until the node listens. */
async function readBannerText(child: ChildProcess): Promise<string> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new Error(`The chain did not start:\n${text}`));
    const read = (bytes: Buffer): void => {
      text += bytes.toString();
      if (listening.test(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.stdout?.once('end', fail);
    child.once('error', fail);
  });
  return text;
}

const listening = /^Listening on (?<address>\S+)$/mu;

function readBanner(banner: string): Pick<Anvil, 'rpcUrl' | 'accounts'> {
  const address = listening.exec(banner)?.groups?.['address'];
  const addresses = listedHexValues(banner, 40);
  const keys = listedHexValues(banner, 64);
  const accounts = addresses.map((address, index) => ({
    address,
    privateKey: keys[index] ?? '0x',
  }));
  return { rpcUrl: `http://${address}`, accounts };
}

/** The entries of a numbered list, by their number of digits. */
const listedHexValues = (text: string, digits: number): Hex[] =>
  [...text.matchAll(new RegExp(`^\\(\\d+\\) (0x[0-9a-fA-F]{${digits}})\\b`, 'gmu'))].map(
    (match) => match[1] as Hex,
  );

function unref(part: unknown): void {
  (part as { unref?: () => void }).unref?.();
}
