import * as v from 'valibot';

const textSchema = v.optional(v.string());

/** Outcomes of a top-up other than the normal one, in which the payment is settled and the reply confirms it. */
const settlementBehaviors = [
  /** The payment is settled and credited; the reply has status 504. */
  'settled-timeout',
  /** The payment is settled and credited; the service sends no reply. */
  'settled-silence',
  /** The payment is neither settled nor credited; the reply has status 504. */
  'unsettled-timeout',
  /** The payment is neither settled nor credited, although the reply reports success. */
  'unsettled-success',
] as const;

/** Schema of {@link TopUpMisbehavior}. */
export const topUpMisbehaviorSchema = v.strictObject({
  /** Values that replace fields of the payment requirements in replies. */
  offer: v.optional(
    v.strictObject({
      scheme: textSchema,
      network: textSchema,
      amount: textSchema,
      asset: textSchema,
      payTo: textSchema,
      maxTimeoutSeconds: v.optional(v.number()),
      extra: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
  /** URL in the payment requirements that replaces the URL of the top-up route. */
  resource: textSchema,
  settlement: v.optional(v.picklist(settlementBehaviors)),
  /** URL to which every top-up is redirected with status 307. */
  redirect: textSchema,
});

export type TopUpMisbehavior = v.InferOutput<typeof topUpMisbehaviorSchema>;
