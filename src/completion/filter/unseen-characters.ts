import { hiddenCharacters } from '../../base/hidden-characters.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Whether a text has characters that a person does not see or cannot tell from others: what draws nothing, blanks other
 * than those of the document, halves of characters, characters that no font agrees on, and heaps of marks on one letter.
 */
export function hasUnseenCharacters(text: string, snapshot: Snapshot): boolean {
  if (!text.isWellFormed() || neverWanted.test(text)) return true;
  if (hiddenCharacters(text).next().done === false) return true;
  return [...new Set(text.match(oddBlanks))].some((blank) => !isAtHome(blank, snapshot));
}

/*
 * Private use and noncharacters; controls that join hieroglyphs. Burmese puts five marks on a letter, no script more
 * than six.
 */
const neverWanted = /[\p{Private_Use}\p{Noncharacter_Code_Point}\u{13430}-\u{13440}]|\p{Mark}{7}/u;

/** All blanks but space and tab; the pattern without dots of Braille looks like one. */
const oddBlanks = /(?! )[\p{Space_Separator}\u2800]/gu;

const isAtHome = (blank: string, { prefix, suffix }: Snapshot): boolean =>
  prefix.includes(blank) ||
  suffix.includes(blank) ||
  (blank === '\u3000' && (eastAsian.test(prefix) || eastAsian.test(suffix)));

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
