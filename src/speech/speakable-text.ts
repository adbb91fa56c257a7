import { stripHiddenCharacters } from '../base/hidden-characters.ts';

interface SpeakableTextLabels {
  /** Text that is spoken in place of a code block, such as `Code block.` */
  readonly codeBlock: string;
}

/**
 * Converts Markdown to text for speech. Removes markup and separates table cells. Replaces links with their text, URLs
 * with their host name, and code blocks with a label. Returns an empty string if no text remains.
 */
export function toSpeakableText(markdown: string, { codeBlock }: SpeakableTextLabels): string {
  const lines = stripHiddenCharacters(markdown).text.split(/\r\n|\r|\n/u);
  const spokenLines: string[] = [];
  let openFence: string | undefined;
  for (const line of lines) {
    const fenceMark = /^\s{0,3}(?:>\s?)*(?<mark>`{3,}|~{3,})/u.exec(line)?.groups?.['mark'];
    if (openFence !== undefined) {
      if (fenceMark?.startsWith(openFence) === true) openFence = undefined;
      continue;
    }
    if (fenceMark === undefined) spokenLines.push(toSpokenLine(line));
    else {
      openFence = fenceMark;
      spokenLines.push(`\n${codeBlock}\n`);
    }
  }
  return spokenLines
    .join('\n')
    .replaceAll(/[ \t]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

function toSpokenLine(line: string): string {
  if (/^\s*(?:[-*_]\s*){3,}$/u.test(line) || /^\s*\|?[\s:|-]*-{2,}[\s:|-]*$/u.test(line)) return '';
  const isHeading = /^\s{0,3}#{1,6}\s/u.test(line);
  const text = stripMarkdown(
    line
      .replace(/^(?:\s*>)+\s?/u, '')
      .replace(/^\s{0,3}#{1,6}\s+/u, '')
      .replace(/\s+#+\s*$/u, '')
      .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/u, ''),
  ).trim();
  if (text === '') return '';
  const isListItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s/u.test(line);
  // Adds a period to headings and list items, which causes an audible pause.
  return (isHeading || isListItem) && !/[.!?:;,…]$/u.test(text) ? `${text}.` : text;
}

/**
 * Removes Markdown syntax from one line. Each pattern takes linear time, because its repeated part cannot match the
 * character that must follow this part.
 */
function stripMarkdown(text: string): string {
  const cellText = /^\s*\|.*\|\s*$/u.test(text)
    ? text
        .trim()
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
        .join(', ')
    : text;
  return cellText
    .replaceAll(/\\(?<mark>[\\`*_{}[\]()#+.!|<>-])/gu, '$<mark>')
    .replaceAll(/!?\[(?<label>[^[\]]{0,1000})\]\((?:[^()]{0,2000})\)/gu, '$<label>')
    .replaceAll(/<?\bhttps?:\/\/(?<site>[^\s/<>"')]{1,200})[^\s<>"')]{0,2000}>?/gu, '$<site>')
    .replaceAll(/<\/?[a-zA-Z][^<>]{0,500}>/gu, '')
    .replaceAll(/`+/gu, '')
    .replaceAll(/\^\d+(?:,\d+)*\^/gu, '')
    .replaceAll(/\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])/gu, '');
}

/** Maximum length of the first part in UTF-16 code units. Small, so that the service returns the first audio soon. */
const maxFirstPartChars = 300;

/**
 * Splits a text into parts of at most `maxLength` UTF-16 code units. Splits between sentences if possible, otherwise
 * between words. The first part is shorter, so that speech starts soon. Removes the spaces at each split.
 */
export function splitSpeechText(text: string, maxLength: number): readonly string[] {
  const parts: string[] = [];
  let remainingText = text.trim();
  while (remainingText !== '') {
    const partLimit = parts.length === 0 ? Math.min(maxFirstPartChars, maxLength) : maxLength;
    const end =
      remainingText.length <= partLimit
        ? remainingText.length
        : findSplitPosition(remainingText, partLimit);
    parts.push(remainingText.slice(0, end).trim());
    remainingText = remainingText.slice(end).trim();
  }
  return parts;
}

function findSplitPosition(text: string, maxLength: number): number {
  const searchedText = text.slice(0, maxLength);
  const sentenceEnd = Math.max(
    ...['. ', '! ', '? ', '.\n', '\n', '。', '！', '？'].map((end) => {
      const index = searchedText.lastIndexOf(end);
      return index === -1 ? 0 : index + end.length;
    }),
  );
  if (sentenceEnd > maxLength / 4) return sentenceEnd;
  const spaceIndex = searchedText.search(/\s\S*$/u);
  if (spaceIndex > 0) return spaceIndex;
  // Does not split a surrogate pair.
  return /[\uD800-\uDBFF]$/u.test(searchedText) && maxLength > 1 ? maxLength - 1 : maxLength;
}
