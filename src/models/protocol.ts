import {
  array,
  boolean,
  exactOptional,
  type InferOutput,
  literal,
  maxLength,
  nullable,
  number,
  picklist,
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
  /**
   * Prices per million tokens in US dollars, or in DIEM if the model has no prices in dollars. Null if the prices are
   * unknown.
   */
  price: nullable(
    strictObject({
      unit: picklist(['usd', 'diem']),
      input: nullable(number()),
      output: nullable(number()),
      /** Prices that apply if a request has more than `threshold` prompt tokens. */
      extended: exactOptional(
        strictObject({ threshold: number(), input: number(), output: nullable(number()) }),
      ),
    }),
  ),
  /** Privacy level such as `private` or `anonymized`. Empty if the level is unknown. */
  privacy: string(),
  traits: array(string()),
  /** Capabilities in display order: `code`, `reasoning`, `vision`, `tools`, `web`, `private`. */
  capabilities: array(string()),
  /** Maximum number of images per message. 0 if the model accepts no images, null if the maximum is unknown. */
  maxImagesPerMessage: nullable(countSchema),
  /** True if the model may ignore all images of a message except the last image. */
  usesLastImage: exactOptional(literal(true)),
  /**
   * Warning about the model in the picker, such as `Removed on 2026-12-01`. Empty without a
   * warning.
   */
  warning: string(),
  offline: boolean(),
  /** Group of the model in the model picker. Absent for a model that the picker does not list in a group. */
  group: exactOptional(picklist(['pinned', 'recent', 'recommended', 'all'])),
  /**
   * Notice that messages to the model are encrypted, and that some features are therefore unavailable. Absent if
   * messages are not encrypted.
   */
  encryption: exactOptional(pipe(string(), maxLength(400))),
});

export type ModelView = InferOutput<typeof modelSchema>;

/**
 * Terms in the service's model records that have translated labels: capabilities, privacy levels and traits. The
 * extension host and the web pages translate them separately, because each has its own localization bundle.
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
  | 'encrypted';

/** Returns the label of a term. A term without a label is returned with spaces between its words. */
export const findTermLabel = (labels: Readonly<Record<ModelTerm, string>>, term: string): string =>
  Object.hasOwn(labels, term) ? labels[term as ModelTerm] : term.replaceAll(/[_-]+/gu, ' ').trim();
