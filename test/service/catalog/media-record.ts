import type { ModelRecord, ModelSpec, ModelType } from './model.ts';

export interface MediaModelDefinition {
  readonly id: string;
  readonly type: ModelType;
  readonly name: string;
  readonly description: string;
  readonly traits?: readonly string[];
  readonly pricing?: object;
  readonly constraints?: object;
  readonly extraSpec?: Partial<ModelSpec>;
}

/** Price in US dollars and in diem, the credits of the service. One diem buys as much as one US dollar. */
export interface Price {
  readonly usd: number;
  readonly diem: number;
}

export const toPrice = (value: number): Price => ({ usd: value, diem: value });

/** Builds the public record of a model that is not a text model. */
export function createMediaRecord(definition: MediaModelDefinition): ModelRecord {
  const { id, type, name, description, traits, pricing, constraints, extraSpec } = definition;
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
      ...extraSpec,
    },
  };
}
