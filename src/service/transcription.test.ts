import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import type { PaidRequest } from './chat/spending.ts';
import { maxAudioBytes, transcribeAudio } from './transcription.ts';

const { signal } = new AbortController();
const audioBytes = new Uint8Array([82, 73, 70, 70, 0, 255]);
const transcriptionRequest = { model: 'ears', audio: audioBytes, kind: 'wav' } as const;

test('transcribeAudio sends the recording as a multipart form and reads the transcript', async () => {
  const { context, requests } = createScriptedService({
    body: ['{"text":"Hello","duration":1.5}'],
  });
  const options = { signal };
  const transcription = await transcribeAudio(
    context,
    { ...transcriptionRequest, language: 'de' },
    options,
  );
  expect(transcription).toEqual({ text: 'Hello', duration: 1.5 });
  const [sentRequest] = requests;
  const type = sentRequest?.headers['content-type'] ?? '';
  expect(type).toMatch(/^multipart\/form-data; boundary=/u);
  const form = await new Response(sentRequest?.body as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': type },
  }).formData();
  const file = form.get('file') as File;
  expect([file.name, file.type]).toEqual(['audio.wav', 'audio/wav']);
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(audioBytes);
  expect([form.get('model'), form.get('response_format'), form.get('language')]).toEqual([
    'ears',
    'json',
    'de',
  ]);
});

test.each([
  ['{"text":""}', { text: '' }],
  ['{"text":"Hi","duration":"x"}', { text: 'Hi' }],
  ['{"text":"Hi","duration":-1,"timestamps":7}', { text: 'Hi' }],
])(
  'transcribeAudio converts the response %s to the transcription %j',
  async (body, transcription) => {
    const { context } = createScriptedService({ body: [body] });
    expect(await transcribeAudio(context, transcriptionRequest, { signal })).toEqual(transcription);
  },
);

test.each([
  ['an empty body', ''],
  ['null', 'null'],
  ['an array', '[]'],
  ['an object without text', '{}'],
  ['a number as the text', '{"text":7}'],
  ['HTML', '<html>'],
  ['a body larger than the limit', `{"text":"${'x'.repeat(5_000_000)}"}`],
])('transcribeAudio rejects %s as a transcription', async (_, body) => {
  const { context } = createScriptedService({ body: [body] });
  await expect(transcribeAudio(context, transcriptionRequest, { signal })).rejects.toMatchObject({
    failure: { code: 'unexpected-response' },
  });
});

test('transcribeAudio rejects a recording larger than the limit without sending a request', async () => {
  const { context, requests } = createScriptedService();
  const largeRequest = { ...transcriptionRequest, audio: new Uint8Array(maxAudioBytes + 1) };
  await expect(transcribeAudio(context, largeRequest, { signal })).rejects.toMatchObject({
    failure: { code: 'payload-too-large' },
  });
  expect(requests).toEqual([]);
});

test.each([
  ['for the duration in the response', '{"text":"Hi","duration":90}', { usd: 0.9 }],
  ['at the estimated price if the response has no duration', '{"text":"Hi"}', { usd: 5 }],
  ['at the estimated price if the response is invalid', '[]', { usd: 5 }],
])('transcribeAudio records spending %s', async (_, body, expectedPrice) => {
  const { context } = createScriptedService({ body: [body] });
  const calls: unknown[] = [];
  const spending = {
    authorizeRequest: async ({ price }: PaidRequest) => void calls.push(price),
    recordSpending: ({ price }: PaidRequest) => void calls.push(price),
    releaseReservedPrice: ({ price }: PaidRequest) => void calls.push(price),
  };
  const createPrice = (seconds: number) => ({ usd: seconds / 100 });
  const options = { signal, price: { usd: 5 }, getPrice: createPrice };
  await transcribeAudio({ ...context, spending }, transcriptionRequest, options).catch(() => {});
  expect(calls).toEqual([{ usd: 5 }, expectedPrice, { usd: 5 }]);
});
