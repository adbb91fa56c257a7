import { posix } from 'node:path';

/** Exported names by the path of their module. */
type Exports = ReadonlyMap<string, ReadonlySet<string>>;

const exportPattern =
  /^export (?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (?<name>[\w$]+)/gmu;
const exportListPattern = /^export (?:type )?\{(?<names>[^}]*)\}(?! from)/gmu;
const importPattern =
  /\b(?:import|export)\s+(?:type\s+)?\{(?<names>[^}]*)\}\s+from\s+'(?<from>[^']+)'/gu;
/** Dynamic imports with the names that the module uses, such as `const { run } = await import('./run.ts')`. */
const awaitPattern = /\{(?<names>[^{}]*)\}\s*=\s*await import\(\s*'(?<from>[^']+)'/gu;
const thenPattern =
  /import\(\s*'(?<from>[^']+)'\s*\)[\s\S]{0,20}?\.then\(\s*\(?\{(?<names>[^}]*)\}/gu;
const memberPattern = /\(await import\('(?<from>[^']+)'\)\)\s*\.(?<names>[\w$]+)/gu;
/** Imports of a whole module, which may use any of its names. */
const wholePattern = /import \* as [\w$]+ from '(?<from>[^']+)'|\bimport\('(?<type>[^']+)'\)/gu;

const namedDynamicPatterns = [awaitPattern, thenPattern, memberPattern];

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gmu, '');

const namesOf = (list = ''): string[] =>
  list
    .split(',')
    .map((entry) => entry.replace(/^\s*type\s+/u, '').trim())
    .map((entry) => entry.split(/\s+as\s+|\s*:/u)[0] ?? '')
    .filter((name) => name !== '');

const resolve = (path: string, from: string): string =>
  posix.normalize(posix.join(posix.dirname(path), from));

function exportsOf(text: string): ReadonlySet<string> {
  const declared = [...text.matchAll(exportPattern)].map(({ groups }) => groups?.['name'] ?? '');
  const listed = [...text.matchAll(exportListPattern)].flatMap(({ groups }) =>
    namesOf(groups?.['names']),
  );
  return new Set([...declared, ...listed]);
}

/** Returns the imported names as `module name`. The name is `*` if a module may use all exports. */
function importsOf(path: string, text: string): string[] {
  const named = [importPattern, ...namedDynamicPatterns].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups = {} }) =>
      namesOf(groups['names']).map((name) => `${resolve(path, groups['from'] ?? '')} ${name}`),
    ),
  );
  const destructured = new Set(
    namedDynamicPatterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ groups = {} }) => resolve(path, groups['from'] ?? '')),
    ),
  );
  const whole = [...text.matchAll(wholePattern)]
    .map(({ groups = {} }) => resolve(path, groups['from'] ?? groups['type'] ?? ''))
    .filter((module) => !destructured.has(module))
    .map((module) => `${module} *`);
  return [...named, ...whole];
}

const countUses = (text: string, name: string): number =>
  text.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`, 'u'))
    .length - 1;

/**
 * Returns the exports that no source uses, as `path name`. A use in the module itself counts, because a test may then
 * import the name as well.
 * @param sources Text of each source without tests, by its path.
 */
export function findUnusedExports(
  sources: ReadonlyMap<string, string>,
  entries: readonly string[],
): string[] {
  const texts = new Map([...sources].map(([path, text]) => [path, withoutComments(text)]));
  const used = new Set([...texts].flatMap(([path, text]) => importsOf(path, text)));
  const all: Exports = new Map([...texts].map(([path, text]) => [path, exportsOf(text)]));
  return [...all]
    .filter(([path]) => !entries.includes(path) && !used.has(`${path} *`))
    .flatMap(([path, names]) =>
      [...names]
        .filter((name) => !used.has(`${path} ${name}`))
        .filter((name) => countUses(texts.get(path) ?? '', name) < 2)
        .map((name) => `${path} ${name}`),
    );
}
