import {
  array,
  exactOptional,
  type InferOutput,
  integer,
  literal,
  maxLength,
  minValue,
  number,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
  variant,
} from 'valibot';
import { countSchema, idSchema } from '../base/schema.ts';

/**
 * Protocol version. Increase the version when the meaning of a message changes. A page that was loaded with another
 * version reloads.
 */
export const usageVersion = 4;

const usdSchema = pipe(number(), minValue(0));
const daySchema = pipe(string(), regex(/^\d{4}-\d{2}-\d{2}$/u));

const sumFields = {
  requests: countSchema,
  promptTokens: countSchema,
  /** Prompt tokens that the service read from its cache. */
  cachedTokens: countSchema,
  completionTokens: countSchema,
  usd: usdSchema,
  /** Set if `usd` is a minimum: a price is unknown, or part of the conversation cannot be read. */
  isIncomplete: exactOptional(literal(true)),
};

/** Spending of the last `days` days, as shown on the usage page. */
export const usageSchema = strictObject({
  days: countSchema,
  /** Set if recorded spending cannot be read, so that every sum is a minimum. */
  isIncomplete: exactOptional(literal(true)),
  total: strictObject(sumFields),
  /** Spending on each day of the period, oldest first, including days without requests. */
  byDay: array(strictObject({ day: daySchema, ...sumFields })),
  /** Spending on each model, the most expensive model first. */
  byModel: array(strictObject({ model: pipe(string(), maxLength(300)), ...sumFields })),
  byFeature: array(strictObject({ feature: pipe(string(), maxLength(300)), ...sumFields })),
  /** Spending on each conversation that received a reply in the period, the most expensive conversation first. */
  byConversation: array(
    strictObject({
      id: idSchema,
      title: pipe(string(), maxLength(300)),
      ...sumFields,
    }),
  ),
  /** Spending and limit, in dollars, of each budget that the user has set. */
  budgets: array(
    strictObject({
      period: picklist(['daily', 'monthly']),
      usd: usdSchema,
      limitUsd: usdSchema,
      isIncomplete: exactOptional(literal(true)),
    }),
  ),
});

export const usagePeriods = [7, 30] as const;
const periodSchema = picklist(usagePeriods);

const hostMessageSchema = variant('type', [
  strictObject({ type: literal('usage-set'), version: literal(usageVersion), usage: usageSchema }),
  strictObject({ type: literal('usage-fail'), message: string() }),
]);

const pageMessageSchema = variant('type', [
  strictObject({ type: literal('ready'), version: pipe(number(), integer()), days: periodSchema }),
  strictObject({ type: literal('period-set'), days: periodSchema }),
  strictObject({ type: literal('conversation-open'), id: idSchema }),
  strictObject({ type: literal('budget-set') }),
  strictObject({ type: literal('usage-export') }),
]);

export type UsageView = InferOutput<typeof usageSchema>;
export type UsagePeriod = InferOutput<typeof periodSchema>;
export type UsageHostMessage = InferOutput<typeof hostMessageSchema>;
export type UsagePageMessage = InferOutput<typeof pageMessageSchema>;

/** Validates a message from the host. Returns `undefined` for any other value. */
export function readUsageHostMessage(value: unknown): UsageHostMessage | undefined {
  const result = safeParse(hostMessageSchema, value);
  return result.success ? result.output : undefined;
}

/** Validates a message from the page. Returns `undefined` for any other value. */
export function readUsagePageMessage(value: unknown): UsagePageMessage | undefined {
  const result = safeParse(pageMessageSchema, value);
  return result.success ? result.output : undefined;
}
