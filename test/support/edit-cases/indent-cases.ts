import { createRandom } from './random.ts';
import type { EditCase } from './edit-cases.ts';

const getIndent = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';
const isNonBlank = (line: string): boolean => line.trim() !== '';
const trimFirstLine = ([first = '', ...rest]: readonly string[]): string[] => [
  first.trimStart(),
  ...rest,
];

/**
 * Creates search/replace edits of indented blocks. The search text, the replacement or both have lost their
 * indentation.
 */
export function createIndentCases(
  sources: readonly string[],
  { seed, count }: { readonly seed: number; readonly count: number },
): EditCase[] {
  const random = createRandom(seed);
  const cases: EditCase[] = [];
  for (let tries = 0; cases.length < count && tries < 50 * count; tries += 1) {
    const lines = (sources[Math.floor(random() * sources.length)] ?? '').split('\n');
    const length = 1 + Math.floor(random() * 9);
    const start = Math.floor(random() * (lines.length - length));
    const block = lines.slice(start, start + length);
    const common = findCommonIndent(block);
    if (
      start < 0 ||
      common === '' ||
      !isNonBlank(block[0] ?? '') ||
      !isNonBlank(block.at(-1) ?? '')
    )
      continue;
    const [file, original] = [lines.join('\n'), block.join('\n')];
    if (file.indexOf(original) !== file.lastIndexOf(original)) continue;
    const changed = changeBlock(block, random);
    // Without its outer lines, a dedented block looks like an unwrapped one.
    if (changed === undefined || findCommonIndent(changed) !== common) continue;
    const expected = [...lines.slice(0, start), ...changed, ...lines.slice(start + length)];
    const dedent = (side: readonly string[]): string[] =>
      side.map((line) => line.slice(common.length));
    const dedentPartly = (side: readonly string[]): string[] =>
      side.map((line) => line.slice(Math.floor(common.length / 2)));
    const kinds: Record<string, readonly [readonly string[], readonly string[]]> = {
      none: [block, changed],
      'search dedented': [dedent(block), changed],
      'replacement dedented': [block, dedent(changed)],
      'both dedented': [dedent(block), dedent(changed)],
      'both dedented partly': [dedentPartly(block), dedentPartly(changed)],
      'search dedented partly': [dedentPartly(block), changed],
      'first line of the search': [trimFirstLine(block), changed],
      'first line of the replacement': [block, trimFirstLine(changed)],
      'first lines of both': [trimFirstLine(block), trimFirstLine(changed)],
      'search dedented, first line of the replacement': [dedent(block), trimFirstLine(changed)],
    };
    for (const [kind, [search, replace]] of Object.entries(kinds)) {
      const hunk = { search: search.join('\n'), replace: replace.join('\n') };
      // A search without its indentation can be the exact text of other lines.
      const offset = lines.slice(0, start).join('\n').length;
      const positions = [file.indexOf(hunk.search), file.lastIndexOf(hunk.search)];
      const namesOtherLines = positions.some(
        (position) => position >= 0 && Math.abs(position - offset) > common.length + 1,
      );
      if (hunk.search === hunk.replace || namesOtherLines) continue;
      cases.push({
        kind,
        fileText: file,
        hunk,
        expectedText: expected.join('\n'),
        intendedLineRange: [start + 1, start + length],
      });
    }
  }
  return cases;
}

function findCommonIndent(lines: readonly string[]): string {
  const indents = lines.filter(isNonBlank).map(getIndent);
  const shortest = indents.toSorted((a, b) => a.length - b.length)[0] ?? '';
  return indents.every((indent) => indent.startsWith(shortest)) ? shortest : '';
}

/**
 * Changes the block in one random way: changes, adds, removes, wraps or replaces a line. Returns undefined if the
 * selected change is impossible.
 */
function changeBlock(block: readonly string[], random: () => number): string[] | undefined {
  const index = Math.floor(random() * block.length);
  const line = block[index] ?? '';
  const [indent, choice] = [getIndent(line), random()];
  const unit = indent.startsWith('\t') ? '\t' : '  ';
  if (!isNonBlank(line)) return undefined;
  if (choice < 0.4) {
    const changed = line.replace(/[A-Za-z]{3,}/u, (word) => `${word}Changed`);
    return changed === line ? undefined : block.with(index, changed);
  }
  if (choice < 0.6) {
    const inner = /[{([:]$/u.test(line) ? indent + unit : indent;
    return block.toSpliced(index + 1, 0, `${inner}added(1)`);
  }
  if (choice < 0.75) return block.length > 1 ? block.toSpliced(index, 1) : undefined;
  if (choice < 0.85) return block.toSpliced(index, 1, `${indent}if added:`, unit + line);
  return block.with(index, `${indent}replaced(3)`);
}
