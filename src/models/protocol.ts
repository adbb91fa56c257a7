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
  /** USD per million tokens. */
  inputUsd: nullable(number()),
  outputUsd: nullable(number()),
  /** `private`, `anonymized`, …; empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Short capability names in a fixed order: `code`, `reasoning`, `vision`, `tools`, `web`, `private`. */
  capabilities: array(string()),
  /** How many pictures of a message it sees: 0 for none, null when unknown. */
  pictures: nullable(countSchema),
  /** What to know before choosing, e.g. `Removed on 2026-12-01`; empty when nothing. */
  warning: string(),
  offline: boolean(),
  /** Says that what is sent will be encrypted, and what the request goes without. Absent where it will not be. */
  encryption: exactOptional(pipe(string(), maxLength(400))),
});

export type ModelView = InferOutput<typeof modelSchema>;
