import { createHash } from 'node:crypto';
import { hashText } from '../random.ts';
import { type CharacterDefinition, characterDefinitions } from './character-definitions.ts';

/** A persona as returned by `GET /characters`. */
export interface CharacterRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly author: string;
  readonly adult: boolean;
  readonly featured: boolean;
  readonly webEnabled: boolean;
  readonly modelId: string;
  readonly photoUrl: string;
  readonly shareUrl: string | null;
  readonly tags: readonly string[];
  readonly stats: {
    readonly averageRating: number;
    readonly imports: number;
    readonly ratingCount: number;
    readonly ratingSum: number;
    readonly userRating: null;
  };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Finds a persona by slug or id. */
export const findCharacter = (name: string): CharacterDefinition | undefined =>
  characterDefinitions.find(
    ({ slug }) => slug === name || createCharacterId(slug) === name.toLowerCase(),
  );

/**
 * Builds the public record of a persona.
 * @param photosUrl Base URL of the images
 */
export function createCharacterRecord(
  character: CharacterDefinition,
  photosUrl: string,
): CharacterRecord {
  const { slug, name, description, tags, isAdult } = character;
  const slugHash = hashText(slug);
  const ratingCount = 3 + (slugHash % 900);
  const ratingSum = Math.round(ratingCount * (3 + (slugHash % 21) / 10));
  const createdAt = new Date(Date.UTC(2026, slugHash % 8, 1 + (slugHash % 27))).toISOString();
  return {
    id: createCharacterId(slug),
    slug,
    name,
    description,
    author: createCharacterId(slug).slice(0, 5),
    adult: isAdult,
    featured: slugHash % 4 === 0 || slug === 'alan-watts',
    webEnabled: slugHash % 3 !== 0,
    modelId: 'default',
    photoUrl: `${photosUrl}/${slug}.png`,
    shareUrl: null,
    tags,
    stats: {
      averageRating: Math.round((ratingSum / ratingCount) * 100) / 100,
      imports: slugHash % 50_000,
      ratingCount,
      ratingSum,
      userRating: null,
    },
    createdAt,
    updatedAt: createdAt,
  };
}

function createCharacterId(slug: string): string {
  const hashHex = createHash('sha1').update(slug).digest('hex');
  return `${hashHex.slice(0, 8)}-${hashHex.slice(8, 12)}-4${hashHex.slice(13, 16)}-8${hashHex.slice(17, 20)}-${hashHex.slice(20, 32)}`;
}
