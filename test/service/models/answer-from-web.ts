import { isRecord, type JsonRecord, readStringOr } from '../../../src/base/json.ts';
import { selectRelevantSentences } from '../web/rank.ts';
import type { ModelRequest } from './request.ts';

/**
 * Answers with quotations from the web search results. If the request enables citations, each quotation ends with a
 * marker such as `^1^`.
 */
export function answerFromWeb({ question, searchResults, call }: ModelRequest): string {
  const { citations, unreadUrls } = searchResults;
  const formatCitationMarker = (...numbers: readonly number[]): string =>
    call.settings.enable_web_citations ? `^${numbers.join(',')}^` : '';
  const bulletPoints = citations.map(
    (citation, index) =>
      `- ${quoteStatement(citation, question)}${formatCitationMarker(index + 1)}`,
  );
  const closingSentence =
    citations.length === 1
      ? 'That is all I found.'
      : `These ${citations.length} sources are all I found.`;
  const numbers = citations.map((_, index) => index + 1);
  const results = [
    `Here is what the web says about *${question.replaceAll(/\s+/g, ' ').slice(0, 60)}*:`,
    bulletPoints.join('\n'),
    `${closingSentence}${formatCitationMarker(...numbers)}`,
  ];
  return [
    ...(citations.length === 0 ? [] : results),
    ...unreadUrls.map((url) => `I could not read ${url}.`),
  ].join('\n\n');
}

function quoteStatement(citation: unknown, question: string): string {
  // Tests can replace the results by any JSON value.
  const { title, content, date }: JsonRecord = isRecord(citation) ? citation : {};
  const text = readStringOr(content, '').replace(/^#.*$/gm, '');
  const quote = selectRelevantSentences(text, question, 1).join(' ');
  const day = readStringOr(date, '') === '' ? '' : ` (${readStringOr(date, '')})`;
  return `**${readStringOr(title, 'A page')}**${day}: ${quote}`;
}
