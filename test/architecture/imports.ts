/** Import rules of a feature. A feature is a folder or file of `src`, or a page of `webview`. */
interface Feature {
  /**
   * Other features that the feature may import. An entry `name/protocol` allows only the protocol of the feature
   * `name`. The entry `manifest` stands for `package.json` and `package.nls.json`.
   */
  readonly imports: readonly string[];
  /**
   * Names of the folders that the feature may contain. Each folder contains code that does not use VS Code (the pure
   * core), and a subfolder `vscode` for code that does.
   */
  readonly subjects?: readonly string[];
  /**
   * Packages that all layers except protocols may import. `node:*` stands for all modules of Node.js, and `@scope/*`
   * for all packages of a scope.
   */
  readonly packages?: readonly string[];
  /** Packages that only the edge (files in `vscode/`) may import. The edge may always import `vscode` and `node:*`. */
  readonly edgePackages?: readonly string[];
}

const featuresBelowHost = ['base', 'service', 'platform', 'account', 'models', 'privacy'];

/**
 * Allowed imports of each feature. Each feature comes after the features that it imports. The rules also apply to type
 * imports and dynamic imports. The layers restrict imports further. The pure core imports only cores and protocols. A
 * protocol, which pages share, imports `base`, other protocols and the schema library. The edge (`vscode/`) imports all
 * layers except pages. A page imports all layers except the edge.
 */
export const features: Readonly<Record<string, Feature>> = {
  // For schemas that several protocols use.
  base: { imports: [], packages: ['valibot'] },
  service: {
    imports: ['base'],
    subjects: ['http', 'chat', 'images', 'privacy'],
    packages: ['undici', 'eventsource-parser', '@noble/*', '@vscode/l10n', 'node:*'],
  },
  platform: { imports: ['base', 'service', 'manifest'], subjects: ['pages'] },
  workspace: { imports: ['base', 'platform'], packages: ['@vscode/l10n'] },
  account: { imports: ['base', 'service', 'platform'] },
  models: { imports: ['base', 'service', 'platform', 'account'] },
  privacy: { imports: ['base', 'service', 'platform', 'account', 'models'] },
  'host.ts': { imports: featuresBelowHost },
  conversation: {
    imports: ['base', 'service', 'platform', 'workspace'],
    // The journal is read from disk and decoded like all untrusted data.
    packages: ['valibot', '@vscode/l10n'],
  },
  agent: {
    imports: [
      ...['base', 'service', 'platform', 'workspace', 'models', 'privacy', 'host.ts'],
      'conversation',
    ],
    subjects: ['permissions', 'commands', 'edit', 'answer', 'changes', 'tools'],
    packages: ['@vscode/l10n', '@cfworker/json-schema'],
    edgePackages: ['@vscode/tree-sitter-wasm'],
  },
  image: {
    imports: [...featuresBelowHost, 'workspace', 'host.ts', 'conversation', 'agent'],
    subjects: ['studio'],
  },
  speech: {
    imports: [
      ...['base', 'service', 'platform', 'workspace', 'account', 'models', 'privacy', 'host.ts'],
      'conversation',
    ],
  },
  wallet: {
    imports: ['base', 'service', 'platform', 'account', 'host.ts'],
    subjects: ['browser', 'local', 'keys', 'mint', 'staking', 'x402'],
    packages: ['viem', '@vscode/l10n'],
  },
  completion: {
    // A next edit from the model is read and located with the functions of `agent`, so that all answers are read alike.
    imports: [
      ...['base', 'service', 'platform', 'workspace', 'account', 'models', 'host.ts', 'agent'],
    ],
    subjects: ['answer', 'context', 'filter', 'language', 'next-edit', 'prompt'],
    packages: ['@vscode/l10n'],
  },
  editor: {
    imports: [
      ...['base', 'service', 'platform', 'workspace', 'account', 'models', 'host.ts'],
      ...['conversation', 'agent'],
    ],
  },
  chat: {
    imports: [
      ...featuresBelowHost,
      ...['workspace', 'host.ts', 'conversation', 'agent', 'image', 'speech', 'editor'],
    ],
    subjects: ['context'],
    packages: ['@vscode/l10n'],
  },
  'language-model': {
    imports: [
      ...featuresBelowHost,
      ...['workspace', 'host.ts', 'conversation', 'agent', 'image', 'speech'],
    ],
    subjects: ['participant', 'tools'],
    edgePackages: ['@modelcontextprotocol/sdk'],
  },
  api: { imports: ['base', 'service', 'platform', 'models', 'host.ts', 'image', 'wallet'] },
  cli: { imports: ['base', 'service', 'wallet'] },
  'commands.ts': {
    imports: [
      ...['base', 'platform', 'account', 'models', 'privacy', 'host.ts', 'image', 'speech'],
      ...['wallet', 'completion', 'editor', 'chat', 'language-model', 'api'],
    ],
  },
  'extension.ts': {
    imports: [
      ...['base', 'platform', 'account', 'models', 'host.ts', 'image', 'wallet', 'completion'],
      ...['editor', 'chat', 'language-model', 'api', 'commands.ts'],
    ],
    edgePackages: ['@vscode/l10n'],
  },
  // The failure card shows account failures. Pages in the user's browser pair with the host. The chat and the studio
  // label models.
  'webview/base': {
    imports: ['base', 'account/protocol', 'platform/protocol', 'models/protocol'],
    packages: ['lit', '@vscode/webview-ui-toolkit', '@vscode/l10n'],
  },
  'webview/markdown': {
    imports: ['base'],
    packages: ['marked', 'highlight.js', 'katex', 'beautiful-mermaid', '@vscode/l10n'],
  },
  'webview/chat': {
    imports: [
      ...['base', 'webview/base', 'webview/markdown', 'chat/protocol', 'account/protocol'],
      ...['agent/protocol', 'models/protocol', 'privacy/protocol', 'conversation/protocol'],
      'speech/protocol',
    ],
    subjects: ['composer', 'transcript'],
    packages: ['lit', '@vscode/l10n'],
  },
  'webview/studio': {
    imports: ['base', 'webview/base', 'image/protocol', 'account/protocol'],
    subjects: ['view'],
    packages: ['lit', '@vscode/l10n'],
  },
  'webview/usage': {
    imports: ['base', 'webview/base', 'account/protocol'],
    packages: ['lit', '@vscode/l10n'],
  },
  'webview/wallet': {
    imports: ['base', 'webview/base', 'wallet/protocol'],
    packages: ['lit'],
  },
  'webview/dictation': {
    imports: ['base', 'webview/base', 'speech/protocol'],
  },
};

/** Features that have no pure core and no `vscode` folder. All their files belong to the edge. */
const edgeOnlyFeatures = [
  'platform',
  'host.ts',
  'language-model',
  'api',
  'cli',
  'commands.ts',
  'extension.ts',
];

/** Maximum number of source files per folder, excluding tests. */
const maxFiles = 25;

type Layer = 'core' | 'protocol' | 'edge' | 'page';

interface ModuleLocation {
  readonly feature: string;
  readonly layer: Layer;
  /** Names of the folders between the feature's folder and the file, except `vscode` and `protocol`. */
  readonly subjects: readonly string[];
}

/**
 * Returns the location of the module at `path`. For example, `src/agent/tools/vscode/read-file.ts` has feature `agent`,
 * layer `edge` and subject `tools`.
 */
function locateModule(path: string): ModuleLocation {
  const [topFolder = '', secondSegment = '', ...otherSegments] = path.split('/');
  if (secondSegment === '') return { feature: 'manifest', layer: 'core', subjects: [] };
  const innerSegments =
    otherSegments.length === 0 && !secondSegment.endsWith('.ts') ? [secondSegment] : otherSegments;
  const feature = topFolder === 'src' ? secondSegment : `${topFolder}/${secondSegment}`;
  const folders = innerSegments.slice(0, -1);
  const layer = getLayer(path, topFolder, feature);
  return { feature, layer, subjects: folders.filter((name) => !layerFolders.has(name)) };
}

const layerFolders: ReadonlySet<string> = new Set(['vscode', 'protocol']);

function getLayer(path: string, topFolder: string, feature: string): Layer {
  if (topFolder === 'webview') return 'page';
  if (/\/protocol\/|\/(?:[\w-]+-)?protocol\.ts$/u.test(path)) return 'protocol';
  return edgeOnlyFeatures.includes(feature) || path.includes('/vscode/') ? 'edge' : 'core';
}

/**
 * Returns a line for each violation of the import table, the layers or the folder layout, and for
 * each import cycle. Excludes tests, which may import anything.
 * @param sources texts of the sources by path. Paths are relative to the repository and use `/`.
 */
export function findViolations(sources: ReadonlyMap<string, string>): string[] {
  const files = [...sources].filter(([path]) => !isTest(path));
  const graph = new Map(files.map(([path, text]) => [path, listImports(text)]));
  const violations = [...graph].flatMap(([path, imports]) => findPathViolations(path, imports));
  return [...violations, ...findLargeFolders([...graph.keys()]), ...findCycles(graph)];
}

/** Checks whether a file is a test or a test fixture. Both are in the folder of the code that they test. */
export function isTest(path: string): boolean {
  return /\.(?:test|fixture)\.ts$/u.test(path);
}

/** Returns a line for each import that the rules of a feature allow, but that no file of the feature uses. */
export function findUnusedImports(sources: ReadonlyMap<string, string>): string[] {
  const files = [...sources].filter(([path]) => !isTest(path));
  return Object.entries(features).flatMap(
    ([name, { imports, packages = [], edgePackages = [] }]) => {
      const featureFiles = files.filter(([path]) => locateModule(path).feature === name);
      const usedModules = featureFiles.flatMap(([path, text]) =>
        listImports(text).map((specifier) =>
          specifier.startsWith('.') ? resolveSpecifier(path, specifier) : specifier,
        ),
      );
      return [
        ...imports.filter(
          (name) =>
            !usedModules.some((path) => isPath(path) && matchesEntry(name, locateModule(path))),
        ),
        ...[...packages, ...edgePackages].filter(
          (name) => !usedModules.some((path) => matchesModule(name, path)),
        ),
      ].map((unusedImport) => `${name} does not import ${unusedImport}`);
    },
  );
}

const isPath = (specifier: string): boolean =>
  /^(?:(?:src|webview)\/|package(?:\.nls)?\.json$)/u.test(specifier);

/** Checks whether an entry of {@link Feature.imports} allows imports of the module at this location. */
function matchesEntry(entry: string, { feature, layer }: ModuleLocation): boolean {
  if (entry === feature) return true;
  return layer === 'protocol' && entry === `${feature}/protocol`;
}

function findPathViolations(path: string, imports: readonly string[]): string[] {
  const importer = locateModule(path);
  const feature = features[importer.feature];
  if (!feature) return [`${path}: "${importer.feature}" is not listed`];
  const [subject, secondSubject] = importer.subjects;
  if (subject !== undefined && !(feature.subjects ?? []).includes(subject))
    return [`${path}: "${subject}" is not listed for ${importer.feature}`];
  if (secondSubject !== undefined)
    return [`${path}: "${secondSubject}" is a second level of subjects`];
  return imports
    .filter((specifier) => !isImportAllowed(path, specifier, importer, feature))
    .map((specifier) => `${path} may not import ${specifier}`);
}

function isImportAllowed(
  path: string,
  specifier: string,
  importer: ModuleLocation,
  feature: Feature,
): boolean {
  if (!specifier.startsWith('.'))
    return listAllowedPackages(importer.layer, feature).some((name) =>
      matchesModule(name, specifier),
    );
  const target = resolveSpecifier(path, specifier);
  if (isTest(target) || !isPath(target)) return false;
  const importedModule = locateModule(target);
  if (importedModule.feature === 'extension.ts') return false;
  const isListed =
    importedModule.feature === importer.feature ||
    feature.imports.some((name) => matchesEntry(name, importedModule));
  return isListed && isLayerAllowed(importer, importedModule);
}

function listAllowedPackages(
  layer: Layer,
  { packages = [], edgePackages = [] }: Feature,
): readonly string[] {
  if (layer === 'protocol') return ['valibot'];
  return layer === 'edge' ? ['vscode', 'node:*', ...packages, ...edgePackages] : packages;
}

function isLayerAllowed(importer: ModuleLocation, importedModule: ModuleLocation): boolean {
  switch (importer.layer) {
    case 'core':
      return importedModule.layer === 'core' || importedModule.layer === 'protocol';
    case 'protocol':
      return importedModule.layer === 'protocol' || importedModule.feature === 'base';
    case 'edge':
      return importedModule.layer !== 'page';
    case 'page':
      return importedModule.layer !== 'edge';
  }
}

function matchesModule(name: string, specifier: string): boolean {
  if (name === 'node:*') return specifier.startsWith('node:');
  if (name.endsWith('/*')) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}

/**
 * Returns the specifiers of the imports in a source: static and dynamic imports, re-exports and type imports. For a
 * computed specifier, returns its source text, so that the import is reported as a violation.
 */
function listImports(text: string): string[] {
  const specifierMatches = text.matchAll(
    /(?<![\w.'"-])(?:from|import|require)\s*\(?\s*(['"])(?<specifier>[^'"\n]+)\1/gu,
  );
  const computedMatches = text.matchAll(/\bimport\s*\(\s*(?<specifier>[^'")\s][^)]*)\)/gu);
  return [...specifierMatches, ...computedMatches].map(
    (match) => match.groups?.['specifier'] ?? '',
  );
}

function resolveSpecifier(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function findLargeFolders(paths: readonly string[]): string[] {
  const fileCounts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    fileCounts.set(folder, (fileCounts.get(folder) ?? 0) + 1);
  }
  return [...fileCounts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder} has ${count} files, more than ${maxFiles}`);
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const visitedPaths = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, importChain: readonly string[]): void => {
    const start = importChain.indexOf(path);
    if (start >= 0) cycles.push(`cycle: ${[...importChain.slice(start), path].join(' → ')}`);
    if (start >= 0 || visitedPaths.has(path)) return;
    for (const specifier of graph.get(path) ?? []) {
      if (specifier.startsWith('.'))
        visit(resolveSpecifier(path, specifier), [...importChain, path]);
    }
    visitedPaths.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
