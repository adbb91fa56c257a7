import type { WebPage } from './page.ts';

/** Returns the pages that share a word with the question, best match first. */
export function rankPages(pages: readonly WebPage[], question: string): readonly WebPage[] {
  const queryWords = new Set(extractWords(question));
  const documents = pages.map(indexPage);
  const sortedDates = documents.map(({ page }) => page.date).sort();
  const isRecencyRelevant = isTimely(question);
  return documents
    .map(({ page, wordCounts }) => {
      const score = scorePage(wordCounts, queryWords, documents);
      const recency = sortedDates.indexOf(page.date) / sortedDates.length;
      return { page, score: isRecencyRelevant ? score * (1 + recency) : score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.page.date.localeCompare(a.page.date))
    .map(({ page }) => page);
}

/**
 * Returns at most `maxCount` sentences in text order: those that share the most words with the question. If no sentence
 * shares a word, returns the first sentences.
 */
export function selectRelevantSentences(
  text: string,
  question: string,
  maxCount: number,
): readonly string[] {
  const questionWords = new Set(extractWords(question));
  const sentences =
    text.match(/[^\s][^.?!\n]*(?:[.?!]+(?=\s|$)|\n|$|[.?!]+(?=\S)[^.?!\n]*)+/g) ?? [];
  const scoredSentences = sentences.map((sentence, index) => {
    return {
      sentence: sentence.trim(),
      index,
      score: new Set(findCommonWords(sentence, questionWords)).size,
    };
  });
  const matchingSentences = scoredSentences.filter(({ score }) => score > 0);
  return (matchingSentences.length > 0 ? matchingSentences : scoredSentences)
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, maxCount)
    .sort((a, b) => a.index - b.index)
    .map(({ sentence }) => sentence);
}

/** Checks whether a question concerns current events, or mentions a web search. */
export const isTimely = (question: string): boolean => currentEventsPattern.test(question);

const currentEventsPattern =
  /\b(?:today|tomorrow|tonight|latest|newest|current(?:ly)?|news|now|recent(?:ly)?|this (?:week|month|year)|202\d|weather|price|releas\w+|version|changelog|look up|search the web|online|who won)\b/i;

/** Checks whether a text and a question have a word in common. Ignores stop words. */
export const hasCommonWords = (text: string, question: string): boolean =>
  findCommonWords(text, new Set(extractWords(question))).length > 0;

const findCommonWords = (text: string, questionWords: ReadonlySet<string>): readonly string[] =>
  extractWords(text).filter((word) => questionWords.has(word));

interface IndexedPage {
  readonly page: WebPage;
  /** Weighted count of each word: one per occurrence in the text or URL, and three per occurrence in the title. */
  readonly wordCounts: ReadonlyMap<string, number>;
}

const indexedPages = new WeakMap<WebPage, IndexedPage>();

function indexPage(page: WebPage): IndexedPage {
  const cachedPage = indexedPages.get(page);
  if (cachedPage !== undefined) return cachedPage;
  const { url, title, text } = page;
  const wordCounts = new Map<string, number>();
  for (const word of extractWords(`${url} ${title} ${title} ${title} ${text}`))
    wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1);
  const indexedPage = { page, wordCounts };
  indexedPages.set(page, indexedPage);
  return indexedPage;
}

/**
 * Scores a page for a question. Rare words have a greater weight. Each repetition of a word adds less weight than the
 * previous one.
 */
function scorePage(
  wordCounts: ReadonlyMap<string, number>,
  questionWords: ReadonlySet<string>,
  documents: readonly IndexedPage[],
): number {
  let score = 0;
  for (const word of questionWords) {
    const count = wordCounts.get(word) ?? 0;
    if (count === 0) continue;
    const documentCount = documents.filter((document) => document.wordCounts.has(word)).length;
    score += Math.log(1 + documents.length / documentCount) * (count / (count + 1.2));
  }
  return score;
}

const stopWords = new Set(
  'a about all an and any are as at be been but by can could did do does for from had has have how i if in into is it its latest me my no not now of on one or our please should so some tell than that the their them then there these they this to today up was we web were what when where which who why will with would you your https http com org net example www search find newest current currently recent'.split(
    ' ',
  ),
);

function extractWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:\.\d+)*/gu) ?? [];
  return words.filter((word) => !stopWords.has(word)).map(computeStem);
}

/** Removes common endings, so that the singular and the plural of a word match. */
const computeStem = (word: string): string =>
  word.length > 4 && word !== 'news' ? word.replace(/(?:ies|es|s|ing|ed|e|y)$/, '') : word;
