/** A line of a file that a search showed. */
export interface ShownLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** What the searches of single words found, by file. */
export interface WordMatches {
  readonly word: string;
  /** Path → lines that hold the word, and those around them. */
  readonly files: ReadonlyMap<string, readonly ShownLine[]>;
}

export interface RankedFile {
  readonly path: string;
  /** In order, each once. */
  readonly lines: readonly ShownLine[];
}

/**
 * The files that hold most of what was asked, best first. A word that few files hold says more than one that many
 * do; a word in the path says more than one in a line.
 */
export function rankMatches(matches: readonly WordMatches[]): readonly RankedFile[] {
  const scores = new Map<string, number>();
  const lines = new Map<string, Map<number, ShownLine>>();
  const all = new Set(matches.flatMap(({ files }) => [...files.keys()])).size;
  for (const { word, files } of matches) {
    const rarity = Math.log(1 + all / Math.max(1, files.size));
    for (const [path, found] of files) {
      const inPath = path.toLowerCase().includes(word.toLowerCase()) ? 2 : 1;
      const often = 1 + Math.log(Math.max(1, found.length)) / 4;
      scores.set(path, (scores.get(path) ?? 0) + rarity * inPath * often);
      const known = lines.get(path) ?? new Map<number, ShownLine>();
      for (const each of found) known.set(each.line, each);
      lines.set(path, known);
    }
  }
  return [...scores]
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([path]) => ({
      path,
      lines: [...(lines.get(path)?.values() ?? [])].toSorted((a, b) => a.line - b.line),
    }));
}

export interface SnippetLimits {
  readonly files: number;
  readonly linesPerFile: number;
  readonly characters: number;
}

const longestLine = 300;

/** The lines of the best files as a model reads them: the path, then `12: text`; gaps as `…`. */
export function snippets(files: readonly RankedFile[], limits: SnippetLimits): string {
  const parts: string[] = [];
  let left = limits.characters;
  for (const { path, lines } of files.slice(0, limits.files)) {
    const part = [path, ...shown(lines.slice(0, limits.linesPerFile))].join('\n');
    if (part.length > left) break;
    parts.push(part);
    left -= part.length + 2;
  }
  return parts.join('\n\n');
}

function shown(lines: readonly ShownLine[]): string[] {
  return lines.flatMap(({ line, text }, index) => {
    const before = lines[index - 1];
    const gap = before !== undefined && before.line + 1 < line ? ['…'] : [];
    return [...gap, `${line}: ${text.slice(0, longestLine)}`];
  });
}
