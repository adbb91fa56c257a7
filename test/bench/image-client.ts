/**
 * Process that measures one method of saving a generated image: call durations, peak memory and the longest event loop
 * delay. Arguments: the name of the method, the URL of the server, the path of the image file, and the image size in
 * bytes. Prints {@link ImageCalls} as JSON.
 */
import { stat, writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { dirname, parse } from 'node:path';
import OpenAI from 'openai';
import { request } from 'undici';
import { ImageFile } from '../../src/image/vscode/image-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { CircuitBreakers } from '../../src/service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../src/service/http/client.ts';
import { createDirectTransport } from '../../src/service/http/direct-transport.ts';
import { generateImages } from '../../src/service/images/image-calls.ts';
import type { VariantCount } from '../../src/service/images/image-types.ts';

export interface ImageCalls {
  /** Duration of the first call in milliseconds. */
  readonly firstCallMs: number;
  /**
   * Shortest duration of a later call in milliseconds. The shortest duration depends least on the load of the machine.
   */
  readonly laterCallMs: number;
  /** Peak memory of the process during the first three calls, in megabytes above its memory before these calls. */
  readonly peakMegabytes: number;
  /** Longest event loop delay during all calls, in milliseconds. */
  readonly longestBlockMs: number;
}

const apiKey = 'bench-key';
const requestBody = { model: 'm', prompt: 'a cat' };
const callCount = 10;
/** Number of calls for which memory is measured. With more calls, the result would depend on garbage collection. */
const memoryCallCount = 3;

type SaveMethod = (url: string, file: string) => Promise<void>;

const downloadBytes = async (url: string): Promise<void> => {
  const { body } = await request(`${url}/image/generate`, createPostOptions());
  for await (const _ of body);
};

const saveMethods: Readonly<Record<string, SaveMethod>> = {
  bytes: downloadBytes,
  json: (url, file) => receiveWithExtension(url, file, 2),
  binary: (url, file) => receiveWithExtension(url, file, 1),
  async 'fetch-json'(url, file) {
    const reply = await fetch(`${url}/image/generate`, createPostOptions());
    const { images } = (await reply.json()) as { images: string[] };
    await writeFile(file, Buffer.from(images[0] ?? '', 'base64'));
  },
  async 'fetch-binary'(url, file) {
    const reply = await fetch(`${url}/image/generate`, createPostOptions());
    await writeFile(file, Buffer.from(await reply.arrayBuffer()));
  },
  async openai(url, file) {
    const client = new OpenAI({ baseURL: url, apiKey });
    const { data } = await client.images.generate(requestBody);
    await writeFile(file, Buffer.from(data?.[0]?.b64_json ?? '', 'base64'));
  },
};

const createPostOptions = () => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
  body: JSON.stringify(requestBody),
});

const transport = createDirectTransport();

async function receiveWithExtension(
  url: string,
  file: string,
  variants: VariantCount,
): Promise<void> {
  const context: ServiceContext = {
    getEndpoint: async () => ({ baseUrl: new URL(url), vendorPrefix: 'service', apiKey }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: Math.random,
  };
  const { signal } = new AbortController();
  const imageFile = await ImageFile.create(dirname(file));
  for await (const event of generateImages(context, requestBody, { variants, signal })) {
    if (event.type === 'image-bytes') await imageFile.write(event.bytes);
  }
  await imageFile.completeAs(parse(file).name);
}

async function measureCalls([
  name = '',
  url = '',
  file = '',
  byteCount = '',
]: readonly string[]): Promise<ImageCalls> {
  const method = saveMethods[name];
  if (method === undefined) throw new Error(`Unknown save method "${name}".`);
  const initialBytes = process.memoryUsage.rss();
  const delayHistogram = monitorEventLoopDelay({ resolution: 1 });
  delayHistogram.enable();
  const times: number[] = [];
  let peakBytes = 0;
  for (let call = 0; call < callCount; call++) {
    const start = performance.now();
    await method(url, file);
    times.push(performance.now() - start);
    const isSaved = name === 'bytes' || (await stat(file)).size === Number(byteCount);
    if (call < memoryCallCount) peakBytes = process.resourceUsage().maxRSS * 1024 - initialBytes;
    if (!isSaved) throw new Error('The size of the saved file differs from the image.');
  }
  delayHistogram.disable();
  const [firstTime = 0, ...laterTimes] = times;
  return {
    firstCallMs: firstTime,
    laterCallMs: Math.min(...laterTimes),
    peakMegabytes: peakBytes / 1e6,
    longestBlockMs: delayHistogram.max / 1e6,
  };
}

void measureCalls(process.argv.slice(2)).then((result) => {
  console.log(JSON.stringify(result));
  process.exit();
});
