/**
 * Builds the extension host bundle (`dist/host`) and the bundles of the webviews (`dist/webview`).
 * `--production` minifies and leaves out source maps; `--watch` rebuilds on change.
 * They are ES modules with code splitting: a dynamic `import()` is a chunk of its own.
 */
import { realpathSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { build, context } from 'esbuild';
import { constantFocusVisible } from './constant-focus-visible.ts';
import { lazyUndici } from './lazy-undici.ts';
import { diagramLayout } from './diagram-layout.ts';
import { markedLexer } from './marked-lexer.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
/** Folder for the command line alone; the rest is then not built. */
const cliFolder = process.argv.find((argument) => argument.startsWith('--cli-only='))?.slice(11);

/** Dependencies published as CommonJS still call `require` for Node's own modules. */
const requireForCommonJs =
  "import { createRequire as nodeCreateRequire } from 'node:module'; const require = nodeCreateRequire(import.meta.url);";

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const host = {
  ...common,
  entryPoints: ['src/extension.ts'],
  outdir: 'dist/host',
  platform: 'node',
  target: 'node22',
  external: ['vscode'],
  // Only the one for pages leaves out what reads files and addresses.
  alias: { '@vscode/l10n': '@vscode/l10n/dist/browser.js' },
  plugins: [lazyUndici],
  define: {
    // undici asks for this name; with it, its second HTTP parser, which is never used, is left out.
    esbuildDetection: 'true',
    // A CommonJS dependency asks where it lies; ES modules have no such name.
    __filename: 'import.meta.filename',
  },
  banner: { js: requireForCommonJs },
};

/**
 * The command that mints a key without VS Code: one file that needs nothing beside it.
 * @type {import('esbuild').BuildOptions}
 */
const cli = {
  ...host,
  entryPoints: { mint: 'src/cli/mint.ts' },
  outdir: 'dist/cli',
  splitting: false,
  external: [],
};

/**
 * Makes every module that translates texts wait for the translations. A module in a shared chunk runs before the entry
 * point, whatever the entry point imports first.
 * @type {import('esbuild').Plugin}
 */
const translationsFirst = {
  name: 'translations-first',
  setup(build) {
    const path = realpathSync('webview/base/translations.ts');
    build.onResolve({ filter: /^@vscode\/l10n$/ }, ({ importer }) =>
      importer === path ? undefined : { path },
    );
  },
};

/**
 * Leaves the fonts of formulas out in the formats for old browsers.
 * @type {import('esbuild').Plugin}
 */
const onlyWoff2 = {
  name: 'only-woff2',
  setup(build) {
    build.onLoad({ filter: /katex\.css$/ }, async ({ path }) => {
      const styles = await readFile(path, 'utf8');
      return {
        loader: 'css',
        contents: styles.replaceAll(/, url\([^)]+\.(?:woff|ttf)\) format\([^)]+\)/gu, ''),
      };
    });
  },
};

/** @type {import('esbuild').BuildOptions} */
const webview = {
  ...common,
  entryPoints: {
    main: 'webview/chat/main.ts',
    style: 'webview/chat/style.css',
    // The chat loads it with KaTeX.
    formulas: 'webview/markdown/formulas.css',
  },
  plugins: [translationsFirst, onlyWoff2, constantFocusVisible, diagramLayout, markedLexer],
  outdir: 'dist/webview',
  platform: 'browser',
  target: 'chrome134',
  loader: { '.ttf': 'file', '.woff2': 'file' },
  assetNames: '[name]',
  define: { 'process.env.NODE_ENV': '"production"' },
};

/**
 * The image studio's page. A build of its own: with one for both, the chat would load what they share as another file.
 * @type {import('esbuild').BuildOptions}
 */
const studio = {
  ...webview,
  entryPoints: [
    { in: 'webview/studio/main.ts', out: 'studio' },
    { in: 'webview/studio/style.css', out: 'studio' },
  ],
  splitting: false,
};

/** The page of what was spent. A build of its own, like the studio's. */
const usage = {
  ...studio,
  entryPoints: [
    { in: 'webview/usage/main.ts', out: 'usage' },
    { in: 'webview/usage/style.css', out: 'usage' },
  ],
};

/**
 * The page of the browser wallet, for a real browser. It is served from memory, so it is one file of each kind.
 * @type {import('esbuild').BuildOptions}
 */
const wallet = {
  ...webview,
  entryPoints: [
    { in: 'webview/wallet/main.ts', out: 'wallet' },
    { in: 'webview/wallet/style.css', out: 'wallet' },
  ],
  splitting: false,
  target: ['chrome123', 'firefox120', 'safari17.5'],
};

/**
 * The page that records, for a real browser, and what it runs where the sound is.
 * @type {import('esbuild').BuildOptions}
 */
const dictation = {
  ...wallet,
  entryPoints: [
    { in: 'webview/dictation/main.ts', out: 'dictation' },
    { in: 'webview/dictation/style.css', out: 'dictation' },
    { in: 'webview/dictation/recorder.ts', out: 'recorder' },
  ],
};

/**
 * Merges the files that the host loads at start into `chunks/start.js`, and updates the metafile. esbuild writes a chunk
 * for each set of files with the same importers, so that a start would read more than 40 files; reading one file takes a
 * third of the time, and it compresses better.
 * @param {import('esbuild').Metafile} metafile
 */
async function mergeStartFiles({ outputs }) {
  const entry = 'dist/host/extension.js';
  const merged = 'dist/host/chunks/start.js';
  const start = startFiles(outputs, entry);
  const names = new Map(start.map((path, index) => [path, `f${index}_`]));
  const exported = start.map((path) => {
    const names_ = outputs[path].exports.map((name) => `${name} as ${names.get(path)}${name}`);
    return `export { ${names_.join(', ')} } from ${JSON.stringify(resolve(path))};`;
  });
  const { metafile } = await build({
    stdin: { contents: exported.join('\n'), resolveDir: '.' },
    outfile: merged,
    plugins: [laterChunksExternal(names)],
    ...{ bundle: true, format: 'esm', minify: true, metafile: true, legalComments: 'none' },
    ...{ platform: 'node', target: host.target, external: host.external, banner: host.banner },
  });
  const result = metafile.outputs[merged];
  result.inputs = Object.assign({}, ...start.map((path) => outputs[path].inputs));
  for (const path of start) delete outputs[path];
  for (const [path, output] of Object.entries(outputs)) await useMergedFile(path, output, names);
  for (const path of start) await rm(path);
  await writeFile(
    entry,
    `export{${names.get(entry)}activate as activate,${names.get(entry)}deactivate as deactivate}from"./chunks/start.js";\n`,
  );
  outputs[merged] = result;
  outputs[entry] = {
    bytes: (await readFile(entry)).length,
    inputs: {},
    exports: ['activate', 'deactivate'],
    imports: [{ path: merged, kind: 'import-statement' }],
  };
}

/** Returns an output file and all output files that it imports statically. */
function startFiles(outputs, path, found = []) {
  if (found.includes(path) || !outputs[path]) return found;
  found.push(path);
  for (const { path: imported, kind } of outputs[path].imports)
    if (kind === 'import-statement') startFiles(outputs, imported, found);
  return found;
}

/**
 * Keeps the dynamic imports of other chunks, and removes the banner of each merged file.
 * @param {ReadonlyMap<string, string>} merged
 * @returns {import('esbuild').Plugin}
 */
const laterChunksExternal = (merged) => ({
  name: 'later-chunks-external',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
      const chunk = relative('.', resolve(resolveDir, path));
      if (merged.has(chunk)) return { path: resolve(chunk) };
      if (kind !== 'dynamic-import')
        throw new Error(`${chunk} is imported at start, and not merged.`);
      return { path: `./${basename(chunk)}`, external: true };
    });
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(requireForCommonJs, ''),
    }));
  },
});

/**
 * Replaces the imports of merged files in a chunk that is loaded later.
 * @param {string} path
 * @param {import('esbuild').Metafile['outputs'][string]} output
 * @param {ReadonlyMap<string, string>} merged
 */
async function useMergedFile(path, output, merged) {
  const imported = output.imports.filter((one) => merged.has(one.path));
  if (imported.length === 0) return;
  let code = await readFile(path, 'utf8');
  for (const one of imported) {
    const before = code;
    const file = `"./${basename(one.path)}"`;
    code = code.replace(
      new RegExp(`(import|export)\\{([^{}]*)\\}from${RegExp.escape(file)}`, 'u'),
      (_, keyword, specifiers) =>
        `${keyword}{${renameSpecifiers(specifiers, merged.get(one.path))}}from"./start.js"`,
    );
    code = code.replace(`import${file}`, 'import"./start.js"');
    if (one.kind !== 'import-statement' || code === before)
      throw new Error(`The import of ${one.path} in ${path} cannot be replaced.`);
    one.path = 'dist/host/chunks/start.js';
  }
  await writeFile(path, code);
  output.bytes = Buffer.byteLength(code);
}

/** Prefixes the imported names of `a as b,c`. */
function renameSpecifiers(specifiers, prefix) {
  return specifiers
    .split(',')
    .map((specifier) => {
      const [name, local = name] = specifier.split(' as ');
      return `${prefix}${name} as ${local}`;
    })
    .join(',');
}

async function copyCodicons() {
  await mkdir('dist/webview', { recursive: true });
  await cp('node_modules/@vscode/codicons/dist/codicon.ttf', 'dist/webview/codicon.ttf');
}

/** The pages' words in each language but English: a script that the host has a page load before its own. */
async function writePageWords() {
  const folder = 'webview/l10n';
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  await Promise.all(
    files.map(async (name) => {
      const words = JSON.stringify(JSON.parse(await readFile(`${folder}/${name}`, 'utf8')));
      const target = `dist/webview/words.${name.replace(/json$/u, 'js')}`;
      await writeFile(target, `globalThis.pageTranslations=${words};\n`);
    }),
  );
}

/** Loaded when the first command is judged; from a file, as the editor itself does. */
async function copyGrammars() {
  const names = ['tree-sitter', 'tree-sitter-bash', 'tree-sitter-powershell'];
  await mkdir('dist/host', { recursive: true });
  await Promise.all(
    names.map((name) =>
      cp(`node_modules/@vscode/tree-sitter-wasm/wasm/${name}.wasm`, `dist/host/${name}.wasm`),
    ),
  );
}

/** Packages that are copied into `dist`, not bundled. */
const copiedPackages = ['node_modules/@vscode/codicons', 'node_modules/@vscode/tree-sitter-wasm'];

/**
 * Licenses of packages that may be in `dist`. Only the layout engine of diagrams is under EPL-2.0, which permits this if
 * the notices name its source.
 */
const acceptedLicenses = [
  'MIT',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'EPL-2.0',
  'ISC',
];

/**
 * Writes the name, version, source and license text of every package whose code is in `dist`.
 * @param {import('esbuild').Metafile[]} metafiles
 */
async function writeThirdPartyNotices(metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const bundled = inputs.flatMap((path) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(path);
    return folder === null ? [] : [folder[0]];
  });
  const folders = [...new Set([...copiedPackages, ...bundled])].toSorted();
  const notices = await Promise.all(folders.map((folder) => thirdPartyNotice(folder)));
  await writeFile('dist/third-party-notices.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
}

/**
 * Formats the notice of the package in a folder. It rejects if the license is not accepted.
 * @param {string} folder
 */
async function thirdPartyNotice(folder) {
  const manifest = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const files = (await readdir(folder)).toSorted();
  const licenseFiles = files.filter((name) => /^(?:licen[cs]e|notice|copying)/iu.test(name));
  const texts = await Promise.all(
    licenseFiles.map((name) => readFile(`${folder}/${name}`, 'utf8')),
  );
  if (!acceptedLicenses.includes(manifest.license)) {
    throw new Error(`The license of ${manifest.name} (${manifest.license}) cannot be packaged.`);
  }
  const source = manifest.repository?.url ?? manifest.repository ?? manifest.homepage;
  const title = `${manifest.name} ${manifest.version} (${manifest.license})\n${source}`;
  if (texts.length === 0) {
    const author = manifest.author?.name ?? manifest.author;
    texts.push(`Copyright (c) ${author}. The package contains no license text.`);
  }
  return [title, ...texts.map((text) => text.trim())].join('\n\n') + '\n';
}

if (cliFolder !== undefined) {
  await build({ ...cli, outdir: cliFolder });
} else if (watch) {
  const contexts = await Promise.all(
    [host, cli, webview, studio, usage, wallet, dictation].map((options) => context(options)),
  );
  await copyCodicons();
  await Promise.all([copyGrammars(), writePageWords()]);
  await Promise.all(contexts.map((buildContext) => buildContext.watch()));
} else {
  await rm('dist', { recursive: true, force: true });
  const [hostResult, webviewResult, studioResult, usageResult, walletResult, dictationResult] =
    await Promise.all(
      [host, webview, studio, usage, wallet, dictation].map((options) => build(options)),
    );
  if (production) await mergeStartFiles(hostResult.metafile);
  const cliResult = await build(cli);
  await copyCodicons();
  await Promise.all([copyGrammars(), writePageWords()]);
  const results = [
    hostResult,
    webviewResult,
    studioResult,
    usageResult,
    walletResult,
    dictationResult,
    cliResult,
  ];
  await writeThirdPartyNotices(results.map((result) => result.metafile));
  await mkdir('.artefacts', { recursive: true });
  const metafiles = {
    host: hostResult.metafile,
    webview: webviewResult.metafile,
    studio: studioResult.metafile,
    usage: usageResult.metafile,
    wallet: walletResult.metafile,
    dictation: dictationResult.metafile,
  };
  await writeFile('.artefacts/metafiles.json', JSON.stringify(metafiles));
}
