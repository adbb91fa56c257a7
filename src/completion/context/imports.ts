import { type ImportSyntax, importSyntaxOf } from './import-syntax.ts';
import { sourceLines } from './source-lines.ts';

/** An import statement names a file; only whoever knows the workspace can say which. */
export interface ImportedModule {
  /** As the language writes it; with `./` before it where the statement alone says that the file is near. */
  readonly specifier: string;
  readonly isRelative: boolean;
}

/** Imports stand at the top; what is read and what is given is bounded by these. */
export const importLimits = { characters: 40_000, modules: 60 } as const;

/**
 * What the import statements of a text name, each once, those relative to the file first, else in their order. Reads
 * line by line without a parser: a string that looks like a statement counts. Linear in the text, at most
 * {@link importLimits}.
 */
export function importsOf(languageId: string, text: string): readonly ImportedModule[] {
  const syntax = importSyntaxOf(languageId);
  if (syntax === undefined) return [];
  const specifiers = new Set<string>();
  for (const line of sourceLines(text, importLimits.characters)) {
    if (syntax.until?.test(line) === true || specifiers.size >= importLimits.modules) break;
    for (const specifier of specifiersIn(line, syntax)) specifiers.add(specifier);
  }
  const modules = [...specifiers].map((specifier) => ({
    specifier,
    isRelative: syntax.relative.test(specifier),
  }));
  return [
    ...modules.filter(({ isRelative }) => isRelative),
    ...modules.filter((m) => !m.isRelative),
  ];
}

function specifiersIn(line: string, { patterns, relative }: ImportSyntax): readonly string[] {
  for (const { line: pattern, perName, before } of patterns) {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) continue;
    const specifier = groups['specifier'] ?? '';
    if (perName === true) return namesIn(groups['names'] ?? '').map((name) => specifier + name);
    if (before === undefined || relative.test(specifier)) return [specifier];
    return [before + specifier];
  }
  return [];
}

/** `a as b, c` is `a` and `c`. */
const namesIn = (names: string): string[] =>
  names
    .split(',')
    .map((name) => /[\w.]+/u.exec(name)?.[0] ?? '')
    .filter(Boolean);
