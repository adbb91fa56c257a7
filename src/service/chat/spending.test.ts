import { expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import { createChatCompletion } from './chat.ts';
import { streamChat } from './stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ServiceContext } from '../http/client.ts';
import { streamCompletionBatches } from './completions.ts';
import { ServiceError } from '../http/failure.ts';
import { buildCreateRouteCall } from '../images/create-image.ts';
import { generateImages, upscaleImage, requestImages } from '../images/image-calls.ts';
import { listModels } from '../models.ts';
import { getRateLimits } from '../api-keys.ts';
import { type Bill, type PaidRequest, estimateUsage, type Spending } from './spending.ts';

const { signal } = new AbortController();
const chatRequest = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(400) }] } as const;
const imageRequest = { model: 'p', prompt: 'a', width: 64, height: 64 } as const;
const pngBytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
const imageResponse: ScriptedAnswer = {
  headers: { 'content-type': 'image/png' },
  body: [pngBytes],
};
const formatEvent = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const deltaEventText = formatEvent({ choices: [{ delta: { content: 'Hello' } }] });
const usage = { prompt_tokens: 7, completion_tokens: 2 };
const totalsEventText = formatEvent({ choices: [], usage, cost: { usd: 0.25 } });
const doneEventText = 'data: [DONE]\n\n';

/** Budget that records all its calls. Authorizes every request unless `refusal` is set. */
class RecordedSpending implements Spending {
  readonly authorizedRequests: PaidRequest[] = [];
  readonly bills: Bill[] = [];
  readonly releasedRequests: PaidRequest[] = [];
  refusal: ServiceError | undefined;

  async authorizeRequest(request: PaidRequest): Promise<void> {
    this.authorizedRequests.push(request);
    if (this.refusal !== undefined) throw this.refusal;
  }

  recordSpending(_request: PaidRequest, bill: Bill): void {
    this.bills.push(bill);
  }

  releaseReservedPrice(request: PaidRequest): void {
    this.releasedRequests.push(request);
  }
}

function startService(...answers: readonly ScriptedAnswer[]) {
  const spending = new RecordedSpending();
  const { context, requests } = createScriptedService(...answers);
  return { spending, requests, context: { ...context, spending } as ServiceContext };
}

async function readEvents(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const allEvents: unknown[] = [];
  for await (const event of events) allEvents.push(event);
  return allEvents;
}

type RunRequest = (context: ServiceContext) => Promise<unknown>;
const paidCalls: readonly (readonly [string, RunRequest, PaidRequest])[] = [
  [
    'a streamed chat',
    (context) => readEvents(flattenBatches(streamChat(context, chatRequest, { signal }))),
    { kind: 'chat', model: 'm', isBackground: false },
  ],
  [
    'a complete chat',
    (context) => createChatCompletion(context, chatRequest, { signal }),
    { kind: 'chat', model: 'm', isBackground: false },
  ],
  [
    'an inline suggestion',
    (context) =>
      readEvents(
        streamCompletionBatches(
          context,
          { model: 'm', prompt: 'a' },
          { signal, isBackground: true },
        ),
      ),
    { kind: 'completion', model: 'm', isBackground: true },
  ],
  [
    'an image',
    (context) =>
      readEvents(generateImages(context, imageRequest, { variants: 1, signal, price: { usd: 2 } })),
    { kind: 'image', model: imageRequest.model, price: { usd: 2 }, isBackground: false },
  ],
  [
    'an image of the OpenAI-compatible endpoint',
    (context) =>
      readEvents(
        requestImages(context, buildCreateRouteCall({ model: 'p', prompt: 'a' }), {
          imageCount: 1,
          model: 'p',
          signal,
        }),
      ),
    { kind: 'image', model: 'p', isBackground: false },
  ],
  [
    'an upscaled image',
    (context) => readEvents(upscaleImage(context, { image: pngBytes, scale: 2 }, { signal })),
    { kind: 'image', model: 'upscale', isBackground: false },
  ],
];

test.each(paidCalls)(
  'a client sends no request for %s if the budget check rejects the request',
  async (_name, run, request) => {
    const { spending, requests, context } = startService({ body: ['{}'] });
    spending.refusal = new ServiceError({ code: 'over-budget', message: 'No.' });
    const outcomeJson = await run(context).then(JSON.stringify, JSON.stringify);
    expect(outcomeJson).toContain('over-budget');
    expect(spending.authorizedRequests).toEqual([request]);
    expect(requests).toEqual([]);
    expect(spending.bills).toEqual([]);
  },
);

test.each([
  ['a chat', { body: ['data: [DONE]\n\n'] }, paidCalls[0]![1]],
  ['an image', imageResponse, paidCalls[3]![1]],
] as const)(
  'a client reports the start of the request for %s after the budget check',
  async (_name, answer, run) => {
    const { spending, requests, context } = startService(answer);
    const requestCounts: number[] = [];
    spending.authorizeRequest = async () => void requestCounts.push(requests.length);
    const events = await run(context);
    expect(requestCounts).toEqual([0]);
    expect(events).toMatchObject({ 0: { type: 'request-start' } });
  },
);

test.each<[string, ScriptedAnswer]>([
  ['was answered', imageResponse],
  ['was rejected', { status: 400, body: ['{}'] }],
])('a client releases the reserved price after an image request %s', async (_name, answer) => {
  const { spending, context } = startService(answer);
  await readEvents(
    generateImages(context, imageRequest, { variants: 1, signal, price: { usd: 2 } }),
  ).catch(() => {});
  expect(spending.releasedRequests).toEqual(spending.authorizedRequests);
  expect(spending.releasedRequests).toHaveLength(1);
});

test.each([
  ['the model list', (context: ServiceContext) => listModels(context, { signal })],
  ['the rate limits', (context: ServiceContext) => getRateLimits(context, { signal })],
])('a client requests %s without a budget check', async (_name, run) => {
  const { spending, context } = startService({ body: ['{"data":[]}'] });
  await run(context).catch(() => {});
  expect(spending.authorizedRequests).toEqual([]);
});

const reportedBill = {
  usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 },
  cost: { usd: 0.25 },
};
const interruptedBill = { usage: estimateUsage(chatRequest, deltaEventText.length) };
const connectionLostError = new ServiceError({ code: 'interrupted', message: 'Lost.' });

test.each<[string, ScriptedAnswer, readonly Bill[]]>([
  [
    'the reported usage and cost of a streamed response',
    { body: [deltaEventText, totalsEventText, doneEventText] },
    [reportedBill],
  ],
  [
    'an estimated usage for a streamed response without usage',
    { body: [deltaEventText + doneEventText] },
    [{ usage: estimateUsage(chatRequest, deltaEventText.length + doneEventText.length) }],
  ],
  [
    'an estimated usage for an interrupted response',
    { body: [deltaEventText, connectionLostError] },
    [interruptedBill],
  ],
  ['an unknown cost for a response that never started', { body: [connectionLostError] }, [{}]],
  [
    'an unknown cost for a streamed response with an error',
    { body: [formatEvent({ error: 'overloaded' })] },
    [{}],
  ],
  ['no cost for a rejected request', { status: 401, body: ['{}'] }, []],
])('a client records %s', async (_name, answer, bills) => {
  const { spending, context } = startService(answer);
  await readEvents(flattenBatches(streamChat(context, chatRequest, { signal })));
  expect(spending.bills).toEqual(bills);
});

test('a client records estimated usage for a stream that the caller stops reading', async () => {
  const { spending, context } = startService({
    body: [deltaEventText, deltaEventText, totalsEventText],
  });
  for await (const { type } of flattenBatches(streamChat(context, chatRequest, { signal }))) {
    if (type === 'text-delta') break;
  }
  expect(spending.bills).toEqual([interruptedBill]);
});

test('a client records the usage and cost of a complete response', async () => {
  const choices = [{ message: { content: 'Hello' }, finish_reason: 'stop' }];
  const { spending, context } = startService({
    body: [JSON.stringify({ choices, usage, cost: { usd: 0.25 } })],
  });
  await createChatCompletion(context, chatRequest, { signal });
  expect(spending.bills).toEqual([reportedBill]);
});

test.each<[string, ScriptedAnswer, number]>([
  ['the cost of an image response', imageResponse, 1],
  ['no cost for a rejected image request', { status: 400, body: ['{}'] }, 0],
  ['no cost for an image response with an error', { body: ['{"error":"no"}'] }, 0],
])('a client records %s', async (_name, answer, recordCount) => {
  const { spending, context } = startService(answer);
  await readEvents(generateImages(context, imageRequest, { variants: 1, signal })).catch(() => {});
  expect(spending.bills).toEqual(Array.from({ length: recordCount }, () => ({})));
});

test('estimateUsage counts an image in a chat as a fixed number of tokens, regardless of the image size', () => {
  const url = `data:image/png;base64,${'A'.repeat(4_000_000)}`;
  expect(estimateUsage([{ image_url: { url } }, { text: 'x'.repeat(400) }], 1_000)).toEqual({
    promptTokens: 1_100,
    completionTokens: 5,
    totalTokens: 1_105,
  });
});
