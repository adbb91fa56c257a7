export interface Hit {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Of the line, as far as it was shown. */
  readonly text: string;
}

const flat =
  /^(?<path>(?:[A-Za-z]:)?[^\s:][^:\n]*?):(?<line>\d+)(?::\d+)?(?:(?::|\s+-|\s)\s?(?<text>.*))?$/;
const numbered = /^\s*(?<line>\d+)\s*(?:\t|[:|→])\s?(?<text>.*)$/;

/**
 * The places in what a tool found: `path:line: text` on each line, or lines with their numbers below a line with
 * their path. Lines of context (`path-line- text`) and everything else are passed over.
 */
export function hitsIn(output: string): Hit[] {
  const hits: Hit[] = [];
  let heading: string | undefined;
  for (const raw of output.split('\n')) {
    const row = raw.replace(/\r$/, '');
    const found = flat.exec(bare(row))?.groups;
    const below = heading === undefined ? undefined : numbered.exec(row)?.groups;
    if (below !== undefined && heading !== undefined) {
      hits.push({ path: heading, line: Number(below['line']), text: below['text'] ?? '' });
    } else if (found !== undefined) {
      hits.push({
        path: found['path'] ?? '',
        line: Number(found['line']),
        text: found['text'] ?? '',
      });
    } else {
      heading = pathAlone(row) ?? heading;
    }
  }
  return hits;
}

/** The paths among the lines of a listing, in their order, each once. */
export function pathsIn(output: string): string[] {
  const fromHits = hitsIn(output).map(({ path }) => path);
  const alone = output.split('\n').flatMap((row) => pathAlone(row) ?? []);
  return [...new Set([...fromHits, ...alone])];
}

/** Symbols are listed as `function total — src/a.ts:3`, or the place alone behind the name. */
const bare = (row: string): string => {
  const place = /(?:^|[\s(])((?:[A-Za-z]:)?[^\s:()]+\.\w+:\d+)(?::\d+)?\)?\s*$/.exec(row);
  return place?.[1] === undefined ? row.replace(/^\s*[-*•]\s+/, '') : place[1];
};

function pathAlone(row: string): string | undefined {
  const name = row
    .replace(/^\s*(?:[-*•#]+\s+)?/, '')
    .replace(/[:\s]+$/, '')
    .replace(/^`(.*)`$/, '$1');
  if (/^\s*\d+\s*[\t:|→]/.test(row) || name.includes(':')) return undefined;
  return /^[^\s()]*(?:\/[^\s()/]+|\.\w{1,10})(?:\s*\(\d+[^)]*\))?$/.test(name)
    ? name.replace(/\s*\(\d+[^)]*\)$/, '')
    : undefined;
}
