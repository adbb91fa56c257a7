import * as v from 'valibot';

const textSchema = v.string();
const addressSchema = v.pipe(textSchema, v.regex(/^0x[0-9a-fA-F]{40}$/));

/** Payment option that an error reply offers: amount, token, recipient and network. */
const paymentOptionSchema = v.strictObject({
  scheme: textSchema,
  network: textSchema,
  amount: v.pipe(textSchema, v.regex(/^\d+$/)),
  asset: addressSchema,
  payTo: addressSchema,
  maxTimeoutSeconds: v.number(),
  extra: v.record(textSchema, v.unknown()),
});

const signInChallengeSchema = v.strictObject({
  info: v.strictObject({
    domain: textSchema,
    uri: textSchema,
    version: textSchema,
    nonce: textSchema,
    issuedAt: textSchema,
    expirationTime: textSchema,
    statement: textSchema,
  }),
  supportedChains: v.array(v.strictObject({ chainId: textSchema, type: textSchema })),
});

const resourceSchema = v.strictObject({
  url: textSchema,
  description: textSchema,
  mimeType: textSchema,
});

/** Error body that contains a message and, for some errors, a code. */
const plainErrorSchema = v.strictObject({ error: textSchema, code: v.optional(textSchema) });

/** Error body for wallet payments, which contains a code and a message. */
const paymentErrorSchema = v.strictObject({
  error: v.pipe(textSchema, v.regex(/^[A-Z0-9_]+$/)),
  message: textSchema,
  details: v.optional(v.record(textSchema, v.unknown())),
});

const invalidRequestSchema = v.strictObject({
  error: v.literal('Invalid request parameters'),
  details: v.looseObject({ _errors: v.array(textSchema) }),
  issues: v.pipe(
    v.array(
      v.looseObject({
        code: textSchema,
        path: v.array(v.union([textSchema, v.number()])),
        message: textSchema,
      }),
    ),
    v.minLength(1),
  ),
});

const contextExceededSchema = v.strictObject({
  error: v.strictObject({
    message: textSchema,
    type: v.literal('invalid_request_error'),
    param: textSchema,
    code: v.literal('context_length_exceeded'),
  }),
});

const authenticationRequiredSchema = v.strictObject({
  x402Version: v.literal(2),
  error: v.literal('Authentication required'),
  resource: resourceSchema,
  accepts: v.array(paymentOptionSchema),
  extensions: v.strictObject({ 'sign-in-with-x': signInChallengeSchema }),
  authOptions: v.strictObject({
    apiKey: v.strictObject({ header: textSchema }),
    x402Wallet: v.strictObject({ header: textSchema, legacyHeader: textSchema, topUp: textSchema }),
  }),
});

const paymentRequiredSchema = v.strictObject({
  x402Version: v.literal(2),
  error: v.literal('Payment required'),
  resource: resourceSchema,
  accepts: v.array(paymentOptionSchema),
});

const lowBalanceSchema = v.strictObject({
  error: v.literal('Payment required'),
  code: v.literal('PAYMENT_REQUIRED'),
  reason: v.literal('insufficient_balance'),
  message: textSchema,
  currentBalanceUsd: v.number(),
  minimumBalanceUsd: v.number(),
  description: textSchema,
  suggestedTopUpUsd: v.number(),
  minimumTopUpUsd: v.number(),
  supportedTokens: v.array(textSchema),
  supportedChains: v.array(textSchema),
  topUpInstructions: v.strictObject({
    step1: textSchema,
    step2: textSchema,
    step3: textSchema,
    receiverWallet: addressSchema,
    tokenAddress: addressSchema,
    tokenDecimals: v.number(),
    network: textSchema,
    minimumAmountUsd: v.number(),
  }),
  siwxChallenge: signInChallengeSchema,
});

/** Schemas of error bodies by status. `other` applies to all statuses without an entry. */
export const errorReplies = {
  400: v.union([invalidRequestSchema, contextExceededSchema, paymentErrorSchema, plainErrorSchema]),
  402: v.union([
    authenticationRequiredSchema,
    paymentRequiredSchema,
    lowBalanceSchema,
    paymentErrorSchema,
    plainErrorSchema,
  ]),
  other: v.union([plainErrorSchema, paymentErrorSchema]),
} as const;
