import { createRandom } from './random.ts';
import type { EditCase } from './edit-cases.ts';

const getIndent = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';
const isNonBlank = (line: string): boolean => line.trim() !== '';
const trimFirstLine = ([firstLine = '', ...rest]: readonly string[]): string[] => [
  firstLine.trimStart(),
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
  for (let attempt = 0; cases.length < count && attempt < 50 * count; attempt += 1) {
    const lines = (sources[Math.floor(random() * sources.length)] ?? '').split('\n');
    const length = 1 + Math.floor(random() * 9);
    const start = Math.floor(random() * (lines.length - length));
    const blockLines = lines.slice(start, start + length);
    const commonIndent = findCommonIndent(blockLines);
    if (
      start < 0 ||
      commonIndent === '' ||
      !isNonBlank(blockLines[0] ?? '') ||
      !isNonBlank(blockLines.at(-1) ?? '')
    )
      continue;
    const [fileText, originalText] = [lines.join('\n'), blockLines.join('\n')];
    if (fileText.indexOf(originalText) !== fileText.lastIndexOf(originalText)) continue;
    const changedLines = changeBlock(blockLines, random);
    // Without its outer lines, a dedented block looks like an unwrapped one.
    if (changedLines === undefined || findCommonIndent(changedLines) !== commonIndent) continue;
    const expectedLines = [
      ...lines.slice(0, start),
      ...changedLines,
      ...lines.slice(start + length),
    ];
    const dedent = (sideLines: readonly string[]): string[] =>
      sideLines.map((line) => line.slice(commonIndent.length));
    const dedentPartly = (sideLines: readonly string[]): string[] =>
      sideLines.map((line) => line.slice(Math.floor(commonIndent.length / 2)));
    const editsByKind: Record<string, readonly [readonly string[], readonly string[]]> = {
      none: [blockLines, changedLines],
      'search dedented': [dedent(blockLines), changedLines],
      'replacement dedented': [blockLines, dedent(changedLines)],
      'both dedented': [dedent(blockLines), dedent(changedLines)],
      'both dedented partly': [dedentPartly(blockLines), dedentPartly(changedLines)],
      'search dedented partly': [dedentPartly(blockLines), changedLines],
      'first line of the search': [trimFirstLine(blockLines), changedLines],
      'first line of the replacement': [blockLines, trimFirstLine(changedLines)],
      'first lines of both': [trimFirstLine(blockLines), trimFirstLine(changedLines)],
      'search dedented, first line of the replacement': [
        dedent(blockLines),
        trimFirstLine(changedLines),
      ],
    };
    for (const [kind, [search, replace]] of Object.entries(editsByKind)) {
      const hunk = { search: search.join('\n'), replace: replace.join('\n') };
      // A search without its indentation can be the exact text of other lines.
      const offset = lines.slice(0, start).join('\n').length;
      const positions = [fileText.indexOf(hunk.search), fileText.lastIndexOf(hunk.search)];
      const matchesOtherLines = positions.some(
        (position) => position >= 0 && Math.abs(position - offset) > commonIndent.length + 1,
      );
      if (hunk.search === hunk.replace || matchesOtherLines) continue;
      cases.push({
        kind,
        fileText,
        hunk,
        expectedText: expectedLines.join('\n'),
        intendedLineRange: [start + 1, start + length],
      });
    }
  }
  return cases;
}

function findCommonIndent(lines: readonly string[]): string {
  const indents = lines.filter(isNonBlank).map(getIndent);
  const shortestIndent = indents.toSorted((a, b) => a.length - b.length)[0] ?? '';
  return indents.every((indent) => indent.startsWith(shortestIndent)) ? shortestIndent : '';
}

/**
 * Changes the block in one random way: changes, adds, removes, wraps or replaces a line. Returns undefined if the
 * selected change is impossible.
 */
function changeBlock(block: readonly string[], random: () => number): string[] | undefined {
  const index = Math.floor(random() * block.length);
  const line = block[index] ?? '';
  const [indent, randomValue] = [getIndent(line), random()];
  const indentUnit = indent.startsWith('\t') ? '\t' : '  ';
  if (!isNonBlank(line)) return undefined;
  if (randomValue < 0.4) {
    const changedLine = line.replace(/[A-Za-z]{3,}/u, (word) => `${word}Changed`);
    return changedLine === line ? undefined : block.with(index, changedLine);
  }
  if (randomValue < 0.6) {
    const innerIndent = /[{([:]$/u.test(line) ? indent + indentUnit : indent;
    return block.toSpliced(index + 1, 0, `${innerIndent}added(1)`);
  }
  if (randomValue < 0.75) return block.length > 1 ? block.toSpliced(index, 1) : undefined;
  if (randomValue < 0.85) return block.toSpliced(index, 1, `${indent}if added:`, indentUnit + line);
  return block.with(index, `${indent}replaced(3)`);
}
