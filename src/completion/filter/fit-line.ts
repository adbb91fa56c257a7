export interface Fit {
  /** Never empty. */
  readonly text: string;
  /** How many characters behind the cursor the text takes the place of. */
  readonly replaces: number;
}

/** Makes a suggestion fit what stands behind the cursor on its line. */
export function fitLine(text: string, lineSuffix: string): Fit | undefined {
  if (text === '') return undefined;
  const behind = lineSuffix.trimEnd();
  if (behind === '') return { text, replaces: 0 };
  if (text.endsWith(behind)) {
    const kept = text.slice(0, -behind.length);
    return kept === '' ? undefined : { text: kept, replaces: 0 };
  }
  return text.includes('\n') ? undefined : { text, replaces: 0 };
}
