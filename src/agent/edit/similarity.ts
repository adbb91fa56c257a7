/** What comparing may cost, in pairs of characters. */
export interface Effort {
  left: number;
}

/** How much of two lines agrees, from 0 to 1, by the characters that would have to change. 0 when there is no effort left. */
export function similarity(a: string, b: string, effort: Effort): number {
  if (a === b) return 1;
  const longest = Math.max(a.length, b.length);
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const cost = left.length * right.length;
  if (cost > effort.left) return 0;
  effort.left -= cost;
  return 1 - distance(left, right) / longest;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const other = Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next.push(Math.min(other, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
