import { integer, minValue, number, pipe, regex, string } from 'valibot';
import { idPattern } from './ids.ts';

export const idSchema = pipe(string(), regex(idPattern));

/** Schema of a non-negative integer, such as a count or an index. */
export const countSchema = pipe(number(), integer(), minValue(0));

/** Schema of a duration in milliseconds. */
export const millisecondsSchema = pipe(number(), minValue(0));
