import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import * as http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lazyUndici } from '../../lazy-undici.ts';
import { createSelfSignedCertificate } from '../support/certificate.ts';
import { listenOnLoopback, startHttpServer } from '../support/loopback.ts';
import { root } from '../support/paths.ts';

let folder: string;
let bundlePath: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lazy-undici-'));
  bundlePath = join(folder, 'transport.cjs');
  await build({
    stdin: {
      contents: `export { createDirectTransport } from './src/service/http/direct-transport.ts'`,
      resolveDir: root,
    },
    outfile: bundlePath,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    alias: { '@vscode/l10n': '@vscode/l10n/dist/browser.js' },
    plugins: [lazyUndici],
    define: { esbuildDetection: 'true' },
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * Requests a URL in a new process. Returns the text of the response, and the names of the Node.js modules that the
 * process loaded.
 */
async function fetchInNewProcess(url: string): Promise<{ text: string; modules: string[] }> {
  const script = `
    const { createDirectTransport } = require(process.argv[1]);
    const transport = createDirectTransport({ strictSSL: false });
    const timeouts = { connectMs: 20_000, headersMs: 20_000, idleMs: 20_000 };
    const { signal } = new AbortController();
    const request = { method: 'GET', url: new URL(process.argv[2]), headers: {}, signal, timeouts };
    transport.send(request).then(async ({ body }) => {
      const text = Buffer.concat(await Array.fromAsync(body)).toString();
      console.log(JSON.stringify({ text, modules: process.moduleLoadList }));
      process.exit();
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--eval',
    script,
    bundlePath,
    url,
  ]);
  return JSON.parse(stdout) as { text: string; modules: string[] };
}

test('the bundled transport loads no HTTP/2, TLS or assertion modules for a request over HTTP/1.1', async () => {
  await using server = await startHttpServer((_, response) => response.end('plain'));
  const { text, modules } = await fetchInNewProcess(`http://127.0.0.1:${server.port}/`);
  expect(text).toBe('plain');
  expect(modules).not.toContain('NativeModule http2');
  expect(modules).not.toContain('NativeModule tls');
  expect(modules).not.toContain('NativeModule assert');
});

test('the bundled transport uses HTTP/2 if the server supports it', async () => {
  const secureServer = http2.createSecureServer(
    createSelfSignedCertificate('localhost', 'localhost'),
    ({ httpVersion }, response) => response.end(`HTTP ${httpVersion}`),
  );
  await using server = await listenOnLoopback(secureServer);
  const { text, modules } = await fetchInNewProcess(`https://localhost:${server.port}/`);
  expect(text).toBe('HTTP 2.0');
  expect(modules).toContain('NativeModule http2');
});
