import type { Conversation } from '../../chat/conversation.ts';
import type { VoiceView } from '../../protocol/chat/voice.ts';
import type { ModelCatalogue } from '../models/model-catalogue.ts';

/** What a chat shows of voices and personas. */
export const voiceView = (
  { models }: Pick<ModelCatalogue, 'models'>,
  { options }: Conversation,
): VoiceView => ({
  reads: models.some(({ type, offline }) => type === 'tts' && !offline),
  listens: models.some(({ type, offline }) => type === 'asr' && !offline),
  persona: personaOf(options),
});

const personaOf = ({ character }: Conversation['options']): string | null =>
  isNamed(character) ? character.name.slice(0, 200) : null;

const isNamed = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  value.name !== '';
