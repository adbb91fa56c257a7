import { parseJson } from '../../../src/base/json.ts';
import * as v from 'valibot';
import { createCustomIssue, createInvalidRequestError, parseOpen } from '../validation.ts';
import { currencies, type UsageRow } from './usage-rows.ts';

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const instantSchema = v.pipe(v.string(), v.regex(instantPattern, 'Invalid datetime'));
const integerTextSchema = v.pipe(v.string(), v.toNumber(), v.integer());
/** Schema of the query of `GET /billing/usage-history`, except for the cursor. */
export const usageHistoryQuerySchema = v.object({
  startTimestamp: v.optional(instantSchema),
  endTimestamp: v.optional(instantSchema),
  currency: v.optional(v.picklist(currencies)),
  pageSize: v.optional(v.pipe(integerTextSchema, v.minValue(10), v.maxValue(1000))),
});
const cursorSchema = v.object({ query: usageHistoryQuerySchema, offset: v.number() });

interface UsagePage {
  readonly rows: readonly UsageRow[];
  /** Cursor of the next page, or null on the last page. Clients send only this cursor to get the next page. */
  readonly nextCursor: string | null;
}

/**
 * Returns one page of usage rows.
 * @throws ApiError 400 if the query is invalid, or if it combines a cursor with other fields
 */
export function readUsagePage(
  rows: readonly UsageRow[],
  rawQuery: Readonly<Record<string, string>>,
): UsagePage {
  const { query: filters, offset } = parsePageStart(rawQuery);
  const {
    startTimestamp,
    endTimestamp,
    currency,
    pageSize = 1000,
  } = parseOpen(usageHistoryQuerySchema, filters);
  const startTime = startTimestamp === undefined ? 0 : Date.parse(startTimestamp);
  const endTime = endTimestamp === undefined ? Infinity : Date.parse(endTimestamp);
  const matchingRows = rows.filter(
    (row) =>
      row.chargedAt >= startTime &&
      row.chargedAt < endTime &&
      (currency === undefined || row.currency === currency),
  );
  const nextOffset = offset + pageSize;
  const nextCursor =
    nextOffset < matchingRows.length ? encodeCursor({ query: filters, offset: nextOffset }) : null;
  return { rows: matchingRows.slice(offset, nextOffset), nextCursor };
}

interface PageStart {
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly offset: number;
}

function parsePageStart({ cursor, ...rest }: Readonly<Record<string, string>>): PageStart {
  if (cursor === undefined) return { query: rest, offset: 0 };
  if (Object.keys(rest).length > 0) {
    throw createInvalidRequestError([createCustomIssue(['cursor'], 'A cursor stands alone')]);
  }
  const text = Buffer.from(cursor, 'base64url').toString();
  const start = parseJson(text);
  if (!isPageStart(start))
    throw createInvalidRequestError([createCustomIssue(['cursor'], 'Invalid cursor')]);
  return start;
}

const isPageStart = (value: unknown): value is PageStart => v.is(cursorSchema, value);

const encodeCursor = (start: PageStart): string =>
  Buffer.from(JSON.stringify(start)).toString('base64url');
