import type { Failure } from './failure.ts';
import type { FileLines } from './file-lines.ts';
import { type Fix, fixAt, linesAt, type Source } from './fix.ts';
import { wordOf } from './rename-plan.ts';

/** A misspelt name: the one that was proposed, else the nearest in the file. */
export function nameFix(
  { unknownName, proposal, places }: Failure,
  sources: readonly Source[],
): Fix | undefined {
  if (unknownName === undefined) return undefined;
  for (const source of sources) {
    const right = proposal ?? nearest(unknownName, source.lines, sources);
    const lines = [...linesAt(places, source), ...source.lines.keys()];
    const line = lines.find((each) => wordOf(unknownName).test(source.lines.get(each) ?? ''));
    if (right === undefined || line === undefined) continue;
    const text = source.lines.get(line)!.replace(wordOf(unknownName), right);
    return fixAt(source, line, text, `\`${unknownName}\` was misspelt; it is called \`${right}\``);
  }
  return undefined;
}

function nearest(name: string, lines: FileLines, sources: readonly Source[]): string | undefined {
  const texts = [[...lines.values()], ...sources.map((each) => [...each.lines.values()])].flat();
  const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  words.delete(name);
  const [best] = [...words]
    .map((word) => ({ word, far: distance(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ far }) => far <= Math.min(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.far - b.far);
  return best?.word;
}

/** Letters to change, add or take away. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}
