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
  return { id, title, updatedAt, folder, text: texts.join('\n') };
}

/** Those in which every word of the query occurs, in the title or in what was said; case does not matter. */
export function searchSummaries(
  summaries: readonly ConversationSummary[],
  query: string,
): readonly ConversationSummary[] {
  const words = query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return summaries;
  return summaries.filter((summary) => {
    const text = `${summary.title}\n${summary.text}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The piece of the conversation around the first match, on one line, for the list. */
export function excerptAround({ text }: ConversationSummary, query: string): string {
  const [word = ''] = query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
  const at = word === '' ? 0 : Math.max(0, text.toLocaleLowerCase().indexOf(word));
  const start = Math.max(0, at - 30);
  const line = text
    .slice(start, start + 120)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return start > 0 ? `…${line}` : line;
}
