import * as vscode from 'vscode';
import { listAncestorFolders, isIgnoredFile } from '../ignore-rules.ts';
import type { PathFilter } from '../path-filter.ts';
import { isPrivatePath, evaluatePathAccess } from '../path-rules.ts';
import type { FoundLine, SearchResult, TextQuery } from '../search.ts';
import { isLikelySecret } from '../secret-file.ts';
import { LineSearch } from './line-search.ts';
import { type PathResolver, resolveExactUri, type ResolvedPath } from './paths.ts';
import { searchTextWithRipgrep, searchWithRipgrep } from './ripgrep-search.ts';
import { createExclusionFilter, scanFiles } from './scan.ts';
import type { SearchLocation } from './search-scope.ts';

/**
 * Checks which files a search may show without approval. Resolves links, because the name of a link does not show to
 * which file it leads. Caches the result for each file, so each tool call needs a new instance.
 */
export class ReadableUris {
  readonly #paths: PathResolver;
  readonly #allowedFolder: ResolvedPath | undefined;
  readonly #cache = new Map<string, Promise<boolean>>();

  /**
   * @param allowedFolder Folder outside the workspace that the tool call may read. Omit it if there is no such folder.
   */
  constructor(paths: PathResolver, allowedFolder?: ResolvedPath) {
    this.#paths = paths;
    this.#allowedFolder = allowedFolder;
  }

  isReadable(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const resultPromise = this.#cache.get(key) ?? this.#checkUri(uri);
    this.#cache.set(key, resultPromise);
    return resultPromise;
  }

  async #checkUri(uri: vscode.Uri): Promise<boolean> {
    const resolvedPath = await resolveExactUri(this.#paths, uri);
    if (resolvedPath === undefined) return false;
    return (
      evaluatePathAccess(resolvedPath.facts, 'read').decision === 'allow' ||
      this.#isInAllowedFolder(resolvedPath)
    );
  }

  /**
   * Checks a file in the allowed folder with the rules for workspace files. Excludes locations of personal or system
   * settings, because a grant to read outside the workspace does not cover them.
   */
  #isInAllowedFolder({ facts }: ResolvedPath): boolean {
    const allowedFacts = this.#allowedFolder?.facts;
    if (
      allowedFacts === undefined ||
      allowedFacts.isRealPathInWorkspace ||
      facts.isRealPathInWorkspace
    )
      return false;
    const prefix = `${allowedFacts.realPath.replace(/\/$/u, '')}/`;
    if (!facts.realPath.startsWith(prefix)) return false;
    if (isPrivatePath(facts.realPath) && !isPrivatePath(allowedFacts.realPath)) return false;
    const path = facts.realPath.slice(prefix.length);
    const relativeFacts = {
      ...facts,
      path,
      realPath: path,
      isInWorkspace: true,
      isRealPathInWorkspace: true,
    };
    return evaluatePathAccess(relativeFacts, 'read').decision === 'allow';
  }
}

/** Runs one search in one location. Searches unsaved documents first, then files. */
export class TextSearch {
  readonly #location: SearchLocation;
  readonly #query: TextQuery;
  readonly #filter: PathFilter;
  readonly #result: Pick<SearchResult, 'addLine'>;
  readonly #readableUris: ReadableUris;
  /** Paths of files with unsaved changes, whose text on disk is not searched. */
  readonly #unsavedPaths = new Set<string>();
  #lastPath = '';
  #isLastAccepted = false;

  constructor({
    target,
    query,
    filter,
    result,
    readableUris,
  }: {
    readonly target: SearchLocation;
    readonly query: TextQuery;
    readonly filter: PathFilter;
    readonly result: Pick<SearchResult, 'addLine'>;
    /** Checks whether unsaved documents may be searched. */
    readonly readableUris: ReadableUris;
  }) {
    this.#location = target;
    this.#query = query;
    this.#filter = filter;
    this.#result = result;
    this.#readableUris = readableUris;
  }

  /** @param program Path of the ripgrep executable; undefined to search without ripgrep. */
  async run(program: string | undefined, signal: AbortSignal): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      const path = document.isDirty ? this.#getRelativePath(document.uri) : undefined;
      if (path === undefined) continue;
      this.#unsavedPaths.add(path);
      if (this.#isIncluded(path) && (await this.#isSearchable(path)))
        await this.#searchText(path, document.getText(), program, signal);
    }
    await this.#searchFiles(program, signal);
  }

  async #searchFiles(program: string | undefined, signal: AbortSignal): Promise<void> {
    const { scope, source, root, encoding, isFile } = this.#location;
    const accepts = (path: string): boolean =>
      !this.#unsavedPaths.has(path) && this.#isIncluded(path);
    const query = this.#query;
    if (program !== undefined && root.scheme === 'file') {
      const onLine = (path: string, line: FoundLine): boolean =>
        !this.#isAccepted(path, accepts) || this.#addLine(path, line);
      const searchOptions = { program, query, signal, onLine };
      if ((await searchWithRipgrep({ ...scope, encoding }, searchOptions)) !== 'missing') return;
    }
    const onLine = (path: string, line: FoundLine): boolean => this.#addLine(path, line);
    if (isFile) return this.#scanFile(await source.read(scope.searchPath));
    await scanFiles({ source, scope, query, signal, accepts, onLine });
  }

  async #searchText(
    path: string,
    text: string,
    program: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const onLine = (line: FoundLine): boolean => this.#addLine(path, line);
    const search = { query: this.#query, signal, onLine };
    if (
      program !== undefined &&
      (await searchTextWithRipgrep(text, { ...search, program })) !== 'missing'
    )
      return;
    this.#scanText(path, text);
  }

  #scanFile(bytes: Uint8Array | undefined): void {
    const path = this.#location.scope.searchPath;
    if (bytes !== undefined && !this.#unsavedPaths.has(path))
      this.#scanText(path, new TextDecoder().decode(bytes));
  }

  #scanText(path: string, text: string): void {
    const [lines = []] = new LineSearch(this.#query).search([text]);
    lines.every((line) => this.#addLine(path, line));
  }

  #addLine(path: string, line: FoundLine): boolean {
    return this.#result.addLine(this.#location.formatLabel(path), line);
  }

  /**
   * Checks whether `accepts` accepts the path. Caches the result for the last path, because the lines of a file arrive
   * consecutively.
   */
  #isAccepted(path: string, accepts: (path: string) => boolean): boolean {
    if (path !== this.#lastPath) {
      this.#lastPath = path;
      this.#isLastAccepted = accepts(path);
    }
    return this.#isLastAccepted;
  }

  /**
   * Checks a path against the filter. Always true if the tool call names this file, because the path rules have then
   * already checked the file.
   */
  #isIncluded(path: string): boolean {
    const { outsidePath, scope } = this.#location;
    if (path === scope.searchPath) return true;
    const relativePath = path.slice(scope.searchPath === '' ? 0 : scope.searchPath.length + 1);
    if (outsidePath !== undefined && isPrivatePath(`${outsidePath}/${relativePath}`)) return false;
    return this.#filter.accepts(relativePath) && !isLikelySecret(path);
  }

  /** Returns the path relative to the root, or undefined for a file outside the searched location. */
  #getRelativePath(uri: vscode.Uri): string | undefined {
    const { root, scope } = this.#location;
    const isBelow = uri.scheme === root.scheme && uri.authority === root.authority;
    if (!isBelow || !uri.path.startsWith(`${root.path.replace(/\/$/u, '')}/`)) return undefined;
    const path = uri.path.slice(root.path.replace(/\/$/u, '').length + 1);
    const isInAllowedFolder =
      scope.searchPath === '' ||
      path === scope.searchPath ||
      path.startsWith(`${scope.searchPath}/`);
    return isInAllowedFolder ? path : undefined;
  }

  /** Checks whether a search on disk would include the file. */
  async #isSearchable(path: string): Promise<boolean> {
    const { scope, source } = this.#location;
    if (path === scope.searchPath) return true;
    const isHidden = createExclusionFilter(scope);
    const folders = listAncestorFolders(path).filter(
      (folder) => folder.length > scope.searchPath.length,
    );
    if (
      [...folders, path].some(
        (candidate) => candidate.split('/').includes('.git') || isHidden(candidate),
      )
    )
      return false;
    // A search on disk does not follow links.
    if (!(await this.#readableUris.isReadable(this.#location.toUri(path)))) return false;
    return !scope.usesIgnoreFiles || !(await isIgnoredFile(source, path));
  }
}
