import * as v from 'valibot';

const text = v.optional(v.string());

/** What a payment comes to instead of being settled and answered. */
const settlements = [
  /** Settled and credited, but answered with 504. */
  'settled-timeout',
  /** Settled and credited, but never answered. */
  'settled-silence',
  /** Neither settled nor credited, and answered with 504. */
  'unsettled-timeout',
  /** Neither settled nor credited, but answered as if it were. */
  'unsettled-success',
] as const;

/** How top-ups lie from now on; `{}` is not at all. */
export const topUpMisbehaviorSchema = v.strictObject({
  /** Put in place of what the service really asks for. */
  offer: v.optional(
    v.strictObject({
      scheme: text,
      network: text,
      amount: text,
      asset: text,
      payTo: text,
      maxTimeoutSeconds: v.optional(v.number()),
      extra: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
  /** What the payment is said to be for. */
  resource: text,
  settlement: v.optional(v.picklist(settlements)),
  /** Where every top-up is sent on to, with 307. */
  redirect: text,
});

export type TopUpMisbehavior = v.InferOutput<typeof topUpMisbehaviorSchema>;
