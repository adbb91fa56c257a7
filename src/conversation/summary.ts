import type { Conversation, ConversationRecord } from './conversation.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';

/** What a list of conversations needs to know of each. */
export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly folder: string | null;
  /** Everything that was said; bounded. */
  readonly text: string;
  /** Title and text in lower case, for the search. */
  readonly folded: string;
  /** A newer version of the extension wrote the conversation: it cannot be opened. */
  readonly isNewer?: true;
}

/** Where conversations are kept: one file each, no shared index. */
export interface ConversationStore {
  /**
   * Adds records to a conversation's file, creating it with the first. On return they survive a crash.
   * @throws when the disk refuses; nothing that was there before is lost.
   */
  append(id: string, records: readonly ConversationRecord[]): Promise<void>;
  /** Undefined when there is no such conversation, or its file cannot be read as one (it is then set aside, not deleted). */
  load(id: string): Promise<Conversation | undefined>;
  /** Newest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** Takes it out of the list; `restore` brings it back. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}

/** Enough for a search to find any sentence of a long chat, without holding hundreds of them whole in memory. */
const maxTextLength = 200_000;

/** What the list of conversations shows and searches; undefined for one that nothing was said in. */
export function summarize(conversation: Conversation): ConversationSummary | undefined {
  if (conversation.isEmpty) return undefined;
  const texts: string[] = [];
  let length = 0;
  for (const { text } of conversation.messages) {
    texts.push(text.slice(0, maxTextLength - length));
    length += text.length;
    if (length >= maxTextLength) break;
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
  const words = splitWords(query);
  return summaries.filter(({ folded }) => words.every((word) => folded.includes(word)));
}

/** The piece of the conversation around the first match, on one line, for the list. */
export function excerptAroundMatch(
  { text, title, folded }: ConversationSummary,
  query: string,
): string {
  const [word = ''] = splitWords(query);
  const at =
    word === '' ? 0 : Math.max(0, folded.indexOf(word, title.length + 1) - title.length - 1);
  const start = Math.max(0, at - 30);
  const line = text
    .slice(start, start + 120)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return start > 0 ? `…${line}` : line;
}

const splitWords = (query: string): readonly string[] =>
  query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);

/** What one answer took. */
export interface AnswerCost {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly modelId: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** What each answer of every branch took, of those that tell. */
export function listAnswerCosts(conversation: Conversation): readonly AnswerCost[] {
  return [...conversation.messages].flatMap((message) => {
    if (message.role === 'user') return [];
    const { usage, cost } = message.result;
    if (usage === undefined && cost === undefined) return [];
    return [
      {
        at: message.createdAt,
        modelId: message.model.id,
        ...(usage !== undefined && { usage }),
        ...(cost !== undefined && { cost }),
      },
    ];
  });
}

/** How full the context is after the last answer of `conversation`, in tokens as the service counted; undefined before. */
export function countContextTokens(conversation: Conversation): number | undefined {
  const last = conversation
    .path()
    .findLast((message) => message.role === 'assistant' && message.result.usage !== undefined);
  const result = last?.role === 'assistant' ? last.result : undefined;
  const usage = result?.lastRequest?.usage ?? result?.usage;
  return usage && usage.promptTokens + usage.completionTokens;
}
