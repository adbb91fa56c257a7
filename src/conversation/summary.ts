import type { Conversation } from './conversation.ts';
import type { ConversationSummary } from './conversation-store.ts';

/** Enough for a search to find any sentence of a long chat, without holding hundreds of them whole in memory. */
const longestText = 200_000;

/** What the list of conversations shows and searches; undefined for one that nothing was said in. */
export function summarize(conversation: Conversation): ConversationSummary | undefined {
  if (conversation.isEmpty) return undefined;
  const texts: string[] = [];
  let length = 0;
  for (const { text } of conversation.messages) {
    texts.push(text.slice(0, longestText - length));
    length += text.length;
    if (length >= longestText) break;
  }
  const { id, title, updatedAt, folder } = conversation;
  const text = texts.join('\n');
  return { id, title, updatedAt, folder, text, folded: `${title}\n${text}`.toLocaleLowerCase() };
}

/** Those in which every word of the query occurs, in the title or in what was said; case does not matter. */
export function searchSummaries(
  summaries: readonly ConversationSummary[],
  query: string,
): readonly ConversationSummary[] {
  const words = wordsOf(query);
  return summaries.filter(({ folded }) => words.every((word) => folded.includes(word)));
}

/** The piece of the conversation around the first match, on one line, for the list. */
export function excerptAround({ text, title, folded }: ConversationSummary, query: string): string {
  const [word = ''] = wordsOf(query);
  const at =
    word === '' ? 0 : Math.max(0, folded.indexOf(word, title.length + 1) - title.length - 1);
  const start = Math.max(0, at - 30);
  const line = text
    .slice(start, start + 120)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return start > 0 ? `…${line}` : line;
}

const wordsOf = (query: string): readonly string[] =>
  query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
