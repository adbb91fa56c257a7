import { expect, test } from 'vitest';
import { toBatches } from '../../test/support/batches.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { MemoryStore } from '../../test/support/memory-store.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import { type ChatPorts, ChatSession, type SessionEvent } from './chat-session.ts';
import { type Answer, type AnswerImage, Conversation } from '../conversation/conversation.ts';
import { exportMarkdown } from '../conversation/export.ts';
import type {
  ImageGenerator,
  ImageGenerationOptions,
  GeneratedImages,
} from '../image/image-generator.ts';
import { decodeJournal, encodeRecords } from '../conversation/journal.ts';

const foxImage: AnswerImage = {
  id: 'fox-1',
  format: 'webp',
  width: 1_024,
  height: 768,
  alt: 'a red fox',
  caption: 'Painter · 1024 × 768 · $0.01',
};
const generatedImages: GeneratedImages = { images: [foxImage], cost: { usd: 0.01 } };

test('a chat answers /image without a request to the text model, and restores the answer from disk', async () => {
  const { session, store, prompts, requests } = createChat(() => Promise.resolve(generatedImages));
  await session.send('/image a red fox', []);
  expect(prompts).toEqual(['a red fox']);
  expect(requests).toEqual([]);
  const answer = (await store.load('c1'))?.head;
  expect(answer).toMatchObject({
    model: { id: 'painter', name: 'Painter' },
    status: 'complete',
    text: '',
    images: [foxImage],
    result: { cost: { usd: 0.01 }, costEstimated: true, finishReason: 'stop' },
  });
  expect(session.runningAnswerId).toBeUndefined();
});

test('a chat sends a description of the generated image to the text model instead of the image', async () => {
  const { session, requests } = createChat(() => Promise.resolve(generatedImages));
  await session.send('/image a red fox', []);
  await session.send('What was it?', []);
  expect(requests[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: '/image a red fox' },
    { role: 'assistant', content: '[An image was generated for the user: a red fox]\n' },
    { role: 'user', content: 'What was it?' },
  ]);
  const secondAnswer = session.conversation.head as Answer;
  expect([secondAnswer.model.id, secondAnswer.images]).toEqual(['text-1', undefined]);
});

test('a chat generates another image for a retry and for an edited /image prompt, but not for an edit that removes /image', async () => {
  const { session, prompts } = createChat(() => Promise.resolve(generatedImages));
  await session.send('/image a red fox', []);
  const firstAnswer = session.conversation.head as Answer;
  await session.retry(firstAnswer.id);
  const secondAnswer = session.conversation.head as Answer;
  expect(session.conversation.listSiblingIds(secondAnswer)).toEqual([
    firstAnswer.id,
    secondAnswer.id,
  ]);
  await session.edit(firstAnswer.parentId, '/image a blue fox');
  expect(prompts).toEqual(['a red fox', 'a red fox', 'a blue fox']);
  await session.edit(firstAnswer.parentId, 'no image');
  expect((session.conversation.head as Answer).images).toBeUndefined();
});

test('a chat keeps an image that was already generated when the user stops the turn', async () => {
  const failure = { code: 'stopped', message: 'Stopped.' } as const;
  const { session } = createChat((_, { signal }) => {
    const outcome = { ...generatedImages, failure };
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(outcome)));
  });
  const turnEnded = session.send('/image a red fox', []);
  await new Promise((resolve) => setImmediate(resolve));
  await session.stop();
  await turnEnded;
  expect(session.conversation.head).toMatchObject({ status: 'stopped', images: [foxImage] });
});

test('an image turn ends with a failed answer without images if the generator reports a failure', async () => {
  const failure = { code: 'out-of-funds', message: 'No money.' } as const;
  const { session, sessionEvents } = createChat(() => Promise.resolve({ images: [], failure }));
  await session.send('/image a red fox', []);
  expect(session.conversation.head).toMatchObject({
    status: 'failed',
    images: [],
    result: { failure },
  });
  expect(sessionEvents.at(-1)).toMatchObject({ type: 'work-end', answer: { status: 'failed' } });
});

test('a chat measures the time of an image from the start of the request, and excludes the time of the dialog before the request', async () => {
  const { session, sessionEvents, clock } = createChat(async (_, { onRequest }) => {
    await clock.advance(60_000);
    onRequest();
    await clock.advance(1_500);
    return generatedImages;
  });
  await session.send('/image a red fox', []);
  expect(session.conversation.head).toMatchObject({ result: { durationMs: 1_500 } });
  const requests = sessionEvents.flatMap((sessionEvent) =>
    sessionEvent.type === 'turn-event' && sessionEvent.event.type === 'image-request'
      ? [sessionEvent.event.at]
      : [],
  );
  expect(requests).toEqual([clock.now() - 1_500]);
});

test('a chat reports the wait before the retry of an image request, and the start of the retry', async () => {
  const failure = { code: 'rate-limited', message: 'Slow down.' } as const;
  const { session, sessionEvents, clock } = createChat((_, { onRetryWait, onReply }) => {
    onRetryWait(failure, 2_000);
    onReply();
    return Promise.resolve(generatedImages);
  });
  await session.send('/image a red fox', []);
  const events = sessionEvents.flatMap((sessionEvent) =>
    sessionEvent.type === 'turn-event' ? [sessionEvent.event] : [],
  );
  expect(events.slice(0, 2)).toEqual([
    { type: 'retry-wait', failure, until: clock.now() + 2_000 },
    { type: 'retry-start' },
  ]);
});

test('an image turn marks the answer as interrupted if the window closes', async () => {
  const { session } = createChat(
    (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({ images: [], failure: { code: 'stopped', message: 'Stopped.' } }),
        ),
      ),
  );
  const turn = session.send('/image a red fox', []);
  await new Promise((resolve) => setImmediate(resolve));
  session.dispose();
  await turn;
  await session.waitUntilSettled();
  expect(session.conversation.head).toMatchObject({ status: 'interrupted' });
});

test('a chat exports the prompt, the model and the price of the image', async () => {
  const { session } = createChat(() => Promise.resolve(generatedImages));
  await session.send('/image a red fox', []);
  expect(exportMarkdown(session.conversation)).toContain(
    'Image: `a red fox` (Painter · 1024 × 768 · $0.01)',
  );
});

test.each([
  ['a path as its id', { ...foxImage, id: '../../key' }],
  ['an unsupported format', { ...foxImage, format: 'svg' }],
  ['a negative width', { ...foxImage, width: -1 }],
  ['no alternative text', { ...foxImage, alt: undefined }],
])('a chat ignores an image in a journal if the image has %s', (_, image) => {
  const startRecord = { type: 'conversation-start', version: 1, id: 'c1', at: 0, folder: null };
  const message = {
    role: 'assistant',
    id: 'a',
    parentId: 'u',
    createdAt: 0,
    model: { id: 'm', name: 'm' },
    text: '',
    reasoning: '',
    status: 'complete',
    result: {},
    toolRuns: [],
    images: [],
  };
  const userMessage = {
    role: 'user',
    id: 'u',
    parentId: null,
    createdAt: 0,
    text: '/image x',
    attachments: [],
  };
  const lines = [
    startRecord,
    { type: 'message-add', message: userMessage },
    { type: 'message-add', message },
    { type: 'image-add', id: 'a', image },
    { type: 'image-add', id: 'a', image: foxImage },
  ];
  const conversation = decodeJournal(encodeRecords(lines as never));
  expect(conversation?.head).toMatchObject({ images: [foxImage] });
});

type GenerateImage = ImageGenerator['generate'];

function createChat(generate: GenerateImage) {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const prompts: string[] = [];
  const requests: ChatRequest[] = [];
  const sessionEvents: SessionEvent[] = [];
  let idCount = 0;
  const ports: ChatPorts = {
    store,
    clock,
    createId: () => `m${++idCount}`,
    images: {
      getModel: () => ({ id: 'painter', name: 'Painter' }),
      generate: (prompt: string, options: ImageGenerationOptions) => {
        prompts.push(prompt);
        return generate(prompt, options);
      },
    },
    stream: async (request) => {
      requests.push(request);
      return toBatches([
        { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } },
      ]);
    },
    getModel: () => ({ id: 'text-1', name: 'Text' }),
    estimateCost: () => undefined,
    reportRequestOutcome: () => {},
    logError: () => {},
    onStoreFailure: () => {},
  };
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 0, folder: null } as const;
  const session = new ChatSession(new Conversation(start), ports, [start]);
  session.onDidChange((event) => sessionEvents.push(event));
  return { session, store, clock, prompts, requests, sessionEvents };
}
