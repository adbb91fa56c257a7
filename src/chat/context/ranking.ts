/** Line of a search result: a line that contains the search word, or a line near such a line. */
export interface ContextLine {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
}

/** Search results for one word of the question, grouped by file. */
export interface WordMatches {
  readonly word: string;
  /** Lines that contain the word, and the lines around them, by file path. */
  readonly files: ReadonlyMap<string, readonly ContextLine[]>;
}

export interface RankedFile {
  readonly path: string;
  /** Lines that contain a search word, and the lines around them, in file order without duplicates. */
  readonly lines: readonly ContextLine[];
}

/**
 * Returns the files that match the words of a question, best first. Rare words weigh more than frequent words, and a
 * match in the path weighs more than a match in a line.
 */
export function rankMatches(matches: readonly WordMatches[]): readonly RankedFile[] {
  const scores = new Map<string, number>();
  const lines = new Map<string, Map<number, ContextLine>>();
  const fileCount = new Set(matches.flatMap(({ files }) => [...files.keys()])).size;
  for (const { word, files } of matches) {
    const rarity = Math.log(1 + fileCount / Math.max(1, files.size));
    for (const [path, foundLines] of files) {
      const pathWeight = path.toLowerCase().includes(word.toLowerCase()) ? 2 : 1;
      const frequencyWeight = 1 + Math.log(Math.max(1, foundLines.length)) / 4;
      scores.set(path, (scores.get(path) ?? 0) + rarity * pathWeight * frequencyWeight);
      const fileLines = lines.get(path) ?? new Map<number, ContextLine>();
      for (const match of foundLines) fileLines.set(match.line, match);
      lines.set(path, fileLines);
    }
  }
  return [...scores]
    .toSorted(([pathA, scoreA], [pathB, scoreB]) => scoreB - scoreA || (pathA < pathB ? -1 : 1))
    .map(([path]) => ({
      path,
      lines: [...(lines.get(path)?.values() ?? [])].toSorted((a, b) => a.line - b.line),
    }));
}

export interface SnippetLimits {
  readonly maxFiles: number;
  readonly maxLinesPerFile: number;
  readonly maxCharacters: number;
}

const maxLineLength = 300;

/**
 * Formats the best files for a model. Each file is its path, followed by lines such as `12: text`, with `…` for
 * omitted lines.
 */
export function formatSnippets(files: readonly RankedFile[], limits: SnippetLimits): string {
  const snippets: string[] = [];
  let remainingCharacters = limits.maxCharacters;
  for (const { path, lines } of files.slice(0, limits.maxFiles)) {
    const fileSnippet = [path, ...formatNumberedLines(lines.slice(0, limits.maxLinesPerFile))].join(
      '\n',
    );
    if (fileSnippet.length > remainingCharacters) break;
    snippets.push(fileSnippet);
    remainingCharacters -= fileSnippet.length + 2;
  }
  return snippets.join('\n\n');
}

function formatNumberedLines(lines: readonly ContextLine[]): string[] {
  return lines.flatMap(({ line, text }, index) => {
    const previousLine = lines[index - 1];
    const gap = previousLine !== undefined && previousLine.line + 1 < line ? ['…'] : [];
    return [...gap, `${line}: ${text.slice(0, maxLineLength)}`];
  });
}

/** Maximum number of search words per question. */
export const maxQueryWords = 8;

const minWordLength = 3;
const maxWordLength = 80;

/**
 * Returns the search words of a question, most significant first: compound identifiers such as `userName`, then long
 * words before short words. Skips commands, mentions and stop words. Returns at most {@link maxQueryWords} words.
 */
export function extractQuestionWords(question: string): readonly string[] {
  const questionText = question.replaceAll(/(?:^|(?<=\s))[#/]\S*/gu, ' ');
  const words = questionText.match(/[\p{L}\p{N}_$][\p{L}\p{N}_$-]*/gu) ?? [];
  const wordsByKey = new Map<string, string>();
  for (const word of words.map((word) => word.replace(/-+$/u, ''))) {
    const key = word.toLowerCase();
    if (word.length < minWordLength || word.length > maxWordLength || stopWords.has(key)) continue;
    if (/^\d+$/u.test(word) || wordsByKey.has(key)) continue;
    wordsByKey.set(key, word);
  }
  return [...wordsByKey.values()]
    .toSorted((a, b) => getWordWeight(b) - getWordWeight(a))
    .slice(0, maxQueryWords);
}

/** Returns the weight of a search word. Compound identifiers weigh most, because they are rarely ambiguous. */
const getWordWeight = (word: string): number =>
  (/[a-z\d][A-Z]|[_$]|\w-\w/u.test(word) ? 100 : 0) + word.length;

const stopWords = new Set(
  `about above after again all also and any are because been before being below between both but can cannot class code
  codebase could describe did does doing done down each explain file files find for from function functions get give
  had has have having help here how into its just like look make makes more most need not now off once one only other
  our out over please project same should show some such tell than that the their them then there these they this
  those through under until use used uses using very want was way were what when where which while who whole why will
  with work works workspace would write you your
  aber als auch auf aus bei das dass den der des die dies eine einen einer für hat ich ist kann mit nach nicht oder
  sich sind und von was wenn werden wie wird wo zum zur
  avec comment dans des est les mais pour quel que qui sont sur une
  como con cual del donde los las para por que son una`.split(/\s+/u),
);

/**
 * Returns a score for a path that matches the typed text, ignoring case; `undefined` for no match. A match at the start
 * of the file name scores best, followed by matches inside the file name, then inside the path. A path that only
 * contains the letters in order scores worst.
 */
export function scorePath(query: string, path: string): number | undefined {
  const [lowerQuery, lowerPath] = [query.toLowerCase(), path.toLowerCase()];
  if (lowerQuery === '') return 0;
  const name = lowerPath.slice(lowerPath.lastIndexOf('/') + 1);
  // Among equal matches, the shorter path is closer to the typed text.
  const lengthBonus = 1 / (1 + path.length);
  if (name === lowerQuery) return 5 + lengthBonus;
  if (name.startsWith(lowerQuery)) return 4 + lengthBonus;
  if (name.includes(lowerQuery)) return 3 + lengthBonus;
  if (lowerPath.includes(lowerQuery)) return 2 + lengthBonus;
  if (containsInOrder(name, lowerQuery)) return 1 + lengthBonus;
  return containsInOrder(lowerPath, lowerQuery) ? lengthBonus : undefined;
}

/** Returns at most `maxResults` items whose path matches the query, best first. Equal matches keep their order. */
export function rankPaths<T>(
  query: string,
  items: Iterable<T>,
  { getPath, maxResults }: { readonly getPath: (item: T) => string; readonly maxResults: number },
): readonly T[] {
  const scoredItems: { readonly item: T; readonly score: number }[] = [];
  for (const item of items) {
    const score = scorePath(query, getPath(item));
    if (score !== undefined) scoredItems.push({ item, score });
  }
  return scoredItems
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxResults)
    .map(({ item }) => item);
}

function containsInOrder(text: string, letters: string): boolean {
  let position = -1;
  for (const letter of letters) {
    position = text.indexOf(letter, position + 1);
    if (position < 0) return false;
  }
  return true;
}
