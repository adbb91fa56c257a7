import { mergeLines, regionsOf } from '../changes/three-way.ts';

/** The texts that a change meets: the one it was made for, what it makes of that, and the one that is there. */
export interface MetTexts {
  readonly base: string;
  readonly changed: string;
  readonly there: string;
}

/**
 * Carries a change over to a text that is a little different from the one it was made for, word by word. `undefined`
 * when the difference lies where the change is: what the model has not seen is not overwritten.
 */
export function mergeWords({ base, changed, there }: MetTexts): string | undefined {
  const versions = { base: words(base), mine: words(there), theirs: words(changed) };
  const regions = regionsOf(versions);
  const touching = regions.some(
    (region, index) => index > 0 && regions[index - 1]?.base.end === region.base.start,
  );
  return touching ? undefined : mergeLines(versions, 'refuse')?.join('');
}

const words = (text: string): string[] =>
  text.match(/\n|[^\S\n]+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
