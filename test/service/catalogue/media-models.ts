import type { ModelRecord, ModelSpec, ModelType } from './model.ts';

interface Draft {
  readonly id: string;
  readonly type: ModelType;
  readonly name: string;
  readonly description: string;
  readonly traits?: readonly string[];
  readonly pricing?: object;
  readonly constraints?: object;
  readonly extra?: Partial<ModelSpec>;
}

const money = (value: number) => ({ usd: value, diem: value });
const upscale = { '2x': money(0.02), '4x': money(0.08) };
const ratios = ['1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '4:5'];

const drafts: readonly Draft[] = [
  {
    id: 'painter-turbo',
    type: 'image',
    name: 'Painter Turbo',
    description: 'Pixel-sized images in a second or two.',
    traits: ['default', 'fastest'],
    constraints: {
      promptCharacterLimit: 7500,
      steps: { default: 8, max: 8 },
      widthHeightDivisor: 8,
    },
    pricing: { generation: money(0.01), upscale },
  },
  {
    id: 'painter-fine',
    type: 'image',
    name: 'Painter Fine',
    description: 'Pixel-sized images with styles and many steps.',
    constraints: {
      promptCharacterLimit: 1500,
      steps: { default: 25, max: 30 },
      widthHeightDivisor: 16,
    },
    pricing: { generation: money(0.01), upscale },
    extra: { supportsStyleReferences: true },
  },
  {
    id: 'painter-ratio',
    type: 'image',
    name: 'Painter Ratio',
    description: 'Sized by aspect ratio.',
    constraints: {
      promptCharacterLimit: 3000,
      steps: { default: 20, max: 50 },
      widthHeightDivisor: 1,
      aspectRatios: ratios,
      defaultAspectRatio: '1:1',
    },
    pricing: { generation: money(0.05), upscale },
    extra: { privacy: 'anonymized' },
  },
  {
    id: 'painter-studio',
    type: 'image',
    name: 'Painter Studio',
    description: 'Sized by aspect ratio and resolution tier; knows current events.',
    traits: ['highest_quality'],
    constraints: {
      promptCharacterLimit: 32_768,
      steps: { default: 1, max: 1 },
      widthHeightDivisor: 1,
      aspectRatios: ratios,
      defaultAspectRatio: '1:1',
      resolutions: ['1K', '2K', '4K'],
      defaultResolution: '1K',
    },
    pricing: {
      resolutions: { '1K': money(0.18), '2K': money(0.23), '4K': money(0.35) },
      upscale,
    },
    extra: { privacy: 'anonymized', supportsWebSearch: true },
  },
  {
    id: 'retouch-edit',
    type: 'inpaint',
    name: 'Retouch',
    description: 'Edits an image as the prompt says.',
    traits: ['default'],
    constraints: {
      aspectRatios: ['auto', ...ratios],
      promptCharacterLimit: 32_768,
      combineImages: true,
      maxInputImages: 3,
    },
    pricing: { inpaint: money(0.04) },
  },
  {
    id: 'enlarger',
    type: 'upscale',
    name: 'Enlarger',
    description: 'Makes images two or four times as large.',
    traits: ['default'],
    pricing: { upscale },
  },
  {
    id: 'embed-m3',
    type: 'embedding',
    name: 'Embed M3',
    description: 'Multilingual text embeddings.',
    traits: ['default'],
    pricing: { input: money(0.15), output: money(0.6) },
    extra: { embeddingDimensions: 1024, maxInputTokens: 8192, supportsCustomDimensions: false },
  },
  {
    id: 'speaker-natural',
    type: 'tts',
    name: 'Speaker Natural',
    description: 'Natural voices in several languages.',
    traits: ['default'],
    pricing: { input: money(3.5) },
    extra: {
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
    pricing: { per_audio_second: money(0.0001) },
  },
  {
    id: 'composer-song',
    type: 'music',
    name: 'Composer Song',
    description: 'Songs with or without lyrics.',
    traits: ['default'],
    pricing: { per_second: money(0.002) },
    extra: {
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

export const mediaModels: readonly ModelRecord[] = drafts.map(
  ({ id, type, name, description, traits, pricing, constraints, extra }) => ({
    id,
    object: 'model',
    created: Date.UTC(2026, 1, 20) / 1000,
    owned_by: 'service',
    type,
    model_spec: {
      name,
      description,
      modelSource: `https://models.example.org/${id}`,
      offline: false,
      privacy: 'private',
      traits: traits ?? [],
      ...(pricing && { pricing }),
      ...(constraints && { constraints }),
      ...extra,
    },
  }),
);
