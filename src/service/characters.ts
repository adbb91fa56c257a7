import { omitUndefined, isRecord } from '../base/json.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import type { ServiceContext } from './http/client.ts';
import { listSecrets, sendCall } from './http/request.ts';

/** Persona that the service offers and that the model of a chat can adopt. */
export interface Character {
  /** Identifier of the persona in chats: letters, digits, `-` and `_`. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly isAdult: boolean;
  /**
   * Model that the creator of the persona recommends. Chats with the persona use the model that the user selected
   * instead.
   */
  readonly modelId?: string;
  /**
   * URL of an image on a third-party site. Do not pass the URL to a view; fetch the image and validate its bytes
   * instead.
   */
  readonly photoUrl?: string;
  readonly tags: readonly string[];
  /** Average rating from 0 to 5, and number of ratings. */
  readonly rating?: { readonly average: number; readonly count: number };
  readonly importCount: number;
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
  /** Search text. The service uses at most 200 characters. */
  readonly search?: string;
  readonly tags?: readonly string[];
  readonly isAdult?: boolean;
  readonly sortBy?: CharacterSort;
  /** Maximum number of personas per page, 1 to 100. */
  readonly limit: number;
  readonly offset?: number;
}

export interface CharacterPage {
  readonly characters: readonly Character[];
  /**
   * Number of records in the response, including invalid records that the page omits. Add this number to the offset to
   * request the next page.
   */
  readonly recordCount: number;
}

interface CharacterOptions {
  readonly signal: AbortSignal;
}

const maxBytes = 4 * 1024 * 1024;
const maxPageSize = 100;

/**
 * Lists the personas that match a query, in the order in which the service sent them. Omits invalid records. Requires
 * an API key, because the service rejects wallet sign-ins for this route.
 * @throws ServiceError if the request fails
 */
export async function listCharacters(
  context: ServiceContext,
  query: CharacterQuery,
  { signal }: CharacterOptions,
): Promise<CharacterPage> {
  const call = { method: 'GET', path: '/characters', query: buildQuery(query) } as const;
  const response = await sendCall(context, call, signal);
  const secrets = listSecrets(response.endpoint);
  const json = await readJson(response.body, { maxBytes, secrets });
  const data = isRecord(json) ? json['data'] : json;
  if (!Array.isArray(data)) throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  const records = data.slice(0, maxPageSize);
  return {
    characters: records.flatMap((record) => readCharacter(record) ?? []),
    recordCount: records.length,
  };
}

function buildQuery(query: CharacterQuery): Record<string, string> {
  const { search = '', tags = [], isAdult, sortBy, limit, offset = 0 } = query;
  const searchText = search.trim().slice(0, 200);
  return omitUndefined({
    search: searchText === '' ? undefined : searchText,
    tags: tags.length === 0 ? undefined : tags.slice(0, 20).join(','),
    isAdult: isAdult === undefined ? undefined : String(isAdult),
    sortBy,
    limit: String(Math.min(maxPageSize, Math.max(1, limit))),
    offset: String(Math.max(0, offset)),
  }) as Record<string, string>;
}

/**
 * Decodes a persona and omits invalid fields. Returns `undefined` if the slug is missing or cannot be used in a
 * request.
 */
export function readCharacter(value: unknown): Character | undefined {
  if (!isRecord(value)) return undefined;
  const slug = value['slug'];
  if (typeof slug !== 'string' || !/^[\w-]{1,128}$/u.test(slug)) return undefined;
  return omitUndefined({
    slug,
    name: toSingleLine(value['name'], 120) ?? slug,
    description: toSingleLine(value['description'], 2_000) ?? '',
    isAdult: value['adult'] === true || value['isAdult'] === true,
    modelId: toSingleLine(value['modelId'], 300),
    photoUrl: toSingleLine(value['photoUrl'], 2_000),
    tags: decodeTags(value['tags']),
    rating: decodeRating(value['stats']),
    importCount: decodeCount(value['stats'], 'imports'),
  });
}

const decodeTags = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((tag) => toSingleLine(tag, 60) ?? []).slice(0, 20) : [];

function decodeRating(stats: unknown): Character['rating'] {
  if (!isRecord(stats)) return undefined;
  const average = stats['averageRating'];
  const count = decodeCount(stats, 'ratingCount');
  const isRating = typeof average === 'number' && average >= 0 && average <= 5;
  return isRating && count > 0 ? { average, count } : undefined;
}

function decodeCount(stats: unknown, name: string): number {
  const value = isRecord(stats) ? stats[name] : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** Normalizes text from the service to a single line. Returns `undefined` if the text is empty. */
function toSingleLine(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? undefined : text.slice(0, maxLength);
}
