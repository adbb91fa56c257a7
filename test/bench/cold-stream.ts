import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { lazyUndici } from '../../lazy-undici.ts';
import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, runRounds } from './rounds.ts';

const clientModules = {
  extension: `
    import { streamChat } from './src/service/chat/stream-chat.ts';
    import { CircuitBreakers } from './src/service/http/circuit-breaker.ts';
    import { createDirectTransport } from './src/service/http/direct-transport.ts';
    import { systemClock } from './src/base/clock.ts';
    export async function receiveFirstDelta(url) {
      const transport = createDirectTransport();
      const getEndpoint = async () => ({ baseUrl: new URL(url), vendorPrefix: 'service', apiKey: 'bench-key' });
      const context = { getEndpoint, getTransport: async () => transport, clock: systemClock, breakers: new CircuitBreakers(systemClock), random: Math.random };
      const { signal } = new AbortController();
      for await (const events of streamChat(context, { model: 'm', messages: [] }, { signal })) {
        if (events.some(({ type }) => type === 'text-delta')) return;
      }
    }`,
  openAi: `
    import OpenAI from 'openai';
    export async function receiveFirstDelta(url) {
      const client = new OpenAI({ baseURL: url, apiKey: 'bench-key' });
      const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) return;
    }`,
};

/**
 * Measures the time to load a bundled chat client and to receive the first delta of its first call. Compares the client
 * of the extension with the `openai` SDK. Each measurement uses a new process.
 */
export async function measureColdStart(url: string, options: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'cold-stream-'));
  try {
    await Promise.all(
      Object.entries(clientModules).map(([name, code]) => bundleCode(code, join(folder, name))),
    );
    const rounds = await runRounds(
      {
        extensionMs: () => measureInFreshProcess(join(folder, 'extension', 'stdin.mjs'), url),
        openAiMs: () => measureInFreshProcess(join(folder, 'openAi', 'stdin.mjs'), url),
      },
      options,
    );
    return compareRounds('stream, cold first message, to openai SDK', {
      rounds,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.openAiMs,
      target: 0.4,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Code that defines `require` in a bundle. Bundled CommonJS dependencies use `require` to load modules of Node.js. */
const requireForCommonJs =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles a module like the extension: as an ES module, with a separate file for each dynamic import. */
async function bundleCode(contents: string, outdir: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    banner: { js: requireForCommonJs },
    alias: { '@vscode/l10n': '@vscode/l10n/dist/browser.js' },
    plugins: [lazyUndici],
    define: { esbuildDetection: 'true' },
    logLevel: 'error',
  });
}

async function measureInFreshProcess(file: string, url: string): Promise<number> {
  const script = `
    const start = performance.now();
    import(process.argv[1]).then(({ receiveFirstDelta }) => receiveFirstDelta(process.argv[2])).then(() => {
      console.log(performance.now() - start);
      process.exit();
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script, file, url]);
  return Number(stdout);
}
