import { citationMarks, sourcesOfMark } from '../base/citation-marks.ts';
import type { Citation } from '../service/chat/chat-types.ts';
import { checkLink } from './link.ts';

/**
 * An answer with its sources as Markdown footnotes: marks become `[^1]`, the sources stand below. Marks in code, and of
 * numbers without a source, stay as they are; a source that no mark names is listed all the same.
 * @param prefix Comes before each number, where several answers are in one document.
 */
export function withFootnotes(
  text: string,
  citations: readonly Citation[] | undefined,
  prefix = '',
): string {
  if (citations === undefined || citations.length === 0) return text;
  const notes = citations.map((citation, index) => `[^${prefix}${index + 1}]: ${note(citation)}`);
  const marked = outsideCode(text, (part) =>
    part.replaceAll(citationMarks, (mark) => {
      const numbers = sourcesOfMark(mark).filter((each) => each >= 1 && each <= citations.length);
      return numbers.length === 0 ? mark : numbers.map((each) => `[^${prefix}${each}]`).join('');
    }),
  );
  return `${marked}\n\n${notes.join('\n')}`;
}

/** One line, in which nothing can end the link or begin another. */
function note({ title, url = '', date = '' }: Citation): string {
  const link = checkLink(url);
  const name = inLine(title);
  const day = date === '' ? '' : `, ${inLine(date)}`;
  if (link.kind === 'refuse') return `${name}${day}`;
  const address = link.url.replaceAll(/[<>]/gu, encodeURIComponent);
  return `[${name || link.host}](<${address}>), ${link.host}${day}`;
}

const inLine = (text: string): string =>
  text
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]<>]/gu, String.raw`\$&`);

/** Changes what is neither in a fenced block nor in a code span. An open fence goes to the end. */
function outsideCode(text: string, change: (part: string) => string): string {
  const changed: string[] = [];
  let open = '';
  let prose: string[] = [];
  const endProse = (): void => {
    if (prose.length > 0) changed.push(outsideSpans(prose.join('\n'), change));
    prose = [];
  };
  for (const line of text.split('\n')) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    const closes = open !== '' && fence.startsWith(open) && info.trim() === '';
    if (open === '' && fence === '') {
      prose.push(line);
      continue;
    }
    endProse();
    changed.push(line);
    if (closes) open = '';
    else if (open === '') open = fence;
  }
  endProse();
  return changed.join('\n');
}

/** A span of code ends with as many backticks as it began with. */
function outsideSpans(text: string, change: (part: string) => string): string {
  const pieces = text.split(/(`+)/u);
  const ends = new Map<string, number>();
  for (const [index, piece] of pieces.entries()) if (piece.startsWith('`')) ends.set(piece, index);
  const changed: string[] = [];
  let from = 0;
  for (let at = 1; at < pieces.length; at += 2) {
    if (at < from) continue;
    const fence = pieces[at] ?? '';
    if ((ends.get(fence) ?? 0) <= at) continue;
    const end = pieces.indexOf(fence, at + 1);
    changed.push(change(pieces.slice(from, at).join('')), ...pieces.slice(at, end + 1));
    from = end + 1;
  }
  changed.push(change(pieces.slice(from).join('')));
  return changed.join('');
}
