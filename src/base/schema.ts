import { integer, minValue, number, pipe, regex, string } from 'valibot';

/** Ids are made by the host: opaque, short, safe in an attribute. */
export const idSchema = pipe(string(), regex(/^[A-Za-z0-9_-]{1,64}$/u));

/** A count or an index. */
export const countSchema = pipe(number(), integer(), minValue(0));

/** A duration. */
export const millisecondsSchema = pipe(number(), minValue(0));
