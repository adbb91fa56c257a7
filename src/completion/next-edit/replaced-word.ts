import { isWordAt, wordEnd } from './words.ts';

/** A word that became another. */
export interface ReplacedWord {
  readonly old: string;
  readonly new: string;
}

/**
 * The one word that tells two lines apart, at however many places it stands; absent when they are equal, when several
 * words changed or a word in several ways, and when anything between the words did. Linear.
 */
export function replacedWord(before: string, after: string): ReplacedWord | undefined {
  let found: ReplacedWord | undefined;
  let [at, now] = [0, 0];
  while (at < before.length && now < after.length) {
    if (!isWordAt(before, at) || !isWordAt(after, now)) {
      if (before[at++] !== after[now++]) return undefined;
      continue;
    }
    const [end, nowEnd] = [wordEnd(before, at), wordEnd(after, now)];
    const pair = { old: before.slice(at, end), new: after.slice(now, nowEnd) };
    [at, now] = [end, nowEnd];
    if (pair.old === pair.new) continue;
    if (found && (found.old !== pair.old || found.new !== pair.new)) return undefined;
    found = pair;
  }
  return at === before.length && now === after.length ? found : undefined;
}

/** Whether the word stands in the text, not as a part of a longer one. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + word.length)) return true;
  return false;
}
