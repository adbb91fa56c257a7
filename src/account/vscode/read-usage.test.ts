import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import type { Log } from '../../platform/log.ts';
import { requestImages } from '../../service/images/image-calls.ts';
import { searchWeb } from '../../service/augment.ts';
import { streamSpeech } from '../../service/speech.ts';
import { transcribeAudio } from '../../service/transcription.ts';
import { formatLocalDate } from '../spending-day.ts';
import { readUsageHostMessage, usageVersion } from '../usage-protocol.ts';
import { BudgetWatch } from './budget-watch.ts';
import { type ConversationCosts, readUsage } from './read-usage.ts';

vi.mock('vscode', async () => await import('../../../test/support/vscode-stub.ts'));
const budgetLimits = vi.hoisted((): { daily?: bigint } => ({}));
vi.mock('./budget-labels.ts', async (load) => ({
  ...(await load<object>()),
  readBudgetSettings: () => budgetLimits,
}));
vi.mock('../../platform/settings.ts', () => ({
  getSetting: () => undefined,
  onDidChangeSettings: () => ({ dispose: () => {} }),
}));
vi.mock('./set-budget.ts', () => ({ promptForBudget: async () => false }));

const { signal } = new AbortController();
const clock = new ManualClock(new Date(2026, 10, 21, 12).getTime());
const log = { error: () => {}, warn: () => {}, info: () => {} } as unknown as Log;
const jsonHeaders = { 'content-type': 'application/json' };
const wavHeaders = { 'content-type': 'audio/wav; rate=24000' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'usage-'));
  delete budgetLimits.daily;
});

function createBudgetWatch() {
  const models = { find: () => undefined };
  const watch = new BudgetWatch({ folder: join(folder, 'spending'), clock, log, models });
  onTestFinished(() => {
    watch.dispose();
    rmSync(folder, { recursive: true });
  });
  return watch;
}

async function* generateNoCosts(): AsyncGenerator<ConversationCosts> {}

/** Reads the usage and validates it with the schema of the usage page. */
async function readPageUsage(
  watch: BudgetWatch,
  readCosts: () => AsyncIterable<ConversationCosts> = generateNoCosts,
) {
  const budget = { getWatch: async () => watch } as never;
  const dependencies = { service: { clock }, models: { find: () => undefined }, budget };
  const usage = await readUsage({ dependencies, readCosts, days: 7 });
  const message = { type: 'usage-set', version: usageVersion, usage } as const;
  expect(readUsageHostMessage(message)).toEqual(message);
  return usage;
}

async function drainEvents(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) void event;
}

/**
 * Sends one image, speech, transcription and chat call through the real clients. Without `price`, the costs of these
 * calls are unknown.
 */
async function sendOneCallOfEachKind(watch: BudgetWatch, price?: { usd: number }): Promise<void> {
  const createContext = (answer: ScriptedAnswer) => ({
    ...createScriptedService(answer).context,
    spending: watch,
  });
  const pngBase64 =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const options = { signal, ...(price && { price }) };
  const imageCall = { path: '/image/generate', body: {}, accept: 'image/*' } as const;
  await drainEvents(
    requestImages(
      createContext({ headers: jsonHeaders, body: [JSON.stringify({ images: [pngBase64] })] }),
      imageCall,
      { ...options, imageCount: 1, model: 'painter' },
    ),
  );
  const speechRequest = { model: 'voice', input: 'Hello', format: 'wav' } as const;
  await drainEvents(
    streamSpeech(createContext({ headers: wavHeaders, body: ['RIFF'] }), speechRequest, options),
  );
  const transcriptionRequest = { model: 'ears', audio: new Uint8Array(4), kind: 'wav' } as const;
  await transcribeAudio(
    createContext({ body: ['{"text":"Hello"}'] }),
    transcriptionRequest,
    options,
  );
}

test.each([
  ['a known price', { usd: 0.04 }, [0.04, 0.04, 0.04], undefined],
  ['a price of zero', { usd: 0 }, [0, 0, 0], undefined],
  ['an unknown price', undefined, [0, 0, 0], true],
] as const)(
  'readUsage lists image, speech and transcription calls with %s under their models',
  async (_, price, costs, isIncomplete) => {
    const watch = createBudgetWatch();
    await sendOneCallOfEachKind(watch, price);
    await expect.poll(async () => (await readPageUsage(watch)).total.requests).toBe(3);
    const { byModel, total } = await readPageUsage(watch);
    expect(byModel.map(({ model }) => model).toSorted()).toEqual(['ears', 'painter', 'voice']);
    expect(byModel.map(({ usd }) => usd)).toEqual(costs);
    expect(byModel.map((row) => row.isIncomplete)).toEqual(costs.map(() => isIncomplete));
    expect(total.isIncomplete).toBe(isIncomplete);
  },
);

test('readUsage marks the spending of a budget as a minimum if the price of a call is unknown', async () => {
  budgetLimits.daily = 5_000_000_000n;
  const watch = createBudgetWatch();
  expect((await readPageUsage(watch)).budgets).toEqual([{ period: 'daily', usd: 0, limitUsd: 5 }]);
  await sendOneCallOfEachKind(watch);
  await expect
    .poll(async () => (await readPageUsage(watch)).budgets)
    .toEqual([{ period: 'daily', usd: 0, limitUsd: 5, isIncomplete: true }]);
});

test('readUsage lists web searches under a separate name, because web searches have no model', async () => {
  const watch = createBudgetWatch();
  const { context } = createScriptedService({ body: ['{"results":[]}'] });
  await searchWeb({ ...context, spending: watch }, 'tides', { limit: 5, signal });
  await expect.poll(async () => (await readPageUsage(watch)).total.requests).toBe(1);
  expect((await readPageUsage(watch)).byModel[0]?.model).toBe('Web search');
});

test('readUsage marks the cost of a damaged conversation as a minimum, and the cost of an intact conversation as exact', async () => {
  const answers = [{ time: clock.now(), modelId: 'breeze', cost: { usd: 0.5 } }];
  async function* generateCosts(): AsyncGenerator<ConversationCosts> {
    yield { id: 'chat-1', title: 'Tides', isDamaged: true, answers };
    yield { id: 'chat-2', title: 'Moon', isDamaged: false, answers };
  }
  const { byConversation } = await readPageUsage(createBudgetWatch(), generateCosts);
  expect(byConversation.map(({ title, isIncomplete }) => [title, isIncomplete])).toEqual([
    ['Tides', true],
    ['Moon', undefined],
  ]);
});

test('readUsage does not report a sum if the spending file of a day cannot be opened', async () => {
  budgetLimits.daily = 5_000_000_000n;
  // A folder in place of the day's file.
  mkdirSync(join(folder, 'spending', `${formatLocalDate(clock.now())}.jsonl`), { recursive: true });
  const watch = createBudgetWatch();
  await expect(readPageUsage(watch)).rejects.toThrow();
  expect(await watch.listBudgetUsages()).toMatchObject([{ spentAmount: 0n, isDamaged: true }]);
});
