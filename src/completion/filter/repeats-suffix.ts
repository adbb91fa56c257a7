import { nextLine } from '../answer/scope.ts';
import { linePrefix, type Snapshot } from '../snapshot.ts';

/** Without the last lines when they stand behind the cursor already. Lines of brackets alone are left to others. */
export function withoutSuffix(text: string, snapshot: Snapshot): string {
  const next = nextLine(snapshot.suffix);
  if (next === undefined) return text;
  const behind = contentLines(snapshot.suffix.slice(snapshot.suffix.indexOf(next)));
  const lines = text.split('\n');
  const [first = '', ...below] = lines;
  const whole = [linePrefix(snapshot) + first, ...below];
  const start = lines.findIndex((_, index) => agrees(whole, index, behind));
  return start < 0 ? text : lines.slice(0, start).join('\n');
}

/** Whether all lines from `start` on are the next ones of the document, and not by chance. */
function agrees(lines: readonly string[], start: number, behind: readonly string[]): boolean {
  let [met, telling] = [0, 0];
  for (let at = start; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    if (line === '') continue;
    const next = behind[met] ?? '';
    if (line.trimStart() !== next.trimStart()) return false;
    met += 1;
    // An `end` or a `</div>` is the same one only at the same margin.
    if (isTelling(line) || (isWord(line) && line === next)) telling += 1;
  }
  return telling > 0;
}

const isWord = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
const isTelling = (line: string): boolean => isWord(line) && !/^\s*(?:\w+|<\/.*)$/u.test(line);

const contentLines = (text: string): string[] =>
  text
    .split('\n', 60)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
