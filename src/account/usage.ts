import { isRecord, parseJson } from '../base/json.ts';
import { type Nano, toNano } from '../base/nano-amount.ts';

/** One request that cost something. */
export interface UsageRecord {
  /** The person's own day, as `2026-11-21`. */
  readonly day: string;
  /** What it was for: `chat`, `image`, …; empty where that was not noted. */
  readonly feature: string;
  /** Model id; empty where that was not noted. */
  readonly model: string;
  /** In dollars; one DIEM counts as one dollar. */
  readonly spent: Nano;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const longestName = 300;

/** The requests in the lines of a day's file; what is none is passed over. */
export function readUsage(day: string, lines: string): readonly UsageRecord[] {
  return lines.split('\n').flatMap((line) => {
    const entry = line === '' ? undefined : parseJson(line);
    if (!isRecord(entry)) return [];
    const spent = toNano(entry['usd']);
    if (spent === undefined) return [];
    return [
      {
        day,
        feature: name(entry['feature']),
        model: name(entry['model']),
        spent,
        promptTokens: count(entry['promptTokens']),
        completionTokens: count(entry['completionTokens']),
      },
    ];
  });
}

const name = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, longestName) : '';

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
