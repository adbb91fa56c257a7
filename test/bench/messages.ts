import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { DeltaBatcher } from '../../src/chat/answer.ts';
import { readHostMessage } from '../../webview/base/code-api.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithBaseline, compareRounds, runRounds } from './rounds.ts';

const deltaCount = 50_000;
const deltasPerSecond = 4_000;

/**
 * Measures the number, size and cost of host messages to a visible webview while an answer streams at 4,000 deltas per
 * second. As in VS Code, each message is serialized as JSON and then parsed for the webview.
 */
export async function runMessageBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const texts = Array.from(
    { length: scaleCount(deltaCount, options.scale) },
    (_, i) => `tok${i % 97} `,
  );
  const seconds = texts.length / deltasPerSecond;
  const answerBytes = texts.join('').length;
  const batchedMessages = postBatches(texts);
  const deltaMessages = postEachDelta(texts);
  const rounds = await runRounds(
    {
      batchesMs: () => Promise.resolve(measureMilliseconds(() => postBatches(texts))),
      deltasMs: () => Promise.resolve(measureMilliseconds(() => postEachDelta(texts))),
    },
    options,
  );
  return [
    compareRounds('messages: CPU of 50,000 deltas, one message a frame against one a delta', {
      rounds,
      getExtensionValue: (round) => round.batchesMs,
      getBaselineValue: (round) => round.deltasMs,
      unit: 'ms',
      target: 0.1,
    }),
    compareWithBaseline('messages: a second, against 60', 'count', 1, [
      batchedMessages.messageCount / seconds,
      60,
    ]),
    compareWithBaseline("messages: bytes, against the answer's", 'bytes', 1.2, [
      batchedMessages.byteCount,
      answerBytes,
    ]),
    compareWithBaseline('messages: number, against one a delta', 'count', 0.1, [
      batchedMessages.messageCount,
      deltaMessages.messageCount,
    ]),
  ];
}

function measureMilliseconds(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

interface PostedMessages {
  messageCount: number;
  byteCount: number;
}

/** Virtual clock that the stream advances. Results therefore include the work of timers, but no waiting time. */
class StreamClock {
  #now = 0;
  #dueTimer: { dueAt: number; run: () => void } | undefined;

  now = (): number => this.#now;

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { dueAt: this.#now + ms, run };
    this.#dueTimer = timer;
    return () => {
      if (this.#dueTimer === timer) this.#dueTimer = undefined;
    };
  };

  advanceTo(now: number): void {
    while (this.#dueTimer !== undefined && this.#dueTimer.dueAt <= now) {
      const { dueAt, run } = this.#dueTimer;
      this.#dueTimer = undefined;
      this.#now = dueAt;
      run();
    }
    this.#now = now;
  }
}

function postBatches(texts: readonly string[]): PostedMessages {
  const postedMessages: PostedMessages = { messageCount: 0, byteCount: 0 };
  const clock = new StreamClock();
  const batcher = new DeltaBatcher(clock, 17, (delta) => {
    postMessage(postedMessages, { type: 'text-delta', messageId: 'a1', ...delta });
  });
  for (const [index, text] of texts.entries()) {
    clock.advanceTo((index * 1_000) / deltasPerSecond);
    batcher.addDelta({ text, reasoning: '' });
  }
  batcher.deliverAndStop();
  return postedMessages;
}

function postEachDelta(texts: readonly string[]): PostedMessages {
  const postedMessages: PostedMessages = { messageCount: 0, byteCount: 0 };
  for (const text of texts) {
    postMessage(postedMessages, { type: 'text-delta', messageId: 'a1', text, reasoning: '' });
  }
  return postedMessages;
}

const page = { origin: '', version: protocolVersion };

function postMessage(postedMessages: PostedMessages, message: unknown): void {
  const json = JSON.stringify(message);
  postedMessages.messageCount += 1;
  postedMessages.byteCount += json.length;
  const event = { data: JSON.parse(json) as unknown, origin: '' };
  if (readHostMessage(event, page) === undefined) throw new Error(`Not a message: ${json}`);
}
