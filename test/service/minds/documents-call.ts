import { type JsonRecord, isRecord, stringOr } from '../../../src/base/json.ts';
import type { ToolCall } from './answer.ts';
import type { Findings } from './web-search.ts';

const mostOfSnippet = 300;

/** What was found as a call that no client has to answer; `name` is that of its function (service facts §1.5). */
export function documentsCall({ citations }: Findings, name: string): ToolCall {
  const documents = (citations as readonly unknown[]).filter(isRecord).map(documentOf);
  return { id: 'web_search_call', name, arguments: JSON.stringify({ documents }) };
}

const documentOf = ({ title, url, content, date }: JsonRecord, index: number): JsonRecord => ({
  id: String(index + 1),
  title,
  url,
  snippet: stringOr(content, '').slice(0, mostOfSnippet),
  published_at: date,
});
