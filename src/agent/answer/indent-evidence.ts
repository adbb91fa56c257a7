import { blockOpeningPattern, getLeadingWhitespace, isNonBlank } from '../edit/indentation.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

/** Lines to replace, and the lines around them in the document. */
export interface IndentContext {
  readonly before?: readonly string[];
  readonly original: readonly string[];
  readonly after?: readonly string[];
  /** VS Code language id. */
  readonly language?: string;
}

/** Replacement lines as the model wrote them (`answerLines`), and with adapted indentation (`fittedLines`). */
interface ShiftedLines {
  readonly answerLines: readonly string[];
  readonly fittedLines: readonly string[];
}

const computeWidth = (line: string): number => getLeadingWhitespace(line).length;

/**
 * Checks whether the document proves that the model wrote wrong indentation on all replacement lines, or on all after
 * the first. Without this proof, the model may have changed the indentation on purpose, for example to move the lines
 * into a block. Returns true if no line is shifted, or only the first line is.
 */
export function isShiftProven(shiftedLines: ShiftedLines, context: IndentContext): boolean {
  const answerLines = shiftedLines.answerLines.filter(isNonBlank);
  const fittedLines = shiftedLines.fittedLines.filter(isNonBlank);
  const distances = fittedLines.map(
    (line, index) => computeWidth(line) - computeWidth(answerLines[index] ?? ''),
  );
  const [firstDistance = 0, secondDistance = firstDistance] = distances;
  const isUniform = distances.slice(1).every((distance) => distance === secondDistance);
  if (answerLines.length !== fittedLines.length || !isUniform) return true;
  if (distances.every((distance) => distance === 0)) return true;
  if (hasSameText(answerLines, context.original.filter(isNonBlank))) return false;
  const isFirstAtStart = computeWidth(answerLines[0] ?? '') === 0;
  // A single line shows no other indentation of the answer.
  if (distances.length === 1 && context.original.filter(isNonBlank).length === 1)
    return firstDistance > 0 && isFirstAtStart && !isTextDocument(context);
  if (distances.length === 1 && firstDistance < 0) return false;
  if (secondDistance === 0) return firstDistance > 0 && isFirstAtStart;
  if (firstDistance === secondDistance) {
    return firstDistance > 0
      ? isIndentLossProven({ answerLines, fittedLines }, context)
      : isSurplusProven({ answerLines, fittedLines }, context);
  }
  return (
    firstDistance !== 0 ||
    secondDistance > 0 ||
    isLaterSurplusProven({ answerLines, fittedLines }, context)
  );
}

const hasSameText = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line.trim() === b[index]?.trim());

const isTextDocument = ({ language = '' }: IndentContext): boolean =>
  /^(?:markdown|mdx|restructuredtext|plaintext)$/u.test(language);

/**
 * Checks whether the document proves that all replacement lines lack indentation. At least one line must be at column
 * 0. The proof is an original line that is similar to a replacement line and has its restored indentation or, without a
 * similar line, that no line can be at column 0 in this part of the document.
 */
function isIndentLossProven(
  { answerLines, fittedLines }: ShiftedLines,
  context: IndentContext,
): boolean {
  const originalLines = context.original.filter(isNonBlank);
  const [firstLine = ''] = fittedLines;
  if (answerLines.every((line) => computeWidth(line) > 0)) return false;
  if (computeWidth(firstLine) !== computeWidth(originalLines[0] ?? '')) return false;
  if (canLackFirstIndentOnly(answerLines, computeWidth(firstLine))) return false;
  if (isOnlyFirstLineUnindented(answerLines)) return false;
  const isSimilar = (line: string, oldLine: string): boolean =>
    line.trim() === oldLine.trim() || haveMostWordsInCommon(toWords(line), toWords(oldLine));
  const hasSimilarLine = fittedLines.some((line) => {
    const similarLines = originalLines.filter((oldLine) => isSimilar(line, oldLine));
    return (
      similarLines.length > 0 &&
      similarLines.every((oldLine) => computeWidth(oldLine) === computeWidth(line))
    );
  });
  if (hasSimilarLine) return true;
  const nextLine = context.after?.find(isNonBlank) ?? '';
  const isInBlock =
    computeWidth(nextLine) >= computeWidth(firstLine) ||
    (computeWidth(nextLine) > 0 && closingLinePattern.test(nextLine));
  const opensBlock = blockOpeningPattern.test(firstLine) && !declarationPattern.test(firstLine);
  return (isInBlock || opensBlock) && hasOnlyPossibleIndent(context);
}

/**
 * Checks whether the first line alone may lack its indentation: all later lines are indented by at least `level`
 * columns. If the first line opens a block, the second line must be indented by more than `level` columns.
 */
function canLackFirstIndentOnly(answerLines: readonly string[], level: number): boolean {
  const [firstLine = '', secondLine = '', ...rest] = answerLines;
  const minWidth = blockOpeningPattern.test(firstLine) ? level + 1 : level;
  return computeWidth(secondLine) >= minWidth && rest.every((line) => computeWidth(line) >= level);
}

/**
 * Checks whether only the first line is at column 0, and neither opens a block nor continues on the next line. This
 * line then probably lacks the indentation that the later lines have.
 */
function isOnlyFirstLineUnindented([
  firstLine = '',
  secondLine = '',
  ...rest
]: readonly string[]): boolean {
  if (
    secondLine === '' ||
    [secondLine, ...rest].some((line) => computeWidth(line) === 0 && !/^#\w/u.test(line))
  )
    return false;
  if (secondLine.trim() === '{') return true;
  const openingCount = firstLine.match(/[([{<]/gu)?.length ?? 0;
  const closingCount = firstLine.match(/[)\]}>]/gu)?.length ?? 0;
  return (
    openingCount <= closingCount &&
    !blockOpeningPattern.test(firstLine) &&
    !/(?:[=+*/%|&?\\.>-]|\b(?:and|or|return|do|begin|def|class|if|for|while))\s*$/u.test(
      firstLine,
    ) &&
    !/^\s*(?:[#/]|def |class |module |begin|function |local function|if |for |while |case |- )/u.test(
      firstLine,
    )
  );
}

const closingLinePattern = /^\s*(?:[)\]}]|<\/|end[;,)]?\s*$)/u;
const declarationPattern = /^\s*(?:export|async|class|interface|struct|def|function|func|fn|@)/u;

/**
 * Checks whether the document proves that all lines have surplus indentation: either no line of the document is
 * indented with such white space, or only the indentation of the original lines is valid at this position.
 */
function isSurplusProven(
  { answerLines, fittedLines }: ShiftedLines,
  context: IndentContext,
): boolean {
  const { before = [], original, after = [] } = context;
  const [firstLine = ''] = answerLines;
  if (getLeadingWhitespace(firstLine) === getLeadingWhitespace(original.find(isNonBlank) ?? ''))
    return false;
  const indentedLines = [...before, ...original, ...after].filter((line) => /^\s+\S/u.test(line));
  const surplusIndent = firstLine.slice(
    0,
    computeWidth(firstLine) - computeWidth(fittedLines[0] ?? ''),
  );
  const usesSurplus = indentedLines.some((line) => line.startsWith(surplusIndent[0] ?? ''));
  return (indentedLines.length > 0 && !usesSurplus) || hasOnlyPossibleIndent(context);
}

/** Checks whether the line before the original lines allows no other indentation than theirs. */
function hasOnlyPossibleIndent({
  before = [],
  original,
  after = [],
  language = '',
}: IndentContext): boolean {
  const level = computeWidth(original.find(isNonBlank) ?? '');
  const previousLine = before.findLast(isNonBlank);
  if (previousLine === undefined) return level === 0;
  if (canOpenBlock(previousLine, after.find(isNonBlank), language))
    return level - computeWidth(previousLine) === findIndentUnit([before, original, after]);
  return (
    level === computeWidth(previousLine) &&
    !(isTextDocument({ original, language }) && listItemPattern.test(previousLine)) &&
    !/(?:[=+*/%|&?\\-]|\b(?:and|or|return))\s*$/u.test(previousLine)
  );
}

/** Checks whether the lines after a line can belong to a block that this line opens. */
function canOpenBlock(line: string, nextLine: string | undefined, language: string): boolean {
  const isClosed =
    nextLine !== undefined &&
    computeWidth(nextLine) === computeWidth(line) &&
    closingLinePattern.test(nextLine);
  const markupLanguagesPattern =
    /^(?:html|vue|svelte|xml|xsl|php|markdown|javascriptreact|typescriptreact)$/u;
  const openTagCount = line.match(/<[a-z](?![^<>]*\/>)/giu)?.length ?? 0;
  const closeTagCount = line.match(/<\/[a-z]/giu)?.length ?? 0;
  return (
    isClosed ||
    blockOpeningPattern.test(line) ||
    (markupLanguagesPattern.test(language) && openTagCount > closeTagCount)
  );
}

/** Matches a line that begins a list item or a directive, whose text can continue on deeper lines. */
const listItemPattern = /^\s*(?:[-*+]|\d+[.)]|\.\.)\s/u;

/**
 * Returns the smallest number of columns by which a line is indented more than the line before it; undefined if no line
 * is.
 */
function findIndentUnit(lineGroups: readonly (readonly string[])[]): number | undefined {
  const distances = lineGroups.flatMap((lines) => {
    const widths = lines.filter(isNonBlank).map(computeWidth);
    return widths.slice(1).map((width, index) => width - (widths[index] ?? 0));
  });
  const positiveDistances = distances.filter((distance) => distance > 0);
  return positiveDistances.reduce<number | undefined>(
    (min, distance) => Math.min(min ?? distance, distance),
    undefined,
  );
}

/**
 * Checks whether the document proves that all lines after the first have surplus indentation. The first line must open
 * neither a new block nor a bracket. Without the surplus, the second line must be indented as in the original.
 */
function isLaterSurplusProven(
  { answerLines, fittedLines }: ShiftedLines,
  context: IndentContext,
): boolean {
  const [firstLine = '', secondLine = ''] = fittedLines;
  const [oldFirstLine = '', oldSecondLine = ''] = context.original.filter(isNonBlank);
  const distance = computeWidth(secondLine) - computeWidth(firstLine);
  const surplus = computeWidth(answerLines[1] ?? '') - computeWidth(secondLine);
  if (surplus < 2 || distance !== computeWidth(oldSecondLine) - computeWidth(oldFirstLine))
    return false;
  // Models add the indentation of the first line to the later lines, so without such indentation, the surplus is new.
  if (computeWidth(firstLine) === 0 && /^(?:end|fi|done|\W+$)/u.test(firstLine)) return false;
  if (firstLine.trim() === oldFirstLine.trim()) return true;
  const openingCount = firstLine.match(/[([{]/gu)?.length ?? 0;
  const closingCount = firstLine.match(/[)\]}]/gu)?.length ?? 0;
  if (blockOpeningPattern.test(firstLine)) return distance > 0;
  return openingCount <= closingCount && !/<[a-z][^<>]*$/iu.test(firstLine);
}
