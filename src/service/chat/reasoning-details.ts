import type { JsonRecord } from '../../base/json.ts';

/** Fields of an entry whose text arrives in fragments. */
const textFields = ['text', 'summary', 'data'] as const;

/** Maximum length of all entries as JSON, in characters. Longer reasoning is not sent back. */
const maxLength = 256 * 1024;

/**
 * Joins the streamed entries of `reasoning_details` to the entries that a server expects back: fragments with the same
 * type and index form one entry. Returns an empty list if the entries are too long, because a part of them would have
 * no valid signature.
 */
export function joinReasoningDetails(fragments: readonly JsonRecord[]): readonly JsonRecord[] {
  const entries: JsonRecord[] = [];
  for (const fragment of fragments) {
    const last = entries.at(-1);
    if (last !== undefined && isSameEntry(last, fragment))
      entries.splice(-1, 1, join(last, fragment));
    else entries.push(fragment);
  }
  return JSON.stringify(entries).length > maxLength ? [] : entries;
}

const isSameEntry = (last: JsonRecord, next: JsonRecord): boolean =>
  next['index'] !== undefined && last['index'] === next['index'] && last['type'] === next['type'];

function join(last: JsonRecord, next: JsonRecord): JsonRecord {
  const joined: Record<string, unknown> = { ...last };
  for (const [name, value] of Object.entries(next)) if (value != null) joined[name] = value;
  for (const name of textFields) {
    const [start, end] = [last[name], next[name]];
    if (typeof start === 'string' && typeof end === 'string') joined[name] = start + end;
  }
  return joined;
}
