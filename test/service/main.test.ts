import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalService } from './server.ts';

const mainFile = fileURLToPath(new URL('main.ts', import.meta.url));

function startMain(...options: string[]): ChildProcess {
  const child = spawn(process.execPath, [mainFile, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function readFirstLine(child: ChildProcess): Promise<string> {
  let text = '';
  while (!text.includes('\n')) text += String((await once(child.stdout!, 'data'))[0]);
  return text;
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnectedPromise = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return isConnectedPromise.finally(() => socket.destroy());
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'the service prints its addresses as one line of JSON, and exits on %s',
  async (signal) => {
    const child = startMain('--port', '0', '--json');
    let output = '';
    child.stdout!.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const facts = JSON.parse(await readFirstLine(child)) as Record<string, string>;
    expect(Object.keys(facts)).toEqual(['baseUrl', 'controlUrl', 'apiKey', 'adminKey']);
    expect(facts['baseUrl']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    const ports = [facts['baseUrl'], facts['controlUrl']].map((url) => Number(new URL(url!).port));
    expect(await Promise.all(ports.map(isListening))).toEqual([true, true]);
    // An idle connection does not keep the process running.
    await (await fetch(`${facts['baseUrl']}/models`)).text();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await Promise.all(ports.map(isListening))).toEqual([false, false]);
    expect(output.split('\n')).toHaveLength(2);
  },
);

test('the service stops when npm receives SIGTERM', async () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const options = ['run', '--silent', 'service', '--', '--port', '0', '--json'];
  const child = spawn('npm', options, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { baseUrl } = JSON.parse(await readFirstLine(child)) as { baseUrl: string };
  child.kill('SIGTERM');
  const port = Number(new URL(baseUrl).port);
  await expect.poll(() => isListening(port)).toBe(false);
});

test('the service prints the addresses of its chain, and stops the node on exit', async () => {
  const child = startMain('--port', '0', '--chain', '--json');
  const { chain } = JSON.parse(await readFirstLine(child)) as LocalService;
  expect(chain).toMatchObject({ chainId: 31_337, confirmations: 2 });
  expect(chain?.stakingContract).toMatch(/^0x[0-9a-fA-F]{40}$/);
  const port = Number(new URL(chain!.rpcUrl).port);
  expect(await isListening(port)).toBe(true);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await isListening(port)).toBe(false);
});

test('the service starts its chain with the id from the command line', async () => {
  const child = startMain('--chain', '--chain-id', '8453', '--json');
  const { chain } = JSON.parse(await readFirstLine(child)) as LocalService;
  expect(chain?.chainId).toBe(8453);
  const reply = await fetch(chain!.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
  });
  expect(await reply.json()).toMatchObject({ result: '0x2105' });
});

test('the service prints no test accounts for a chain with a public chain id', async () => {
  const child = startMain('--chain', '--chain-id', '8453');
  const text = await readFirstLine(child);
  expect(text).toContain('8453, for automated tests only');
  expect(text).not.toMatch(/private key|0x[0-9a-f]{64}/);
});

test.each([
  ['without --chain', ['--chain-id', '8453']],
  ['that is not a number', ['--chain', '--chain-id', 'base']],
])('the service rejects a chain id %s', async (_, options) => {
  const child = spawn(process.execPath, [mainFile, ...options], { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([1, null]);
});

test('the service uses the vendor prefix from the command line, and prints plain text without --json', async () => {
  const child = startMain('--vendor-word', 'acme');
  const text = await readFirstLine(child);
  expect(text).toContain('Ctrl+C');
  expect(text).toContain('ACME_INFERENCE_KEY_');
});
