import { posix } from 'node:path';

/** File extensions that import statements may omit, by language family. The most likely extension comes first. */
const extensions: ReadonlyMap<string, readonly string[]> = new Map([
  ['script', ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.d.ts', '/index.ts', '/index.js']],
  ['python', ['.py', '/__init__.py', '.pyi']],
  ['rust', ['.rs', '/mod.rs']],
  ['ruby', ['.rb']],
  ['scss', ['.scss', '.sass', '.css']],
]);

const scripts = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'vue', 'svelte'];

/**
 * Returns the paths at which an imported file may exist, most likely first.
 * @param from absolute path of the importing file, with forward slashes
 */
export function importCandidates(
  languageId: string,
  specifier: string,
  from: string,
): readonly string[] {
  if (specifier.includes('\0') || specifier.length > maxSpecifierLength) return [];
  const folder = posix.dirname(from);
  if (scripts.includes(languageId)) return scriptCandidates(posix.join(folder, specifier));
  if (languageId === 'python') return pythonCandidates(folder, specifier);
  if (languageId === 'rust') return rustCandidates(from, specifier);
  const path = posix.join(folder, specifier);
  return [path, ...withExtensions(path, languageId)];
}

const maxSpecifierLength = 500;

/**
 * Returns the possible paths of an imported script. For an import of build output such as `a.js`, the source file
 * `a.ts` is included.
 */
function scriptCandidates(path: string): string[] {
  const scriptExtension = /\.([cm]?)js(x?)$/u.exec(path);
  const source =
    scriptExtension &&
    `${path.slice(0, scriptExtension.index)}.${scriptExtension[1] ?? ''}ts${scriptExtension[2] ?? ''}`;
  const isWhole = /\.(?:[cm]?[jt]sx?|json|css|vue|svelte)$/u.test(path);
  return [
    ...(source === null ? [] : [source]),
    ...(isWhole ? [path] : []),
    ...withExtensions(path, 'script'),
  ];
}

/**
 * Resolves the leading dots of a Python module: `.a.b` is relative to the file's folder, `..a` to the parent folder.
 */
function pythonCandidates(folder: string, specifier: string): string[] {
  const dotCount = /^\.*/u.exec(specifier)?.[0].length ?? 0;
  const names = specifier.slice(dotCount).split('.').filter(Boolean);
  const start = posix.join(
    folder,
    ...Array.from({ length: Math.max(0, dotCount - 1) }, () => '..'),
  );
  return names.length === 0 ? [] : withExtensions(posix.join(start, ...names), 'python');
}

/**
 * Resolves a Rust module. Submodules are in a folder with the name of the file, or next to the file if it is `mod.rs`,
 * `lib.rs` or `main.rs`.
 */
function rustCandidates(from: string, specifier: string): string[] {
  const [start = '', ...names] = specifier.split('::');
  const fileName = posix.basename(from, '.rs');
  const folder = posix.dirname(from);
  const moduleFolder = ['mod', 'lib', 'main'].includes(fileName)
    ? folder
    : posix.join(folder, fileName);
  const base = new Map([
    ['self', moduleFolder],
    ['super', posix.dirname(moduleFolder)],
    ['crate', from.slice(0, from.lastIndexOf('/src/') + '/src'.length)],
  ]).get(start);
  const moduleNames = names.filter((name) => /^[a-z_][a-z0-9_]*$/u.test(name));
  if (base === undefined || moduleNames.length === 0) return [];
  // The last name of the path may be an item in a module instead of a module.
  const paths = [moduleNames, moduleNames.slice(0, -1)].filter((path) => path.length > 0);
  return paths.flatMap((path) => withExtensions(posix.join(base, ...path), 'rust'));
}

const withExtensions = (path: string, kind: string): string[] =>
  (extensions.get(kind) ?? []).map((extension) => `${path}${extension}`);
