import { editModels } from './edit-models.ts';
import { imageModels, upscalePricing } from './image-models.ts';
import { type MediaModelDefinition, createMediaRecord, toPrice } from './media-record.ts';
import type { ModelRecord } from './model.ts';

const definitions: readonly MediaModelDefinition[] = [
  {
    id: 'enlarger',
    type: 'upscale',
    name: 'Enlarger',
    description: 'Makes images two or four times as large.',
    traits: ['default'],
    pricing: { upscale: upscalePricing },
  },
  {
    id: 'embed-m3',
    type: 'embedding',
    name: 'Embed M3',
    description: 'Multilingual text embeddings.',
    traits: ['default'],
    pricing: { input: toPrice(0.15), output: toPrice(0.6) },
    extraSpec: { embeddingDimensions: 1024, maxInputTokens: 8192, supportsCustomDimensions: false },
  },
  {
    id: 'embed-flex-8b',
    type: 'embedding',
    name: 'Embed Flex 8B',
    description: 'Text embeddings of as many dimensions as asked for.',
    pricing: { input: toPrice(0.3), output: toPrice(0.3) },
    extraSpec: { embeddingDimensions: 2048, maxInputTokens: 8192, supportsCustomDimensions: true },
  },
  {
    id: 'speaker-natural',
    type: 'tts',
    name: 'Speaker Natural',
    description: 'Natural voices in several languages.',
    traits: ['default'],
    pricing: { input: toPrice(3.5) },
    extraSpec: {
      voices: ['af_sky', 'af_bella', 'af_heart', 'am_adam', 'bf_emma'],
      default_voice: 'af_sky',
      supported_formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
      default_format: 'mp3',
      supports_custom_voice_id: false,
    },
  },
  {
    id: 'listener-v3',
    type: 'asr',
    name: 'Listener V3',
    description: 'Transcribes speech.',
    traits: ['default'],
    pricing: { per_audio_second: toPrice(0.0001) },
  },
  {
    id: 'composer-song',
    type: 'music',
    name: 'Composer Song',
    description: 'Songs with or without lyrics.',
    traits: ['default'],
    pricing: { per_second: toPrice(0.002) },
    extraSpec: {
      supports_lyrics: true,
      lyrics_required: false,
      supports_force_instrumental: true,
      min_duration: 10,
      max_duration: 240,
      default_duration: 60,
      prompt_character_limit: 500,
    },
  },
  {
    id: 'director-clip',
    type: 'video',
    name: 'Director Clip',
    description: 'Short clips from text.',
    traits: ['default'],
    constraints: {
      aspect_ratios: ['16:9', '9:16', '1:1'],
      resolutions: ['720p', '1080p'],
      durations: ['5s', '10s'],
      model_type: 'text-to-video',
      audio: false,
      audio_configurable: false,
      prompt_character_limit: 2500,
    },
  },
];

/** All models except for text models. */
export const mediaModels: readonly ModelRecord[] = [
  ...imageModels.map(({ record }) => record),
  ...editModels.map(({ record }) => record),
  ...definitions.map(createMediaRecord),
];
