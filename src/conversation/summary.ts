import { omitUndefined } from '../base/json.ts';
import type { Conversation, ConversationRecord } from './conversation.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';

/** Data of a conversation for lists and search. */
export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  /** Time of the last message in milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly folder: string | null;
  /** Text of all messages, truncated to {@link maxTextLength}. */
  readonly text: string;
  /** First line of the first answer, without Markdown. Empty if there is no answer. */
  readonly snippet: string;
  /** Title and text in lower case, to search ignoring case. */
  readonly foldedText: string;
  /** Set if a newer version of the extension wrote the conversation. This version of the extension cannot open it. */
  readonly isNewer?: true;
  /** Set if the last answer failed. */
  readonly hasFailed?: true;
  /** Set if a part of the conversation's file cannot be read. The text is empty if no message is readable. */
  readonly isDamaged?: true;
}

/** Conversation storage with one file per conversation and no shared index. */
export interface ConversationStore {
  /**
   * Appends records to a conversation's file. The first records create the file. When the promise resolves, the records
   * survive a crash.
   * @throws an error if the write fails. Even then, existing records remain in the file.
   */
  append(id: string, records: readonly ConversationRecord[]): Promise<void>;
  /**
   * Loads a conversation. Resolves to undefined if the conversation does not exist or contains no readable message. A
   * damaged file is never changed.
   */
  load(id: string): Promise<Conversation | undefined>;
  /** Lists the summaries of all conversations, newest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** Removes the conversation from the list. `restore` reverts the removal. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}

/**
 * Maximum number of searchable characters per conversation, so that hundreds of conversations fit
 * in memory.
 */
const maxTextLength = 200_000;

/** Summarizes a conversation for lists and search. Returns undefined if the conversation has no messages. */
export function summarizeConversation(conversation: Conversation): ConversationSummary | undefined {
  if (conversation.isEmpty) return undefined;
  const texts: string[] = [];
  let length = 0;
  for (const { text } of conversation.messages) {
    texts.push(text.slice(0, maxTextLength - length));
    length += text.length;
    if (length >= maxTextLength) break;
  }
  const { id, title, updatedAt, folder, isDamaged } = conversation;
  const text = texts.join('\n');
  const foldedText = `${title}\n${text}`.toLocaleLowerCase();
  const snippet = findFirstLine(
    conversation.listPath().find((message) => message.role === 'assistant' && message.text !== '')
      ?.text ?? '',
  );
  const { head } = conversation;
  const hasFailed = head?.role === 'assistant' && head.status === 'failed';
  return {
    id,
    title,
    updatedAt,
    folder,
    text,
    snippet,
    foldedText,
    ...(hasFailed && { hasFailed }),
    ...(isDamaged && { isDamaged }),
  };
}

/**
 * Returns the first line that contains letters or digits, without its Markdown syntax. Returns at most 120
 * characters; empty if there is no such line.
 */
function findFirstLine(text: string): string {
  const lines = text.slice(0, maxSnippetSourceChars).split('\n');
  const line = lines.find(
    (candidate) => /[\p{L}\p{N}]/u.test(candidate) && !/^\s*```/u.test(candidate),
  );
  return (line ?? '')
    .replaceAll(/^[\s#>*+-]+|[*_`]+/gu, '')
    .slice(0, maxExcerptLength)
    .trim();
}

const maxSnippetSourceChars = 4_000;
const maxExcerptLength = 120;

/** Returns the summaries whose title or text contains every word of the query, ignoring case. */
export function searchSummaries(
  summaries: readonly ConversationSummary[],
  query: string,
): readonly ConversationSummary[] {
  const words = splitWords(query);
  return summaries.filter(({ foldedText }) => words.every((word) => foldedText.includes(word)));
}

/**
 * Returns the text around the first match of the query's first word, on one line. Without a query, returns the first
 * line of the first answer.
 */
export function extractTextAroundMatch(
  { text, title, foldedText, snippet }: ConversationSummary,
  query: string,
): string {
  const [word = ''] = splitWords(query);
  if (word === '') return snippet;
  const matchIndex = Math.max(0, foldedText.indexOf(word, title.length + 1) - title.length - 1);
  const start = Math.max(0, matchIndex - 30);
  const line = text
    .slice(start, start + maxExcerptLength)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return start > 0 ? `…${line}` : line;
}

const splitWords = (query: string): readonly string[] =>
  query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);

/** Cost and usage of one answer or one delegated task. */
export interface AnswerCost {
  /** Time when the answer was created or the delegated task was started, in milliseconds since the epoch. */
  readonly time: number;
  /** Id of the model. Empty for a delegated task in a record of an earlier version. */
  readonly modelId: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** Returns the usage and cost of all answers and delegated tasks that report usage or cost, on all branches. */
export function listAnswerCosts(conversation: Conversation): readonly AnswerCost[] {
  return [...conversation.messages]
    .filter((message) => message.role === 'assistant')
    .flatMap(({ createdAt, model, result, toolRuns }) => [
      { time: createdAt, modelId: model.id, ...selectUsageAndCost(result) },
      ...toolRuns.flatMap(({ startedAt, delegated }) =>
        delegated === undefined
          ? []
          : [
              {
                time: startedAt,
                modelId: delegated.modelId ?? '',
                ...selectUsageAndCost(delegated),
              },
            ],
      ),
    ])
    .filter(({ usage, cost }) => usage !== undefined || cost !== undefined);
}

const selectUsageAndCost = ({
  usage,
  cost,
}: Pick<AnswerCost, 'usage' | 'cost'>): Pick<AnswerCost, 'usage' | 'cost'> =>
  omitUndefined({ usage, cost });

/**
 * Returns the number of tokens in the context after the last answer that reports usage, as counted by the service.
 * Undefined if no answer reports usage.
 */
export function countContextTokens(conversation: Conversation): number | undefined {
  const usage = findLastUsage(conversation);
  return usage && usage.promptTokens + usage.completionTokens;
}

/** Returns the usage of the last request that reports usage. Undefined if no answer reports usage. */
export function findLastUsage(conversation: Conversation): Usage | undefined {
  const lastAnswer = conversation
    .listPath()
    .findLast((message) => message.role === 'assistant' && message.result.usage !== undefined);
  const result = lastAnswer?.role === 'assistant' ? lastAnswer.result : undefined;
  return result?.lastRequest?.usage ?? result?.usage;
}
