import * as vscode from 'vscode';
import { rankPaths } from '../ranking.ts';
import { findSymbols, type NamedSymbol } from './gather-code.ts';
import { hasProblems } from './gather-workspace.ts';
import type { NamedPrompt } from './prompt-files.ts';
import type { TerminalWatch } from './terminal-watch.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import type { ContextSuggestion } from '../../protocol/composer.ts';
import { isGitAvailable } from '../../../platform/git.ts';
import { findActiveOrVisibleEditor } from '../../../platform/window.ts';
import { formatUriLabel } from '../../../workspace/vscode/labels.ts';
import { listFiles } from '../../../workspace/vscode/list-files.ts';
import type { SearchLocation } from '../../../workspace/vscode/search-scope.ts';

/** Target of a suggestion. The page receives only the suggestion's id, not its target. */
export type SuggestionTarget =
  | { readonly kind: 'file' | 'folder'; readonly uri: vscode.Uri }
  | { readonly kind: 'symbol'; readonly symbol: NamedSymbol }
  | { readonly kind: 'selection' | 'problems' | 'changes' | 'terminal' | 'codebase' }
  | { readonly kind: 'command'; readonly name: string }
  | { readonly kind: 'prompt'; readonly prompt: NamedPrompt };

export interface SuggestionText {
  readonly insert: string;
  readonly label: string;
  readonly detail?: string;
}

/** Maximum number of stored suggestions. Each further suggestion replaces the oldest one. */
const maxStoredSuggestions = 400;
const maxTextLength = 300;

/** Targets of the suggestions that were sent to the page, by suggestion id. */
export class SuggestionTargets {
  readonly #targets = new Map<string, SuggestionTarget>();
  #nextId = 0;

  addTarget(
    target: SuggestionTarget,
    { insert, label, detail = '' }: SuggestionText,
  ): ContextSuggestion {
    const id = `o${this.#nextId}`;
    this.#nextId += 1;
    this.#targets.set(id, target);
    const [oldestId] = this.#targets.keys();
    if (this.#targets.size > maxStoredSuggestions && oldestId !== undefined)
      this.#targets.delete(oldestId);
    return {
      id,
      kind: target.kind,
      insert: insert.slice(0, maxTextLength),
      label: label.slice(0, maxTextLength),
      detail: detail.slice(0, maxTextLength),
    };
  }

  findTarget(id: string): SuggestionTarget | undefined {
    return this.#targets.get(id);
  }
}

export interface MentionSources {
  readonly targets: SuggestionTargets;
  readonly files: WorkspaceFiles;
  readonly reader: WorkspaceReader;
  readonly terminals: TerminalWatch;
  /** URIs of the files attached in this window, oldest first. */
  readonly recentFiles: ReadonlySet<string>;
}

const maxSuggestedFiles = 20;
const maxOpenFiles = 8;
const maxFolders = 5;

/** Returns suggestions for the mentions that match the text after `#`. */
export async function listMentionSuggestions(
  kind: 'any' | 'file' | 'folder' | 'symbol',
  query: string,
  { sources, signal }: { readonly sources: MentionSources; readonly signal: AbortSignal },
): Promise<readonly ContextSuggestion[]> {
  if (kind === 'symbol') return listSymbolSuggestions(query, sources, signal);
  if (kind === 'folder')
    return listPathSuggestions('folder', query, { sources, signal, maxResults: maxSuggestedFiles });
  if (kind === 'file') return listFileSuggestions(query, sources, signal);
  const kindSuggestions = listKindSuggestions(query, sources);
  if (query === '') return [...kindSuggestions, ...listOpenAndRecentFiles('', sources)];
  const files = await listFileSuggestions(query, sources, signal);
  const folders = await listPathSuggestions('folder', query, {
    sources,
    signal,
    maxResults: maxFolders,
  });
  return [...kindSuggestions, ...files, ...folders];
}

function listKindSuggestions(
  query: string,
  { targets, terminals }: MentionSources,
): ContextSuggestion[] {
  const editor = findActiveOrVisibleEditor();
  const lowerQuery = query.toLowerCase();
  const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
  // A kind without results is suggested only if the user typed its full name. If the user accepts the suggestion, a
  // notice explains the empty result.
  const suggestions = [
    { kind: 'file', label: vscode.l10n.t('Choose a file'), isAvailable: hasFolder },
    { kind: 'folder', label: vscode.l10n.t('Choose a folder'), isAvailable: hasFolder },
    { kind: 'symbol', label: vscode.l10n.t('Choose a symbol'), isAvailable: hasFolder },
    {
      kind: 'selection',
      label: vscode.l10n.t('Selection'),
      isAvailable: editor?.selection.isEmpty === false || lowerQuery === 'selection',
    },
    {
      kind: 'problems',
      label: vscode.l10n.t('Problems'),
      isAvailable: hasProblems() || lowerQuery === 'problems',
    },
    {
      kind: 'changes',
      label: vscode.l10n.t('Git changes'),
      isAvailable: hasFolder && isGitAvailable(),
    },
    {
      kind: 'terminal',
      label: vscode.l10n.t('Last terminal command'),
      isAvailable: terminals.hasCommand || lowerQuery === 'terminal',
    },
    { kind: 'codebase', label: vscode.l10n.t('Codebase search'), isAvailable: hasFolder },
  ] as const;
  return suggestions
    .filter(({ kind, isAvailable }) => isAvailable && kind.startsWith(lowerQuery))
    .map(({ kind, label }) => {
      const isSearchPrefix = kind === 'file' || kind === 'folder' || kind === 'symbol';
      const insert = `#${kind}${isSearchPrefix ? ':' : ''}`;
      // A suggestion such as `#file:` only narrows the search. The user cannot accept it, so its target is unused.
      const target = isSearchPrefix
        ? ({ kind: 'command', name: '' } as const)
        : ({ kind } as const);
      return { ...targets.addTarget(target, { insert, label: insert, detail: label }), kind };
    });
}

async function listFileSuggestions(
  query: string,
  sources: MentionSources,
  signal: AbortSignal,
): Promise<readonly ContextSuggestion[]> {
  const openFileSuggestions = listOpenAndRecentFiles(query, sources);
  const fileSuggestions = await listPathSuggestions('file', query, {
    sources,
    signal,
    maxResults: maxSuggestedFiles,
  });
  const openFileKeys = new Set(
    openFileSuggestions.map(({ detail, label }) => `${label}\0${detail}`),
  );
  return [
    ...openFileSuggestions,
    ...fileSuggestions.filter(({ detail, label }) => !openFileKeys.has(`${label}\0${detail}`)),
  ];
}

/** Returns suggestions for files in open tabs, then for recently attached files. */
function listOpenAndRecentFiles(
  query: string,
  { targets, recentFiles }: MentionSources,
): readonly ContextSuggestion[] {
  const tabUris = vscode.window.tabGroups.all
    .toSorted((a, b) => Number(b.isActive) - Number(a.isActive))
    .flatMap((group) => group.tabs.toSorted((a, b) => Number(b.isActive) - Number(a.isActive)))
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const recentUris = [...recentFiles]
    .toReversed()
    .map((uriText) => vscode.Uri.parse(uriText, true));
  const entries = new Map<string, WorkspaceEntry>();
  for (const uri of [...tabUris, ...recentUris]) {
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) continue;
    if (!entries.has(uri.toString()))
      entries.set(uri.toString(), { uri, label: formatUriLabel(uri) });
  }
  return rankPaths(query, entries.values(), {
    getPath: ({ label }) => label,
    maxResults: maxOpenFiles,
  }).map((entry) => createPathSuggestion('file', entry, targets));
}

async function listPathSuggestions(
  kind: 'file' | 'folder',
  query: string,
  {
    sources: { files, targets },
    signal,
    maxResults,
  }: {
    readonly sources: MentionSources;
    readonly signal: AbortSignal;
    readonly maxResults: number;
  },
): Promise<readonly ContextSuggestion[]> {
  const listedFiles = await files.listPaths(kind, signal);
  return rankPaths(query, listedFiles, { getPath: ({ label }) => label, maxResults }).map(
    (listedPath) => createPathSuggestion(kind, toWorkspaceEntry(listedPath), targets),
  );
}

function createPathSuggestion(
  kind: 'file' | 'folder',
  { label, uri }: WorkspaceEntry,
  targets: SuggestionTargets,
): ContextSuggestion {
  const slashIndex = label.lastIndexOf('/');
  const name = label.slice(slashIndex + 1);
  return targets.addTarget(
    { kind, uri },
    {
      insert: formatMention(kind, name),
      label: name,
      detail: label.slice(0, Math.max(0, slashIndex)),
    },
  );
}

async function listSymbolSuggestions(
  query: string,
  { targets, reader: { clock } }: MentionSources,
  signal: AbortSignal,
): Promise<readonly ContextSuggestion[]> {
  const visibleDocument = findActiveOrVisibleEditor()?.document;
  const foundSymbols = await findSymbols(query, { visibleDocument, clock, signal });
  return foundSymbols.map((symbol) => createSymbolSuggestion(symbol, targets));
}

function createSymbolSuggestion(
  symbol: NamedSymbol,
  targets: SuggestionTargets,
): ContextSuggestion {
  const { name, kind, uri, range } = symbol;
  const kindName = (vscode.SymbolKind[kind] ?? '').toLowerCase();
  return targets.addTarget(
    { kind: 'symbol', symbol },
    {
      insert: formatMention('symbol', name),
      label: name,
      detail: `${kindName} · ${formatUriLabel(uri)}:${range.start.line + 1}`,
    },
  );
}

/** Returns the text of a mention in the message, such as `#file:my-notes.md` for the file `my notes.md`. */
const formatMention = (kind: string, name: string): string =>
  `#${kind}:${name.replaceAll(/\s+/gu, '-')}`;

/** File or folder of the workspace that the user can mention with `#`. */
export interface WorkspaceEntry {
  /** Path relative to the workspace folder. Starts with the folder's name if the workspace has several folders. */
  readonly label: string;
  readonly uri: vscode.Uri;
}

interface ListedPath {
  readonly label: string;
  readonly path: string;
  readonly root: SearchLocation;
}

interface PathListing {
  readonly listedAt: number;
  readonly files: readonly ListedPath[];
  readonly folders: readonly ListedPath[];
}

/** Maximum number of listed files. Files above the limit cannot be suggested. */
const maxListedFiles = 50_000;
/** Lifetime of the cached list in milliseconds, about the time that a user needs to type a name. */
const cacheLifetimeMs = 10_000;

/** Lists the files and folders of the workspace, and caches the list for a few seconds. */
export class WorkspaceFiles {
  readonly #reader: WorkspaceReader;
  #cachedListing: PathListing | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
  }

  /**
   * Returns the paths of all files or all folders in the workspace, except hidden and ignored ones. The list is
   * incomplete if the signal aborts. {@link toWorkspaceEntry} adds the URI to a listed path.
   */
  async listPaths(kind: 'file' | 'folder', signal: AbortSignal): Promise<readonly ListedPath[]> {
    const { files, folders } = await this.#getListing(signal);
    return kind === 'file' ? files : folders;
  }

  async #getListing(signal: AbortSignal): Promise<PathListing> {
    const now = this.#reader.clock.now();
    if (this.#cachedListing !== undefined && now - this.#cachedListing.listedAt < cacheLifetimeMs)
      return this.#cachedListing;
    const files: ListedPath[] = [];
    const folders = new Map<string, ListedPath>();
    const ripgrepPath = await this.#reader.tools.getRipgrepPath();
    const limitController = new AbortController();
    for (const root of await this.#reader.listFolders()) {
      await listFiles(root, {
        program: ripgrepPath,
        signal: AbortSignal.any([signal, limitController.signal]),
        onPath(path) {
          if (files.length >= maxListedFiles) return limitController.abort();
          files.push({ label: root.formatLabel(path), path, root });
          addFolders(folders, path, root);
        },
      });
    }
    const listing = { listedAt: now, files, folders: [...folders.values()] };
    if (!signal.aborted) this.#cachedListing = listing;
    return listing;
  }
}

export const toWorkspaceEntry = ({ label, path, root }: ListedPath): WorkspaceEntry => ({
  label,
  uri: root.toUri(path),
});

/** Adds all folders in the path of a file to `folders`, except the root itself. */
function addFolders(folders: Map<string, ListedPath>, file: string, root: SearchLocation): void {
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
    const path = file.slice(0, end);
    const label = root.formatLabel(path);
    if (folders.has(label)) return;
    folders.set(label, { label, path, root });
  }
}
