import { posix } from 'node:path';

/** Endings of files that a language's statements leave out, the likely ones first. */
const endings: ReadonlyMap<string, readonly string[]> = new Map([
  ['script', ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.d.ts', '/index.ts', '/index.js']],
  ['python', ['.py', '/__init__.py', '.pyi']],
  ['rust', ['.rs', '/mod.rs']],
  ['ruby', ['.rb']],
  ['scss', ['.scss', '.sass', '.css']],
]);

const scripts = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'vue', 'svelte'];

/**
 * Where the file may be that a relative import names, the likely places first, as paths beside `from`.
 * @param from The path of the file that imports, absolute, with forward slashes.
 */
export function importCandidates(
  languageId: string,
  specifier: string,
  from: string,
): readonly string[] {
  if (specifier.includes('\0') || specifier.length > longestSpecifier) return [];
  const folder = posix.dirname(from);
  if (scripts.includes(languageId)) return scriptPlaces(posix.join(folder, specifier));
  if (languageId === 'python') return pythonPlaces(folder, specifier);
  if (languageId === 'rust') return rustPlaces(from, specifier);
  const place = posix.join(folder, specifier);
  return [place, ...withEndings(place, languageId)];
}

const longestSpecifier = 500;

/** A source may be imported by the name of what is built from it. */
function scriptPlaces(place: string): string[] {
  const built = /\.([cm]?)js(x?)$/u.exec(place);
  const source = built && `${place.slice(0, built.index)}.${built[1] ?? ''}ts${built[2] ?? ''}`;
  const isWhole = /\.(?:[cm]?[jt]sx?|json|css|vue|svelte)$/u.test(place);
  return [
    ...(source === null ? [] : [source]),
    ...(isWhole ? [place] : []),
    ...withEndings(place, 'script'),
  ];
}

/** `.a.b` is below the folder of the file, `..a` below the one above. */
function pythonPlaces(folder: string, specifier: string): string[] {
  const dots = /^\.*/u.exec(specifier)?.[0].length ?? 0;
  const names = specifier.slice(dots).split('.').filter(Boolean);
  const start = posix.join(folder, ...Array.from({ length: Math.max(0, dots - 1) }, () => '..'));
  return names.length === 0 ? [] : withEndings(posix.join(start, ...names), 'python');
}

/** Modules of a file lie in a folder of its name, unless it stands for the folder itself. */
function rustPlaces(from: string, specifier: string): string[] {
  const [start = '', ...names] = specifier.split('::');
  const name = posix.basename(from, '.rs');
  const folder = posix.dirname(from);
  const own = ['mod', 'lib', 'main'].includes(name) ? folder : posix.join(folder, name);
  const base = new Map([
    ['self', own],
    ['super', posix.dirname(own)],
    ['crate', from.slice(0, from.lastIndexOf('/src/') + '/src'.length)],
  ]).get(start);
  const module = names.filter((each) => /^[a-z_][a-z0-9_]*$/u.test(each));
  if (base === undefined || module.length === 0) return [];
  // The last name may be one of a function.
  const places = [module, module.slice(0, -1)].filter((each) => each.length > 0);
  return places.flatMap((each) => withEndings(posix.join(base, ...each), 'rust'));
}

const withEndings = (place: string, kind: string): string[] =>
  (endings.get(kind) ?? []).map((ending) => `${place}${ending}`);
