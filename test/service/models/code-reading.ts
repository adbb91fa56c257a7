export interface Declaration {
  readonly name: string;
  readonly kind: 'function' | 'type';
  readonly parameters: readonly string[];
  /** First sentence of the comment above the declaration, without its period. Can be empty. */
  readonly comment: string;
  /** Line number of the declaration in the code, from 1. */
  readonly line: number;
}

/** Patterns of declarations with groups for the name and the parameters. Declarations of types have no parameters. */
const declarationPatterns: readonly RegExp[] = [
  /\bfunction\*?\s+([\w$]+)\s*(?:<[^>(]*>)?\(([^)]*)\)/g,
  /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:<[^>(]*>)?\(([^)]*)\)[^=\n]*=>/g,
  /^[ \t]*(?:async\s+|pub\s+)?(?:def|func|fn)\s+(\w+)\s*(?:<[^>]*>)?\(([^)]*)\)/gm,
  /^[ \t]+(?:(?:public|private|static|async)\s+)*(?!(?:if|for|while|switch|catch|return|function)\b)(#?[A-Za-z_$][\w$]*)\s*\(([^)]*)\)[^;={\n]*\{[ \t]*$/gm,
  /\b(?:class|interface|struct|trait|enum)\s+([A-Z]\w*)/g,
  /^(?:export\s+)?type\s+(\w+)/gm,
];

/** Returns the functions and types that the code declares, in line order. */
export function findDeclarations(text: string): Declaration[] {
  const declarations = new Map<string, Declaration>();
  for (const match of declarationPatterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const [, name = '', parameterList] = match;
    const precedingLines = text.slice(0, match.index + match[0].indexOf(name)).split('\n');
    const line = precedingLines.length;
    const comment = readCommentAbove(precedingLines.slice(0, -1));
    const kind = parameterList === undefined ? 'type' : 'function';
    const parameterMatches = [...(parameterList ?? '').matchAll(/(?:^|,)\s*(?:\.\.\.)?([\w$]+)/g)];
    const parameterNames = parameterMatches.map(([, parameter = '']) => parameter);
    if (!declarations.has(name))
      declarations.set(name, { name, kind, parameters: parameterNames, comment, line });
  }
  return [...declarations.values()].sort((a, b) => a.line - b.line);
}

function readCommentAbove(lines: readonly string[]): string {
  const end = lines.findLastIndex((line) => !/^\s*(?:\/\*\*?|\*|\/\/|#)/.test(line));
  const commentLines = lines
    .slice(end + 1)
    .map((line) => line.replace(/^\s*(?:\/\*\*?|\*\/?|\/\/+|#+)\s?|\s*\*\/\s*$/g, ''));
  const [sentence = ''] = commentLines
    .join(' ')
    .trim()
    .split(/\.(?:\s|$)/);
  return sentence.trim();
}

export const isScriptLanguage = (language: string): boolean =>
  /^(?:[jt]sx?|mjs|typescript|javascript)(?:react)?$/.test(language);

const commentDelimiters: readonly (readonly [languages: RegExp, begin: string, end: string])[] = [
  [/^(?:py|ruby|rb|sh|bash|shell|perl|ya?ml|toml|dockerfile|make|r$)/, '# ', ''],
  [/^(?:html|xml|svg|vue|markdown|md)/, '<!-- ', ' -->'],
  [/^css/, '/* ', ' */'],
  [/^(?:sql|lua|haskell)/, '-- ', ''],
  [/^/, '// ', ''],
];

/** Formats the text as a line comment in the given language. */
export function formatCommentLine(language: string, text: string): string {
  const [, start, end] = commentDelimiters.find(([languages]) => languages.test(language))!;
  return `${start}${text}${end}`;
}

/** Formats a documentation comment in the given language. Returns its lines. */
export function formatDocComment(
  language: string,
  { name, parameters }: Declaration,
): readonly string[] {
  const description = `Describes \`${name}\`.`;
  if (!isScriptLanguage(language)) return [formatCommentLine(language, description)];
  const tags = parameters.map((parameter) => ` * @param ${parameter} Input of \`${name}\`.`);
  return ['/**', ` * ${description}`, ...tags, ' */'];
}
