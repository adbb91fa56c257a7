import { posix } from 'node:path';
import { parseSync, type Program } from 'oxc-parser';

/**
 * A top-level statement and the names that it declares. A statement without names runs as soon as its module is loaded.
 */
interface Declaration {
  readonly declaredNames: readonly string[];
  /** All identifiers in the statement. Each identifier counts as a use of the declaration with the same name. */
  readonly identifiers: ReadonlySet<string>;
  readonly dynamicImports: readonly Import[];
}

/** A name that a module imports from another module, or `*` if it imports all exports. */
interface Import {
  readonly modulePath: string;
  readonly name: string;
}

interface Module {
  readonly declarations: readonly Declaration[];
  /** Local names of the exported declarations, by exported name. */
  readonly exports: ReadonlyMap<string, string>;
  /** Statically imported names, by their local names. */
  readonly imports: ReadonlyMap<string, Import>;
  readonly loadedPaths: readonly string[];
}

/** Patterns of dynamic imports that list the used names, such as `const { run } = await import('./run.ts')`. */
const dynamicPatterns = [
  /\{(?<names>[^{}]*)\}\s*=\s*await import\(\s*'(?<from>[^']+)'/gu,
  /import\(\s*'(?<from>[^']+)'\s*\)[\s\S]{0,20}?\.then\(\s*\(?\{(?<names>[^}]*)\}/gu,
  /\(await import\('(?<from>[^']+)'\)\)\s*\.(?<names>[\w$]+)/gu,
];
/**
 * Pattern of any dynamic import. If the import of a module matches only this pattern, all exports of the module count
 * as used.
 */
const dynamicImportPattern = /\bimport\(\s*'(?<from>[^']+)'/gu;

const removeComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gmu, '');

const listImportedNames = (nameList = ''): string[] =>
  nameList
    .split(',')
    .map((entry) => entry.trim().split(/\s*:/u)[0] ?? '')
    .filter((name) => name !== '');

const resolveImport = (path: string, specifier: string): string =>
  posix.normalize(posix.join(posix.dirname(path), specifier));

function listDynamicImports(path: string, text: string): Import[] {
  const namedImports = dynamicPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups = {} }) =>
      listImportedNames(groups['names']).map((name) => ({
        modulePath: resolveImport(path, groups['from'] ?? ''),
        name,
      })),
    ),
  );
  const namedModules = new Set(namedImports.map(({ modulePath }) => modulePath));
  const wholeModules = [...text.matchAll(dynamicImportPattern)]
    .map(({ groups }) => resolveImport(path, groups?.['from'] ?? ''))
    .filter((modulePath) => !namedModules.has(modulePath));
  return [...namedImports, ...wholeModules.map((modulePath) => ({ modulePath, name: '*' }))];
}

type Statement = Program['body'][number];

/** Returns the names that a statement declares. A destructuring declaration declares all names of its pattern. */
function listDeclaredNames(statement: Statement, text: string): string[] {
  const declaration =
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
      ? (statement.declaration ?? statement)
      : statement;
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) =>
      id.type === 'Identifier' ? [id.name] : (text.slice(id.start, id.end).match(/[\w$]+/gu) ?? []),
    );
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

function readModule(path: string, text: string): Module {
  const exports = new Map<string, string>();
  const imports = new Map<string, Import>();
  const loadedPaths: string[] = [];
  const declarations: Declaration[] = [];
  for (const statement of parseSync(path, text).program.body) {
    if (statement.type === 'ImportDeclaration') {
      const modulePath = resolveImport(path, statement.source.value);
      loadedPaths.push(modulePath);
      for (const specifier of statement.specifiers) {
        const { imported } = specifier as { imported?: { name?: string } };
        imports.set(specifier.local.name, { modulePath, name: imported?.name ?? '*' });
      }
      continue;
    }
    if (statement.type === 'ExportNamedDeclaration' && statement.declaration === null) {
      for (const { local, exported } of statement.specifiers) {
        const [localName, exportedName] = [local, exported].map((name) =>
          'name' in name ? name.name : '',
        );
        if (statement.source !== null)
          imports.set(`from ${exportedName}`, {
            modulePath: resolveImport(path, statement.source.value),
            name: localName ?? '',
          });
        exports.set(
          exportedName ?? '',
          statement.source === null ? (localName ?? '') : `from ${exportedName}`,
        );
      }
      continue;
    }
    const names = listDeclaredNames(statement, text);
    if (statement.type === 'ExportNamedDeclaration')
      for (const name of names) exports.set(name, name);
    const code = removeComments(text.slice(statement.start, statement.end));
    const identifiers = new Set(code.match(/[\w$]+/gu));
    declarations.push({
      declaredNames: names,
      identifiers,
      dynamicImports: listDynamicImports(path, code),
    });
  }
  return { declarations, exports, imports, loadedPaths };
}

/**
 * Finds the used declarations. A declaration is used if it runs when a module is loaded, if an entry module exports it,
 * or if a used declaration refers to it.
 */
class Reachability {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #reachedDeclarations = new Set<string>();

  constructor(modules: ReadonlyMap<string, Module>) {
    this.#modules = modules;
  }

  has = (path: string, name: string): boolean => this.#reachedDeclarations.has(`${path} ${name}`);

  /** Marks an export, and everything to which its declaration refers, as used. `*` marks all exports of the module. */
  markReachable({ modulePath: path, name }: Import): void {
    const module = this.#modules.get(path);
    if (module === undefined) return;
    this.#visitModule(path, module);
    if (name === '*')
      for (const exportedName of module.exports.keys())
        this.markReachable({ modulePath: path, name: exportedName });
    else this.#visitLocalName(path, module.exports.get(name) ?? name);
    this.#reachedDeclarations.add(`${path} ${name}`);
  }

  /** Marks as used all statements that run when a module is loaded, also those in the modules that it imports. */
  #visitModule(path: string, { declarations, loadedPaths }: Module): void {
    if (this.#reachedDeclarations.has(path)) return;
    this.#reachedDeclarations.add(path);
    for (const modulePath of loadedPaths) this.#visitModuleIfPresent(modulePath);
    for (const declaration of declarations)
      if (declaration.declaredNames.length === 0) this.#visitIdentifiers(path, declaration);
  }

  #visitModuleIfPresent(path: string): void {
    const module = this.#modules.get(path);
    if (module !== undefined) this.#visitModule(path, module);
  }

  #visitLocalName(path: string, name: string): void {
    const key = `${path} local ${name}`;
    if (this.#reachedDeclarations.has(key)) return;
    this.#reachedDeclarations.add(key);
    const module = this.#modules.get(path);
    const importEntry = module?.imports.get(name);
    if (importEntry !== undefined) this.markReachable(importEntry);
    for (const declaration of module?.declarations ?? []) {
      if (!declaration.declaredNames.includes(name)) continue;
      this.#reachedDeclarations.add(`${path} ${name}`);
      this.#visitIdentifiers(path, declaration);
    }
  }

  #visitIdentifiers(path: string, { identifiers, dynamicImports }: Declaration): void {
    for (const identifier of identifiers) this.#visitLocalName(path, identifier);
    for (const dynamicImport of dynamicImports) this.markReachable(dynamicImport);
  }
}

/**
 * Returns the unused exports of the product, each as `path name`. An export is used if an entry exports it, or if used
 * code refers to it, also within the same module.
 * @param sources Text of each source without tests, by its path.
 * @param entries Paths of the modules that VS Code, a page or Node.js loads.
 */
export function findUnusedExports(
  sources: ReadonlyMap<string, string>,
  entries: readonly string[],
): string[] {
  const modules = new Map([...sources].map(([path, text]) => [path, readModule(path, text)]));
  const reachability = new Reachability(modules);
  for (const modulePath of entries) reachability.markReachable({ modulePath, name: '*' });
  return [...modules].flatMap(([path, { exports }]) =>
    [...exports.keys()]
      .filter((name) => !reachability.has(path, name))
      .map((name) => `${path} ${name}`),
  );
}
