import * as v from 'valibot';
import { currencies } from '../billing/usage-rows.ts';
import { keyTypes, limitPeriods, modelPrivacies } from '../money/api-key.ts';

const text = v.string();
const textOrNull = v.nullable(text);
const numberOrNull = v.nullable(v.number());
const decimal = v.pipe(text, v.regex(/^\d+\.\d{4}$/));
const success = { success: v.literal(true) };
const limits = v.strictObject({ usd: numberOrNull, diem: numberOrNull, vcu: numberOrNull });

const terms = {
  id: text,
  apiKeyType: v.picklist(keyTypes),
  description: text,
  expiresAt: textOrNull,
  limitPeriod: v.picklist(limitPeriods),
  modelPrivacy: v.picklist(modelPrivacies),
};

const newKeyFields = { ...terms, apiKey: text, consumptionLimit: limits };

/** A key with its secret. The secret is in no other reply. */
export const newKey = v.strictObject({ ...success, data: v.strictObject(newKeyFields) });

const storedKey = {
  ...terms,
  createdAt: text,
  lastUsedAt: textOrNull,
  last6Chars: text,
  consumptionLimits: limits,
};

const key = v.strictObject({
  ...storedKey,
  usage: v.strictObject({
    trailingSevenDays: v.strictObject({ usd: decimal, vcu: decimal, diem: decimal }),
  }),
  currentPeriodUsage: v.optional(v.strictObject({ usd: decimal, diem: decimal })),
});

export const keyReply = v.strictObject({ data: key });
export const keyList = v.strictObject({ object: v.literal('list'), data: v.array(key) });
export const changedKey = v.strictObject({ ...success, data: v.strictObject(storedKey) });
export const deletedKey = v.strictObject(success);

export const rateLimits = v.strictObject({
  data: v.strictObject({
    accessPermitted: v.boolean(),
    apiTier: v.strictObject({ id: text, isCharged: v.boolean() }),
    balances: v.strictObject({ USD: v.number(), DIEM: v.number(), BUNDLED_CREDITS: v.number() }),
    keyExpiration: textOrNull,
    nextEpochBegins: text,
    rateLimits: v.array(
      v.strictObject({
        apiModelId: text,
        rateLimits: v.array(
          v.strictObject({ type: v.picklist(['RPM', 'RPD', 'TPM']), amount: v.number() }),
        ),
      }),
    ),
  }),
});

export const rejectionList = v.strictObject({
  object: v.literal('list'),
  data: v.array(
    v.strictObject({
      apiKeyId: text,
      modelId: textOrNull,
      rateLimitTier: textOrNull,
      rateLimitType: v.picklist(['RPM', 'TPM', 'FAILED_REQUESTS']),
      timestamp: text,
    }),
  ),
});

/** The token at the top level, in `data`, or at both positions (spec §2.6, service facts §5.3). */
export const validationToken = v.strictObject({
  success: v.optional(v.literal(true)),
  data: v.optional(v.strictObject({ token: text })),
  token: v.optional(text),
});

export const mintedKey = v.union([
  v.strictObject({ ...success, data: v.strictObject(newKeyFields), ...newKeyFields }),
  v.strictObject({ ...success, data: v.strictObject(newKeyFields) }),
  v.strictObject(newKeyFields),
]);

export const balance = v.strictObject({
  canConsume: v.boolean(),
  consumptionCurrency: v.nullable(v.picklist(currencies)),
  balances: v.strictObject({
    diem: numberOrNull,
    usd: numberOrNull,
    bundledCredits: v.number(),
  }),
  diemEpochAllocation: v.number(),
});

export const usageHistory = v.strictObject({
  data: v.array(
    v.strictObject({
      timestamp: text,
      sku: text,
      units: v.number(),
      pricePerUnitUsd: v.number(),
      amount: v.pipe(v.number(), v.maxValue(0)),
      currency: v.picklist(currencies),
      notes: text,
      inferenceDetails: v.null(),
    }),
  ),
  nextCursor: textOrNull,
});

const sums = { USD: v.number(), DIEM: v.number() };
const keyIdentity = { apiKeyId: text, name: text };

export const computeUsageAnalytics = v.strictObject({
  lookback: textOrNull,
  byDate: v.array(v.strictObject({ date: text, ...sums })),
  byModel: v.array(v.strictObject({ model: text, ...sums })),
  byModelDaily: v.array(v.strictObject({ date: text, model: text, ...sums })),
  topModels: v.array(text),
  byKey: v.array(v.strictObject({ ...keyIdentity, ...sums })),
  byKeyDaily: v.array(v.strictObject({ date: text, ...keyIdentity, ...sums })),
  topKeyNames: v.array(text),
});

export const topUp = v.strictObject({
  ...success,
  data: v.strictObject({
    walletAddress: text,
    amountCredited: v.number(),
    newBalance: v.number(),
    paymentId: text,
  }),
});

export const walletBalance = v.strictObject({
  ...success,
  data: v.strictObject({
    walletAddress: text,
    balanceUsd: v.number(),
    canConsume: v.boolean(),
    minimumTopUpUsd: v.number(),
    suggestedTopUpUsd: v.number(),
  }),
});

export const walletTransactions = v.strictObject({
  ...success,
  data: v.strictObject({
    walletAddress: text,
    currentBalance: v.number(),
    transactions: v.array(
      v.strictObject({
        id: text,
        amount: v.number(),
        balanceAfter: v.number(),
        type: v.picklist(['TOP_UP', 'CHARGE', 'REFUND']),
        createdAt: text,
        requestId: textOrNull,
        modelId: textOrNull,
      }),
    ),
    pagination: v.strictObject({ limit: v.number(), offset: v.number(), hasMore: v.boolean() }),
  }),
});
