/** A file as far as a tool showed it: line number (from 1) → text. */
export type FileLines = ReadonlyMap<number, string>;

const numbered = /^ *(\d+)(?:\t|: ?|\| ?| \| ?|→|  )(.*)$/;

/** Reads `12\ttext`, `12: text` or `12| text`; a file without numbers is counted from 1. Other lines are passed over. */
export function readLines(output: string): FileLines {
  const rows = output.split('\n').map((row) => row.replace(/\r$/, ''));
  const matches = rows.map((row) => numbered.exec(row) ?? /^ *(\d+)()$/.exec(row));
  const known = matches.filter((match) => match !== null);
  if (known.length >= 1 && known.length * 2 >= rows.filter((row) => row !== '').length) {
    return new Map(known.map(([, number, text = '']) => [Number(number), text]));
  }
  const body = rows.at(-1) === '' ? rows.slice(0, -1) : rows;
  return new Map(body.map((text, index) => [index + 1, text]));
}

export interface Edit {
  readonly search: string;
  readonly replace: string;
}

/**
 * Search and replace blocks that make these lines say something else; `undefined` takes a line away. Each block is
 * grown by the lines around it until its text is the only one of its kind in what is known of the file.
 */
export function editsFor(
  file: FileLines,
  changes: ReadonlyMap<number, string | undefined>,
): Edit[] {
  let spans = [...changes.keys()]
    .filter((line) => file.has(line))
    .toSorted((a, b) => a - b)
    .map((line) => ({ from: line, to: line }));
  for (let grown = true; grown;) {
    spans = merged(spans);
    grown = false;
    spans = spans.map((span) => {
      const wider = isUnique(file, span) ? undefined : widened(file, span);
      grown ||= wider !== undefined;
      return wider ?? span;
    });
  }
  return spans.map(({ from, to }) => blockOf(file, changes, { from, to }));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function blockOf(
  file: FileLines,
  changes: ReadonlyMap<number, string | undefined>,
  span: Span,
): Edit {
  const replaced = linesOf(span).flatMap((line) => {
    const text = changes.has(line) ? changes.get(line) : file.get(line);
    return text === undefined ? [] : [text];
  });
  const search = textOf(file, span);
  // A whole line goes with its line end, so that no empty one stays behind.
  if (replaced.length > 0) return { search, replace: replaced.join('\n') };
  if (file.has(span.to + 1)) return { search: `${search}\n`, replace: '' };
  return file.has(span.from - 1)
    ? { search: `${file.get(span.from - 1)}\n${search}`, replace: file.get(span.from - 1) ?? '' }
    : { search, replace: '' };
}

const linesOf = ({ from, to }: Span): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const textOf = (file: FileLines, span: Span): string =>
  linesOf(span)
    .map((line) => file.get(line) ?? '')
    .join('\n');

function isUnique(file: FileLines, span: Span): boolean {
  const text = textOf(file, span);
  const whole = [...file.values()].join('\n');
  return text !== '' && whole.indexOf(text) === whole.lastIndexOf(text);
}

/** One line more at the top if there is one, else at the bottom. */
function widened(file: FileLines, { from, to }: Span): Span | undefined {
  if (file.has(from - 1)) return { from: from - 1, to };
  if (file.has(to + 1)) return { from, to: to + 1 };
  return undefined;
}

function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else result.push(span);
  }
  return result;
}
