import * as v from 'valibot';
import { omitUndefined } from '../../../src/base/json.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import { type KeyTerms, limitPeriods, modelPrivacies } from '../money/api-key.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';

const amount = v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(9_999_999_999)));
const description = v.pipe(v.string(), v.maxLength(64));
const dateForms = /^$|^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/;
const expiry = v.pipe(v.string(), v.check(isDate, 'Invalid date'));

/** Fields of a new key, except for its type. */
export const newKeyFields = {
  description: v.optional(description),
  /** Expiry: an empty text for no expiry, a date (00:00 UTC of that day), or a UTC timestamp. */
  expiresAt: v.optional(expiry),
  /**
   * Spending limits. An absent or null amount sets no limit; `vcu` is the former name of `diem`.
   */
  consumptionLimit: v.nullish(v.object({ usd: amount, diem: amount, vcu: amount })),
  limitPeriod: v.optional(v.picklist(limitPeriods)),
  modelPrivacy: v.optional(v.picklist(modelPrivacies)),
};

/** Fields that change an existing key; `null` clears an expiry. */
export const changedKeyFields = { ...newKeyFields, expiresAt: v.nullish(expiry) };

const fields = v.object(changedKeyFields);
type KeyFields = v.InferOutput<typeof fields>;

/**
 * Parses the expiry, limits and other terms of a key. Omits absent fields, and an empty expiry.
 * @throws ApiError 400 for an expiry in the past
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
  return omitUndefined({ usd: parseCap(usd), diem: parseCap(diem ?? vcu) });
}

const parseCap = (units: number | null | undefined): Micro | undefined =>
  units == null ? undefined : toMicro(units);

/** Checks whether the text is an existing date. Rejects dates such as February 31. */
function isDate(text: string): boolean {
  if (!dateForms.test(text)) return false;
  if (text === '') return true;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
}
