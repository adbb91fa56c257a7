import { getLeadingWhitespace } from './indentation.ts';

export const splitNames = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** File name extensions and language ids of prose, in which an ellipsis is ordinary and code occurs as an example. */
export const proseFormats = splitNames(
  'md mdx markdown mkd rmd qmd txt text plaintext rst rest restructuredtext tex latex bib adoc asciidoc org textile wiki mediawiki pod rdoc raw log snap diff patch',
);
/** Rules that convert the comment notations of some formats to `//` or `<!-- -->`, which {@link isElision} reads. */
const commentNotations: readonly (readonly [
  formats: ReadonlySet<string>,
  pattern: RegExp,
  commonNotation: string,
])[] = [
  [splitNames('vb vbs bas cls frm vba vbscript'), /^\s*'(?<text>.*)$/u, '// $<text>'],
  [splitNames('vim viml st smalltalk'), /^\s*"(?<text>[^"]*)"?$/u, '// $<text>'],
  [
    splitNames('f for ftn f77 cbl cob cpy sas do abap stata fortranfixedform cobol'),
    /^\s*(?:[Cc]\s|\*>?|"(?=[^"]*$))(?<text>.*)$/u,
    '// $<text>',
  ],
  [splitNames('s asm'), /^\s*@\s(?<text>.*)$/u, '// $<text>'],
  [splitNames('slim'), /^\s*\/\s(?<text>.*)$/u, '// $<text>'],
  [splitNames('pas pp dpr lpr pascal'), /^\s*\{(?!\$)(?<text>.*)\}$/u, '// $<text>'],
  [splitNames('adoc asciidoc'), /^\/\/(?!\/)(?<text>.*)$/u, '<!-- $<text> -->'],
  [splitNames('org'), /^\s*#\s(?<text>.*)$/u, '<!-- $<text> -->'],
  [splitNames('textile'), /^###\.+(?<text>.*)$/u, '<!-- $<text> -->'],
  [splitNames('rst rest restructuredtext'), /^\s*\.\.\s(?<text>.*)$/u, '<!-- $<text> -->'],
];

/**
 * Returns a function that converts a comment line of the format to a notation that {@link isElision} reads. The
 * function returns any other line unchanged.
 */
export function createCommentConverter(format: string): (line: string) => string {
  if (format === '') return (line) => line;
  const notation = commentNotations.find(([formats]) => formats.has(format));
  if (notation !== undefined) return (line) => line.replace(notation[1], notation[2]);
  return proseFormats.has(format) ? (line) => line : (line) => line.replace(/^(\s*)##+/u, '$1#');
}

/**
 * Source of a pattern for the characters that begin a comment, such as `//` or `<!--`. Longer alternatives come first.
 */
const commentStartSource = [
  String.raw`&lt;!--+|<!--+|<#--|<%--|<%#|<%\s*\/\*|<#`,
  String.raw`\/\/\s?#?region\b|#region\b|\/\/[-/!]*|\/\*+!?|\/\++(?=\s)|-\/\/`,
  String.raw`###+|##+|#%%|#[!|:*%'+=[-]?|=begin\b`,
  String.raw`\{\/\*+|\{\{-?\s*\/\*|\{\{~?!(?:--)?|\{\{--|\{#-?|\{\*+|\{-\|?|\{%-?\s*(?:comment\s*-?%\}|#)`,
  String.raw`--+\[=*\[|--+\s?\||--+|-#|;+|%[{#]|%+|!+[$<>]?`,
  String.raw`\(\*+!?|\(;|@\*|\*>|\*|\|\||\.\.(?=\s)|['.]\\"`,
  String.raw`[rR]?"""|[rR]?'''|@?[Rr][Ee][Mm]\b|::(?=\s)|dnl\b|@c(?:omment)?\b|NB\.|⍝|∇`,
  String.raw`<\?(?:php)?\s*(?:\/\/|\/\*+|#)|\\(?=\s*(?:\.{3}|…))`,
  String.raw`\\begin\{comment\}|\\iffalse\b|\[(?:\/\/|comment)\]:\s*(?:#|<>)\s*\(|[Cc](?=\s+(?:\.{3}|…|[[(]))`,
].join('|');
const commentEndSource = [
  String.raw`\*+\/\}?|\*+\/\s*-?\}\}|\{%-?\s*endcomment\s*-?%\}|=#|-#|\*#|###|=end|--+>|--+&gt;|(?:--)?~?\}\}|-?#\}|-?%\}`,
  String.raw`(?:\*+\/\s*)?[?%]>|--%>|\*@|\*+\)|;\)|\*+\}|-\}|\|#|\]#|#>|\]=*\]|\++\/|"""|'''|\\end\{comment\}|\\fi|\)`,
].join('|');
const commentPattern = new RegExp(
  `^(?<start>${commentStartSource})\\s*(?<text>.*?)\\s*(?:${commentEndSource})?$`,
  'u',
);
/** Matches a line that consists of the characters that begin a comment of several lines, such as `/**`. */
const openingLinePattern = new RegExp(`^(?:${commentStartSource})$`, 'u');
/**
 * Matches a line that consists of the characters that end a comment, such as `-->`. Does not match a single `)`, which
 * usually ends code.
 */
const closingLinePattern = new RegExp(`^(?!\\)$)(?:${commentEndSource})$`, 'u');
const nestedCommentPattern = /^(?:\/\/|\/\*|#|--|<!--)/u;
/** Matches a comment of Visual Basic or Vim script, which starts with a quotation mark. */
const quoteCommentPattern = /^['"]\s*(?<text>[^'"]*)$/u;

const splitWords = (text: string): string[] => text.split(' ');
const fillerWords = splitWords(
  'the a an of is are was be remain remains stay stays go goes follow follows continue continues here there below above this your my our all any everything anything else in from to for as it its and or with on at no not nothing has have by that these those will should so through until exactly end start top bottom current insert version ' +
    'der die das des den dem und von wie zuvor hier alles bleibt bleiben oben unten wird hat le la les de du et est sont comme ici tout tous toutes el los las del y es son como aquí todo todos do da dos das o os as e il lo gli di dei della delle che come qui tutto sin sem senza',
);
const omissionWords = splitWords(
  'rest remainder remaining existing unchanged previous previously same other others omitted omit omits snip snipped elided skipped skip skipping truncated shortened shown more keep kept keeps keeping leave leaves leaving left intact untouched unmodified unaltered identical before brevity abbreviated original preserved preserve change changes changed modified modification modifications etc similar old already earlier continued ' +
    'bisher restlicher restliche restlichen restliches unverändert unveränderter bestehend bestehender bestehende bestehenden vorhandener vorhandene vorhandenen bisheriger bisherige übrige übriger gleich ausgelassen gekürzt weggelassen ' +
    'reste inchangé inchangée inchangés inchangées existant existante existants omis omise précédent précédente identique autres ' +
    'resto restante restantes existente existentes igual iguales omitido omitida cambios cambio alterações mudanças inalterado anterior sigue permanece otros otras outros outras ' +
    'invariato invariata esistente esistenti omesso altri altre modifiche',
);
const codeNouns = splitWords(
  'code file function method class content component implementation body module import style test logic line section part block property properties prop field member variable definition declaration statement constructor handler route case entry entries item element value option rule config configuration html markup jsx css attribute argument arg parameter param export type interface column row data setup setting script document page template form text paragraph table struct enum schema initialization init stuff things steps loop children hooks state helper docstring comment dependency dependencies getter setter preamble error handling ' +
    'datei funktion methode methoden klasse inhalt fichier fonction méthodes classe contenu código archivo función métodos clase contenido arquivo função codice metodi',
);
/** Words that indicate omitted text only in an edit that removes lines. */
const weakOmissionWords = splitWords(
  'prev original originals hidden collapsed folded redacted trimmed cut stripped clipped cropped condensed compressed abridged minimized excluded retained retain ditto idem ibid dito blah yada snippet placeholder stub summary summarized prior present repeated included displayed affected unaffected touch touched modify edit edits copy paste restore proceed usual again cont your see elsewhere above below et forth dots ellipsis sake equivalent plus goes current fill carry lines too',
);
const weakFillerWords = splitWords(
  "full refer length needed new out alone long originals user stuff user's don't do repo cetera business nothing add put place key keys",
);
const omissionSet = new Set(omissionWords);
const weakOmissionSet = new Set(weakOmissionWords);
const weakFillerSet = new Set(weakFillerWords);
const codeNounSet = new Set(codeNouns);
const vocabulary = new Set([...fillerWords, ...omissionWords, ...codeNouns]);

/** Matches phrases that indicate omitted text even without an ellipsis. */
const strongPhrasePattern =
  /\b(?:unchanged|unmodified|unaltered|untouched|omitted|elided|snip(?:ped)?|abbreviated|brevity|intact|not shown|as (?:before|is|it was)|(?:stays?|remains?|left|keep|kept) (?:exactly )?(?:the same|as)|same as (?:\w+ )*(?:before|above|previously|previous|original)|identical to before|no (?:other )?changes?|not (?:changed|modified)|(?:rest|remainder) (?:of|remains?|stays?|is|as|goes|here|below|unchanged)|(?:existing|previous|unchanged|remaining|original|same) (?:\w+ )?(?:code|implementation|logic|lines|contents?|functions?|methods?|imports?|body|components?|styles?|tests?|configuration|settings|handling|children|docstring)|keep (?:the |all )?(?:rest|existing|other|remaining|everything)|code continues)\b|(?:^|\s)(?:unveränder\S*|restliche\S* (?:code|datei|funktion)|bestehende\S* code|rest bleibt|bleibt (?:gleich|wie)|wie (?:bisher|zuvor)|inchangée?s?|(?:reste|resto) d\S+ \S+|code existant|sin cambios|sem alterações|inalterado|senza modifiche|invariat[oa]|código existente|codice esistente|(?:resto|reste) (?:igual|permanece|inchangé))(?=\s|$)/u;

/** Matches words that indicate omitted text in languages with a non-Latin script. */
const nonLatinOmissionPattern =
  /省略|[不无]变|没有(?:变化|改动)|未(?:修改|更改|改动)|其余|剩余|其他|现有|原有|已有|同上|中略|以下略|既存|残り|変更(?:なし|無し)|以下同様|そのまま|同じ|기존|나머지|생략|변경\s*없음|остальн|существующ|без изменений|опущен|пропущен/u;
const nonLatinFillerPattern =
  /[\s\p{P}\p{S}]|的|都|均|全部|保持|代码|部分|内容|方法|函数|逻辑|实现|此处|这里|以上|以下|后面|前面|行|コード|処理|メソッド|関数|部分|の|は|を|と|코드|부분|메서드|함수|유지|동일|그대로|[는은이가]|код[а-я]*|метод[а-я]*|част[а-я]*|здесь|файл[а-я]*|как|раньше|остаётся|остается|[ыеоаийхяю]{1,3}(?=\s|$)|о?й\b/gu;

interface ParsedText {
  readonly hasLeadingDots: boolean;
  readonly hasTrailingDots: boolean;
  /** Words of the text in lower case. A range of numbers counts as one word. */
  readonly words: readonly string[];
  readonly isBracketed: boolean;
}

function parseText(text: string): ParsedText {
  const plainText = text
    // An interface style, unlike `rest`.
    .replaceAll(/\bREST\b(?=.*[a-z])/gu, 'api')
    .replaceAll(/`([\w$]+)`/gu, '$1')
    .replaceAll(/\p{Extended_Pictographic}\uFE0F?/gu, '')
    .replaceAll(/\.(?:\s+\.){2,}/gu, '...')
    .trim()
    .toLowerCase()
    .replaceAll(/[…⋯⋮]/gu, '...')
    .replaceAll('’', "'")
    .replace(/^(?:todo|note|nb)\s*:\s*/u, '')
    // Decoration, such as `--- snip ---`.
    .replaceAll(/^(?:[=*~_@-]\s*){2,}|(?:\s*[=*~_@-]){2,}$/gu, '')
    .replace(/^\.\.(?=\s)/u, '...');
  const isBracketed = /^(?:\[.*\]|\(.*\)|<.*>|\{.*\})[.;:]?$/u.test(plainText);
  const innerText = plainText.replace(/^[[(<{\s]+|[\])>}\s;:]+$/gu, '');
  return {
    hasLeadingDots: /^\.{3}/u.test(innerText),
    hasTrailingDots: /\.{3}$/u.test(innerText),
    words:
      innerText.match(
        /[\p{L}_$][\p{L}\p{N}_$']*|\d+(?:\s*(?:-|–|to)\s*\d+)?|[^\s\p{L}\p{N}.,:;()[\]<>/*–-]/gu,
      ) ?? [],
    isBracketed,
  };
}

const isCodeNoun = (word: string): boolean =>
  codeNounSet.has(word.replace(/(?<=ss)es$|s$/u, '')) || codeNounSet.has(word);
const isVocabularyWord = (word: string): boolean =>
  vocabulary.has(word) || isCodeNoun(word) || /^\d/u.test(word);

/** Facts about the edit that help to decide whether a line of its replacement is a placeholder. */
interface LineContext {
  /**
   * True if the edit removes more lines than it adds. Text such as `other options` can then be a placeholder for the
   * removed lines.
   */
  readonly hasRemovedLines: boolean;
  /** Checks whether the line alone replaces several consecutive lines. */
  readonly replacesSeveralLines: () => boolean;
  /** Next non-blank line of the replacement. */
  readonly nextLine?: string | undefined;
}

const emptyLineContext: LineContext = { hasRemovedLines: false, replacesSeveralLines: () => false };

/** Checks whether the text of a comment is a placeholder for omitted text. */
function isOmission(
  text: string,
  { hasRemovedLines, replacesSeveralLines } = emptyLineContext,
): boolean {
  const parsedText = parseText(text);
  const { hasLeadingDots, hasTrailingDots, words, isBracketed } = parsedText;
  const unknownCount = words.filter((word) => !isVocabularyWord(word)).length;
  const hasOmission = words.some((word) => omissionSet.has(word));
  if (/^[-=*~_\s]*(?:8<|>8)[-=*~_\s]*$/u.test(text) && replacesSeveralLines()) return true;
  if (words.length === 0) return hasLeadingDots;
  if (isNonLatinOmission(text)) return true;
  if (isShortOmission(parsedText, unknownCount) && replacesSeveralLines()) return true;
  const phrase = words.join(' ');
  if (isNonPlaceholderText(text, phrase, parsedText)) return false;
  if (hasLeadingDots && hasTrailingDots) {
    if (hasRemovedLines && words.length <= 4) return true;
    return hasOmission ? unknownCount <= 3 : words.every(isWeakVocabularyWord);
  }
  if (hasLeadingDots) {
    return hasOmission ? unknownCount <= 2 : words.every(isCodeNoun);
  }
  if (unknownCount > 0) {
    return (
      (hasRemovedLines && codeNamePattern.test(text) && isUnchangedNamePhrase(words)) ||
      isOmissionPhraseWithName(words, unknownCount)
    );
  }
  if (hasRemovedLines && words.length <= 6 && (hasOmission || phrase === 'and so on')) return true;
  if (hasTrailingDots) return hasOmission && words.length > 1;
  // The skipped items can be values of the program.
  if (/^skip|\bskipped$/u.test(phrase) && !isBracketed) return false;
  return strongPhrasePattern.test(phrase) || (isBracketed && hasOmission && words.length > 1);
}

/**
 * Matches the last word of a comment that is not a placeholder. The word names program data, such as `items`, or shows
 * that the sentence continues on the next line, such as `with`.
 */
const nonPlaceholderEndPattern =
  /\b(?:with|by|in|from|of|to|for|like|as|files?|lines?|items?|values?|entry|entries|rows?|elements?|data|arg(?:ument)?s?|param(?:eter)?s?)$/u;

/**
 * Checks whether a comment describes data of a program or continues a sentence. Such a comment is not a placeholder.
 */
function isNonPlaceholderText(text: string, phrase: string, parsedText: ParsedText): boolean {
  if (parsedText.hasLeadingDots)
    return (
      !parsedText.hasTrailingDots && /^(?:if|or|when|unless|because|whether|while)\b/u.test(phrase)
    );
  if (!nonPlaceholderEndPattern.test(phrase)) return false;
  return parsedText.hasTrailingDots
    ? !strongPhrasePattern.test(phrase)
    : /^\s*\p{Lu}.*\.\s*$/u.test(text) && !/\brest of .*files?$/u.test(phrase);
}

/** Matches a name that looks like a function, class or variable, such as `myName` or `run()`. */
const codeNamePattern = /\p{Ll}\p{Lu}|\w_\w|\w\(\)|`/u;
const isUnchangedNamePhrase = (words: readonly string[]): boolean =>
  words.length <= 6 &&
  !/^(?:if|when|unless|or)$/u.test(words[0] ?? '') &&
  /(?:ed|same|before|is)$/u.test(words.at(-1) ?? '') &&
  strongPhrasePattern.test(words.join(' '));

/**
 * Checks for a text of at most six words that consists only of placeholder words, such as `hidden` or `details
 * omitted`.
 */
function isShortOmission(parsedText: ParsedText, unknownCount: number): boolean {
  const { words, isBracketed } = parsedText;
  const phrase = words.join(' ');
  if (words.length > 6) return false;
  if (unknownCount > 0 && words.length <= 3 && isUnchangedNamePhrase(words)) return true;
  return (
    words.every(isWeakVocabularyWord) &&
    (isBracketed ||
      words.some((word) => omissionSet.has(word) || weakOmissionSet.has(word)) ||
      /^(?:stays?|remains?|continues|body|code)\b|\bhere$|^l\d+(?: l?\d+)?$/u.test(phrase))
  );
}

const isWeakVocabularyWord = (word: string): boolean =>
  isVocabularyWord(word) ||
  weakOmissionSet.has(word) ||
  weakFillerSet.has(word) ||
  /^[+#l]?\d/u.test(word);

const isNonLatinOmission = (text: string): boolean =>
  text.length <= 40 &&
  nonLatinOmissionPattern.test(text) &&
  text
    .toLowerCase()
    .replaceAll(new RegExp(nonLatinOmissionPattern, 'gu'), '')
    .replaceAll(nonLatinFillerPattern, '') === '';

/** Checks for a phrase about omitted text that contains a name, such as `rest of MyClass unchanged`. */
function isOmissionPhraseWithName(words: readonly string[], unknownCount: number): boolean {
  const phrase = words.join(' ');
  if (unknownCount > 2 || words.length > 9) return false;
  return (
    (words.length <= 5 &&
      /^(?:keep )?(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*[\p{L}\p{N}_$']+$/u.test(
        phrase,
      )) ||
    /^(?:keep )?(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*(?:[\p{L}\p{N}_$']+ ){0,3}(?:unchanged|code|files?|functions?|methods?|class(?:es)?|components?|implementation|body|module|tests?|logic|omitted|(?:remains?|stays?|is) (?:the same|unchanged|as is|as it was|here))/u.test(
      phrase,
    )
  );
}

/**
 * Matches code after which a placeholder comment can follow: the opening of a block, or a statement such as `pass` in
 * place of a body.
 */
const placeholderCodePattern = /(?:[{([:,]|=>|\bpass;?|\bbegin|\bdo|\bthen|(?:^|\s)\.{3})\s*$/u;
const embeddedCommentPattern = /(?:\/\*+|<!--)\s*(?<text>[^*<>]*?)\s*(?:\*+\/|-->)/gu;
const trailingCommentPattern = /^(?<code>.*?\S)\s+(?:\/\/|#|--|;)\s*(?<text>\S.*)$/u;
const elidedBodyPattern = /^[^'"`#*/]*[)\w>]\s*\{\s*(?:\.{3}|…)\s*\}[;,)]*$/u;
const jsonCommentPattern =
  /^"(?:\/\/|#|_+comment|(?=\.{3}|…))(?<key>[^"]*)"\s*:\s*"(?<value>[^"]*)",?$/u;
const elidedElementPattern = /^<(?<name>[\w-]+)[^<>]*>\s*(?:\.{3}|…)\s*<\/\k<name>>$/u;

/** Returns the text of a line that is a comment in any language; undefined for other lines. */
export function readCommentText(line: string): string | undefined {
  const text = commentPattern.exec(line.trim())?.groups?.['text'];
  return text !== undefined && /^\([^()]*$/u.test(text) ? `${text})` : text;
}

/**
 * Joins each comment of three lines into one line, if its first and last lines contain only comment characters and
 * `accepts` returns true for the joined line. The lines before and after the joined line become empty.
 */
export function joinShortComments(
  lines: readonly string[],
  accepts: (line: string) => boolean,
): readonly string[] {
  const joinedLines = [...lines];
  for (let index = 1; index < lines.length - 1; index += 1) {
    const [openingLine = '', text = '', closingLine = ''] = lines.slice(index - 1, index + 2);
    if (
      !openingLinePattern.test(openingLine.trim()) ||
      !closingLinePattern.test(closingLine.trim())
    )
      continue;
    const line = `${openingLine.trim()} ${text.replace(/^\s*\*\s/u, '').trim()} ${closingLine.trim()}`;
    if (accepts(line)) joinedLines.splice(index - 1, 3, '', line, '');
  }
  return joinedLines;
}

/** Checks whether a line contains a placeholder for omitted text. */
export function isElision(line: string, context = emptyLineContext): boolean {
  const trimmedLine = line.trim();
  // Longer lines contain more than a placeholder.
  if (trimmedLine === '' || trimmedLine.length > 140) return false;
  const commentGroups = commentPattern.exec(trimmedLine)?.groups;
  const quotedText = quoteCommentPattern.exec(trimmedLine)?.groups?.['text'];
  if (quotedText !== undefined && isQuotedElision(quotedText)) return true;
  if (commentGroups !== undefined) {
    const { start = '', text = '' } = commentGroups;
    return isCommentElision(start, text, context);
  }
  const { key, value = '' } = jsonCommentPattern.exec(trimmedLine)?.groups ?? {};
  // A key that consists of dots can belong to a dictionary.
  if (key !== undefined && (context.hasRemovedLines || !/^"[.…]/u.test(trimmedLine)))
    return isOmission(key, context) || isOmission(value, context);
  if (
    (elidedElementPattern.test(trimmedLine) || isBareElisionOfSeveralLines(trimmedLine)) &&
    context.replacesSeveralLines()
  )
    return true;
  return (
    isBareElision(trimmedLine) ||
    // Strings of a program can contain a placeholder.
    ((context.hasRemovedLines || !/^["'`].*["'`],?$/u.test(trimmedLine)) &&
      isWrappedElision(trimmedLine)) ||
    isCodeWithElision(trimmedLine, context)
  );
}

/**
 * Checks whether text after a quotation mark, which starts a comment in some languages, is a placeholder. Without dots,
 * it must be a complete placeholder phrase, because other text may be the rest of a string.
 */
const isQuotedElision = (text: string): boolean =>
  isOmission(text) &&
  (/^[[(]?(?:\.{3}|…)|^[[(]?(?:unchanged|omitted)[\])]?$/iu.test(text) ||
    splitWords(text).length > 2);

function isCommentElision(start: string, text: string, context: LineContext): boolean {
  // An example in a documentation comment contains comments of its own.
  if (start === '*' && nestedCommentPattern.test(text)) return false;
  // `.. ` starts a comment in reStructuredText; a heading of Markdown can be any word.
  if (/^##|^\*$/u.test(start) && !/\.{3}|…|\(/u.test(text))
    return splitWords(text).length > 2 && isOmission(text);
  // Three dots are the documentation of a stub in Python.
  if (/["']{3}$/u.test(start) && /^[.…]+$/u.test(text)) return context.hasRemovedLines;
  return isOmission(text, context);
}

const codePunctuationPattern = /[=;{}"'`\\]|\w\(|\)\S/u;

/**
 * Checks whether a line without comment characters is a placeholder, given that the line alone replaces several lines.
 */
function isBareElisionOfSeveralLines(line: string): boolean {
  const text = line.replace(/^(?:[-*+]|\d+[.)])\s+/u, '');
  const { words, isBracketed } = parseText(text);
  return (
    !codePunctuationPattern.test(text) &&
    (isBracketed || words.length > 1) &&
    words.every(isVocabularyWord) &&
    strongPhrasePattern.test(words.join(' '))
  );
}

/** Checks whether a line without comment characters is a placeholder. */
function isBareElision(line: string): boolean {
  if (
    /^[…⋯⋮]$/u.test(line) ||
    (isNonLatinOmission(line.replaceAll(/[…]|\.{3}/gu, '')) && /\.{3}|…|^[（(【[]/u.test(line))
  )
    return true;
  if (codePunctuationPattern.test(line.replace(/^\{(.*)\}$/u, '$1'))) return false;
  const { hasLeadingDots, hasTrailingDots, words, isBracketed } = parseText(line);
  if (words.length === 0) return false;
  const isSpread = /^[[(]?\.{3}[\p{L}_$([{]/u.test(line) && !hasTrailingDots && isSpreadCode(line);
  if (isSpread) return false;
  const hasOmission = words.some((word) => omissionSet.has(word));
  if (!hasOmission || !words.every(isVocabularyWord)) return false;
  if (hasLeadingDots) return hasTrailingDots || words.length > 1 || /[([]/u.test(line);
  if (isBracketed)
    return (
      strongPhrasePattern.test(words.join(' ')) &&
      (words.length > 1 || line.startsWith('(') || line === '[unchanged]')
    );
  return (
    /^(?:the )?rest of the (?:code|file)$|^(?:all )?other \w+ (?:are |remain |stay )?unchanged\.?$/iu.test(
      line,
    ) ||
    /^lines? \d[^.]* (?:unchanged|omitted|(?:remains?|stays?|are) (?:the same|unchanged))\.?$/iu.test(
      line,
    ) ||
    (words.length > 2 && hasTrailingDots) ||
    /^(?:keep |the )?(?:the )?rest (?:of .* )?(?:is |remains? |stays? )?(?:unchanged|the same)\.?$|^keep (?:the )?rest(?: unchanged| as is| the same)?\.?$/iu.test(
      line,
    )
  );
}

/**
 * Checks whether three dots in a line may be spread syntax (`...items`). Returns false if a list element consists of
 * several words, because the dots are then a placeholder.
 */
const isSpreadCode = (line: string): boolean =>
  /^\.{3}\([^)]*$/u.test(line) ||
  line.split(',').every((element) => !/\s/u.test(element.trim())) ||
  /\bas (?:any|const|never|unknown)\W*$/u.test(line);

/** Checks for code that opens a block and is followed by a placeholder comment instead of the block's content. */
function isCodeWithElision(line: string, { nextLine = '' }: LineContext): boolean {
  if (elidedBodyPattern.test(line)) return true;
  for (const { 0: comment, groups, index } of line.matchAll(embeddedCommentPattern)) {
    if (countQuotes(line.slice(0, index)) % 2 !== 0) continue;
    const isWholeBody =
      /[{([]\s*$/u.test(line.slice(0, index)) &&
      /^\s*[})\]]/u.test(line.slice(index + comment.length));
    const context = { ...emptyLineContext, hasRemovedLines: isWholeBody };
    if (isOmission(groups?.['text'] ?? '', context)) return true;
  }
  const { code = '', text = '' } = trailingCommentPattern.exec(line)?.groups ?? {};
  if (code === '' || countQuotes(code) % 2 !== 0 || !isOmission(text)) return false;
  // After other code, only an ellipsis shows that lines are omitted.
  const { hasLeadingDots, words } = parseText(text);
  // A comment on a branch without these marks describes its condition.
  const isBranch = /\b(?:else|elif|if|case|default|catch|except)\b/u.test(code);
  if (isBranch && !hasLeadingDots && !/\b(?:code|body|logic)\b/iu.test(text))
    return placeholderCodePattern.test(code) && /^\s*[})\]]/u.test(nextLine);
  return (
    placeholderCodePattern.test(code) ||
    (hasLeadingDots && words.some((word) => omissionSet.has(word)))
  );
}

const countQuotes = (text: string): number => text.match(/["'`]/gu)?.length ?? 0;

/**
 * Matches a placeholder between dots that is enclosed in tags or punctuation or follows a word such as `Note:`, for
 * example `<p>... other items ...</p>`.
 */
const wrappedDotsPattern =
  /^(?:<[^<>]+>|[^\p{L}\p{N}\s.…<]|\d+[.)]|remark|comment|note|\s)+(?<text>(?:\.{3}|…)[^=;{}"'`\\(),]*(?:\.{3}|…))(?:<\/[^<>]+>|[^\p{L}\p{N}\s.…<]|\s)*$/iu;

/** Checks for a placeholder with dots that is enclosed in characters that do not form a comment. */
function isWrappedElision(line: string): boolean {
  const text = wrappedDotsPattern.exec(line)?.groups?.['text'];
  if (text === undefined) return false;
  const { words } = parseText(text);
  return words.every(isVocabularyWord) && words.some((word) => omissionSet.has(word));
}

const isBareDots = (line: string): boolean => /^\s*\.{3,}\s*$/u.test(line);
const isBracketedDots = (line: string): boolean =>
  /^\s*(?:\[\s*\.{3,}\s*\]|\(\s*\.{3,}\s*\)|<\s*\.{3,}\s*>|\{\s*\.{3,}\s*\})\s*$/u.test(line);

/**
 * Checks whether a line of three dots can be code. Examples are the body of a Python block, an element before a closing
 * bracket, and the end of a YAML document.
 */
function canDotsBeCode(lines: readonly string[], index: number): boolean {
  const [lineBefore, line = '', lineAfter] = [lines[index - 1], lines[index], lines[index + 1]];
  if (lineBefore === undefined && lineAfter === undefined) return true;
  const indentWidth = getLeadingWhitespace(line).length;
  if (lineAfter !== undefined && getLeadingWhitespace(lineAfter).length >= indentWidth) {
    return /^\s*(?:>>>|\.\.\.\s)/u.test(lineBefore ?? '') || lineAfter.startsWith('---');
  }
  if (/^\s*[\])]/u.test(lineAfter ?? '')) return /,\s*$/u.test(lineBefore ?? '');
  if (/^\s*\}/u.test(lineAfter ?? '')) return false;
  return (
    lineBefore !== undefined && /(?::|"""|'''|,)\s*(?:#.*)?$|^\s*(?:>>>|\.\.\.|@)/u.test(lineBefore)
  );
}

/**
 * Finds a placeholder for omitted text in `replace`, such as `// ... existing code ...`. Writing a placeholder would
 * delete the omitted text. Accepts a placeholder as often as `search` contains the same line, because the file then
 * contains this line too. Returns undefined if none is found.
 * @param format File name extension, or language id of VS Code, in lower case; empty if unknown.
 */
export function findElision(search: string, replace: string, format = ''): string | undefined {
  const trimmedSearchLines = readNonBlankLines(search, '\n').map((line) => line.trim());
  const lines = readNonBlankLines(replace, '\n');
  const trimmedReplaceLines = lines.map((line) => line.trim());
  // The search can have line numbers or escaped line breaks.
  const searchCounts = countLineOccurrences(
    readNonBlankLines(search, search.includes('\n') ? '\n' : '\\n'),
  );
  const replaceCounts = countLineOccurrences(lines);
  const searchLines = new Set(trimmedSearchLines);
  const replaceLines = new Set(trimmedReplaceLines);
  // Three dots can replace text only if a line of the search is missing.
  const removesLines = !searchLines.isSubsetOf(replaceLines);
  const hasRemovedLines = removesLines && replaceLines.size < searchLines.size;
  const replacesSeveralLines = createSeveralLinesCheck(trimmedSearchLines, trimmedReplaceLines);
  const joinedLines = joinShortComments(lines.map(createCommentConverter(format)), () => true);
  return lines.find((line, index) => {
    const key = removeLineNumber(line);
    if ((replaceCounts.get(key) ?? 0) <= (searchCounts.get(key) ?? 0)) return false;
    const context = {
      hasRemovedLines,
      replacesSeveralLines: () => hasRemovedLines && replacesSeveralLines(index),
      nextLine: lines[index + 1],
    };
    return (
      isElision(line, context) ||
      (joinedLines[index] !== line && isElision(joinedLines[index] ?? '', context)) ||
      (removesLines && isBareDots(line) && !canDotsBeCode(lines, index)) ||
      (hasRemovedLines && isBracketedDots(line))
    );
  });
}

const readNonBlankLines = (text: string, lineBreak: string): readonly string[] =>
  text.split(lineBreak).filter((line) => line.trim() !== '');

const removeLineNumber = (line: string): string =>
  line.trim().replace(/^\[?L?\d+\]?(?:\s*[|│→:])?\s*/u, '');

function countLineOccurrences(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of lines.map(removeLineNumber)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * Returns a function that checks whether a line of the replacement, given by its index, alone replaces several
 * consecutive lines of the search text. Expects trimmed, non-blank lines.
 */
function createSeveralLinesCheck(
  searchLines: readonly string[],
  replaceLines: readonly string[],
): (index: number) => boolean {
  const positionsByLine = Map.groupBy(
    searchLines.keys(),
    (position) => searchLines[position] ?? '',
  );
  return (index) => {
    const [lineBefore, lineAfter] = [replaceLines[index - 1], replaceLines[index + 1]];
    if (lineBefore === undefined && lineAfter === undefined) return false;
    const start = lineBefore === undefined ? -1 : positionsByLine.get(lineBefore)?.[0];
    if (start === undefined) return false;
    const end =
      lineAfter === undefined
        ? searchLines.length
        : findNumberAbove(positionsByLine.get(lineAfter) ?? [], start);
    return end !== undefined && end - start > 2;
  };
}

/** Returns the first of the ascending numbers that is greater than the limit; undefined if none exists. */
function findNumberAbove(numbers: readonly number[], limit: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return numbers[low];
}

/** Checks whether a line of a search text is a placeholder that can match any number of lines. */
export const isPlaceholderLine = (line: string): boolean => isBareDots(line) || isElision(line);
