import type { Model } from '../service/model-types.ts';
import { isPrivate } from './model-selection.ts';

/** Names of the capabilities of chat models, in display order. */
export const capabilities = [
  'code',
  'reasoning',
  'vision',
  'tools',
  'web',
  'private',
  'attested',
  'encrypted',
] as const;

export type Capability = (typeof capabilities)[number];

export const capabilitiesOf = (model: Model): readonly Capability[] =>
  capabilities.filter((capability) => tests[capability](model));

export const hasAllCapabilities = (model: Model, required: ReadonlySet<Capability>): boolean =>
  [...required].every((capability) => tests[capability](model));

const tests: Readonly<Record<Capability, (model: Model) => boolean>> = {
  code: ({ capabilities }) => capabilities.optimizedForCode,
  reasoning: ({ capabilities }) => capabilities.supportsReasoning,
  vision: ({ capabilities }) => capabilities.supportsVision,
  tools: ({ capabilities }) => capabilities.supportsFunctionCalling,
  web: ({ capabilities }) => capabilities.supportsWebSearch,
  private: isPrivate,
  attested: ({ capabilities }) => capabilities.supportsTeeAttestation,
  encrypted: ({ capabilities }) => capabilities.supportsE2EE,
};
