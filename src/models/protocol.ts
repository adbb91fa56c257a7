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
  /** Price of input tokens in US dollars per million tokens; null when unknown. */
  inputUsd: nullable(number()),
  outputUsd: nullable(number()),
  /** Privacy level such as `private` or `anonymized`. Empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Capabilities in display order: `code`, `reasoning`, `vision`, `tools`, `web`, `private`. */
  capabilities: array(string()),
  /** Maximum number of images per message: 0 for none, null when unknown. */
  pictures: nullable(countSchema),
  /**
   * Warning about the model in the picker, such as `Removed on 2026-12-01`. Empty without a
   * warning.
   */
  warning: string(),
  offline: boolean(),
  /**
   * Notice that messages to the model are encrypted, with the unavailable features. Absent without
   * encryption.
   */
  encryption: exactOptional(pipe(string(), maxLength(400))),
});

export type ModelView = InferOutput<typeof modelSchema>;

/**
 * Names of capabilities, privacy levels and traits in the service's replies. The host and the pages
 * translate them separately, because each has its own localization bundle.
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

/**
 * Returns the label of a term. If there is no label, returns the term with spaces between its
 * words.
 */
export const findTermLabel = (labels: Readonly<Record<ModelTerm, string>>, term: string): string =>
  Object.hasOwn(labels, term) ? labels[term as ModelTerm] : term.replaceAll(/[_-]+/gu, ' ').trim();
