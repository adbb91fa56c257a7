import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { readDeclaration } from '../outline.ts';
import { type NearbySymbol, findNearbySymbols } from '../symbols-near.ts';
import { type FileRules, readShareableText } from './file-rules.ts';
import {
  getErrorName,
  SnippetCache,
  type FileSnippet,
  type SnippetSource,
} from './snippet-cache.ts';
import type { Snapshot } from '../../snapshot.ts';
import { takeSnapshot } from '../../vscode/take-snapshot.ts';
import { getFilePath } from '../../../workspace/vscode/documents.ts';

/** Document and position of a cursor that has not moved for some time. */
export interface IdleCursor {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  /** Returns true if the cursor has not moved since this position was reported. */
  readonly isUnmoved: () => boolean;
}

export interface CursorIdleOptions {
  readonly clock: Clock;
  /** Idle time of the cursor in milliseconds after which `onIdle` is called. */
  readonly idleMs: number;
  /** Called when the cursor has not moved for the idle time. Must not reject. */
  readonly onIdle: (cursor: IdleCursor) => Promise<void>;
}

/** Reports when the cursor of the active editor stops moving. Reports nothing in an untrusted workspace. */
export class CursorIdleTimer implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #options: CursorIdleOptions;
  #cancelIdleTimer = (): void => {};
  /** Number of cursor moves since creation. */
  #moveCount = 0;

  constructor(options: CursorIdleOptions) {
    this.#options = options;
    const { window } = vscode;
    this.#disposables.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        // Inactive editors also report selections.
        if (textEditor === window.activeTextEditor) this.restart();
      }),
    );
    this.#disposables.add(window.onDidChangeActiveTextEditor(() => this.restart()));
    this.restart();
  }

  /** Starts the idle time again, for example after a cursor move. */
  restart(): void {
    this.#moveCount += 1;
    this.#cancelIdleTimer();
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const moveCount = this.#moveCount;
    const { document } = editor;
    const isUnmoved = (): boolean => this.#moveCount === moveCount && !document.isClosed;
    this.#cancelIdleTimer = this.#options.clock.after(this.#options.idleMs, () => {
      const position = editor.selection.active;
      if (!document.isClosed) void this.#options.onIdle({ document, position, isUnmoved });
    });
  }

  dispose(): void {
    this.#moveCount += 1;
    this.#cancelIdleTimer();
    this.#disposables.dispose();
  }
}

/** Location of a declaration: a file and the 0-based first line. */
export interface Definition {
  readonly uri: vscode.Uri;
  readonly line: number;
}

/**
 * Requests the declaration of the symbol at a position from the language services.
 * @returns the location in another file; undefined if none exists
 * @throws if a language service fails
 */
export async function findDefinition(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<Definition | undefined> {
  const locations = await vscode.commands.executeCommand<
    readonly (vscode.Location | vscode.LocationLink)[] | undefined
  >('vscode.executeDefinitionProvider', document.uri, position);
  return locations?.map(toDefinition).find(({ uri }) => uri.toString() !== document.uri.toString());
}

function toDefinition(location: vscode.Location | vscode.LocationLink): Definition {
  if ('targetUri' in location)
    return { uri: location.targetUri, line: location.targetRange.start.line };
  return { uri: location.uri, line: location.range.start.line };
}

/** Idle time of the cursor in milliseconds after which language services are called. */
const idleMs = 150;
/** Time limit in milliseconds for looking up all symbols near a cursor position. */
const lookupTimeLimitMs = 300;
/** Time in milliseconds after which an unanswered call to a language service no longer prevents other calls. */
const lookupExpiryMs = 10_000;
const maxLookups = 8;

export interface NearbyDefinitionsOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Provides declarations of symbols near the cursor from other files. Calls the language services one at a time while
 * the cursor is idle. Does not use hover texts, because they may contain text from files that may not be shared.
 */
export class NearbyDefinitions implements SnippetSource, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #cache: SnippetCache;
  /**
   * Id of the lookup that a language service has not answered yet, if any. Prevents other lookups, because VS Code
   * cannot cancel a call to a language service.
   */
  #pendingLookupId: symbol | undefined;

  constructor({ rules, clock, log }: NearbyDefinitionsOptions) {
    this.#rules = rules;
    this.#clock = clock;
    this.#log = log;
    this.#cache = new SnippetCache(clock);
    this.#disposables.add(
      new CursorIdleTimer({
        clock,
        idleMs,
        onIdle: (cursor) => this.#gatherDefinitions(cursor),
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
    this.#disposables.add(rules.onDidChange(() => this.#cache.clear()));
  }

  getSnippets({ uri }: vscode.TextDocument, snapshot: Snapshot): readonly FileSnippet[] {
    if (!this.#cache.has(uri)) return [];
    return findNearbySymbols(snapshot).flatMap(({ name }) => this.#cache.get(uri, name) ?? []);
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#cache.clear();
  }

  async #gatherDefinitions({ document, position, isUnmoved }: IdleCursor): Promise<void> {
    if ((await this.#rules.check(document.uri)) !== undefined) return;
    const deadline = this.#clock.now() + lookupTimeLimitMs;
    const nearbySymbols = findNearbySymbols(takeSnapshot(document, position, {}));
    const dueSymbols = nearbySymbols.filter(({ name }) => this.#cache.isDue(document.uri, name));
    for (const symbol of dueSymbols.slice(0, maxLookups)) {
      const remainingMs = deadline - this.#clock.now();
      if (
        !isUnmoved() ||
        document.isClosed ||
        this.#pendingLookupId !== undefined ||
        remainingMs <= 0
      )
        return;
      await this.#waitForLookups(remainingMs, this.#lookUpDefinition(document, symbol));
    }
  }

  /** Looks up the declaration of a symbol. Stores the result even if it arrives after the time limit. Never rejects. */
  async #lookUpDefinition(
    document: vscode.TextDocument,
    { name, position }: NearbySymbol,
  ): Promise<void> {
    const lookupId = Symbol(name);
    this.#pendingLookupId = lookupId;
    const clearPendingLookup = (): void => {
      if (this.#pendingLookupId === lookupId) this.#pendingLookupId = undefined;
    };
    const cancelTimeout = this.#clock.after(lookupExpiryMs, clearPendingLookup);
    const startedAt = this.#cache.getNow();
    try {
      const snippet = await this.#findDefinitionSnippet(
        document,
        new vscode.Position(position.line, position.character),
      );
      this.#cache.set(document.uri, name, { fileSnippet: snippet, startedAt });
    } catch (error) {
      this.#cache.set(document.uri, name, { fileSnippet: undefined, startedAt });
      this.#log(`No definition: ${getErrorName(error)}`);
    } finally {
      cancelTimeout();
      clearPendingLookup();
    }
  }

  async #findDefinitionSnippet(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<FileSnippet | undefined> {
    const definition = await findDefinition(document, position);
    const text = definition && (await readShareableText(this.#rules, definition.uri));
    if (definition === undefined || text === undefined) return undefined;
    const declaration = readDeclaration(text.split('\n'), definition.line);
    if (declaration === '') return undefined;
    const { uri } = definition;
    return { uri, snippet: { kind: 'definition', path: getFilePath(uri), text: declaration } };
  }

  /** Resolves when `lookupsPromise` resolves, but at the latest after `timeoutMs` milliseconds. */
  #waitForLookups(timeoutMs: number, lookupsPromise: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, resolve);
      void lookupsPromise.then(() => {
        cancel();
        return resolve();
      });
    });
  }
}
