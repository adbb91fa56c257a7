import * as v from 'valibot';
import { currencies } from '../billing/usage-rows.ts';
import { keyTypes, limitPeriods, modelPrivacies } from '../money/api-key.ts';

const textSchema = v.string();
const textOrNullSchema = v.nullable(textSchema);
const numberOrNullSchema = v.nullable(v.number());
const decimalSchema = v.pipe(textSchema, v.regex(/^\d+\.\d{4}$/));
const successField = { success: v.literal(true) };
const limitsSchema = v.strictObject({
  usd: numberOrNullSchema,
  diem: numberOrNullSchema,
  vcu: numberOrNullSchema,
});

const termFields = {
  id: textSchema,
  apiKeyType: v.picklist(keyTypes),
  description: textSchema,
  expiresAt: textOrNullSchema,
  limitPeriod: v.picklist(limitPeriods),
  modelPrivacy: v.picklist(modelPrivacies),
};

const newKeyFields = { ...termFields, apiKey: textSchema, consumptionLimit: limitsSchema };

/** Reply with a new key and its secret. No other reply contains the secret. */
export const newKeySchema = v.strictObject({ ...successField, data: v.strictObject(newKeyFields) });

const storedKeyFields = {
  ...termFields,
  createdAt: textSchema,
  lastUsedAt: textOrNullSchema,
  last6Chars: textSchema,
  consumptionLimits: limitsSchema,
};

const keySchema = v.strictObject({
  ...storedKeyFields,
  usage: v.strictObject({
    trailingSevenDays: v.strictObject({
      usd: decimalSchema,
      vcu: decimalSchema,
      diem: decimalSchema,
    }),
  }),
  currentPeriodUsage: v.optional(v.strictObject({ usd: decimalSchema, diem: decimalSchema })),
});

export const keyReplySchema = v.strictObject({ data: keySchema });
export const keyListSchema = v.strictObject({
  object: v.literal('list'),
  data: v.array(keySchema),
});
export const changedKeySchema = v.strictObject({
  ...successField,
  data: v.strictObject(storedKeyFields),
});
export const deletedKeySchema = v.strictObject(successField);

export const rateLimitsSchema = v.strictObject({
  data: v.strictObject({
    accessPermitted: v.boolean(),
    apiTier: v.strictObject({ id: textSchema, isCharged: v.boolean() }),
    balances: v.strictObject({ USD: v.number(), DIEM: v.number(), BUNDLED_CREDITS: v.number() }),
    keyExpiration: textOrNullSchema,
    nextEpochBegins: textSchema,
    rateLimits: v.array(
      v.strictObject({
        apiModelId: textSchema,
        rateLimits: v.array(
          v.strictObject({ type: v.picklist(['RPM', 'RPD', 'TPM']), amount: v.number() }),
        ),
      }),
    ),
  }),
});

export const rejectionListSchema = v.strictObject({
  object: v.literal('list'),
  data: v.array(
    v.strictObject({
      apiKeyId: textSchema,
      modelId: textOrNullSchema,
      rateLimitTier: textOrNullSchema,
      rateLimitType: v.picklist(['RPM', 'TPM', 'FAILED_REQUESTS']),
      timestamp: textSchema,
    }),
  ),
});

/** Reply with a token for a wallet to sign, at the top level, in `data`, or in both places (spec §2.6). */
export const validationTokenSchema = v.strictObject({
  success: v.optional(v.literal(true)),
  data: v.optional(v.strictObject({ token: textSchema })),
  token: v.optional(textSchema),
});

export const mintedKeySchema = v.union([
  v.strictObject({ ...successField, data: v.strictObject(newKeyFields), ...newKeyFields }),
  v.strictObject({ ...successField, data: v.strictObject(newKeyFields) }),
  v.strictObject(newKeyFields),
]);

export const balanceSchema = v.strictObject({
  canConsume: v.boolean(),
  consumptionCurrency: v.nullable(v.picklist(currencies)),
  balances: v.strictObject({
    diem: numberOrNullSchema,
    usd: numberOrNullSchema,
    bundledCredits: v.number(),
  }),
  diemEpochAllocation: v.number(),
});

export const usageHistorySchema = v.strictObject({
  data: v.array(
    v.strictObject({
      timestamp: textSchema,
      sku: textSchema,
      units: v.number(),
      pricePerUnitUsd: v.number(),
      amount: v.pipe(v.number(), v.maxValue(0)),
      currency: v.picklist(currencies),
      notes: textSchema,
      inferenceDetails: v.null(),
    }),
  ),
  nextCursor: textOrNullSchema,
});

const sumFields = { USD: v.number(), DIEM: v.number() };
const keyIdentityFields = { apiKeyId: textSchema, name: textSchema };

export const usageAnalyticsSchema = v.strictObject({
  lookback: textOrNullSchema,
  byDate: v.array(v.strictObject({ date: textSchema, ...sumFields })),
  byModel: v.array(v.strictObject({ model: textSchema, ...sumFields })),
  byModelDaily: v.array(v.strictObject({ date: textSchema, model: textSchema, ...sumFields })),
  topModels: v.array(textSchema),
  byKey: v.array(v.strictObject({ ...keyIdentityFields, ...sumFields })),
  byKeyDaily: v.array(v.strictObject({ date: textSchema, ...keyIdentityFields, ...sumFields })),
  topKeyNames: v.array(textSchema),
});

export const topUpSchema = v.strictObject({
  ...successField,
  data: v.strictObject({
    walletAddress: textSchema,
    amountCredited: v.number(),
    newBalance: v.number(),
    paymentId: textSchema,
  }),
});

export const walletBalanceSchema = v.strictObject({
  ...successField,
  data: v.strictObject({
    walletAddress: textSchema,
    balanceUsd: v.number(),
    canConsume: v.boolean(),
    minimumTopUpUsd: v.number(),
    suggestedTopUpUsd: v.number(),
  }),
});

export const walletTransactionsSchema = v.strictObject({
  ...successField,
  data: v.strictObject({
    walletAddress: textSchema,
    currentBalance: v.number(),
    transactions: v.array(
      v.strictObject({
        id: textSchema,
        amount: v.number(),
        balanceAfter: v.number(),
        type: v.picklist(['TOP_UP', 'CHARGE', 'REFUND']),
        createdAt: textSchema,
        requestId: textOrNullSchema,
        modelId: textOrNullSchema,
      }),
    ),
    pagination: v.strictObject({ limit: v.number(), offset: v.number(), hasMore: v.boolean() }),
  }),
});
