import * as vscode from 'vscode';
import { ancestorFolders, isIgnoredFile } from '../ignore-rules.ts';
import type { PathFilter } from '../path-filter.ts';
import { judgePath } from '../path-rules.ts';
import type { FoundLine, SearchResult, TextQuery } from '../search.ts';
import { looksSecret } from '../secret-file.ts';
import { LineSearch } from './line-search.ts';
import { type Paths, resolveExactUri, type ResolvedPath } from './paths.ts';
import { searchTextWithRipgrep, searchWithRipgrep } from './ripgrep-search.ts';
import { createExclusionFilter, scanFiles } from './scan.ts';
import type { SearchPlace } from './search-scope.ts';

/**
 * Checks whether the contents of a file that the model did not request may be shown. This requires a file that the call
 * may read without approval. Link targets are resolved, because a name alone is not reliable. Create one instance for
 * each call, which checks each file once.
 */
export class ReadableUris {
  readonly #paths: Paths;
  readonly #allowed: ResolvedPath | undefined;
  readonly #cache = new Map<string, Promise<boolean>>();

  /** @param allowed Folder outside the workspace that the call may read. */
  constructor(paths: Paths, allowed?: ResolvedPath) {
    this.#paths = paths;
    this.#allowed = allowed;
  }

  has(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const isReadable = this.#cache.get(key) ?? this.#check(uri);
    this.#cache.set(key, isReadable);
    return isReadable;
  }

  async #check(uri: vscode.Uri): Promise<boolean> {
    const resolved = await resolveExactUri(this.#paths, uri);
    if (resolved === undefined) return false;
    return judgePath(resolved.facts, 'read').decision === 'allow' || this.#isBelowAllowed(resolved);
  }

  /** Applies the rules for workspace files to files in an allowed folder outside the workspace. */
  #isBelowAllowed({ facts }: ResolvedPath): boolean {
    const allowed = this.#allowed?.facts;
    if (allowed === undefined || allowed.realInside || facts.realInside) return false;
    const prefix = `${allowed.realPath.replace(/\/$/u, '')}/`;
    if (!facts.realPath.startsWith(prefix)) return false;
    const path = facts.realPath.slice(prefix.length);
    const relativeFacts = { ...facts, path, realPath: path, inside: true, realInside: true };
    return judgePath(relativeFacts, 'read').decision === 'allow';
  }
}

/** Runs one search in one location. Searches unsaved editors first, then files. */
export class TextSearch {
  readonly #target: SearchPlace;
  readonly #query: TextQuery;
  readonly #filter: PathFilter;
  readonly #result: Pick<SearchResult, 'add'>;
  readonly #readable: ReadableUris;
  /** Paths with unsaved changes, whose text on disk is skipped. */
  readonly #unsaved = new Set<string>();
  #lastPath = '';
  #isLastAccepted = false;

  constructor({
    target,
    query,
    filter,
    result,
    readable,
  }: {
    readonly target: SearchPlace;
    readonly query: TextQuery;
    readonly filter: PathFilter;
    readonly result: Pick<SearchResult, 'add'>;
    /** Checks the files with unsaved editors. */
    readonly readable: ReadableUris;
  }) {
    this.#target = target;
    this.#query = query;
    this.#filter = filter;
    this.#result = result;
    this.#readable = readable;
  }

  /** @param program Path of the ripgrep executable; undefined to search without it. */
  async run(program: string | undefined, signal: AbortSignal): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      const path = document.isDirty ? this.#pathOf(document.uri) : undefined;
      if (path === undefined) continue;
      this.#unsaved.add(path);
      if (this.#allows(path) && (await this.#isSearchable(path)))
        await this.#searchText(path, document.getText(), program, signal);
    }
    await this.#searchFiles(program, signal);
  }

  async #searchFiles(program: string | undefined, signal: AbortSignal): Promise<void> {
    const { scope, source, root, encoding, isFile } = this.#target;
    const accepts = (path: string): boolean => !this.#unsaved.has(path) && this.#allows(path);
    const query = this.#query;
    if (program !== undefined && root.scheme === 'file') {
      const onLine = (path: string, line: FoundLine): boolean =>
        !this.#isAccepted(path, accepts) || this.#add(path, line);
      const search = { program, query, signal, onLine };
      if ((await searchWithRipgrep({ ...scope, encoding }, search)) !== 'missing') return;
    }
    const onLine = (path: string, line: FoundLine): boolean => this.#add(path, line);
    if (isFile) return this.#scanFile(await source.read(scope.under));
    await scanFiles({ source, scope, query, signal, accepts, onLine });
  }

  async #searchText(
    path: string,
    text: string,
    program: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const onLine = (line: FoundLine): boolean => this.#add(path, line);
    const search = { query: this.#query, signal, onLine };
    if (
      program !== undefined &&
      (await searchTextWithRipgrep(text, { ...search, program })) !== 'missing'
    )
      return;
    this.#scanText(path, text);
  }

  #scanFile(bytes: Uint8Array | undefined): void {
    const path = this.#target.scope.under;
    if (bytes !== undefined && !this.#unsaved.has(path))
      this.#scanText(path, new TextDecoder().decode(bytes));
  }

  #scanText(path: string, text: string): void {
    const [lines = []] = new LineSearch(this.#query).search([text]);
    lines.every((line) => this.#add(path, line));
  }

  #add(path: string, line: FoundLine): boolean {
    return this.#result.add(this.#target.labelOf(path), line);
  }

  /** Caches the decision for the last path, because the lines of a file arrive together. */
  #isAccepted(path: string, accepts: (path: string) => boolean): boolean {
    if (path !== this.#lastPath) {
      this.#lastPath = path;
      this.#isLastAccepted = accepts(path);
    }
    return this.#isLastAccepted;
  }

  /** Checks a path against the filter. A file that the call names was already checked by the path rules. */
  #allows(path: string): boolean {
    const { under } = this.#target.scope;
    if (path === under) return true;
    const below = path.slice(under === '' ? 0 : under.length + 1);
    return this.#filter.accepts(below) && !looksSecret(path);
  }

  /** Returns the path relative to the root, or undefined for a file outside the searched location. */
  #pathOf(uri: vscode.Uri): string | undefined {
    const { root, scope } = this.#target;
    const isBelow = uri.scheme === root.scheme && uri.authority === root.authority;
    if (!isBelow || !uri.path.startsWith(`${root.path.replace(/\/$/u, '')}/`)) return undefined;
    const path = uri.path.slice(root.path.replace(/\/$/u, '').length + 1);
    const inside = scope.under === '' || path === scope.under || path.startsWith(`${scope.under}/`);
    return inside ? path : undefined;
  }

  /** Checks whether a search of the disk would include the file. */
  async #isSearchable(path: string): Promise<boolean> {
    const { scope, source } = this.#target;
    if (path === scope.under) return true;
    const isHidden = createExclusionFilter(scope);
    const folders = ancestorFolders(path).filter((folder) => folder.length > scope.under.length);
    if ([...folders, path].some((each) => each.split('/').includes('.git') || isHidden(each)))
      return false;
    // The search on disk follows no links.
    if (!(await this.#readable.has(this.#target.uriOf(path)))) return false;
    return !scope.useIgnoreFiles || !(await isIgnoredFile(source, path));
  }
}
