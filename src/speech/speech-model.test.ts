import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import { decodeCachedModel } from '../models/cache-record.ts';
import {
  chooseFormat,
  chooseModel,
  chooseVoice,
  computeTranscriptionCost,
  listTranscriptionModels,
  estimateMaxRecordingSeconds,
  computeSpeechCost,
  listSpeechModels,
} from './speech-model.ts';

const createModel = (spec: object, type = 'tts', id = 'm') => {
  const model = readModel({ id, type, model_spec: spec });
  if (model === undefined) throw new Error('No model');
  return model;
};

const speechModel = createModel({
  voices: ['sky', 'sky', 7, '', 'adam'],
  default_voice: 'adam',
  supported_formats: ['mp3', 'wav', 'odd'],
  default_format: 'mp3',
  pricing: { input: { usd: 3.5, diem: 3.5 } },
});

test('readModel reads distinct voices and formats, and restores them from the cache', () => {
  expect(speechModel.speech).toEqual({
    voices: ['sky', 'adam'],
    defaultVoice: 'adam',
    formats: ['mp3', 'wav', 'odd'],
    defaultFormat: 'mp3',
  });
  expect(decodeCachedModel(JSON.parse(JSON.stringify(speechModel)))?.speech).toEqual(
    speechModel.speech,
  );
});

test.each([
  [
    { voices: 'sky', supported_formats: {}, default_voice: 7 },
    { voices: [], formats: [] },
  ],
  [{}, { voices: [], formats: [] }],
])('readModel reads no voices and formats from the model record %j', (spec, traits) =>
  expect(createModel(spec).speech).toEqual(traits),
);

test.each([
  ['', 'adam'],
  ['sky', 'sky'],
  ['gone', 'adam'],
])('chooseVoice, given the requested voice %j, returns the voice %s', (requestedVoice, voice) =>
  expect(chooseVoice(speechModel, requestedVoice)).toBe(voice),
);

test.each([
  [['mp3', 'wav'], ['wav', 'pcm'], 'wav'],
  [['opus'], ['wav', 'pcm'], 'opus'],
  [['odd'], ['wav', 'pcm'], 'wav'],
  [[], ['pcm'], 'pcm'],
] as const)(
  'chooseFormat, given the supported formats %j and the preferred formats %j, returns the format %s',
  (formats, preferredFormats, format) =>
    expect(chooseFormat(createModel({ supported_formats: formats }), preferredFormats)).toBe(
      format,
    ),
);

test('computeSpeechCost computes the cost of speech by characters and of transcription by seconds', () => {
  expect(computeSpeechCost(speechModel, 2_000_000)).toEqual({ usd: 7, diem: 7 });
  expect(computeSpeechCost(createModel({}), 10)).toBeUndefined();
  const transcriber = createModel({ pricing: { per_audio_second: { usd: 0.5 } } }, 'asr');
  expect(computeTranscriptionCost(transcriber, 4)).toEqual({ usd: 2 });
  expect(
    computeTranscriptionCost(createModel({ pricing: { per_audio_second: 7 } }, 'asr'), 4),
  ).toBeUndefined();
});

test('chooseModel selects an available model by id, else the best available model', () => {
  const offlineModel = createModel({ offline: true, traits: ['default'] }, 'tts', 'off');
  const [a, b] = [createModel({ name: 'A' }, 'tts', 'a'), createModel({ name: 'B' }, 'tts', 'b')];
  const allModels = [offlineModel, b, a, createModel({}, 'asr', 'ears')];
  expect(listSpeechModels(allModels).map(({ id }) => id)).toEqual(['a', 'b', 'off']);
  expect(listTranscriptionModels(allModels).map(({ id }) => id)).toEqual(['ears']);
  expect(chooseModel(listSpeechModels(allModels), 'b')?.id).toBe('b');
  expect(chooseModel(listSpeechModels(allModels), 'off')?.id).toBe('a');
  expect(chooseModel([], '')).toBeUndefined();
});

test.each([
  ['wav', 80_000, 10],
  ['flac', 80_000, 20],
  ['mp3', 80_000, 80],
  ['ogg', 0, 0],
] as const)(
  'estimateMaxRecordingSeconds estimates that a %s file of %i bytes has at most %i seconds',
  (kind, byteCount, seconds) => {
    expect(estimateMaxRecordingSeconds(byteCount, kind)).toBe(seconds);
  },
);
