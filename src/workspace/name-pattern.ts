import { followsPattern } from './wildcard.ts';

/** Whether a file's or a folder's name is one that the pattern means. */
export type NamePattern = (name: string) => boolean;

const star = Symbol('any number of characters');
const any = Symbol('one character');
/** A text is one character that must be there. */
type Part = typeof star | typeof any | string | CharacterClass;

interface CharacterClass {
  readonly negated: boolean;
  /** Pairs of the first and the last character. */
  readonly ranges: readonly (readonly [string, string])[];
}

/** A pattern without slashes and braces: `*`, `?`, `[a-z]`, `[!x]`, and a backslash before what is meant as it stands. */
export function compileName(pattern: string): NamePattern {
  const parts = partsOf(pattern);
  const whole = plainText(parts);
  if (whole !== undefined) return (candidate) => candidate === whole;
  const ending = parts[0] === star ? plainText(parts.slice(1)) : undefined;
  if (ending !== undefined) return (candidate) => candidate.endsWith(ending);
  return (candidate) => followsPattern(parts, candidate, { isStar, matches });
}

/** Undefined when not every part is a character. */
function plainText(parts: readonly Part[]): string | undefined {
  const characters = parts.filter((part) => typeof part === 'string');
  return characters.length === parts.length ? characters.join('') : undefined;
}

const isStar = (part: Part): boolean => part === star;

function matches(part: Part, character: string): boolean {
  if (part === any) return true;
  if (part === star) return false;
  if (typeof part === 'string') return part === character;
  const { negated, ranges } = part;
  return ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') {
      if (parts.at(-1) !== star) parts.push(star);
    } else if (character === '?') parts.push(any);
    else if (character === '\\' && at + 1 < pattern.length) parts.push(pattern.charAt(++at));
    else if (character === '[') {
      const end = classEnd(pattern, at);
      if (end === undefined) parts.push(character);
      else {
        parts.push(readClass(pattern.slice(at + 1, end)));
        at = end;
      }
    } else parts.push(character);
  }
  return parts;
}

/** Where the class that opens at `start` closes: a bracket right after its beginning is one of its characters. */
function classEnd(pattern: string, start: number): number | undefined {
  const from = /[!^]/u.test(pattern.charAt(start + 1)) ? start + 3 : start + 2;
  const end = pattern.indexOf(']', from);
  return end < 0 ? undefined : end;
}

function readClass(text: string): CharacterClass {
  const negated = /^[!^]/u.test(text);
  const characters = negated ? text.slice(1) : text;
  const ranges: [string, string][] = [];
  for (let at = 0; at < characters.length; at++) {
    const from = characters.charAt(at);
    const isRange = characters.charAt(at + 1) === '-' && at + 2 < characters.length;
    ranges.push([from, isRange ? characters.charAt(at + 2) : from]);
    if (isRange) at += 2;
  }
  return { negated, ranges };
}
