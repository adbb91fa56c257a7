import { sourceLines } from './outline.ts';

/** How a language names other files, line by line. */
export interface ImportSyntax {
  readonly languages: readonly string[];
  /** The first that matches a line is taken. Its group `specifier` names the file; `prefix` stands before it. */
  readonly patterns: readonly ImportPattern[];
  /** What names a file next to this one rather than a package. */
  readonly relative: RegExp;
  /** No line from here on is an import. */
  readonly until?: RegExp;
}

interface ImportPattern {
  readonly line: RegExp;
  /** What the group `names` holds, each behind the specifier: `from . import a, b` is `.a` and `.b`. */
  readonly perName?: boolean;
  /** Put before the specifier, which is relative although it does not look so. */
  readonly before?: string;
}

/** By the editor's id; `undefined` for a language of which nothing is known. */
export const importSyntaxOf = (languageId: string): ImportSyntax | undefined =>
  syntaxes.find(({ languages }) => languages.includes(languageId));

const syntaxes: readonly ImportSyntax[] = [
  {
    languages: [
      'typescript',
      'javascript',
      'typescriptreact',
      'javascriptreact',
      'vue',
      'svelte',
      'astro',
    ],
    patterns: [
      {
        line: /^\s*(?:import|export)\b[^'"]*\bfrom\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
      },
      { line: /^[^'"]*\}\s*from\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
      { line: /^\s*import\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
      { line: /\b(?:require|import)\s*\(\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>\s*\)/u },
    ],
    relative: /^\.{1,2}(?:\/|$)/u,
  },
  {
    languages: ['python'],
    patterns: [
      { line: /^\s*from\s+(?<specifier>\.+)\s+import\s+\(?(?<names>[\w\s,]+)/u, perName: true },
      { line: /^\s*from\s+(?<specifier>\.*[\w.]+)\s+import\b/u },
      { line: /^\s*import\s+(?<names>[\w.\s,]+)/u, perName: true },
    ],
    relative: /^\./u,
  },
  {
    languages: ['go'],
    patterns: [{ line: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"(?<specifier>[^"\s]+)"\s*(?:\/\/|$)/u }],
    relative: /^\.{1,2}\//u,
    until: /^(?:func|type|var|const)\b/u,
  },
  {
    languages: ['rust'],
    patterns: [
      { line: /^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(?<specifier>\w+)\s*;/u, before: 'self::' },
      { line: /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?<specifier>[\w:]*\w)/u },
    ],
    relative: /^(?:crate|self|super)\b/u,
  },
  {
    languages: ['java', 'kotlin', 'scala', 'groovy'],
    patterns: [{ line: /^\s*import\s+(?:static\s+)?(?<specifier>[\w.]*\w)/u }],
    relative: /^$/u,
    until:
      /^\s*(?:public\s+|final\s+|abstract\s+|data\s+)*(?:class|interface|enum|record|object|fun)\b/u,
  },
  {
    languages: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
    patterns: [
      { line: /^\s*#\s*(?:include|import)\s*"(?<specifier>[^"]+)"/u, before: './' },
      { line: /^\s*#\s*(?:include|import)\s*<(?<specifier>[^>]+)>/u },
    ],
    relative: /^\.{1,2}\//u,
  },
  {
    languages: ['csharp'],
    patterns: [
      {
        line: /^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?<specifier>[\w.]*\w)\s*;/u,
      },
    ],
    relative: /^$/u,
  },
  {
    languages: ['php'],
    patterns: [
      {
        line: /\b(?:require|include)(?:_once)?\b[^'"]*(?<quote>['"])\/?(?<specifier>[^'"]+)\k<quote>/u,
        before: './',
      },
      { line: /^\s*use\s+(?:function\s+|const\s+)?\\?(?<specifier>[\w\\]*\w)/u },
    ],
    relative: /^\.{1,2}\//u,
  },
  {
    languages: ['ruby'],
    patterns: [
      {
        line: /^\s*require_relative\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
        before: './',
      },
      { line: /^\s*require\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
    ],
    relative: /^\.{1,2}\//u,
  },
  {
    languages: ['dart'],
    patterns: [
      { line: /^\s*(?:import|export|part)\s+(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
    ],
    relative: /^(?!\w+:)/u,
  },
  {
    languages: ['css', 'scss', 'less', 'sass'],
    patterns: [
      {
        line: /^\s*@(?:use|forward|import)\s+(?:url\(\s*)?(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
      },
    ],
    relative: /^(?!\w+:)/u,
  },
  {
    languages: ['lua'],
    patterns: [{ line: /\brequire\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u }],
    relative: /^\.{1,2}\//u,
  },
];

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
export function findImports(languageId: string, text: string): readonly ImportedModule[] {
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
