/** Position in another text (the source) after a passage that equals the end of the prefix. */
export interface TextCopy {
  /** Line of the source that contains the end of this passage. */
  readonly line: string;
  /** Text after the passage: the rest of {@link line} and all following lines. */
  readonly remainingText: string;
  readonly shift: IndentShift;
}

/**
 * Indentation of a line in the source (`copiedIndent`) and in the document (`documentIndent`), and the indentation unit
 * of both texts, such as a tab.
 */
export interface IndentShift {
  readonly copiedIndent: string;
  readonly documentIndent: string;
  readonly copiedIndentUnit: string;
  readonly documentIndentUnit: string;
}

/** Minimum length of a copy in characters. Shorter copies are usually coincidences. */
const minMatchLength = 3;
/** Maximum number of characters at the end of the prefix that are compared with the sources. */
const maxTailLength = 600;

/**
 * Finds the longest passage in the sources that equals the end of `prefix`, apart from indentation. Skips passages at
 * the end of a source, because no text follows them. Returns the first of several equally long passages, or undefined
 * if there is none.
 */
export function findLongestCopy(prefix: string, sources: readonly string[]): TextCopy | undefined {
  const tail = removeIndentation(prefix.slice(-maxTailLength)).flatText;
  // The prefix is also a source, without the text at the cursor, which would match itself.
  const matches = [...sources, prefix.slice(0, -1)].map((source) =>
    findLongestMatch(removeIndentation(source), tail),
  );
  const bestMatch = matches.reduce((longestMatch, candidate) =>
    candidate.length > longestMatch.length ? candidate : longestMatch,
  );
  if (
    bestMatch.position === undefined ||
    tail.slice(-bestMatch.length).trim().length < minMatchLength
  )
    return undefined;
  return createTextCopy(bestMatch.source, bestMatch.position + bestMatch.length, prefix);
}

/** A text, and the same text without indentation. */
interface UnindentedText {
  readonly text: string;
  readonly lines: readonly string[];
  readonly flatText: string;
}

function removeIndentation(text: string): UnindentedText {
  const lines = text.split('\n');
  return {
    text,
    lines,
    flatText: lines.map((line) => line.slice(getLeadingWhitespace(line).length)).join('\n'),
  };
}

interface SourceMatch {
  readonly source: UnindentedText;
  readonly length: number;
  readonly position: number | undefined;
}

/**
 * Finds the longest text at the end of `tail` that occurs in the source. Uses a binary search, because a source that
 * contains such a text also contains all shorter ones.
 */
function findLongestMatch(source: UnindentedText, tail: string): SourceMatch {
  let low = 0;
  let high = tail.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (findOccurrence(source, tail.slice(-middle)) !== undefined) low = middle;
    else high = middle - 1;
  }
  return {
    source,
    length: low,
    position: low === 0 ? undefined : findOccurrence(source, tail.slice(-low)),
  };
}

/**
 * Returns the index of `searchText` in the source. Returns undefined if the source does not contain it, or if only white
 * space follows it.
 */
function findOccurrence({ flatText }: UnindentedText, searchText: string): number | undefined {
  const index = flatText.indexOf(searchText);
  return index < 0 || flatText.slice(index + searchText.length).trim() === '' ? undefined : index;
}

function createTextCopy(source: UnindentedText, end: number, prefix: string): TextCopy {
  const { lines } = source;
  let start = 0;
  let index = 0;
  for (; index < lines.length - 1; index++) {
    const nextStart = start + lines[index]!.length - getLeadingWhitespace(lines[index]!).length + 1;
    if (nextStart > end) break;
    start = nextStart;
  }
  const line = lines[index] ?? '';
  // At the start of a line, the line's indentation belongs to the following text.
  const column = end === start ? 0 : end - start + getLeadingWhitespace(line).length;
  const remainingText = [line.slice(column), ...lines.slice(index + 1)].join('\n');
  const prefixLines = prefix.split('\n');
  const sourceLines = column === 0 ? lines.slice(0, index) : [line];
  const documentLines = column === 0 ? prefixLines.slice(0, -1) : prefixLines.slice(-1);
  const copiedIndentUnit = findIndentUnit(source.text) ?? findIndentUnit(prefix) ?? '  ';
  const documentIndentUnit = findIndentUnit(prefix) ?? copiedIndentUnit;
  return {
    line,
    remainingText,
    shift: {
      copiedIndent: getLastIndent(sourceLines),
      documentIndent: getLastIndent(documentLines),
      copiedIndentUnit,
      documentIndentUnit,
    },
  };
}

const getLastIndent = (lines: readonly string[]): string =>
  getLeadingWhitespace(lines.findLast((line) => line.trim() !== '') ?? '');

export const getLeadingWhitespace = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/**
 * Returns the indentation unit of a text: a tab, or the smallest of 2, 4 and 8 spaces that occurs. Returns undefined
 * without indentation.
 */
export function findIndentUnit(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.some((line) => line.startsWith('\t'))) return '\t';
  const widths = lines.map((line) => getLeadingWhitespace(line).length);
  const steps = widths.map((width, index) => width - (widths[index - 1] ?? 0));
  const step = [2, 4, 8].find((width) => steps.includes(width));
  return step === undefined ? undefined : ' '.repeat(step);
}

/** Replaces the indentation of a copied line with the corresponding indentation in the document. */
export function shiftLine(
  line: string,
  { copiedIndent, documentIndent, copiedIndentUnit, documentIndentUnit }: IndentShift,
): string {
  if (line.trim() === '') return line.trim();
  const indent = getLeadingWhitespace(line);
  const text = line.slice(indent.length);
  if (
    indent.startsWith(copiedIndent) &&
    (indent === copiedIndent || copiedIndentUnit === documentIndentUnit)
  ) {
    return documentIndent + indent.slice(copiedIndent.length) + text;
  }
  const stepCount =
    countSteps(indent, copiedIndentUnit) -
    countSteps(copiedIndent, copiedIndentUnit) +
    countSteps(documentIndent, documentIndentUnit);
  return documentIndentUnit.repeat(Math.max(0, Math.round(stepCount))) + text;
}

const countSteps = (indent: string, unit: string): number => indent.length / unit.length;
