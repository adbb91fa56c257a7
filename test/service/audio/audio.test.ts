import { describe, expect, test } from 'vitest';
import { synthesizeSpeech } from './speech.ts';
import { decodeSpeech, encodeSpeech } from './tones.ts';
import { readWav } from './wav.ts';
import { postJson, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const requestSpeech = (service: LocalService, body: object): Promise<Response> =>
  postJson(service, { path: '/audio/speech', body: { model: 'default', ...body } });

const requestTranscription = (
  service: LocalService,
  file: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)]), 'audio.wav');
  for (const [name, value] of Object.entries({ model: 'default', ...fields }))
    form.append(name, value);
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return fetch(`${service.baseUrl}/audio/transcriptions`, { method: 'POST', headers, body: form });
};

describe('synthesized speech', () => {
  const encodeText = (text: string, speed: number): Float32Array =>
    Float32Array.from(
      [...encodeSpeech({ text, speed, timbre: 0.5 })].flatMap((samples) => [...samples]),
    );

  test.each([0.25, 1, 2, 4])('is decoded to the original text at speed %d', (speed) => {
    const text = 'The quick brown fox, 42 × “größer”.';
    expect(decodeSpeech(encodeText(text, speed), 24_000)).toBe(text);
  });

  test('is decoded to the original text at a different sample rate or at a low volume', () => {
    const samples = encodeText('Hello there', 1);
    const resampledSignal = Float32Array.from(
      { length: Math.floor((samples.length * 2) / 3) },
      (_, index) => {
        const position = index * 1.5;
        const [a = 0, b = 0] = [samples[Math.floor(position)], samples[Math.ceil(position)]];
        return (0.3 * (a + b)) / 2;
      },
    );
    expect(decodeSpeech(resampledSignal, 16_000)).toBe('Hello there');
  });

  test.each([
    ['silence', new Float32Array(24_000)],
    ['noise', Float32Array.from({ length: 24_000 }, (_, index) => Math.sin(index * index))],
  ])('is not detected in %s', (_, samples) =>
    expect(decodeSpeech(samples, 24_000).length).toBeLessThan(3),
  );
});

describe('POST /audio/speech', () => {
  test.each([
    ['mp3', 'audio/mpeg', 'fff344'],
    ['opus', 'audio/opus', '4f676753'],
    ['aac', 'audio/aac', 'fff158'],
    ['flac', 'audio/flac', '664c6143'],
    ['wav', 'audio/wav', '52494646'],
    ['pcm', 'audio/pcm', '0000'],
  ])('returns speech in the format %s', async (response_format, type, startHex) => {
    const service = await startTestService();
    const reply = await requestSpeech(service, { input: 'Hello', response_format });
    const file = Buffer.from(await reply.arrayBuffer());
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    expect(reply.headers.get('content-length')).toBe(String(file.length));
    expect(file.toString('hex').startsWith(startHex)).toBe(true);
  });

  test.each([
    [1, 15],
    [2, 7.5],
  ])('returns audio of the expected duration at speed %d', async (speed, seconds) => {
    const service = await startTestService();
    const reply = await requestSpeech(service, {
      input: 'x'.repeat(225),
      response_format: 'wav',
      speed,
    });
    const { samples, rate } = readWav(Buffer.from(await reply.arrayBuffer()));
    expect(samples.length / rate).toBeCloseTo(seconds + 0.1, 2);
  });

  test('streams audio that differs between voices', async () => {
    const service = await startTestService();
    const input = 'x'.repeat(200);
    const body = { input, response_format: 'pcm', streaming: true };
    const reply = await requestSpeech(service, { ...body, voice: 'af_sky' });
    expect(reply.headers.get('transfer-encoding')).toBe('chunked');
    const skyAudio = Buffer.from(await reply.arrayBuffer());
    const adamAudio = Buffer.from(
      await (await requestSpeech(service, { ...body, voice: 'am_adam' })).arrayBuffer(),
    );
    expect(skyAudio.length).toBe(adamAudio.length);
    expect(skyAudio.equals(adamAudio)).toBe(false);
  });

  test.each([
    ['an empty input', 400, { input: '' }],
    ['an input of 4,097 characters', 400, { input: 'x'.repeat(4_097) }],
    ['an unknown voice', 400, { input: 'Hi', voice: 'nobody' }],
    ['an unknown audio format', 400, { input: 'Hi', response_format: 'ogg' }],
    ['a speed above the limit', 400, { input: 'Hi', speed: 9 }],
    ['an unknown field', 400, { input: 'Hi', unknown: 1 }],
    ['an unknown model', 404, { input: 'Hi', model: 'gone' }],
  ])('rejects %s with status %d', async (_, status, body) => {
    const service = await startTestService();
    expect((await requestSpeech(service, body)).status).toBe(status);
  });
});

describe('POST /audio/transcriptions', () => {
  test.each(['wav', 'flac'] as const)(
    'transcribes a %s file and returns duration and timestamps',
    async (format) => {
      const service = await startTestService();
      const text = 'Rename the function, please.';
      const file = Buffer.concat([
        ...synthesizeSpeech({ text, voice: 'af_sky', speed: 1 }, format),
      ]);
      const reply = await requestTranscription(service, file, { timestamps: 'true' });
      const json = (await reply.json()) as { text: string; duration: number; timestamps: object };
      expect(json.text).toBe(text);
      expect(json.duration).toBeCloseTo(text.length / 15 + 0.1, 1);
      expect(json.timestamps).toMatchObject({ word: { 0: { word: 'Rename', start: 0 } } });
    },
  );

  test('returns plain text if the request sets the response format to text', async () => {
    const service = await startTestService();
    const file = Buffer.concat([
      ...synthesizeSpeech({ text: 'Hi', voice: 'af_sky', speed: 1 }, 'wav'),
    ]);
    const reply = await requestTranscription(service, file, { response_format: 'text' });
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await reply.text()).toBe('Hi');
  });

  test.each([
    ['text', Buffer.from('hello'), 400],
    ['no bytes', Buffer.alloc(0), 400],
    ['half a header', Buffer.from('RIFF\0\0\0\0WAVE'), 422],
    ['another audio format', Buffer.from('OggS and more bytes'), 422],
  ])('rejects a file that contains %s', async (_, file, status) => {
    const service = await startTestService();
    expect((await requestTranscription(service, file)).status).toBe(status);
  });

  test('rejects a JSON body and a form without a file', async () => {
    const service = await startTestService();
    const reply = await postJson(service, {
      path: '/audio/transcriptions',
      body: { model: 'default' },
    });
    expect([reply.status, await reply.json()]).toEqual([400, { error: 'No audio file provided' }]);
  });
});

test('the service charges speech per character, and transcription per second', async () => {
  const service = await startTestService();
  await requestSpeech(service, { input: 'x'.repeat(1_000) });
  const file = Buffer.concat([
    ...synthesizeSpeech({ text: 'x'.repeat(150), voice: 'a', speed: 1 }, 'wav'),
  ]);
  await requestTranscription(service, file);
  const { charges } = await service.control.getAccounts();
  // Prices: $3.50 per million characters, $0.0001 per second.
  expect(charges.map(({ diem }) => diem)).toEqual([3_500, 1_010]);
});
