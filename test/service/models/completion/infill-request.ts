/** Request to fill a position in code, between a prefix and a suffix. */
export interface InfillRequest {
  /** Texts of other files, and texts of messages that precede the prefix. */
  readonly context: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

/** Checks whether a message contains the delimiters of an infill request. */
export const hasInfillRequest = (text: string): boolean => findInfillRequest(text) !== undefined;

/**
 * Reads the infill request of a message. Prefix and suffix are in `<prefix>` and `<suffix>` tags, or between FIM tokens in any
 * order. Without delimiters, the whole text is the prefix.
 * @param earlierTexts texts of the preceding messages
 */
export function readInfillRequest(
  text: string,
  earlierTexts: readonly string[] = [],
): InfillRequest {
  const { textBeforePrefix, prefix, suffix } = findInfillRequest(text) ?? {
    textBeforePrefix: '',
    prefix: text,
    suffix: '',
  };
  const context = [...earlierTexts, textBeforePrefix].flatMap(readDocuments);
  const { commentTexts, code } = splitComment(prefix);
  return { context: [...context, ...commentTexts], prefix: code, suffix };
}

/**
 * Parts of a message with an infill request. `textBeforePrefix` is the text before the delimiters; the other fields
 * contain the code around the position.
 */
interface SplitMessage extends Pick<InfillRequest, 'prefix' | 'suffix'> {
  readonly textBeforePrefix: string;
}

const findInfillRequest = (text: string): SplitMessage | undefined =>
  splitAtDelimiters(text, tagDelimiters) ?? splitAtDelimiters(text, fimDelimiters);

/**
 * Delimiters of an infill request: the text before the prefix, the text before the suffix, and the end tags or tokens
 * that can follow the prefix or the suffix.
 */
type Delimiters = readonly [prefix: string, suffix: string, ...ends: string[]];

const tagDelimiters: Delimiters = ['<prefix>', '<suffix>', '</prefix>', '</suffix>'];
const fimDelimiters: Delimiters = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];

function splitAtDelimiters(
  text: string,
  [prefix, suffix, ...endDelimiters]: Delimiters,
): SplitMessage | undefined {
  const [prefixStart, suffixStart] = [text.lastIndexOf(prefix), text.lastIndexOf(suffix)];
  if (prefixStart < 0 || suffixStart < 0) return undefined;
  // A tag ends only at the matching end tag, a FIM token at the next token.
  const [prefixEnds, suffixEnds] =
    endDelimiters.length > 1
      ? [endDelimiters.slice(0, 1), endDelimiters.slice(1)]
      : [
          [suffix, ...endDelimiters],
          [prefix, ...endDelimiters],
        ];
  return {
    textBeforePrefix: text.slice(0, Math.min(prefixStart, suffixStart)),
    prefix: cutBeforeDelimiter(prefixEnds, text.slice(prefixStart + prefix.length)),
    suffix: cutBeforeDelimiter(suffixEnds, text.slice(suffixStart + suffix.length)),
  };
}

function cutBeforeDelimiter(delimiters: readonly string[], text: string): string {
  const indexes = delimiters
    .map((delimiter) => text.indexOf(delimiter))
    .filter((index) => index >= 0);
  return text.slice(0, Math.min(text.length, ...indexes));
}

const fileTagPattern =
  /^<([a-z][\w-]*)[ \t][^>\n]*\b(?:path|file|name)="[^"\n]*"[^>\n]*>\n([\s\S]*?)\n<\/\1>[ \t]*$/gim;

/**
 * Splits a text into documents. The content of each tag with a file name is one document. In the remaining text,
 * `<|file_sep|>` tokens separate the documents.
 */
function readDocuments(text: string): string[] {
  const files = [...text.matchAll(fileTagPattern)].map(([, , content = '']) => content);
  const untaggedTexts = text.replace(fileTagPattern, '').split('<|file_sep|>');
  return [...files, ...untaggedTexts].filter((document) => document.trim() !== '');
}

/**
 * Splits the prefix into a leading comment and the code after it. The comment contains other files, each after a line
 * with its path.
 */
function splitComment(prefix: string): { commentTexts: string[]; code: string } {
  const [, commentMarker] = /^(\/\/|#|--|;|%|'|"|!|REM) \S.*\.\w+\n/.exec(prefix) ?? [];
  const lines = prefix.split('\n');
  const end =
    commentMarker === undefined ? 0 : lines.findIndex((line) => !line.startsWith(commentMarker));
  if (commentMarker === undefined || end < 0) return { commentTexts: [], code: prefix };
  const commentLines = lines.slice(0, end).map((line) => line.slice(commentMarker.length + 1));
  return { commentTexts: [commentLines.join('\n')], code: lines.slice(end).join('\n') };
}
