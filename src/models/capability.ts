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

/** Returns the capabilities that the model is known to have, in display order. */
export const listCapabilities = (model: Model): readonly Capability[] =>
  capabilities.filter((capability) => capabilityTests[capability](model) === true);

/**
 * Checks whether the model has all required capabilities. An unknown capability counts as present, because only a
 * request can show whether the model has it.
 */
export const hasAllCapabilities = (
  model: Model,
  requiredCapabilities: ReadonlySet<Capability>,
): boolean =>
  [...requiredCapabilities].every((capability) => capabilityTests[capability](model) !== false);

/**
 * Functions that check a model, each for one capability. They return `undefined` if it is unknown whether the model has
 * the capability.
 */
const capabilityTests: Readonly<Record<Capability, (model: Model) => boolean | undefined>> = {
  code: ({ capabilities }) => capabilities.optimizedForCode,
  reasoning: ({ capabilities }) => capabilities.supportsReasoning,
  vision: ({ capabilities }) => capabilities.supportsVision,
  tools: ({ capabilities }) => capabilities.supportsFunctionCalling,
  web: ({ capabilities }) => capabilities.supportsWebSearch,
  private: isPrivate,
  // Unknown protection does not count as protection.
  attested: ({ capabilities }) => capabilities.supportsTeeAttestation === true,
  encrypted: ({ capabilities }) => capabilities.supportsE2EE === true,
};
