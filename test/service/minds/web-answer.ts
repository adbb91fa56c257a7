import { isRecord, type JsonRecord, stringOr } from '../../../src/base/json.ts';
import { tellingSentences } from '../web/rank.ts';
import type { Findings } from './web-search.ts';

/** An answer that quotes what was found, each statement marked `^1^` when marks are wanted. */
export function answerFromWeb(question: string, found: Findings, marked: boolean): string {
  const { citations, unread } = found;
  const mark = (...numbers: readonly number[]): string => (marked ? `^${numbers.join(',')}^` : '');
  const points = citations.map((each, index) => `- ${statement(each, question)}${mark(index + 1)}`);
  const numbers = citations.map((_, index) => index + 1);
  const closing = `${sources(citations.length)}${mark(...numbers)}`;
  return [
    ...(citations.length === 0
      ? []
      : [`Here is what the web says about *${topicOf(question)}*:`, points.join('\n'), closing]),
    ...unread.map((address) => `I could not read ${address}.`),
  ].join('\n\n');
}

function statement(citation: unknown, question: string): string {
  // Results that a test wrote may be anything.
  const { title, content, date }: JsonRecord = isRecord(citation) ? citation : {};
  const text = stringOr(content, '').replace(/^#.*$/gm, '');
  const quote = tellingSentences(text, question, 1).join(' ');
  const day = stringOr(date, '') === '' ? '' : ` (${stringOr(date, '')})`;
  return `**${stringOr(title, 'A page')}**${day}: ${quote}`;
}

const sources = (count: number): string =>
  count === 1 ? 'That is all I found.' : `These ${count} sources are all I found.`;

const topicOf = (question: string): string =>
  question
    .replace(/https?:\/\/\S+/g, 'the page')
    .replace(/\s+/g, ' ')
    .replace(/^(?:what(?:'s| is| are)?|who is|tell me about|search(?: the web)? for|find)\s+/i, '')
    .replace(/[?!.\s]+$/, '')
    .slice(0, 60);
