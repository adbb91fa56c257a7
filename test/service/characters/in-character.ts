import { findCharacter } from './characters.ts';

/** Prepends the opening of the persona to the answer, if the persona exists. */
export function addPersonaOpening(slug: string | undefined, answer: string): string {
  const character = slug === undefined ? undefined : findCharacter(slug);
  return character === undefined ? answer : `${character.opening} ${answer}`;
}
