import type { ModelRecord, ModelSpec, ModelType } from './model.ts';

export interface MediaModelDefinition {
  readonly id: string;
  readonly type: ModelType;
  readonly name: string;
  readonly description: string;
  readonly traits?: readonly string[];
  readonly pricing?: object;
  readonly constraints?: object;
  readonly extra?: Partial<ModelSpec>;
}

/** One diem buys what one dollar buys. */
export interface Price {
  readonly usd: number;
  readonly diem: number;
}

export const toPrice = (value: number): Price => ({ usd: value, diem: value });

/** The record of a model that is not a text model. */
export function mediaRecord(draft: MediaModelDefinition): ModelRecord {
  const { id, type, name, description, traits, pricing, constraints, extra } = draft;
  return {
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
  };
}
