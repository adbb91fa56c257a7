import { countLimit } from './hunk.ts';

/**
 * Offsets at which `search` stands, the first ones. Takes no more than linear time, whatever the two are.
 * @param step `apart`: none begins inside another one; `any`: every place counts.
 */
export function exactPlaces(
  text: string,
  search: string,
  step: 'apart' | 'any',
  limit = countLimit,
): number[] {
  const next = searchFor(text, search);
  const places: number[] = [];
  for (let at = next(0); at >= 0 && places.length < limit;) {
    places.push(at);
    at = next(at + (step === 'apart' ? search.length : 1));
  }
  return places;
}

/** Finds the next place at or behind an offset, which only rises; -1 when there is none. */
type Search = (from: number) => number;

/**
 * The engine's own search is the fastest, but for texts that repeat themselves it takes the product of both lengths. So
 * it looks for the beginning only; where comparing the rest takes too long, another one goes on.
 */
function searchFor(text: string, search: string): Search {
  const head = search.slice(0, 64);
  let effort = 2 * (text.length + search.length);
  let linear: Search | undefined;
  return (from) => {
    let at = from;
    while (linear === undefined) {
      at = text.indexOf(head, at);
      if (at < 0 || text.startsWith(search, at)) return at;
      effort -= search.length;
      if (effort < 0) linear = linearSearch(text, search);
      at += 1;
    }
    return linear(at);
  };
}

/** Knuth, Morris and Pratt's. */
function linearSearch(text: string, search: string): Search {
  const borders = bordersOf(search);
  let [reached, begun] = [0, 0];
  return (from) => {
    let at = reached;
    let matched = begun;
    let found = -1;
    for (; found < 0 && at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && search.charCodeAt(matched) !== unit)
        matched = borders[matched - 1] ?? 0;
      if (search.charCodeAt(matched) === unit) matched += 1;
      if (matched < search.length) continue;
      matched = borders[matched - 1] ?? 0;
      if (at + 1 - search.length >= from) found = at + 1 - search.length;
    }
    [reached, begun] = [at, matched];
    return found;
  };
}

/** For each beginning of `search`, how long the longest shorter beginning is that it ends with. */
function bordersOf(search: string): Int32Array {
  const borders = new Int32Array(search.length);
  let border = 0;
  for (let at = 1; at < search.length; at += 1) {
    const unit = search.charCodeAt(at);
    while (border > 0 && search.charCodeAt(border) !== unit) border = borders[border - 1] ?? 0;
    if (search.charCodeAt(border) === unit) border += 1;
    borders[at] = border;
  }
  return borders;
}

// Scripts that put spaces between words; in others a word's end cannot be seen.
const wordEnd = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]$/u;
const wordStart = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]/u;

/** Whether the range begins or ends inside a word: `count = 1` in `count = 10` is not what was meant. */
export function cutsWord(text: string, start: number, end: number): boolean {
  const joined = (at: number): boolean =>
    wordEnd.test(text.slice(Math.max(0, at - 2), at)) && wordStart.test(text.slice(at, at + 2));
  return joined(start) || joined(end);
}
