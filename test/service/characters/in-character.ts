import { findCharacter } from './characters.ts';

/** Puts the persona's opening before the answer, if the persona exists. */
export function addPersonaOpening(slug: string | undefined, answer: string): string {
  const character = slug === undefined ? undefined : findCharacter(slug);
  return character === undefined ? answer : `${character.opening} ${answer}`;
}
