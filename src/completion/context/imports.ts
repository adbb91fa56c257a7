import { readSourceLines } from './outline.ts';

/** Patterns that detect the import statements of a language, line by line. */
export interface ImportSyntax {
  readonly languages: readonly string[];
  /**
   * Line patterns; the first match applies. The group `specifier` matches the imported module, the group `names` the
   * imported names.
   */
  readonly patterns: readonly ImportPattern[];
  /** Matches specifiers that refer to a file relative to the importing file. */
  readonly relativePattern: RegExp;
  /** Matches a line after which no more imports follow. */
  readonly endPattern?: RegExp;
}

interface ImportPattern {
  readonly pattern: RegExp;
  /** True if each imported name can be a module: `from . import a, b` imports the modules `.a` and `.b`. */
  readonly namesCanBeModules?: boolean;
  /**
   * Prefix such as `./` that marks a specifier as relative. Necessary for syntax such as `#include "a.h"`, in which a
   * relative specifier does not begin with a dot.
   */
  readonly prefix?: string;
}

/** Returns the import syntax for a VS Code language id; `undefined` for unsupported languages. */
export const getImportSyntax = (languageId: string): ImportSyntax | undefined =>
  importSyntaxes.find(({ languages }) => languages.includes(languageId));

const importSyntaxes: readonly ImportSyntax[] = [
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
        pattern:
          /^\s*(?:import|export)\b[^'"]*\bfrom\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
      },
      { pattern: /^[^'"]*\}\s*from\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
      { pattern: /^\s*import\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
      { pattern: /\b(?:require|import)\s*\(\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>\s*\)/u },
    ],
    relativePattern: /^\.{1,2}(?:\/|$)/u,
  },
  {
    languages: ['python'],
    patterns: [
      {
        pattern: /^\s*from\s+(?<specifier>\.+)\s+import\s+\(?(?<names>[\w\s,]+)/u,
        namesCanBeModules: true,
      },
      { pattern: /^\s*from\s+(?<specifier>\.*[\w.]+)\s+import\b/u },
      { pattern: /^\s*import\s+(?<names>[\w.\s,]+)/u, namesCanBeModules: true },
    ],
    relativePattern: /^\./u,
  },
  {
    languages: ['go'],
    patterns: [
      { pattern: /^\s*(?:import\s+)?(?:[\w.]+\s+)?"(?<specifier>[^"\s]+)"\s*(?:\/\/|$)/u },
    ],
    relativePattern: /^\.{1,2}\//u,
    endPattern: /^(?:func|type|var|const)\b/u,
  },
  {
    languages: ['rust'],
    patterns: [
      { pattern: /^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(?<specifier>\w+)\s*;/u, prefix: 'self::' },
      { pattern: /^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?<specifier>[\w:]*\w)/u },
    ],
    relativePattern: /^(?:crate|self|super)\b/u,
  },
  {
    languages: ['java', 'kotlin', 'scala', 'groovy'],
    patterns: [{ pattern: /^\s*import\s+(?:static\s+)?(?<specifier>[\w.]*\w)/u }],
    relativePattern: /^$/u,
    endPattern:
      /^\s*(?:public\s+|final\s+|abstract\s+|data\s+)*(?:class|interface|enum|record|object|fun)\b/u,
  },
  {
    languages: ['c', 'cpp', 'objective-c', 'objective-cpp', 'cuda-cpp'],
    patterns: [
      { pattern: /^\s*#\s*(?:include|import)\s*"(?<specifier>[^"]+)"/u, prefix: './' },
      { pattern: /^\s*#\s*(?:include|import)\s*<(?<specifier>[^>]+)>/u },
    ],
    relativePattern: /^\.{1,2}\//u,
  },
  {
    languages: ['csharp'],
    patterns: [
      {
        pattern:
          /^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?<specifier>[\w.]*\w)\s*;/u,
      },
    ],
    relativePattern: /^$/u,
  },
  {
    languages: ['php'],
    patterns: [
      {
        pattern:
          /\b(?:require|include)(?:_once)?\b[^'"]*(?<quote>['"])\/?(?<specifier>[^'"]+)\k<quote>/u,
        prefix: './',
      },
      { pattern: /^\s*use\s+(?:function\s+|const\s+)?\\?(?<specifier>[\w\\]*\w)/u },
    ],
    relativePattern: /^\.{1,2}\//u,
  },
  {
    languages: ['ruby'],
    patterns: [
      {
        pattern: /^\s*require_relative\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
        prefix: './',
      },
      { pattern: /^\s*require\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
    ],
    relativePattern: /^\.{1,2}\//u,
  },
  {
    languages: ['dart'],
    patterns: [
      { pattern: /^\s*(?:import|export|part)\s+(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u },
    ],
    relativePattern: /^(?!\w+:)/u,
  },
  {
    languages: ['css', 'scss', 'less', 'sass'],
    patterns: [
      {
        pattern:
          /^\s*@(?:use|forward|import)\s+(?:url\(\s*)?(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u,
      },
    ],
    relativePattern: /^(?!\w+:)/u,
  },
  {
    languages: ['lua'],
    patterns: [{ pattern: /\brequire\s*\(?\s*(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/u }],
    relativePattern: /^\.{1,2}\//u,
  },
];

/** Module in an import statement, not yet resolved to a file. */
export interface ImportedModule {
  /** Specifier as written in the import statement. May have the prefix `./` to mark a relative specifier. */
  readonly specifier: string;
  readonly isRelative: boolean;
}

/** Maximum number of characters to search for imports (`characters`), and of modules to return (`modules`). */
export const importLimits = { characters: 40_000, modules: 60 } as const;

/**
 * Returns the modules that a text imports, without duplicates: first relative modules, then other modules. Does not
 * parse the code, so a string that looks like an import is included. Takes linear time and respects {@link
 * importLimits}.
 */
export function findImports(languageId: string, text: string): readonly ImportedModule[] {
  const syntax = getImportSyntax(languageId);
  if (syntax === undefined) return [];
  const specifiers = new Set<string>();
  for (const line of readSourceLines(text, importLimits.characters)) {
    if (syntax.endPattern?.test(line) === true || specifiers.size >= importLimits.modules) break;
    for (const specifier of getModuleSpecifiers(line, syntax)) specifiers.add(specifier);
  }
  const modules = [...specifiers].map((specifier) => ({
    specifier,
    isRelative: syntax.relativePattern.test(specifier),
  }));
  return [
    ...modules.filter(({ isRelative }) => isRelative),
    ...modules.filter(({ isRelative }) => !isRelative),
  ];
}

function getModuleSpecifiers(
  line: string,
  { patterns, relativePattern }: ImportSyntax,
): readonly string[] {
  for (const { pattern, namesCanBeModules, prefix } of patterns) {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) continue;
    const specifier = groups['specifier'] ?? '';
    if (namesCanBeModules === true)
      return parseNames(groups['names'] ?? '').map((name) => specifier + name);
    if (prefix === undefined || relativePattern.test(specifier)) return [specifier];
    return [prefix + specifier];
  }
  return [];
}

/** Returns the names in an import list without their aliases, such as `a` and `c` for `a as b, c`. */
const parseNames = (importList: string): string[] =>
  importList
    .split(',')
    .map((name) => /[\w.]+/u.exec(name)?.[0] ?? '')
    .filter(Boolean);
