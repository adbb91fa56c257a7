import { findCharacter } from './characters.ts';

/**
 * Adds the opening message of a persona before the answer. Returns the answer unchanged if the persona does not exist.
 */
export function addPersonaOpening(slug: string | undefined, answer: string): string {
  const character = slug === undefined ? undefined : findCharacter(slug);
  return character === undefined ? answer : `${character.openingMessage} ${answer}`;
}
