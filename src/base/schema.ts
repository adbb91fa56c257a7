import { integer, minValue, number, pipe, regex, string } from 'valibot';
import { idPattern } from './ids.ts';

export const idSchema = pipe(string(), regex(idPattern));

/** A count or an index. */
export const countSchema = pipe(number(), integer(), minValue(0));

/** A duration. */
export const millisecondsSchema = pipe(number(), minValue(0));
