import { expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../test/support/scripted-transport.ts';
import { Connection } from './http/connection.ts';
import type { RetryWait, ServiceError } from './http/failure.ts';
import { createInterruptedError } from './http/network-failure.ts';
import { readSpeech, restoreSpeechOptions, type SpeechEvent, streamSpeech } from './speech.ts';
import type { PaidRequest } from './chat/spending.ts';

const { signal } = new AbortController();
const speechRequest = { model: 'voice', input: 'Hello', format: 'wav' } as const;
const wavHeaders = { 'content-type': 'audio/wav; rate=24000' };

async function collectEvents(answer: ScriptedAnswer) {
  const service = createScriptedService(answer);
  const events: SpeechEvent[] = [];
  let code = 'complete';
  try {
    for await (const event of streamSpeech(service.context, speechRequest, { signal }))
      events.push(event);
  } catch (error) {
    code = (error as ServiceError).failure.code;
  }
  return { types: events.map(({ type }) => type), code, ...service };
}

test('streamSpeech sends the speech options and yields each chunk of audio', async () => {
  const { context, requests } = createScriptedService({
    headers: wavHeaders,
    body: ['RIFF', 'more'],
  });
  const fullRequest = { ...speechRequest, voice: 'sky', speed: 1.5 };
  const events: SpeechEvent[] = [];
  for await (const event of streamSpeech(context, fullRequest, { signal })) events.push(event);
  expect(events[0]).toEqual({ type: 'audio-start', mediaType: 'audio/wav' });
  expect(events.slice(1).map((event) => event.type)).toEqual(['audio-bytes', 'audio-bytes']);
  expect(requests[0]?.url.pathname).toBe('/api/v1/audio/speech');
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    model: 'voice',
    input: 'Hello',
    response_format: 'wav',
    streaming: true,
    voice: 'sky',
    speed: 1.5,
  });
});

test('readSpeech returns the complete audio file without streaming', async () => {
  const { context, requests } = createScriptedService({
    headers: wavHeaders,
    body: ['RIFF', 'more'],
  });
  const audio = await readSpeech(context, speechRequest, { signal });
  expect(Buffer.from(audio).toString()).toBe('RIFFmore');
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    model: 'voice',
    input: 'Hello',
    response_format: 'wav',
  });
});

test('readSpeech reports the delay before a retry', async () => {
  const busyAnswer = { status: 503, headers: { 'retry-after': '2' } };
  const { context, clock } = createScriptedService(busyAnswer, {
    headers: wavHeaders,
    body: ['RIFF'],
  });
  const delays: number[] = [];
  const onRetryWait = ({ delayMs }: RetryWait): void => void delays.push(delayMs);
  const file = readSpeech({ ...context, onRetryWait }, speechRequest, { signal });
  await clock.advance(2_000);
  expect([Buffer.from(await file).toString(), delays]).toEqual(['RIFF', [2_000]]);
});

test.each<[string, ScriptedAnswer, readonly string[], string]>([
  ['an empty body', { headers: wavHeaders, body: [] }, [], 'unexpected-response'],
  ['only empty chunks', { headers: wavHeaders, body: ['', ''] }, [], 'unexpected-response'],
  [
    'an HTML page',
    { headers: { 'content-type': 'text/html' }, body: ['<html>'] },
    [],
    'unexpected-response',
  ],
  ['audio without a content type', { body: ['RIFF'] }, [], 'unexpected-response'],
  [
    'JSON in place of audio',
    { headers: { 'content-type': 'application/json' }, body: ['{"error":"Stream error"}'] },
    [],
    'unexpected-response',
  ],
  [
    'audio shorter than its content length',
    { headers: { ...wavHeaders, 'content-length': '9' }, body: ['RIFF'] },
    ['audio-start', 'audio-bytes'],
    'interrupted',
  ],
  [
    'audio cut off by a lost connection',
    { headers: wavHeaders, body: ['RIFF', createInterruptedError()] },
    ['audio-start', 'audio-bytes'],
    'interrupted',
  ],
  [
    'audio of an unnamed type',
    { headers: { 'content-type': 'application/octet-stream' }, body: ['RIFF'] },
    ['audio-start', 'audio-bytes'],
    'complete',
  ],
  ['an error status', { status: 400, body: ['{"error":"Invalid voice"}'] }, [], 'invalid-request'],
])(
  'streamSpeech, given a response with %s, ends with the outcome $3',
  async (_, answer, types, code) => {
    const result = await collectEvents(answer);
    expect([result.types, result.code]).toEqual([types, code]);
  },
);

test('streamSpeech records the price only once if the caller stops reading early', async () => {
  const { context } = createScriptedService({ headers: wavHeaders, body: ['RIFF', 'more'] });
  const spendingCalls: string[] = [];
  const spending = {
    authorizeRequest: async ({ kind, price }: PaidRequest) =>
      void spendingCalls.push(`${kind} ${price?.usd}`),
    recordSpending: () => void spendingCalls.push('spent'),
    releaseReservedPrice: () => void spendingCalls.push('ended'),
  };
  const options = { signal, price: { usd: 0.5 } };
  for await (const event of streamSpeech({ ...context, spending }, speechRequest, options)) {
    if (event.type === 'audio-bytes') break;
  }
  expect(spendingCalls).toEqual(['speech 0.5', 'spent', 'ended']);
});

const createRefusal = (name: string): ScriptedAnswer => ({
  status: 400,
  body: [JSON.stringify({ error: `Unrecognized key(s) in object: '${name}'` })],
});

test('streamSpeech repeats a request once without the `streaming` field if the service does not know this field', async () => {
  const reply = { headers: wavHeaders, body: ['RIFF'] };
  const { context, requests } = createScriptedService(createRefusal('streaming'), reply, reply);
  const connection = new Connection();
  const getEndpoint = async () => ({ ...(await context.getEndpoint()), connection });
  for (let count = 0; count < 2; count++) {
    const events: SpeechEvent[] = [];
    for await (const event of streamSpeech({ ...context, getEndpoint }, speechRequest, { signal }))
      events.push(event);
    expect(events.at(-1)?.type).toBe('audio-bytes');
  }
  const streamingFlags = requests.map(({ body }) => String(body).includes('streaming'));
  expect(streamingFlags).toEqual([true, false, false]);
});

test.each([
  ['voice', 'This service does not support this option: Voice.'],
  ['speed', 'This service does not support this option: Speed.'],
])(
  'streamSpeech names the option %s in the failure if the service refuses this option and the user chose it',
  async (name, message) => {
    const { context, requests } = createScriptedService(createRefusal(name));
    const options = { ...speechRequest, voice: 'sky', speed: 1.5 };
    await expect(readSpeech(context, options, { signal })).rejects.toMatchObject({
      failure: { code: 'unsupported-option', message, refusedField: `speech.${name}:voice` },
    });
    expect(requests).toHaveLength(1);
  },
);

test('readSpeech sends no default speed', async () => {
  const { context, requests } = createScriptedService({ headers: wavHeaders, body: ['RIFF'] });
  await readSpeech(context, { ...speechRequest, speed: 1 }, { signal });
  expect(String(requests[0]?.body)).not.toContain('speed');
});

test('streamSpeech omits the voice after the user agreed to omit it, until the user chooses a voice again', async () => {
  const reply = { headers: wavHeaders, body: ['RIFF'] };
  const { context, requests } = createScriptedService(reply, reply);
  const connection = new Connection();
  const getEndpoint = async () => ({ ...(await context.getEndpoint()), connection });
  const options = { ...speechRequest, voice: 'sky' };
  connection.omitField('speech.voice:voice');
  await readSpeech({ ...context, getEndpoint }, options, { signal });
  restoreSpeechOptions(connection, 'voice');
  await readSpeech({ ...context, getEndpoint }, options, { signal });
  const voiceFlags = requests.map(({ body }) => String(body).includes('"voice":"sky"'));
  expect(voiceFlags).toEqual([false, true]);
});
