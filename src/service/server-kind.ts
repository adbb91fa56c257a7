import type { Model } from './model-types.ts';

/** Servers that the model list identifies, and that report more about their models on other routes. */
export type ServerKind = 'llamacpp' | 'ollama' | 'vllm' | 'lmstudio' | 'litellm';

/** Creation time that the LiteLLM proxy states for all models. OpenAI has one model with this time. */
const litellmCreated = 1_677_610_602;

/** Identifies the server by the `owned_by` of its model list. Returns `undefined` for other servers. */
export function serverKindOf(models: readonly Model[]): ServerKind | undefined {
  const has = (owner: string): boolean => models.some(({ ownedBy }) => ownedBy === owner);
  if (has('llamacpp')) return 'llamacpp';
  if (has('vllm')) return 'vllm';
  if (has('organization_owner')) return 'lmstudio';
  if (has('library')) return 'ollama';
  const isProxy = models.every(
    ({ ownedBy, created }) => ownedBy === 'openai' && created === litellmCreated,
  );
  return models.length > 0 && isProxy ? 'litellm' : undefined;
}
