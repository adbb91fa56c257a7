import * as v from 'valibot';
import type { CharacterRecord } from './characters.ts';

const flagSchema = v.optional(v.picklist(['true', 'false']));
/**
 * Schema of a query parameter that can be repeated. Each occurrence can contain several values, separated by commas.
 */
const namesSchema = v.optional(
  v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((parameter) => [parameter].flat().flatMap((value) => value.split(','))),
    v.maxLength(20),
  ),
  [],
);
const createIntegerParameterSchema = (min: number, max: number) =>
  v.pipe(v.string(), v.regex(/^\d+$/u), v.transform(Number), v.minValue(min), v.maxValue(max));

/** Schema of the query of `GET /characters`. */
export const characterQuerySchema = v.object({
  search: v.optional(v.pipe(v.string(), v.maxLength(200)), ''),
  categories: namesSchema,
  tags: namesSchema,
  modelId: namesSchema,
  isAdult: flagSchema,
  isPro: flagSchema,
  isWebEnabled: flagSchema,
  sortBy: v.optional(
    v.picklist([
      'featured',
      'highestRating',
      'highlyRated',
      'highlyRatedAndRecent',
      'imports',
      'mostRecent',
      'ratingCount',
    ]),
    'featured',
  ),
  sortOrder: v.optional(v.picklist(['asc', 'desc']), 'desc'),
  limit: v.optional(createIntegerParameterSchema(1, 100), '50'),
  offset: v.optional(createIntegerParameterSchema(0, 1_000_000), '0'),
});

export type CharacterQuery = v.InferOutput<typeof characterQuerySchema>;

/** Filters and sorts the records, and returns the requested page. */
export function queryCharacters(
  records: readonly CharacterRecord[],
  query: CharacterQuery,
): readonly CharacterRecord[] {
  const direction = query.sortOrder === 'asc' ? 1 : -1;
  const value = sortValueGetters[query.sortBy];
  return records
    .filter((record) => matchesQuery(record, query))
    .toSorted((a, b) => direction * (value(a) - value(b)) || (a.name < b.name ? -1 : 1))
    .slice(query.offset, query.offset + query.limit);
}

function matchesQuery(record: CharacterRecord, query: CharacterQuery): boolean {
  const text = `${record.name} ${record.description} ${record.tags.join(' ')}`.toLowerCase();
  const requiredTags = [...query.tags, ...query.categories];
  return (
    query.search
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => text.includes(word)) &&
    (requiredTags.length === 0 || record.tags.some((tag) => requiredTags.includes(tag))) &&
    (query.modelId.length === 0 || query.modelId.includes(record.modelId)) &&
    matchesFlag(record.adult, query.isAdult) &&
    matchesFlag(record.webEnabled, query.isWebEnabled)
  );
}

const matchesFlag = (value: boolean, expected: string | undefined): boolean =>
  expected === undefined || expected === String(value);

const parseCreationTime = ({ createdAt }: CharacterRecord): number => Date.parse(createdAt);
const getRating = ({ stats }: CharacterRecord): number => stats.averageRating;

const sortValueGetters: Readonly<
  Record<CharacterQuery['sortBy'], (record: CharacterRecord) => number>
> = {
  featured: ({ featured, stats }) => (featured ? 1e9 : 0) + stats.imports,
  highestRating: getRating,
  highlyRated: ({ stats }) => stats.averageRating * Math.log(1 + stats.ratingCount),
  highlyRatedAndRecent: (record) => getRating(record) * parseCreationTime(record),
  imports: ({ stats }) => stats.imports,
  mostRecent: parseCreationTime,
  ratingCount: ({ stats }) => stats.ratingCount,
};
