import { isRecord, omitUndefined } from '../base/json.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { FactOrigin, Model } from '../service/model-types.ts';
import type { ServerModelDetails } from '../service/record-details.ts';
import { addServerDetails } from '../service/read-model.ts';

/**
 * Corrected facts about a model. They are from user settings or failed requests, and replace the facts of the model
 * list.
 */
export type ModelCorrection = Pick<
  ServerModelDetails,
  | 'contextTokens'
  | 'maxCompletionTokens'
  | 'supportsFunctionCalling'
  | 'supportsVision'
  | 'supportsReasoning'
>;

/**
 * Reads the user's corrections by model id, such as `{"qwen3:8b": {"contextTokens": 32768, "images": false}}`. Ignores
 * invalid values. Prices and privacy cannot be corrected.
 */
export function readOverrides(value: unknown): ReadonlyMap<string, ModelCorrection> {
  const overrides = new Map<string, ModelCorrection>();
  for (const [id, fields] of Object.entries(isRecord(value) ? value : {})) {
    if (!isRecord(fields)) continue;
    overrides.set(
      id,
      omitUndefined({
        contextTokens: readSize(fields['contextTokens']),
        maxCompletionTokens: readSize(fields['maxOutputTokens']),
        supportsFunctionCalling: readFlag(fields['tools']),
        supportsVision: readFlag(fields['images']),
        supportsReasoning: readFlag(fields['reasoning']),
      }),
    );
  }
  return overrides;
}

const readSize = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const readFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/**
 * Milliseconds after which the extension again uses a capability that a model rejected. The server may have been
 * restarted with other options in the meantime.
 */
const refusalTtlMs = 60 * 60_000;

interface StoredRefusal {
  /** Time at which the correction expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly correction: ModelCorrection;
}

/** Corrects a model list with the user's overrides, and with the capabilities that models rejected in the last hour. */
export class ModelCorrections {
  readonly #now: () => number;
  readonly #storedRefusals = new Map<string, StoredRefusal>();
  /** User's overrides, as read from the settings when `#correctedModels` was computed. */
  #overrides: unknown;
  #correctedModels:
    | { readonly listedModels: readonly Model[]; readonly models: readonly Model[] }
    | undefined;
  /** Time at which the first correction in `#correctedModels` expires, in milliseconds since the epoch. */
  #validUntil = Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns the corrected models. Returns the same array as the last call if neither the models nor the corrections
   * have changed.
   */
  applyCorrections(models: readonly Model[], overrides: unknown): readonly Model[] {
    const isCurrent =
      this.#correctedModels?.listedModels === models &&
      this.#now() < this.#validUntil &&
      JSON.stringify(overrides) === JSON.stringify(this.#overrides);
    if (!isCurrent || this.#correctedModels === undefined) {
      this.#overrides = overrides;
      this.#correctedModels = {
        listedModels: models,
        models: this.#correctModels(models, readOverrides(overrides)),
      };
    }
    return this.#correctedModels.models;
  }

  /**
   * Records a capability that a model rejected. Returns false if the failure concerns no capability, or if the
   * capability is already recorded.
   */
  recordRefusal(modelId: string, failure: ServiceFailure): boolean {
    const newCorrection = toCorrection(failure);
    const knownCorrection = this.#findRefusal(modelId)?.correction ?? {};
    const facts = { ...knownCorrection, ...newCorrection };
    if (JSON.stringify(facts) === JSON.stringify(knownCorrection)) return false;
    this.#storedRefusals.set(modelId, { expiresAt: this.#now() + refusalTtlMs, correction: facts });
    this.#correctedModels = undefined;
    return true;
  }

  /**
   * Removes all corrections that failed requests caused. The caller must call this method when it receives a new model
   * list.
   */
  clearRefusals(): void {
    this.#storedRefusals.clear();
    this.#correctedModels = undefined;
  }

  #findRefusal(modelId: string): StoredRefusal | undefined {
    const refusal = this.#storedRefusals.get(modelId);
    return refusal !== undefined && this.#now() < refusal.expiresAt ? refusal : undefined;
  }

  #correctModels(
    models: readonly Model[],
    overrides: ReadonlyMap<string, ModelCorrection>,
  ): readonly Model[] {
    this.#validUntil = Infinity;
    if (this.#storedRefusals.size === 0 && overrides.size === 0) return models;
    return models.map((model) => {
      const refusal = this.#findRefusal(model.id);
      this.#validUntil = Math.min(this.#validUntil, refusal?.expiresAt ?? Infinity);
      return correctModel(model, {
        refusedFacts: refusal?.correction,
        overriddenFacts: overrides.get(model.id),
      });
    });
  }
}

/** Checks whether two lists contain the same models in the same order. */
export const haveSameModels = (a: readonly Model[], b: readonly Model[]): boolean =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);

const toCorrection = ({ refusedPart, contextTokens }: ServiceFailure): ModelCorrection => ({
  ...(refusedPart === 'tools' ? { supportsFunctionCalling: false } : {}),
  ...(refusedPart === 'images' ? { supportsVision: false } : {}),
  ...(contextTokens === undefined ? {} : { contextTokens }),
});

/** Returns the model with corrected facts. Corrections by the user take precedence over corrections from failures. */
export function correctModel(
  model: Model,
  corrections: {
    readonly refusedFacts: ModelCorrection | undefined;
    readonly overriddenFacts: ModelCorrection | undefined;
  },
): Model {
  const steps: readonly (readonly [ModelCorrection | undefined, FactOrigin])[] = [
    [corrections.refusedFacts, 'refusal'],
    [corrections.overriddenFacts, 'setting'],
  ];
  return steps.reduce(
    (correctedModel, [facts, origin]) =>
      facts === undefined ? correctedModel : addServerDetails(correctedModel, facts, origin),
    model,
  );
}
