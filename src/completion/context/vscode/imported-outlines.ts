import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { importLimits, findImports } from '../imports.ts';
import { createOutline } from '../outline.ts';
import { CursorIdleTimer, type IdleCursor } from './cursor-rest.ts';
import { type FileRules, shareableText } from './file-rules.ts';
import { importCandidates } from './import-locations.ts';
import { SnippetCache, type SourcedSnippet, type SnippetSource } from './snippet-cache.ts';
import { pathOfFile } from '../../../workspace/vscode/documents.ts';
import { textAfter } from '../text-lines.ts';

/** Idle time of the cursor in milliseconds after which imported files are read. */
const idleMs = 300;
const maxImports = 8;

/**
 * Provides outlines of the files that a document imports by a relative path. Reads the files while the cursor is idle,
 * without opening them as documents.
 */
export class ImportedOutlines implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #cache: SnippetCache;
  /** Specifiers of the imports that were found when a document was last read. */
  readonly #imports = new WeakMap<vscode.TextDocument, readonly string[]>();

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#cache = new SnippetCache(clock);
    const idleTimer = this.#owned.add(
      new CursorIdleTimer({ clock, ms: idleMs, onIdle: (cursor) => this.#gather(cursor) }),
    );
    const { workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) =>
        this.#cache.handleDocumentChange(document.uri),
      ),
    );
    this.#owned.add(
      workspace.onDidCloseTextDocument(({ uri }) => this.#cache.handleDocumentClose(uri)),
    );
    this.#owned.add(
      rules.onDidChange(() => {
        this.#cache.clear();
        idleTimer.restart();
      }),
    );
  }

  getSnippets(document: vscode.TextDocument): readonly SourcedSnippet[] {
    const imports = this.#imports.get(document) ?? [];
    return imports.flatMap((specifier) => this.#cache.get(document.uri, specifier) ?? []);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#cache.clear();
  }

  /** Reads imported files and stores their outlines. Skips unreadable files. Never rejects. */
  async #gather({ document, isUnmoved }: IdleCursor): Promise<void> {
    if (!this.#rules.isShareable(document.uri)) await this.#rules.check(document.uri);
    // A file outside the workspace could import any path on the disk.
    if (!this.#rules.isShareable(document.uri)) return;
    const start = textAfter(document, { line: 0, character: 0 }, importLimits.characters);
    const imports = findImports(document.languageId, start)
      .filter(({ isRelative }) => isRelative)
      .map(({ specifier }) => specifier)
      .slice(0, maxImports);
    this.#imports.set(document, imports);
    for (const specifier of imports) {
      if (!isUnmoved()) return;
      if (!this.#cache.isDue(document.uri, specifier)) continue;
      const startedAt = this.#cache.now();
      const snippet = await this.#find(document, specifier);
      this.#cache.set(document.uri, specifier, { source: snippet, startedAt });
    }
  }

  async #find(
    { uri, languageId }: vscode.TextDocument,
    specifier: string,
  ): Promise<SourcedSnippet | undefined> {
    for (const path of importCandidates(languageId, specifier, uri.path)) {
      const candidateUri = uri.with({ path });
      if (
        vscode.workspace.getWorkspaceFolder(candidateUri) === undefined ||
        !(await isFile(candidateUri))
      )
        continue;
      const text = (await shareableText(this.#rules, candidateUri)) ?? '';
      const outline = createOutline(languageId, text);
      if (outline === '') return undefined;
      return {
        uri: candidateUri,
        snippet: { kind: 'import', path: pathOfFile(candidateUri), text: outline },
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
