/** Whether a text is much like what the person has deleted just now, so that they do not want it. */
export function resemblesErased(text: string, erased: string): boolean {
  const [said, gone] = [text, erased].map((each) =>
    each.slice(0, compared).replaceAll(/\s+/gu, ' ').trim(),
  );
  // A slip of the finger is no judgement.
  if (said === undefined || gone === undefined || gone.length < 4) return false;
  if (said === gone || (gone.length >= 12 && said.startsWith(gone))) return true;
  return likeness(pairsOf(said), pairsOf(gone)) >= 0.85;
}

const compared = 1_000;

/** Dice's coefficient over pairs of characters. */
function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [shared, all] = [0, 0];
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return all === 0 ? 0 : (2 * shared) / all;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
