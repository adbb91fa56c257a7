import * as v from 'valibot';
import { defined } from '../../../src/base/json.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import { type KeyTerms, limitPeriods, modelPrivacies } from '../money/api-key.ts';
import { customIssue, invalidRequest } from '../validation.ts';

const amount = v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(9_999_999_999)));
const description = v.pipe(v.string(), v.maxLength(64));
const dateForms = /^$|^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/;
const expiry = v.pipe(v.string(), v.check(isDate, 'Invalid date'));

/** What may be said about a key that is made; its type comes beside it. */
export const newKeyFields = {
  description: v.optional(description),
  /** Empty for never, a day (its 00:00 UTC), or an instant of UTC. */
  expiresAt: v.optional(expiry),
  /** An amount that is absent or `null` is no cap; `vcu` is the older name of `diem`. */
  consumptionLimit: v.nullish(v.object({ usd: amount, diem: amount, vcu: amount })),
  limitPeriod: v.optional(v.picklist(limitPeriods)),
  modelPrivacy: v.optional(v.picklist(modelPrivacies)),
};

/** The same, of a key that is there; `null` clears an expiry. */
export const changedKeyFields = { ...newKeyFields, expiresAt: v.nullish(expiry) };

const fields = v.object(changedKeyFields);
type KeyFields = v.InferOutput<typeof fields>;

/**
 * The terms that the fields ask for. What they do not speak of is left out, and so is an expiry that says never.
 * @throws ApiError 400 for an expiry that is over.
 */
export function parseKeyTerms(
  { expiresAt, consumptionLimit, ...fields }: KeyFields,
  now: number,
): Partial<KeyTerms> {
  const expiry = expiresAt ? Date.parse(expiresAt) : undefined;
  if (expiry !== undefined && expiry <= now) {
    throw invalidRequest([customIssue(['expiresAt'], 'Expiry must be in the future')]);
  }
  const limit = consumptionLimit === undefined ? undefined : parseLimit(consumptionLimit ?? {});
  return defined({ ...fields, limit, expiresAt: expiry });
}

function parseLimit({ usd, diem, vcu }: NonNullable<KeyFields['consumptionLimit']>) {
  return defined({ usd: parseCap(usd), diem: parseCap(diem ?? vcu) });
}

const parseCap = (units: number | null | undefined): Micro | undefined =>
  units == null ? undefined : toMicro(units);

/** The 31st of February is none. */
function isDate(text: string): boolean {
  if (!dateForms.test(text)) return false;
  if (text === '') return true;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
}
