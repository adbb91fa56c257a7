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

/** Something on a failure card that the person can press. */
export const failureActionSchema = strictObject({
  action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  label: pipe(string(), maxLength(80)),
});

export const failureSchema = strictObject({
  /** A code of `service/failure.ts`; the webview shows it small, for search and support. */
  code: pipe(string(), maxLength(40)),
  title: string(),
  detail: nullable(string()),
  /** Milliseconds since the epoch; while in the future the card counts down to it. */
  retryAt: nullable(number()),
  actions: array(failureActionSchema),
});

export const accountSchema = strictObject({
  status: picklist(['signed-out', 'signed-in', 'needs-attention']),
  profile: string(),
  /** What needs the person, when something does. */
  message: nullable(string()),
  /** The ways on: to a first key, or out of what needs the person. */
  actions: array(failureActionSchema),
});

export type FailureView = InferOutput<typeof failureSchema>;
export type AccountView = InferOutput<typeof accountSchema>;
