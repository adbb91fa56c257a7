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
