/** Lines of a text as the model gets them. */
export interface TextWindow {
  /** `12<tab>text`, one line each. */
  readonly text: string;
  /** 1-based and inclusive; `last` is one less than `first` for an empty window. */
  readonly first: number;
  readonly last: number;
}

export const windowLimits = { lines: 2_000, characters: 50_000, lineLength: 2_000 } as const;

/**
 * The lines from number `first` on, as many as the limits allow, with their numbers. A line that is longer than
 * the limit is cut, with a note.
 * @param lines Those to show, the first of which has the number `first`.
 */
export function numberLines(lines: Iterable<string>, first: number): TextWindow {
  const numbered: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const text = `${first + numbered.length}\t${cutEnd(line, windowLimits.lineLength)}`;
    characters += text.length + 1;
    const full = numbered.length >= windowLimits.lines || characters > windowLimits.characters;
    if (full && numbered.length > 0) break;
    numbered.push(text);
  }
  return { text: numbered.join('\n'), first, last: first + numbered.length - 1 };
}

/** What follows a window, for the model; empty when nothing does. `total` is undefined when it was not counted. */
export function moreLines({ last }: TextWindow, total: number | undefined): string {
  if (total !== undefined && last >= total) return '';
  const more = total === undefined ? 'More' : `${(total - last).toLocaleString('en-US')} more`;
  return `[${more} lines: go on with start_line ${last + 1}.]`;
}

/** The beginning of a line that is too long, and how much is missing. */
export function cutEnd(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const kept = line.slice(0, limit).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept} [… ${(line.length - kept.length).toLocaleString('en-US')} more characters]`;
}

/** The part of a line that is too long in which something was found at `column`, counted from 0. */
export function cutAround(line: string, column: number, limit: number): string {
  if (line.length <= limit) return line;
  const start = Math.max(0, Math.min(column - Math.floor(limit / 3), line.length - limit));
  const part = line.slice(start, start + limit);
  const whole = part.replace(/^[\uDC00-\uDFFF]/u, '').replace(/[\uD800-\uDBFF]$/u, '');
  return `${start > 0 ? '… ' : ''}${whole}${start + limit < line.length ? ' …' : ''}`;
}
