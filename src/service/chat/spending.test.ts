import { expect, test } from 'vitest';
import { type ScriptedAnswer, scriptedService } from '../../../test/support/scripted-transport.ts';
import { createChatCompletion } from './chat.ts';
import { streamChat } from './stream-chat.ts';
import { flatten } from '../../../test/support/batches.ts';
import type { ServiceContext } from '../http/client.ts';
import { streamCompletionBatches } from './completions.ts';
import { ServiceError } from '../http/failure.ts';
import { createImages, generateImages, upscaleImage } from '../images/image-calls.ts';
import { listModels } from '../models.ts';
import { getRateLimits } from '../api-keys.ts';
import { type Bill, type PaidRequest, estimateUsage, type Spending } from './spending.ts';

const { signal } = new AbortController();
const chat = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(400) }] } as const;
const picture = { model: 'p', prompt: 'a', width: 64, height: 64 } as const;
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
const pictureReply: ScriptedAnswer = { headers: { 'content-type': 'image/png' }, body: [png] };
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = event({ choices: [{ delta: { content: 'Hello' } }] });
const usage = { prompt_tokens: 7, completion_tokens: 2 };
const totals = event({ choices: [], usage, cost: { usd: 0.25 } });
const done = 'data: [DONE]\n\n';

/** Lets everything through, unless it is told what to say instead. */
class WatchedSpending implements Spending {
  readonly admitted: PaidRequest[] = [];
  readonly bills: Bill[] = [];
  readonly over: PaidRequest[] = [];
  refusal: ServiceError | undefined;

  async authorize(request: PaidRequest): Promise<void> {
    this.admitted.push(request);
    if (this.refusal !== undefined) throw this.refusal;
  }

  recordSpent(_request: PaidRequest, bill: Bill): void {
    this.bills.push(bill);
  }

  release(request: PaidRequest): void {
    this.over.push(request);
  }
}

function watched(...answers: readonly ScriptedAnswer[]) {
  const spending = new WatchedSpending();
  const { context, requests } = scriptedService(...answers);
  return { spending, requests, context: { ...context, spending } as ServiceContext };
}

async function read(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of events) all.push(each);
  return all;
}

type Run = (context: ServiceContext) => Promise<unknown>;
const paidCalls: readonly (readonly [string, Run, PaidRequest])[] = [
  [
    'a streamed chat',
    (context) => read(flatten(streamChat(context, chat, { signal }))),
    { kind: 'chat', model: 'm', isBackground: false },
  ],
  [
    'a whole chat',
    (context) => createChatCompletion(context, chat, { signal }),
    { kind: 'chat', model: 'm', isBackground: false },
  ],
  [
    'a suggestion',
    (context) =>
      read(
        streamCompletionBatches(
          context,
          { model: 'm', prompt: 'a' },
          { signal, isBackground: true },
        ),
      ),
    { kind: 'completion', model: 'm', isBackground: true },
  ],
  [
    'a picture',
    (context) => read(generateImages(context, picture, { variants: 1, signal, price: { usd: 2 } })),
    { kind: 'image', price: { usd: 2 }, isBackground: false },
  ],
  [
    'a picture by the other endpoint',
    (context) => read(createImages(context, { model: 'p', prompt: 'a' }, { signal })),
    { kind: 'image', isBackground: false },
  ],
  [
    'a larger picture',
    (context) => read(upscaleImage(context, { image: png, scale: 2 }, { signal })),
    { kind: 'image', isBackground: false },
  ],
];

test.each(paidCalls)('%s is asked about before it is sent', async (_name, run, request) => {
  const { spending, requests, context } = watched({ body: ['{}'] });
  spending.refusal = new ServiceError({ code: 'over-budget', message: 'No.' });
  const outcome = await run(context).then(JSON.stringify, JSON.stringify);
  expect(outcome).toContain('over-budget');
  expect(spending.admitted).toEqual([request]);
  expect(requests).toEqual([]);
  expect(spending.bills).toEqual([]);
});

test.each<[string, ScriptedAnswer]>([
  ['was made', pictureReply],
  ['was refused', { status: 400, body: ['{}'] }],
])('a picture that %s holds its price no longer', async (_name, answer) => {
  const { spending, context } = watched(answer);
  await read(generateImages(context, picture, { variants: 1, signal, price: { usd: 2 } })).catch(
    () => {},
  );
  expect(spending.over).toEqual(spending.admitted);
  expect(spending.over).toHaveLength(1);
});

test.each([
  ['the list of models', (context: ServiceContext) => listModels(context, { signal })],
  ['limits', (context: ServiceContext) => getRateLimits(context, { signal })],
])('%s costs nothing', async (_name, run) => {
  const { spending, context } = watched({ body: ['{"data":[]}'] });
  await run(context).catch(() => {});
  expect(spending.admitted).toEqual([]);
});

const told = {
  usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 },
  cost: { usd: 0.25 },
};
const cutOff = { usage: estimateUsage(chat, delta.length) };
const lost = new ServiceError({ code: 'interrupted', message: 'Lost.' });

test.each<[string, ScriptedAnswer, readonly Bill[]]>([
  ['that says what it cost', { body: [delta, totals, done] }, [told]],
  [
    'that says nothing',
    { body: [delta + done] },
    [{ usage: estimateUsage(chat, delta.length + done.length) }],
  ],
  ['that is cut off', { body: [delta, lost] }, [cutOff]],
  ['that never began', { body: [lost] }, [{}]],
  ['that is an error', { body: [event({ error: 'overloaded' })] }, [{}]],
  ['that is refused', { status: 401, body: ['{}'] }, []],
])('a streamed answer %s is told once', async (_name, answer, bills) => {
  const { spending, context } = watched(answer);
  await read(flatten(streamChat(context, chat, { signal })));
  expect(spending.bills).toEqual(bills);
});

test('an answer that nobody reads on is told as far as it came', async () => {
  const { spending, context } = watched({ body: [delta, delta, totals] });
  for await (const { type } of flatten(streamChat(context, chat, { signal }))) {
    if (type === 'text-delta') break;
  }
  expect(spending.bills).toEqual([cutOff]);
});

test('a whole answer is told', async () => {
  const choices = [{ message: { content: 'Hello' }, finish_reason: 'stop' }];
  const { spending, context } = watched({
    body: [JSON.stringify({ choices, usage, cost: { usd: 0.25 } })],
  });
  await createChatCompletion(context, chat, { signal });
  expect(spending.bills).toEqual([told]);
});

test.each<[string, ScriptedAnswer, number]>([
  ['that came', pictureReply, 1],
  ['that was refused', { status: 400, body: ['{}'] }, 0],
  ['that is none', { body: ['{"error":"no"}'] }, 0],
])('a picture %s is told as often as it was made', async (_name, answer, times) => {
  const { spending, context } = watched(answer);
  await read(generateImages(context, picture, { variants: 1, signal })).catch(() => {});
  expect(spending.bills).toEqual(Array.from({ length: times }, () => ({})));
});

test('a picture in a chat counts as some text, not as all of its bytes', () => {
  const url = `data:image/png;base64,${'A'.repeat(4_000_000)}`;
  expect(estimateUsage([{ image_url: { url } }, { text: 'x'.repeat(400) }], 1_000)).toEqual({
    promptTokens: 1_100,
    completionTokens: 5,
    totalTokens: 1_105,
  });
});
