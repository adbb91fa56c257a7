import { leadingWhitespace } from './indentation.ts';

/** Start and end of a comment in common languages. */
const commentStart =
  '\\/\\/[/!]?|#[!|]?|##+|--+(?:\\[\\[)?|;+|%+|\\/\\*+|<!--+|\\{\\/\\*+|\\{\\{!(?:--)?|\\{#|<#|<%--|<%#|@\\*|\\(\\*|\\{-|\\*|"""|\'\'\'|[Rr][Ee][Mm]\\b|dnl\\b|!+|\\.\\.(?=\\s)';
const commentEnd =
  '\\*+\\/\\}?|--+>|(?:--)?\\}\\}|#\\}|--%>|%>|\\*@|\\*\\)|-\\}|\\|#|#>|\\]\\]|"""|\'\'\'';
const commentPattern = new RegExp(
  `^(?<start>${commentStart})\\s*(?<text>.*?)\\s*(?:${commentEnd})?$`,
  'u',
);
const nestedComment = /^(?:\/\/|\/\*|#|--|<!--)/u;
/** Comment of Visual Basic or Vim script, whose start is a quotation mark. */
const quoteComment = /^['"]\s*(?<text>[[(]?(?:\.{3,}|…)[^'"]*)$/u;

const words = (text: string): string[] => text.split(' ');
const fillers = words(
  'the a an of is are was be remain remains stay stays go goes follow follows continue continues here there below above this your my our all any everything anything else in from to for as it its and or with on at no not nothing has have by that these those will should so through until end start top bottom',
);
const omissions = words(
  'rest remainder remaining existing unchanged previous previously same other others omitted omit omits snip snipped elided skipped skip truncated more keep kept keeps keeping leave leaves leaving left intact untouched unmodified unaltered identical before brevity abbreviated original preserved preserve current change changes changed modified modification modifications etc similar old already earlier continued',
);
const codeNouns = words(
  'code codes file files function functions method methods class classes content contents component components implementation implementations body module modules import imports style styles test tests logic line lines section sections part parts block blocks property properties props field fields member members variable variables definition definitions declaration declarations statement statements constructor constructors handler handlers route routes case cases entry entries item items element elements value values option options rule rules config configuration html markup jsx css attribute attributes argument arguments arg args parameter parameters param params export exports type types interface interfaces column columns row rows data setup script document text paragraph paragraphs table struct enum schema initialization init stuff things steps loop template children hooks state helpers',
);
const omissionSet = new Set(omissions);
const nounSet = new Set(codeNouns);
const vocabulary = new Set([...fillers, ...omissions, ...codeNouns]);

/** Phrases that mean omitted text without an ellipsis. */
const strongPhrase =
  /\b(?:unchanged|unmodified|unaltered|untouched|omitted|elided|snip(?:ped)?|abbreviated|brevity|intact|as (?:before|is|it was)|(?:stays?|remains?|left|keep|kept) (?:exactly )?(?:the same|as)|same as (?:before|above|previously|original)|no (?:other )?changes?|not (?:changed|modified)|(?:rest|remainder) (?:of|remains?|stays?|is|as|goes|here|below|unchanged)|(?:existing|previous|unchanged|remaining) (?:\w+ )?(?:code|implementation|logic|lines|contents?|functions?|methods?|imports?|body|components?|styles?|tests?)|keep (?:the |all )?(?:rest|existing|other|remaining|everything)|code continues)\b/u;

interface ParsedText {
  readonly hasLeadingDots: boolean;
  readonly hasTrailingDots: boolean;
  /** Words in lower case. A range of numbers is one word. */
  readonly words: readonly string[];
  readonly isBracketed: boolean;
}

function parseText(text: string): ParsedText {
  const plain = text.toLowerCase().replaceAll('…', '...').replaceAll('’', "'").trim();
  const isBracketed = /^(?:\[.*\]|\(.*\)|<.*>|\{.*\})[.;:]?$/u.test(plain);
  const inner = plain.replace(/^[[(<{\s]+|[\])>}\s;:]+$/gu, '');
  return {
    hasLeadingDots: /^\.{3}/u.test(inner),
    hasTrailingDots: /\.{3}$/u.test(inner),
    words:
      inner.match(
        /[\p{L}_$][\p{L}\p{N}_$']*|\d+(?:\s*(?:-|–|to)\s*\d+)?|[^\s\p{L}\p{N}.,:;()[\]<>/*–-]/gu,
      ) ?? [],
    isBracketed,
  };
}

const isKnown = (word: string): boolean => vocabulary.has(word) || /^\d/u.test(word);

/** Checks whether the text of a comment stands for omitted text. */
function isOmission(text: string): boolean {
  const { hasLeadingDots, hasTrailingDots, words: found, isBracketed } = parseText(text);
  const unknownCount = found.filter((word) => !isKnown(word)).length;
  const hasOmission = found.some((word) => omissionSet.has(word));
  if (found.length === 0) return hasLeadingDots;
  if (hasLeadingDots && hasTrailingDots) {
    return hasOmission ? unknownCount <= 3 : unknownCount === 0;
  }
  if (hasLeadingDots) {
    return hasOmission ? unknownCount <= 2 : found.every((word) => nounSet.has(word));
  }
  if (unknownCount > 0) return isStrongWithName(found, unknownCount);
  if (hasTrailingDots) return hasOmission && found.length > 1;
  return strongPhrase.test(found.join(' ')) || (isBracketed && hasOmission && found.length > 1);
}

/** Checks for a phrase such as `rest of MyClass unchanged`, which contains a name. */
function isStrongWithName(found: readonly string[], unknownCount: number): boolean {
  return (
    unknownCount <= 2 &&
    found.length <= 9 &&
    /^(?:keep )?(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*(?:[\w$']+ ){0,3}(?:unchanged|code|files?|functions?|methods?|class(?:es)?|components?|implementation|body|module|tests?|logic|omitted|(?:remains?|stays?|is) (?:the same|unchanged|as is|here))/u.test(
      found.join(' '),
    )
  );
}

/** Opening of a block, or a statement that stands for a body. */
const placeholderCode = /(?:[{([:,]|=>|\bpass;?|\bbegin|\bdo|\bthen|(?:^|\s)\.{3})\s*$/u;
const embeddedComment = /(?:\/\*+|<!--)\s*(?<text>[^*<>]*?)\s*(?:\*+\/|-->)/gu;
const trailingComment = /^(?<code>.*?\S)\s+(?:\/\/|#|--|;)\s*(?<text>\S.*)$/u;
const elidedBody = /^[^'"`#*/]*[)\w>]\s*\{\s*(?:\.{3}|…)\s*\}[;,)]*$/u;

/** Checks whether a line is or contains a placeholder for omitted text. */
export function isElision(line: string): boolean {
  const trimmed = line.trim();
  // Longer lines contain more than a placeholder.
  if (trimmed === '' || trimmed.length > 140) return false;
  const comment = commentPattern.exec(trimmed)?.groups;
  const quoted = quoteComment.exec(trimmed)?.groups?.['text'];
  if (quoted !== undefined && isOmission(quoted)) return true;
  if (comment !== undefined) {
    const { start = '', text = '' } = comment;
    return isCommentElision(start, text);
  }
  return isBareElision(trimmed) || isCodeWithElision(trimmed);
}

function isCommentElision(start: string, text: string): boolean {
  // An example in a documentation comment contains comments of its own.
  if (start === '*' && nestedComment.test(text)) return false;
  // `.. ` starts a comment in reStructuredText; a heading of Markdown can be any word.
  if (/^##|^\*$/u.test(start) && !/\.{3}|…|\(/u.test(text))
    return words(text).length > 2 && isOmission(text);
  return isOmission(text);
}

/** Checks a line without comment marks. */
function isBareElision(line: string): boolean {
  if (line === '…') return true;
  const { hasLeadingDots, hasTrailingDots, words: found, isBracketed } = parseText(line);
  if (found.length === 0) return false;
  const isSpread = /^[[(]?\.{3}[\p{L}_$([{]/u.test(line) && !hasTrailingDots && found.length < 2;
  if (isSpread || /[=;{}"'`\\]|\w\(|\)\S/u.test(line.replace(/^\{(.*)\}$/u, '$1'))) return false;
  const hasOmission = found.some((word) => omissionSet.has(word));
  if (!hasOmission || !found.every(isKnown)) return false;
  if (hasLeadingDots) return hasTrailingDots || found.length > 1 || /[([]/u.test(line);
  if (isBracketed)
    return strongPhrase.test(found.join(' ')) && (found.length > 1 || line.startsWith('('));
  return (
    /^lines? \d[^.]* (?:unchanged|omitted|(?:remains?|stays?|are) (?:the same|unchanged))\.?$/iu.test(
      line,
    ) ||
    (found.length > 2 && hasTrailingDots) ||
    /^(?:keep |the )?(?:the )?rest (?:of .* )?(?:is |remains? |stays? )?(?:unchanged|the same)\.?$|^keep (?:the )?rest(?: unchanged| as is| the same)?\.?$/iu.test(
      line,
    )
  );
}

/** Checks for code with a comment that stands for the code that the line opens. */
function isCodeWithElision(line: string): boolean {
  if (elidedBody.test(line)) return true;
  for (const { groups, index } of line.matchAll(embeddedComment)) {
    if (countQuotes(line.slice(0, index)) % 2 === 0 && isOmission(groups?.['text'] ?? ''))
      return true;
  }
  const { code = '', text = '' } = trailingComment.exec(line)?.groups ?? {};
  return (
    code !== '' && countQuotes(code) % 2 === 0 && placeholderCode.test(code) && isOmission(text)
  );
}

const countQuotes = (text: string): number => text.match(/["'`]/gu)?.length ?? 0;

const isBareDots = (line: string): boolean => /^\s*\.{3,}\s*$/u.test(line);

/**
 * Checks whether a line of three dots can be code: the body of a block in Python, an element before
 * a closing bracket, a continued line of a console session, or the end of a YAML document.
 */
function canBeCode(lines: readonly string[], index: number): boolean {
  const isText = (line: string): boolean => line.trim() !== '';
  const line = lines[index] ?? '';
  const before = lines.slice(0, index).findLast(isText);
  const after = lines.slice(index + 1).find(isText);
  if (before === undefined && after === undefined) return true;
  const indent = leadingWhitespace(line).length;
  if (after !== undefined && leadingWhitespace(after).length >= indent) {
    return /^\s*(?:>>>|\.\.\.\s)/u.test(before ?? '') || after.startsWith('---');
  }
  if (/^\s*[\])]/u.test(after ?? '')) return /,\s*$/u.test(before ?? '');
  if (/^\s*\}/u.test(after ?? '')) return false;
  return before !== undefined && /(?::|"""|'''|,)\s*(?:#.*)?$|^\s*(?:>>>|\.\.\.|@)/u.test(before);
}

/**
 * Finds a placeholder for omitted text in `replace`, such as `// ... existing code ...`. Writing
 * the placeholder would delete the text. Ignores a line that `search` contains, because the line is
 * part of the file.
 */
export function findElision(search: string, replace: string): string | undefined {
  const searchLines = new Set(search.split('\n').map((line) => line.trim()));
  // The search can have line numbers or escaped line breaks.
  const isInSearch = (line: string): boolean =>
    searchLines.has(line) ||
    (!isBareDots(line) && `${search}\n`.includes(`${line}\n`)) ||
    search.includes(`${line}\\n`);
  const lines = replace.split('\n');
  const replaceLines = new Set(lines.map((line) => line.trim()));
  // Three dots can replace text only if a line of the search is missing.
  const removesLines = !searchLines.isSubsetOf(replaceLines);
  return lines.find(
    (line, index) =>
      !isInSearch(line.trim()) &&
      (isElision(line) || (removesLines && isBareDots(line) && !canBeCode(lines, index))),
  );
}

/** Checks whether a line of a search stands for any number of lines. */
export const isGapLine = (line: string): boolean => isBareDots(line) || isElision(line);
