import { defined, isRecord } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { ServiceContext } from './http/client.ts';
import { secretsOf, send } from './http/request.ts';

/** A persona of the service (service facts §4.3). */
export interface Character {
  /** Names it in chats: letters, digits, `-` and `_`. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly isAdult: boolean;
  readonly isFeatured: boolean;
  /** The model that its maker had in mind; chats use their own. */
  readonly modelId?: string;
  /** Somebody else's address: nothing but bytes that are checked may come from there. */
  readonly photoUrl?: string;
  readonly tags: readonly string[];
  /** 0 to 5, with how many people said so. */
  readonly rating?: { readonly average: number; readonly count: number };
  readonly imports: number;
}

export const characterSorts = [
  'featured',
  'highestRating',
  'highlyRated',
  'highlyRatedAndRecent',
  'imports',
  'mostRecent',
  'ratingCount',
] as const;
export type CharacterSort = (typeof characterSorts)[number];

export interface CharacterQuery {
  /** At most 200 characters count. */
  readonly search?: string;
  readonly tags?: readonly string[];
  readonly isAdult?: boolean;
  readonly sortBy?: CharacterSort;
  /** 1 to 100. */
  readonly limit: number;
  readonly offset?: number;
}

export interface CharacterPage {
  readonly characters: readonly Character[];
  /** How many records the service sent, whether they could be read or not: where the next page begins. */
  readonly count: number;
}

interface Options {
  readonly signal: AbortSignal;
}

const maxBytes = 4 * 1024 * 1024;
const mostOfPage = 100;

/**
 * Personas that fit, in the service's order. What is none is left out. Needs a key: a wallet's sign-in is refused.
 * @throws ServiceError
 */
export async function listCharacters(
  context: ServiceContext,
  query: CharacterQuery,
  { signal }: Options,
): Promise<CharacterPage> {
  const call = { method: 'GET', path: '/characters', query: parametersOf(query) } as const;
  const reply = await send(context, call, signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { maxBytes, secrets });
  const data = isRecord(json) ? json['data'] : json;
  if (!Array.isArray(data)) throw notUnderstood(JSON.stringify(json), secrets);
  const records = data.slice(0, mostOfPage);
  return {
    characters: records.flatMap((each) => readCharacter(each) ?? []),
    count: records.length,
  };
}

function parametersOf(query: CharacterQuery): Record<string, string> {
  const { search = '', tags = [], isAdult, sortBy, limit, offset = 0 } = query;
  const words = search.trim().slice(0, 200);
  return defined({
    search: words === '' ? undefined : words,
    tags: tags.length === 0 ? undefined : tags.slice(0, 20).join(','),
    isAdult: isAdult === undefined ? undefined : String(isAdult),
    sortBy,
    limit: String(Math.min(mostOfPage, Math.max(1, limit))),
    offset: String(Math.max(0, offset)),
  }) as Record<string, string>;
}

/** Read tolerantly; `undefined` without a slug that can be sent back. */
export function readCharacter(value: unknown): Character | undefined {
  if (!isRecord(value)) return undefined;
  const slug = value['slug'];
  if (typeof slug !== 'string' || !/^[\w-]{1,128}$/u.test(slug)) return undefined;
  return defined({
    slug,
    name: line(value['name'], 120) ?? slug,
    description: line(value['description'], 2_000) ?? '',
    isAdult: value['adult'] === true || value['isAdult'] === true,
    isFeatured: value['featured'] === true,
    modelId: line(value['modelId'], 300),
    photoUrl: line(value['photoUrl'], 2_000),
    tags: tagsOf(value['tags']),
    rating: ratingOf(value['stats']),
    imports: countOf(value['stats'], 'imports'),
  });
}

const tagsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((tag) => line(tag, 60) ?? []).slice(0, 20) : [];

function ratingOf(stats: unknown): Character['rating'] {
  if (!isRecord(stats)) return undefined;
  const average = stats['averageRating'];
  const count = countOf(stats, 'ratingCount');
  const isRating = typeof average === 'number' && average >= 0 && average <= 5;
  return isRating && count > 0 ? { average, count } : undefined;
}

function countOf(stats: unknown, name: string): number {
  const value = isRecord(stats) ? stats[name] : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** Somebody's words, on one line; undefined for none. */
function line(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? undefined : text.slice(0, most);
}
