import {
  array,
  boolean,
  exactOptional,
  type InferOutput,
  maxLength,
  nullable,
  number,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { countSchema } from '../base/schema.ts';

export const modelSchema = strictObject({
  id: pipe(string(), maxLength(300)),
  name: string(),
  description: string(),
  contextTokens: nullable(countSchema),
  /** Price of input tokens in USD per million tokens. */
  inputUsd: nullable(number()),
  outputUsd: nullable(number()),
  /** Privacy level such as `private` or `anonymized`. Empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Capabilities in display order: `code`, `reasoning`, `vision`, `tools`, `web`, `private`. */
  capabilities: array(string()),
  /** Maximum number of images per message: 0 for none, null when unknown. */
  pictures: nullable(countSchema),
  /** Warning to show before the model is selected, such as `Removed on 2026-12-01`. Empty without a warning. */
  warning: string(),
  offline: boolean(),
  /** Notice that messages are encrypted and which features are then unavailable. Absent without encryption. */
  encryption: exactOptional(pipe(string(), maxLength(400))),
});

export type ModelView = InferOutput<typeof modelSchema>;

/**
 * Capabilities, privacy levels and traits as named by the service. Host and pages have separate tables of translated
 * labels, because their localization bundles are separate.
 */
export type ModelTerm =
  | 'code'
  | 'reasoning'
  | 'vision'
  | 'tools'
  | 'web'
  | 'private'
  | 'anonymized'
  | 'attested'
  | 'encrypted'
  | 'default'
  | 'default_code'
  | 'default_reasoning'
  | 'default_vision'
  | 'function_calling_default'
  | 'fastest'
  | 'highest_quality'
  | 'most_intelligent'
  | 'most_uncensored';

/** Returns the label of a term. For a term without a label, returns the term with spaces between its words. */
export const findTermLabel = (labels: Readonly<Record<ModelTerm, string>>, term: string): string =>
  Object.hasOwn(labels, term) ? labels[term as ModelTerm] : term.replaceAll(/[_-]+/gu, ' ').trim();
