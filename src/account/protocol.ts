import {
  array,
  exactOptional,
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
   * Failure code from `service/http/failure.ts`. Shown in small print, so that the user can search for the code and
   * report it.
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
  /** Model that can answer instead of the failed model. */
  fallback: exactOptional(
    strictObject({ id: pipe(string(), maxLength(300)), name: pipe(string(), maxLength(300)) }),
  ),
});

export const accountSchema = strictObject({
  status: picklist(['signed-out', 'signed-in', 'needs-attention']),
  profile: string(),
  /** Base URL as the user entered it, or the address typed into the connect form; empty if missing. */
  address: string(),
  /** Message about a problem that the user must resolve; null without a problem. */
  message: nullable(string()),
  /** Buttons that help the user sign in or fix the problem. */
  actions: array(failureActionSchema),
});

/** Address in the connect form before the user submits it. */
export const typedAddressSchema = pipe(string(), maxLength(2_000));

/** Content of the connect form. The page never stores this content, because it contains the key. */
export const connectRequestSchema = strictObject({
  address: typedAddressSchema,
  /** API key. Empty for a server that needs no key. */
  key: pipe(string(), maxLength(1_000)),
  method: picklist(['key', 'wallet']),
  /** Origin to which the user permits unencrypted requests; null if the user permits none. */
  unencryptedOrigin: nullable(pipe(string(), maxLength(300))),
});

/** Reply to the connect form. If `problem` is null, the extension now uses the address and the key. */
export const connectResultSchema = strictObject({
  /** Base URL of the service that was found. Empty if no service was found. */
  address: string(),
  problem: nullable(
    strictObject({
      field: picklist(['address', 'key']),
      message: string(),
      /** Origin to which unencrypted requests are possible if the user permits them. Null without such an origin. */
      unencryptedOrigin: nullable(string()),
    }),
  ),
  /**
   * Corrected addresses, from which the user can choose one. Empty if the typed address can be used, or if no
   * correction is known.
   */
  fixes: array(string()),
});

/** Model server on this machine that the connect form offers. */
export const localServerSchema = strictObject({ name: string(), baseUrl: string() });

export type LocalServer = InferOutput<typeof localServerSchema>;
export type ConnectRequest = InferOutput<typeof connectRequestSchema>;
export type ConnectResult = InferOutput<typeof connectResultSchema>;
export type FailureView = InferOutput<typeof failureSchema>;
export type AccountView = InferOutput<typeof accountSchema>;
