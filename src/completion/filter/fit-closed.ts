import type { Fit } from './fit-line.ts';

/**
 * Makes a suggestion fit what the editor closed while it was typed along: the text was made without that, and has it
 * itself. Undefined when it has not.
 * @param closed begins directly behind the cursor
 */
export function fitClosed(text: string, closed: string): Fit | undefined {
  if (text === '') return undefined;
  if (!closed.includes('\n')) {
    return hasInOrder(text, closed) ? { text, replaces: closed.length } : undefined;
  }
  // Only the cursor's line can be replaced: what stands on the next one stays, and the text ends before it.
  const end = text.indexOf(closed);
  return end > 0 ? { text: text.slice(0, end), replaces: 0 } : undefined;
}

function hasInOrder(text: string, characters: string): boolean {
  let at = 0;
  for (const character of characters) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
