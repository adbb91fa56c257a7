import * as v from 'valibot';
import { omitUndefined } from '../../../src/base/json.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import { type KeyTerms, limitPeriods, modelPrivacies } from '../money/api-key.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';

const amountSchema = v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(9_999_999_999)));
const descriptionSchema = v.pipe(v.string(), v.maxLength(64));
const expiryPattern = /^$|^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/;
const expirySchema = v.pipe(v.string(), v.check(isDate, 'Invalid date'));

/** Fields of a new key, except for its type. */
export const newKeyFields = {
  description: v.optional(descriptionSchema),
  /** Expiry of the key: a date (00:00 UTC on this day) or a timestamp in UTC. An empty string means no expiry. */
  expiresAt: v.optional(expirySchema),
  /** Spending limits. An amount that is absent or null sets no limit. `vcu` is the former name of `diem`. */
  consumptionLimit: v.nullish(
    v.object({ usd: amountSchema, diem: amountSchema, vcu: amountSchema }),
  ),
  limitPeriod: v.optional(v.picklist(limitPeriods)),
  modelPrivacy: v.optional(v.picklist(modelPrivacies)),
};

/** Fields that change an existing key. A null in `expiresAt` removes the expiry of the key. */
export const changedKeyFields = { ...newKeyFields, expiresAt: v.nullish(expirySchema) };

const fieldsSchema = v.object(changedKeyFields);
type KeyFields = v.InferOutput<typeof fieldsSchema>;

/**
 * Parses the expiry, the spending limits and the other changeable properties of an API key. The result omits absent
 * fields and an empty expiry.
 * @throws ApiError 400 if the expiry is in the past
 */
export function parseKeyTerms(
  { expiresAt, consumptionLimit, ...fields }: KeyFields,
  now: number,
): Partial<KeyTerms> {
  const expiry = expiresAt ? Date.parse(expiresAt) : undefined;
  if (expiry !== undefined && expiry <= now) {
    throw createInvalidRequestError([
      createCustomIssue(['expiresAt'], 'Expiry must be in the future'),
    ]);
  }
  const limit = consumptionLimit === undefined ? undefined : parseLimit(consumptionLimit ?? {});
  return omitUndefined({ ...fields, limit, expiresAt: expiry });
}

function parseLimit({ usd, diem, vcu }: NonNullable<KeyFields['consumptionLimit']>) {
  return omitUndefined({ usd: parseLimitAmount(usd), diem: parseLimitAmount(diem ?? vcu) });
}

const parseLimitAmount = (amount: number | null | undefined): Micro | undefined =>
  amount == null ? undefined : toMicro(amount);

/** Checks whether the text is a date that exists. Returns false for dates such as February 31. */
function isDate(text: string): boolean {
  if (!expiryPattern.test(text)) return false;
  if (text === '') return true;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
}
