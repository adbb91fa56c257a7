import type { Snapshot } from '../snapshot.ts';

/** Identifier near the cursor that may have a declaration elsewhere. */
export interface NearbySymbol {
  readonly name: string;
  /** Position in the document, 0-based, in UTF-16 code units. */
  readonly position: Snapshot['position'];
}

/**
 * Maximum number of symbols to return (`symbols`), and of characters before the cursor to search (`characters`). Few
 * symbols are returned, because the lookup of each symbol takes several milliseconds.
 */
export const symbolLimits = { symbols: 8, characters: 2_000 } as const;

/**
 * Returns the identifiers before the cursor whose declarations are useful context, nearest first. Omits duplicates,
 * keywords, single letters, strings and comments.
 */
export function findNearbySymbols({ prefix, position }: Snapshot): readonly NearbySymbol[] {
  const start = Math.max(0, prefix.length - symbolLimits.characters);
  const lines = prefix.slice(start).split('\n');
  const foundSymbols = new Map<string, NearbySymbol>();
  for (
    let distance = 0;
    distance < lines.length && foundSymbols.size < symbolLimits.symbols;
    distance += 1
  ) {
    const text = lines.at(-1 - distance) ?? '';
    // The first line of the excerpt may be truncated, unless it is the cursor's line or the first line of the document.
    const isWhole = distance < lines.length - 1 || position.line === distance;
    if (!isWhole && distance > 0) break;
    const column = distance === 0 ? position.character - text.length : 0;
    for (const { name, index } of findNames(text).reverse()) {
      if (foundSymbols.has(name) || foundSymbols.size >= symbolLimits.symbols) continue;
      foundSymbols.set(name, {
        name,
        position: { line: position.line - distance, character: column + index },
      });
    }
  }
  return [...foundSymbols.values()];
}

function findNames(line: string): { name: string; index: number }[] {
  const names: { name: string; index: number }[] = [];
  for (const match of line.matchAll(stringOrIdentifierPattern)) {
    const name = match.groups?.['name'];
    if (match.groups?.['comment'] !== undefined) break;
    if (name !== undefined && !excludedKeywords.has(name)) names.push({ name, index: match.index });
  }
  return names;
}

/**
 * Matches strings, numbers, the start of a comment (group `comment`) and identifiers (group `name`). Identifiers inside
 * strings are not matched separately. An unclosed quote is skipped.
 */
const stringOrIdentifierPattern =
  /"[^"\\]*"|'[^'\\]*'|(?<comment>\/\/|^\s*(?:#(?!include)|\*|--\s))|(?<![\w$.@-])\d[\w.]*|(?<name>[\p{L}_$][\p{L}\p{N}_$]+)/gu;

/**
 * Keywords of many languages. They are excluded in all languages, because identifiers with these names rarely have
 * useful declarations.
 */
const excludedKeywords = new Set(
  `abstract and any as assert async await bool boolean break byte case catch char class const constexpr continue
  crate debugger def default defer del delete do double dyn elif else elsif end ensure enum except export extends
  extern false final finally float fn for foreach from func function global go goto if impl implements import in
  include inline instanceof int interface internal is keyof lambda let long loop match mod module mut namespace
  nameof never new nil none None not null nullptr number object of operator or out override package params pass
  private protected pub public raise readonly ref require return self Self sealed short signed static str string
  struct super switch symbol template then this throw throws trait True False true try type typedef typename typeof
  undefined union unknown unless unsafe unsigned until use using val var virtual void volatile when where while
  with yield`.split(/\s+/u),
);
