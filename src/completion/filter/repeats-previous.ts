import { linePrefix, type Snapshot } from '../snapshot.ts';

/** Whether the text says the last lines before the cursor again, and nothing else. */
export function repeatsPrevious(text: string, snapshot: Snapshot): boolean {
  const own = linePrefix(snapshot);
  const said = contentLines(own + text);
  const before = contentLines(
    snapshot.prefix.slice(0, snapshot.prefix.length - own.length).slice(-lookBack),
  );
  if (said.length === 0 || said.length > before.length) return false;
  if (said.length === 1 && !isTelling(said[0] ?? '')) return false;
  return said.every((line, index) => line === before[before.length - said.length + index]);
}

/** Whether the text is the cursor's line, or the part of it before the cursor, once more. */
export function isEcho(text: string, snapshot: Snapshot): boolean {
  const line = linePrefix(snapshot).trim();
  return line.length >= 3 && text.trim() === line;
}

const lookBack = 4_000;

/** Short lines, as of data, may well come twice. */
const isTelling = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && line.length >= 8;

const contentLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
