import type { ModelView } from '../../src/chat/protocol/view-state.ts';
import { modelWord } from '../base/format.ts';

export interface ModelQuery {
  readonly words: string;
  /** Capabilities that a model must all have. */
  readonly capabilities: ReadonlySet<string>;
}

/** Models that match, those that can be used first; otherwise in the given order. */
export function filterModels(models: readonly ModelView[], query: ModelQuery): ModelView[] {
  const words = query.words.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = models.filter((model) => matches(model, words, query.capabilities));
  return found.toSorted((a, b) => Number(a.offline) - Number(b.offline));
}

const capabilityOrder = [
  'code',
  'reasoning',
  'vision',
  'tools',
  'web',
  'private',
  'attested',
  'encrypted',
];

/** The capabilities that some of these models have, in the protocol's order. */
export function offeredCapabilities(models: readonly ModelView[]): string[] {
  const offered = new Set(models.flatMap(({ capabilities }) => capabilities));
  return capabilityOrder.filter((capability) => offered.has(capability));
}

function matches(model: ModelView, words: string[], wanted: ReadonlySet<string>): boolean {
  const { name, id, traits, privacy } = model;
  const named = [...traits, privacy];
  // By what is shown, and by the service's own names, as settings and other programs have them.
  const text = [name, id, ...named, ...named.map(modelWord)].join(' ').toLowerCase();
  return (
    words.every((word) => text.includes(word)) &&
    [...wanted].every((capability) => model.capabilities.includes(capability))
  );
}
