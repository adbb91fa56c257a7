import type { Conversation } from '../../conversation/conversation.ts';
import type { VoiceView } from '../../speech/protocol.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';

/** What a chat shows of voices and personas. */
export const voiceView = (
  { models }: Pick<ModelCatalogue, 'models'>,
  conversation: Pick<Conversation, 'options'>,
): VoiceView => ({
  reads: models.some(({ type, offline }) => type === 'tts' && !offline),
  listens: models.some(({ type, offline }) => type === 'asr' && !offline),
  persona: personaOf(conversation),
});

/** Who answers in the conversation, when it is a persona. */
export const personaOf = ({
  options: { character },
}: Pick<Conversation, 'options'>): string | null =>
  isNamed(character) ? character.name.slice(0, 200) : null;

const isNamed = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  value.name !== '';
