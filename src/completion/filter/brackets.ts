import { CodeScanner } from '../language/code-scanner.ts';
import { cursorContext, lookBack } from '../language/cursor-context.ts';
import { languageAt } from '../language/language-at.ts';
import type { Language } from '../language/language.ts';
import { lineSuffix, type Snapshot } from '../snapshot.ts';

/**
 * Without the closing brackets at its end that nothing is open for: those that stand on the lines below the cursor
 * already. What stands behind the cursor on its line is left to the fit with the line.
 */
export function balanceBrackets(text: string, snapshot: Snapshot): string {
  const language = languageAt(snapshot);
  if (language.scopes === 'paragraphs' || language.scopes === 'tags') return text;
  // What was opened further up is not known, and neither is what closes it.
  if (snapshot.prefix.length > lookBack) return text;
  const { open, scanner } = cursorContext(snapshot, language);
  const below = closersBelow(snapshot, language);
  if (scanner.state !== 'code' || below === 0) return text;
  // Each closer below the cursor needs one of the brackets that are open there.
  const mayClose = Math.max(0, open.length - below);
  const places = unmatched(text, language);
  const surplus = places[mayClose];
  if (surplus === undefined || surplus < endOfContent(text)) return text;
  return text.slice(0, surplus).trimEnd();
}

function closersBelow(snapshot: Snapshot, language: Language): number {
  const line = lineSuffix(snapshot).length;
  return unmatched(snapshot.suffix, language).filter((at) => at > line).length;
}

/** Where the closing brackets stand that are not opened in the text itself. */
export function unmatched(text: string, language: Language): number[] {
  const scanner = new CodeScanner(language);
  const places: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (!scanner.push(character)) continue;
    if (!')]}'.includes(character)) depth += 1;
    else if (depth > 0) depth -= 1;
    else places.push(at);
  }
  return places;
}

/** Behind it are only closing brackets, white space and ends of statements. */
const endOfContent = (text: string): number => {
  let end = text.length;
  while (end > 0 && /[)\]}\s;,]/u.test(text[end - 1] ?? '')) end -= 1;
  return end;
};
