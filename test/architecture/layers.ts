/** What a folder may import besides itself. */
interface Layer {
  readonly layers: readonly string[];
  /** Package names; `node:*` stands for Node's own modules, a trailing `/*` for a whole scope. */
  readonly packages: readonly string[];
}

const pure = ['base', 'protocol', 'service', 'wallet', 'account', 'models'];
const features = ['chat', 'agent', 'completion', 'image', 'inline-edit'];

/** Who may import whom: the folders of `src`, its entry `extension.ts`, and `webview`. */
export const layers: Readonly<Record<string, Layer>> = {
  base: { layers: [], packages: [] },
  protocol: { layers: ['base'], packages: ['valibot'] },
  service: {
    layers: ['base'],
    packages: ['undici', 'eventsource-parser', '@noble/*', '@vscode/l10n', 'node:*'],
  },
  wallet: { layers: ['base', 'service'], packages: ['viem', '@vscode/l10n'] },
  account: { layers: ['base', 'service'], packages: [] },
  models: { layers: ['base', 'service'], packages: ['@vscode/l10n'] },
  // Its journal comes from disk and is decoded like anything else from outside.
  chat: {
    layers: ['base', 'protocol', 'service', 'models'],
    packages: ['valibot', '@vscode/l10n'],
  },
  agent: { layers: ['base', 'chat', 'service'], packages: ['@vscode/l10n'] },
  completion: { layers: ['base', 'service', 'models'], packages: ['@vscode/l10n'] },
  image: { layers: ['base', 'service', 'models'], packages: [] },
  'inline-edit': { layers: ['base', 'service'], packages: [] },
  host: {
    layers: [...pure, ...features],
    packages: [
      'vscode',
      'node:*',
      '@vscode/tree-sitter-wasm',
      '@cfworker/json-schema',
      '@vscode/l10n',
    ],
  },
  'extension.ts': { layers: ['host'], packages: ['vscode'] },
  webview: {
    layers: ['base', 'protocol'],
    packages: ['lit', 'marked', 'highlight.js', '@vscode/webview-ui-toolkit', '@vscode/l10n'],
  },
};

/**
 * Every breach of the table and every cycle between files, one line each; type-only imports count.
 * @param sources path from the root, with `/` → text. Tests may import anything and are left out.
 */
export function breaches(sources: ReadonlyMap<string, string>): string[] {
  const files = [...sources].filter(([path]) => !isTest(path));
  const graph = new Map(files.map(([path, text]) => [path, importsOf(text)]));
  const found = [...graph].flatMap(([path, imports]) => breachesOf(path, imports));
  return [...found, ...cyclesIn(graph)];
}

/** Tests, and what only they share, stand beside the code. */
export function isTest(path: string): boolean {
  return /\.(?:test|fixture)\.ts$/u.test(path);
}

/** Packages that a layer may import and never does, one line each. */
export function needless(sources: ReadonlyMap<string, string>): string[] {
  const files = [...sources].filter(([path]) => !isTest(path));
  return Object.entries(layers).flatMap(([name, { packages }]) => {
    const own = files.filter(([path]) => layerOf(path) === name);
    const imported = own.flatMap(([, text]) => importsOf(text));
    return packages
      .filter((each) => !imported.some((specifier) => covers(each, specifier)))
      .map((each) => `${name} does not import ${each}`);
  });
}

function breachesOf(path: string, imports: readonly string[]): string[] {
  const from = layerOf(path);
  const layer = layers[from];
  if (!layer) return [`${path}: no layer is called "${from}"`];
  return imports
    .filter((specifier) => !isAllowed(path, specifier, from, layer))
    .map((specifier) => `${path}: ${from} may not import ${specifier}`);
}

function isAllowed(path: string, specifier: string, from: string, layer: Layer): boolean {
  if (!specifier.startsWith('.')) return layer.packages.some((name) => covers(name, specifier));
  const target = resolve(path, specifier);
  const to = layerOf(target);
  if (isTest(target)) return false;
  return to === from || layer.layers.includes(to);
}

function covers(name: string, specifier: string): boolean {
  if (name === 'node:*') return specifier.startsWith('node:');
  if (name.endsWith('/*')) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** Static, dynamic, re-exported and type-only imports. A computed one is kept as it stands, so it is a breach. */
function importsOf(text: string): string[] {
  const named = text.matchAll(
    /(?<![\w.'"-])(?:from|import|require)\s*\(?\s*(['"])(?<specifier>[^'"\n]+)\1/gu,
  );
  const computed = text.matchAll(/\bimport\s*\(\s*(?<specifier>[^'")\s][^)]*)\)/gu);
  return [...named, ...computed].map((match) => match.groups?.['specifier'] ?? '');
}

/** `src/service/x.ts` → `service`, `src/extension.ts` → `extension.ts`, `webview/x.ts` → `webview`. */
function layerOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second : top;
}

function resolve(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push(`cycle: ${[...trail.slice(start), path].join(' → ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const specifier of graph.get(path) ?? []) {
      if (specifier.startsWith('.')) visit(resolve(path, specifier), [...trail, path]);
    }
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
