import {
  array,
  type InferOutput,
  maxLength,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
} from 'valibot';

/** Button on a failure card. */
export const failureActionSchema = strictObject({
  action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  label: pipe(string(), maxLength(80)),
});

export const failureSchema = strictObject({
  /**
   * Code from `service/http/failure.ts`. The page shows the code in small print, for search and
   * support.
   */
  code: pipe(string(), maxLength(40)),
  title: string(),
  detail: nullable(string()),
  /**
   * Time of the automatic retry, in milliseconds since the epoch; null without a retry. The card
   * shows a countdown.
   */
  retryAt: nullable(number()),
  actions: array(failureActionSchema),
});

export const accountSchema = strictObject({
  status: picklist(['signed-out', 'signed-in', 'needs-attention']),
  profile: string(),
  /** Problem that needs the user's action, or null. */
  message: nullable(string()),
  /** Buttons that help the user sign in or fix the problem. */
  actions: array(failureActionSchema),
});

export type FailureView = InferOutput<typeof failureSchema>;
export type AccountView = InferOutput<typeof accountSchema>;
