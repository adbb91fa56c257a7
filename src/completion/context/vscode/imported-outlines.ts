import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { importLimits, findImports } from '../imports.ts';
import { createOutline } from '../outline.ts';
import { CursorIdleTimer, type IdleCursor } from './near-definitions.ts';
import { type FileRules, readShareableText } from './file-rules.ts';
import { SnippetCache, type FileSnippet, type SnippetSource } from './snippet-cache.ts';
import { getFilePath } from '../../../workspace/vscode/documents.ts';
import { getTextAfter } from '../text-lines.ts';
import { posix } from 'node:path';

/** Idle time of the cursor in milliseconds after which imported files are read. */
const importReadIdleMs = 300;
const maxImports = 8;

/**
 * Provides outlines of the files that a document imports by a relative path. Reads the files while the cursor is idle,
 * without opening them as documents.
 */
export class ImportedOutlines implements SnippetSource, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #rules: FileRules;
  readonly #cache: SnippetCache;
  /** Specifiers of the imports that were found when a document was last read. */
  readonly #specifiers = new WeakMap<vscode.TextDocument, readonly string[]>();

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#cache = new SnippetCache(clock);
    const idleTimer = this.#disposables.add(
      new CursorIdleTimer({
        clock,
        idleMs: importReadIdleMs,
        onIdle: (cursor) => this.#gatherOutlines(cursor),
      }),
    );
    const { workspace } = vscode;
    this.#disposables.add(
      workspace.onDidChangeTextDocument(({ document }) =>
        this.#cache.handleDocumentChange(document.uri),
      ),
    );
    this.#disposables.add(
      workspace.onDidCloseTextDocument(({ uri }) => this.#cache.handleDocumentClose(uri)),
    );
    this.#disposables.add(
      rules.onDidChange(() => {
        this.#cache.clear();
        idleTimer.restart();
      }),
    );
  }

  getSnippets(document: vscode.TextDocument): readonly FileSnippet[] {
    const specifiers = this.#specifiers.get(document) ?? [];
    return specifiers.flatMap((specifier) => this.#cache.get(document.uri, specifier) ?? []);
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#cache.clear();
  }

  /** Reads imported files and stores their outlines. Skips unreadable files. Never rejects. */
  async #gatherOutlines({ document, isUnmoved }: IdleCursor): Promise<void> {
    if (!this.#rules.isShareable(document.uri)) await this.#rules.check(document.uri);
    // A file outside the workspace could import any path on the disk.
    if (!this.#rules.isShareable(document.uri)) return;
    const startText = getTextAfter(document, { line: 0, character: 0 }, importLimits.characters);
    const specifiers = findImports(document.languageId, startText)
      .filter(({ isRelative }) => isRelative)
      .map(({ specifier }) => specifier)
      .slice(0, maxImports);
    this.#specifiers.set(document, specifiers);
    for (const specifier of specifiers) {
      if (!isUnmoved()) return;
      if (!this.#cache.isDue(document.uri, specifier)) continue;
      const startedAt = this.#cache.getNow();
      const snippet = await this.#findOutlineSnippet(document, specifier);
      this.#cache.set(document.uri, specifier, { fileSnippet: snippet, startedAt });
    }
  }

  async #findOutlineSnippet(
    { uri, languageId }: vscode.TextDocument,
    specifier: string,
  ): Promise<FileSnippet | undefined> {
    for (const path of listImportCandidates(languageId, specifier, uri.path)) {
      const candidateUri = uri.with({ path });
      if (
        vscode.workspace.getWorkspaceFolder(candidateUri) === undefined ||
        !(await isFile(candidateUri))
      )
        continue;
      const text = (await readShareableText(this.#rules, candidateUri)) ?? '';
      const outline = createOutline(languageId, text);
      if (outline === '') return undefined;
      return {
        uri: candidateUri,
        snippet: { kind: 'import', path: getFilePath(candidateUri), text: outline },
      };
    }
    return undefined;
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

/** File extensions that import statements may omit, by language family. The most likely extension comes first. */
const extensionsByLanguage: ReadonlyMap<string, readonly string[]> = new Map([
  ['script', ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.d.ts', '/index.ts', '/index.js']],
  ['python', ['.py', '/__init__.py', '.pyi']],
  ['rust', ['.rs', '/mod.rs']],
  ['ruby', ['.rb']],
  ['scss', ['.scss', '.sass', '.css']],
]);

const scriptLanguages = [
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
  'vue',
  'svelte',
];

/**
 * Returns the paths at which an imported file may exist, most likely first.
 * @param importingPath absolute path of the importing file, with forward slashes
 */
export function listImportCandidates(
  languageId: string,
  specifier: string,
  importingPath: string,
): readonly string[] {
  if (specifier.includes('\0') || specifier.length > maxSpecifierLength) return [];
  const folder = posix.dirname(importingPath);
  if (scriptLanguages.includes(languageId))
    return listScriptCandidates(posix.join(folder, specifier));
  if (languageId === 'python') return listPythonCandidates(folder, specifier);
  if (languageId === 'rust') return listRustCandidates(importingPath, specifier);
  const path = posix.join(folder, specifier);
  return [path, ...addFileExtensions(path, languageId)];
}

const maxSpecifierLength = 500;

/**
 * Returns the possible paths of an imported script. For an import of build output such as `a.js`, the source file
 * `a.ts` is included.
 */
function listScriptCandidates(path: string): string[] {
  const extensionMatch = /\.([cm]?)js(x?)$/u.exec(path);
  const source =
    extensionMatch &&
    `${path.slice(0, extensionMatch.index)}.${extensionMatch[1] ?? ''}ts${extensionMatch[2] ?? ''}`;
  const isWhole = /\.(?:[cm]?[jt]sx?|json|css|vue|svelte)$/u.test(path);
  return [
    ...(source === null ? [] : [source]),
    ...(isWhole ? [path] : []),
    ...addFileExtensions(path, 'script'),
  ];
}

/**
 * Returns the possible paths of a Python module. `.a.b` is relative to the folder of the importing file, and `..a` to
 * the parent folder.
 */
function listPythonCandidates(folder: string, specifier: string): string[] {
  const dotCount = /^\.*/u.exec(specifier)?.[0].length ?? 0;
  const moduleNames = specifier.slice(dotCount).split('.').filter(Boolean);
  const start = posix.join(
    folder,
    ...Array.from({ length: Math.max(0, dotCount - 1) }, () => '..'),
  );
  return moduleNames.length === 0
    ? []
    : addFileExtensions(posix.join(start, ...moduleNames), 'python');
}

/**
 * Returns the possible paths of a Rust module. Submodules are in a folder with the name of the importing file. If the
 * importing file is `mod.rs`, `lib.rs` or `main.rs`, submodules are in the same folder as this file.
 */
function listRustCandidates(importingPath: string, specifier: string): string[] {
  const [start = '', ...names] = specifier.split('::');
  const fileName = posix.basename(importingPath, '.rs');
  const folder = posix.dirname(importingPath);
  const moduleFolder = ['mod', 'lib', 'main'].includes(fileName)
    ? folder
    : posix.join(folder, fileName);
  const baseFolder = new Map([
    ['self', moduleFolder],
    ['super', posix.dirname(moduleFolder)],
    ['crate', importingPath.slice(0, importingPath.lastIndexOf('/src/') + '/src'.length)],
  ]).get(start);
  const moduleNames = names.filter((name) => /^[a-z_][a-z0-9_]*$/u.test(name));
  if (baseFolder === undefined || moduleNames.length === 0) return [];
  // The last name of the path may be an item in a module instead of a module.
  const modulePaths = [moduleNames, moduleNames.slice(0, -1)].filter((path) => path.length > 0);
  return modulePaths.flatMap((path) => addFileExtensions(posix.join(baseFolder, ...path), 'rust'));
}

const addFileExtensions = (path: string, kind: string): string[] =>
  (extensionsByLanguage.get(kind) ?? []).map((extension) => `${path}${extension}`);
