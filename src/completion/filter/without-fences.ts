import { languageAt } from '../language/language-at.ts';
import type { Snapshot } from '../snapshot.ts';

/** Up to the first fence of a code block; in a text they belong to it. */
export function withoutFences(text: string, snapshot: Snapshot): string {
  if (languageAt(snapshot).scopes === 'paragraphs') return text;
  const fence = /(?:^|\n)[\t ]*(?:```|~~~)/u.exec(text);
  return fence === null ? text : text.slice(0, fence.index);
}

/** Without white space at its end and at the end of its lines; in a text only at its end, where two spaces break a line. */
export function withoutTrailingSpace(text: string, snapshot: Snapshot): string {
  const kept = text.trimEnd();
  if (languageAt(snapshot).scopes === 'paragraphs' || !/[\t ]\n/u.test(kept)) return kept;
  return kept
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
