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
export function isShiftProven(shifted: ShiftedLines, context: IndentContext): boolean {
  const answered = shifted.answerLines.filter(isNonBlank);
  const fitted = shifted.fittedLines.filter(isNonBlank);
  const distances = fitted.map(
    (line, index) => computeWidth(line) - computeWidth(answered[index] ?? ''),
  );
  const [first = 0, second = first] = distances;
  const isUniform = distances.slice(1).every((distance) => distance === second);
  if (answered.length !== fitted.length || !isUniform) return true;
  if (distances.every((distance) => distance === 0)) return true;
  if (hasSameText(answered, context.original.filter(isNonBlank))) return false;
  const isFirstAtStart = computeWidth(answered[0] ?? '') === 0;
  // A single line shows no other indentation of the answer.
  if (distances.length === 1 && context.original.filter(isNonBlank).length === 1)
    return first > 0 && isFirstAtStart && !isTextDocument(context);
  if (distances.length === 1 && first < 0) return false;
  if (second === 0) return first > 0 && isFirstAtStart;
  if (first === second) {
    return first > 0
      ? isLossProven({ answerLines: answered, fittedLines: fitted }, context)
      : isSurplusProven({ answerLines: answered, fittedLines: fitted }, context);
  }
  return (
    first !== 0 ||
    second > 0 ||
    isLaterSurplusProven({ answerLines: answered, fittedLines: fitted }, context)
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
function isLossProven({ answerLines, fittedLines }: ShiftedLines, context: IndentContext): boolean {
  const previous = context.original.filter(isNonBlank);
  const [first = ''] = fittedLines;
  if (answerLines.every((line) => computeWidth(line) > 0)) return false;
  if (computeWidth(first) !== computeWidth(previous[0] ?? '')) return false;
  if (canLackFirstIndentOnly(answerLines, computeWidth(first))) return false;
  if (isOnlyFirstLineAtStart(answerLines)) return false;
  const isLike = (line: string, old: string): boolean =>
    line.trim() === old.trim() || haveMostWordsInCommon(toWords(line), toWords(old));
  const hasLikeLine = fittedLines.some((line) => {
    const same = previous.filter((old) => isLike(line, old));
    return same.length > 0 && same.every((old) => computeWidth(old) === computeWidth(line));
  });
  if (hasLikeLine) return true;
  const next = context.after?.find(isNonBlank) ?? '';
  const isInBlock =
    computeWidth(next) >= computeWidth(first) ||
    (computeWidth(next) > 0 && closingPattern.test(next));
  const opensBlock = blockOpeningPattern.test(first) && !declarationPattern.test(first);
  return (isInBlock || opensBlock) && hasOnlyPossibleIndent(context);
}

/**
 * Checks whether the first line alone may lack its indentation: all later lines are indented by at least `level`
 * columns. If the first line opens a block, the second line must be indented by more than `level` columns.
 */
function canLackFirstIndentOnly(answered: readonly string[], level: number): boolean {
  const [first = '', second = '', ...rest] = answered;
  const minimum = blockOpeningPattern.test(first) ? level + 1 : level;
  return computeWidth(second) >= minimum && rest.every((line) => computeWidth(line) >= level);
}

/**
 * Checks whether only the first line is at column 0, and neither opens a block nor continues on the next line. This
 * line then probably lacks the indentation that the later lines have.
 */
function isOnlyFirstLineAtStart([first = '', second = '', ...rest]: readonly string[]): boolean {
  if (
    second === '' ||
    [second, ...rest].some((line) => computeWidth(line) === 0 && !/^#\w/u.test(line))
  )
    return false;
  if (second.trim() === '{') return true;
  const opened = first.match(/[([{<]/gu)?.length ?? 0;
  const closed = first.match(/[)\]}>]/gu)?.length ?? 0;
  return (
    opened <= closed &&
    !blockOpeningPattern.test(first) &&
    !/(?:[=+*/%|&?\\.>-]|\b(?:and|or|return|do|begin|def|class|if|for|while))\s*$/u.test(first) &&
    !/^\s*(?:[#/]|def |class |module |begin|function |local function|if |for |while |case |- )/u.test(
      first,
    )
  );
}

const closingPattern = /^\s*(?:[)\]}]|<\/|end[;,)]?\s*$)/u;
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
  const [first = ''] = answerLines;
  if (getLeadingWhitespace(first) === getLeadingWhitespace(original.find(isNonBlank) ?? ''))
    return false;
  const indented = [...before, ...original, ...after].filter((line) => /^\s+\S/u.test(line));
  const surplus = first.slice(0, computeWidth(first) - computeWidth(fittedLines[0] ?? ''));
  const usesSurplus = indented.some((line) => line.startsWith(surplus[0] ?? ''));
  return (indented.length > 0 && !usesSurplus) || hasOnlyPossibleIndent(context);
}

/** Checks whether the line before the original lines allows no other indentation than theirs. */
function hasOnlyPossibleIndent({
  before = [],
  original,
  after = [],
  language = '',
}: IndentContext): boolean {
  const level = computeWidth(original.find(isNonBlank) ?? '');
  const previous = before.findLast(isNonBlank);
  if (previous === undefined) return level === 0;
  if (isOpening(previous, after.find(isNonBlank), language))
    return level - computeWidth(previous) === findIndentUnit([before, original, after]);
  return (
    level === computeWidth(previous) &&
    !(isTextDocument({ original, language }) && listItemPattern.test(previous)) &&
    !/(?:[=+*/%|&?\\-]|\b(?:and|or|return))\s*$/u.test(previous)
  );
}

/** Checks whether the lines after a line can belong to a block that this line opens. */
function isOpening(line: string, next: string | undefined, language: string): boolean {
  const isClosed =
    next !== undefined && computeWidth(next) === computeWidth(line) && closingPattern.test(next);
  const isMarkup = /^(?:html|vue|svelte|xml|xsl|php|markdown|javascriptreact|typescriptreact)$/u;
  const opened = line.match(/<[a-z](?![^<>]*\/>)/giu)?.length ?? 0;
  const closed = line.match(/<\/[a-z]/giu)?.length ?? 0;
  return isClosed || blockOpeningPattern.test(line) || (isMarkup.test(language) && opened > closed);
}

/** Matches a line that begins a list item or a directive, whose text can continue on deeper lines. */
const listItemPattern = /^\s*(?:[-*+]|\d+[.)]|\.\.)\s/u;

/**
 * Returns the smallest number of columns by which a line is indented more than the line before it; undefined if no line
 * is.
 */
function findIndentUnit(parts: readonly (readonly string[])[]): number | undefined {
  const distances = parts.flatMap((lines) => {
    const widths = lines.filter(isNonBlank).map(computeWidth);
    return widths.slice(1).map((width, index) => width - (widths[index] ?? 0));
  });
  const deeper = distances.filter((distance) => distance > 0);
  return deeper.reduce<number | undefined>(
    (least, distance) => Math.min(least ?? distance, distance),
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
  const [first = '', second = ''] = fittedLines;
  const [oldFirst = '', oldSecond = ''] = context.original.filter(isNonBlank);
  const distance = computeWidth(second) - computeWidth(first);
  const surplus = computeWidth(answerLines[1] ?? '') - computeWidth(second);
  if (surplus < 2 || distance !== computeWidth(oldSecond) - computeWidth(oldFirst)) return false;
  // Models add the indentation of the first line to the later lines, so without such indentation, the surplus is new.
  if (computeWidth(first) === 0 && /^(?:end|fi|done|\W+$)/u.test(first)) return false;
  if (first.trim() === oldFirst.trim()) return true;
  const brackets = first.match(/[([{]/gu)?.length ?? 0;
  const closing = first.match(/[)\]}]/gu)?.length ?? 0;
  if (blockOpeningPattern.test(first)) return distance > 0;
  return brackets <= closing && !/<[a-z][^<>]*$/iu.test(first);
}
