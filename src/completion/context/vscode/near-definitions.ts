import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { declarationText } from '../outline.ts';
import { type NearbySymbol, findNearbySymbols } from '../symbols-near.ts';
import { CursorIdleTimer, type IdleCursor } from './cursor-rest.ts';
import { type FileRules, shareableText } from './file-rules.ts';
import {
  errorName,
  SnippetCache,
  type SourcedSnippet,
  type SnippetSource,
} from './snippet-cache.ts';
import type { Snapshot } from '../../snapshot.ts';
import { takeSnapshot } from '../../vscode/take-snapshot.ts';
import { pathOfFile } from '../../../workspace/vscode/documents.ts';

/** Location of a declaration: a file and its first line. */
export interface Definition {
  readonly uri: vscode.Uri;
  readonly line: number;
}

/**
 * Returns the location of the declaration of the symbol at a position, according to the language services.
 * @returns undefined without a result; errors are thrown
 */
export async function findDefinition(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<Definition | undefined> {
  const found = await vscode.commands.executeCommand<
    readonly (vscode.Location | vscode.LocationLink)[] | undefined
  >('vscode.executeDefinitionProvider', document.uri, position);
  return found?.map(definitionOf).find(({ uri }) => uri.toString() !== document.uri.toString());
}

function definitionOf(found: vscode.Location | vscode.LocationLink): Definition {
  if ('targetUri' in found) return { uri: found.targetUri, line: found.targetRange.start.line };
  return { uri: found.uri, line: found.range.start.line };
}

/** Idle time in milliseconds before language services are called. */
const idleMs = 150;
/** Time limit for all symbols near one position, in milliseconds. */
const budgetMs = 300;
/** Time after which a call counts as lost, in milliseconds. */
const lostAfterMs = 10_000;
const maxLookups = 8;

export interface NearbyDefinitionsOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Gathers declarations, in other files, of the symbols near the cursor from the language services while the cursor
 * is idle. Calls run one at a time. Hover texts are not used, since they may contain a value from a file that may
 * not be shared.
 */
export class NearbyDefinitions implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #cache: SnippetCache;
  /** Call without a result yet. It cannot be canceled. */
  #pendingLookup: symbol | undefined;

  constructor({ rules, clock, log }: NearbyDefinitionsOptions) {
    this.#rules = rules;
    this.#clock = clock;
    this.#log = log;
    this.#cache = new SnippetCache(clock);
    this.#owned.add(
      new CursorIdleTimer({ clock, ms: idleMs, onIdle: (cursor) => this.#gather(cursor) }),
    );
    const { workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => this.#cache.changed(document.uri)),
    );
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#cache.closed(uri)));
    this.#owned.add(rules.onDidChange(() => this.#cache.clear()));
  }

  snippets({ uri }: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[] {
    if (!this.#cache.has(uri)) return [];
    return findNearbySymbols(snapshot).flatMap(({ name }) => this.#cache.get(uri, name) ?? []);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#cache.clear();
  }

  async #gather({ document, position, isHere }: IdleCursor): Promise<void> {
    if ((await this.#rules.check(document.uri)) !== undefined) return;
    const end = this.#clock.now() + budgetMs;
    const near = findNearbySymbols(takeSnapshot(document, position, {}));
    const unknown = near.filter(({ name }) => this.#cache.isDue(document.uri, name));
    for (const symbol of unknown.slice(0, maxLookups)) {
      const remainingMs = end - this.#clock.now();
      if (!isHere() || document.isClosed || this.#pendingLookup !== undefined || remainingMs <= 0)
        return;
      await this.#within(remainingMs, this.#lookUp(document, symbol));
    }
  }

  /** Never rejects. Late results are stored, too. */
  async #lookUp(document: vscode.TextDocument, { name, position }: NearbySymbol): Promise<void> {
    const lookup = Symbol(name);
    this.#pendingLookup = lookup;
    const done = (): void => {
      if (this.#pendingLookup === lookup) this.#pendingLookup = undefined;
    };
    const giveUp = this.#clock.after(lostAfterMs, done);
    const startedAt = this.#cache.now();
    try {
      const piece = await this.#find(
        document,
        new vscode.Position(position.line, position.character),
      );
      this.#cache.set(document.uri, name, { piece, startedAt });
    } catch (error) {
      this.#cache.set(document.uri, name, { piece: undefined, startedAt });
      this.#log(`No definition: ${errorName(error)}`);
    } finally {
      giveUp();
      done();
    }
  }

  async #find(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<SourcedSnippet | undefined> {
    const found = await findDefinition(document, position);
    const text = found && (await shareableText(this.#rules, found.uri));
    if (found === undefined || text === undefined) return undefined;
    const declaration = declarationText(text.split('\n'), found.line);
    if (declaration === '') return undefined;
    const { uri } = found;
    return { uri, snippet: { kind: 'definition', path: pathOfFile(uri), text: declaration } };
  }

  /** Resolves when the work is done or the time is over. */
  #within(ms: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      void work.then(() => {
        cancel();
        return resolve();
      });
    });
  }
}
