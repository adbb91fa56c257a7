import * as v from 'valibot';

const text = v.string();
const address = v.pipe(text, v.regex(/^0x[0-9a-fA-F]{40}$/));

/** Requirements of one payment (service facts §6.2). */
const paymentOption = v.strictObject({
  scheme: text,
  network: text,
  amount: v.pipe(text, v.regex(/^\d+$/)),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: v.number(),
  extra: v.record(text, v.unknown()),
});

const signInChallenge = v.strictObject({
  info: v.strictObject({
    domain: text,
    uri: text,
    version: text,
    nonce: text,
    issuedAt: text,
    expirationTime: text,
    statement: text,
  }),
  supportedChains: v.array(v.strictObject({ chainId: text, type: text })),
});

const resource = v.strictObject({ url: text, description: text, mimeType: text });

/** Error body with a text, and a code for some errors. */
const plainError = v.strictObject({ error: text, code: v.optional(text) });

/** Error body for wallet payments: a code and a text. */
const paymentError = v.strictObject({
  error: v.pipe(text, v.regex(/^[A-Z0-9_]+$/)),
  message: text,
  details: v.optional(v.record(text, v.unknown())),
});

const invalidRequest = v.strictObject({
  error: v.literal('Invalid request parameters'),
  details: v.looseObject({ _errors: v.array(text) }),
  issues: v.pipe(
    v.array(
      v.looseObject({ code: text, path: v.array(v.union([text, v.number()])), message: text }),
    ),
    v.minLength(1),
  ),
});

const contextExceeded = v.strictObject({
  error: v.strictObject({
    message: text,
    type: v.literal('invalid_request_error'),
    param: text,
    code: v.literal('context_length_exceeded'),
  }),
});

const authenticationRequired = v.strictObject({
  x402Version: v.literal(2),
  error: v.literal('Authentication required'),
  resource,
  accepts: v.array(paymentOption),
  extensions: v.strictObject({ 'sign-in-with-x': signInChallenge }),
  authOptions: v.strictObject({
    apiKey: v.strictObject({ header: text }),
    x402Wallet: v.strictObject({ header: text, legacyHeader: text, topUp: text }),
  }),
});

const paymentRequired = v.strictObject({
  x402Version: v.literal(2),
  error: v.literal('Payment required'),
  resource,
  accepts: v.array(paymentOption),
});

const lowBalance = v.strictObject({
  error: v.literal('Payment required'),
  code: v.literal('PAYMENT_REQUIRED'),
  reason: v.literal('insufficient_balance'),
  message: text,
  currentBalanceUsd: v.number(),
  minimumBalanceUsd: v.number(),
  description: text,
  suggestedTopUpUsd: v.number(),
  minimumTopUpUsd: v.number(),
  supportedTokens: v.array(text),
  supportedChains: v.array(text),
  topUpInstructions: v.strictObject({
    step1: text,
    step2: text,
    step3: text,
    receiverWallet: address,
    tokenAddress: address,
    tokenDecimals: v.number(),
    network: text,
    minimumAmountUsd: v.number(),
  }),
  siwxChallenge: signInChallenge,
});

/** Schemas of error bodies, by status; `other` applies to all other statuses. */
export const errorReplies = {
  400: v.union([invalidRequest, contextExceeded, paymentError, plainError]),
  402: v.union([authenticationRequired, paymentRequired, lowBalance, paymentError, plainError]),
  other: v.union([plainError, paymentError]),
} as const;
