import { isRecord } from '../../base/json.ts';
import { type UsefulShares, unknownShares } from '../acceptance.ts';
import type { UseState } from './usage-ledger.ts';

const name = 'completion.useful';

/** Where suggestions were of use in earlier windows; what cannot be read counts as unknown. */
export function readShares(state: Pick<UseState, 'get'>): UsefulShares {
  const kept = state.get(name);
  const share = (place: keyof UsefulShares): number => {
    const value = isRecord(kept) ? kept[place] : undefined;
    const isShare = typeof value === 'number' && value >= 0 && value <= 1;
    return isShare ? value : unknownShares[place];
  };
  return {
    'line-start': share('line-start'),
    'word-start': share('word-start'),
    word: share('word'),
  };
}

/** A refusal costs what was learnt, nothing else. */
export async function writeShares(
  state: Pick<UseState, 'update'>,
  shares: UsefulShares,
): Promise<void> {
  await Promise.resolve(state.update(name, shares)).catch(() => {});
}
