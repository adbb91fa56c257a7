import { findCharacter } from './characters.ts';

/** An answer in the voice of the persona, when there is one. */
export function addPersonaOpening(slug: string | undefined, answer: string): string {
  const character = slug === undefined ? undefined : findCharacter(slug);
  return character === undefined ? answer : `${character.opening} ${answer}`;
}
