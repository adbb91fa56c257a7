import type { ContextSearch } from '../../../src/chat/protocol/composer.ts';

/** What stands before the caret and can be completed. */
export interface SuggestToken extends Pick<ContextSearch, 'kind' | 'query'> {
  /** UTF-16 offsets of all that a choice takes the place of. */
  readonly start: number;
  readonly end: number;
}

const longestQuery = 200;
const narrow = /^(?<kind>file|folder|symbol):(?<query>.*)$/u;

/** A mention that ends at the caret, or the command that the text is so far; undefined where neither stands. */
export function tokenAt(text: string, caret: number): SuggestToken | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(?<query>[\p{L}\p{N}._-]*)$/u.exec(before);
  // A command that something follows is done.
  if (command !== null && text.length === caret)
    return bounded({ kind: 'command', query: before.slice(1), start: 0, end: caret });
  const mention = /(?:^|[\s(])#(?<typed>[^\s#]*)$/u.exec(before);
  const typed = mention?.groups?.['typed'];
  if (typed === undefined) return undefined;
  const start = caret - typed.length - 1;
  const { kind, query } = narrow.exec(typed)?.groups ?? {};
  if (kind === 'file' || kind === 'folder' || kind === 'symbol')
    return bounded({ kind, query: query ?? '', start, end: caret });
  return bounded({ kind: 'any', query: typed, start, end: caret });
}

const bounded = (token: SuggestToken): SuggestToken | undefined =>
  token.query.length > longestQuery ? undefined : token;
