import * as v from 'valibot';

const text = v.optional(v.string());

/** Outcomes that replace a settled and confirmed payment. */
const settlements = [
  /** Settled and credited; the reply is 504. */
  'settled-timeout',
  /** Settled and credited; there is no reply. */
  'settled-silence',
  /** Neither settled nor credited; the reply is 504. */
  'unsettled-timeout',
  /** Neither settled nor credited; the reply reports success. */
  'unsettled-success',
] as const;

/** Schema of {@link TopUpMisbehavior}. */
export const topUpMisbehaviorSchema = v.strictObject({
  /** Overrides of the payment requirements. */
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
  /** URL that the payment claims to be for. */
  resource: text,
  settlement: v.optional(v.picklist(settlements)),
  /** Target of a 307 redirect of every top-up. */
  redirect: text,
});

export type TopUpMisbehavior = v.InferOutput<typeof topUpMisbehaviorSchema>;
