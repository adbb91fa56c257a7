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

/** Where something is declared: a file, and the line on which the declaration begins. */
export interface Definition {
  readonly uri: vscode.Uri;
  readonly line: number;
}

/**
 * Asks the language services where the name at a place is declared.
 * @returns undefined when none of them knows. Their errors are thrown.
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

/** Milliseconds that the cursor rests before anybody is asked. */
const restMs = 150;
/** Milliseconds for all the symbols around one place. */
const budgetMs = 300;
/** Milliseconds after which an answer does not come any more. */
const givenUpMs = 10_000;
const mostAsked = 8;

export interface NearbyDefinitionsOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  readonly note: (line: string) => void;
}

/**
 * Declarations, in other files, of the symbols around the cursor, as the language services tell while the cursor rests.
 * They are asked one question at a time. What they show of a symbol (as a hover does) is not taken: it may spell out a
 * value from a file that may not be told of.
 */
export class NearbyDefinitions implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #note: (line: string) => void;
  readonly #known: SnippetCache;
  /** A question that was not answered: it cannot be called back. */
  #asking: symbol | undefined;

  constructor({ rules, clock, note }: NearbyDefinitionsOptions) {
    this.#rules = rules;
    this.#clock = clock;
    this.#note = note;
    this.#known = new SnippetCache(clock);
    this.#owned.add(
      new CursorIdleTimer({ clock, ms: restMs, onIdle: (place) => this.#gather(place) }),
    );
    const { workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => this.#known.changed(document.uri)),
    );
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#known.closed(uri)));
    this.#owned.add(rules.onDidChange(() => this.#known.clear()));
  }

  snippets({ uri }: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[] {
    if (!this.#known.has(uri)) return [];
    return findNearbySymbols(snapshot).flatMap(({ name }) => this.#known.get(uri, name) ?? []);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#known.clear();
  }

  async #gather({ document, position, isHere }: IdleCursor): Promise<void> {
    if ((await this.#rules.check(document.uri)) !== undefined) return;
    const end = this.#clock.now() + budgetMs;
    const near = findNearbySymbols(takeSnapshot(document, position, {}));
    const unknown = near.filter(({ name }) => this.#known.isDue(document.uri, name));
    for (const symbol of unknown.slice(0, mostAsked)) {
      const left = end - this.#clock.now();
      if (!isHere() || document.isClosed || this.#asking !== undefined || left <= 0) return;
      await this.#within(left, this.#ask(document, symbol));
    }
  }

  /** Never rejects. What comes late is kept all the same. */
  async #ask(document: vscode.TextDocument, { name, position }: NearbySymbol): Promise<void> {
    const asking = Symbol(name);
    this.#asking = asking;
    const done = (): void => {
      if (this.#asking === asking) this.#asking = undefined;
    };
    const giveUp = this.#clock.after(givenUpMs, done);
    const asked = this.#known.now();
    try {
      const piece = await this.#find(
        document,
        new vscode.Position(position.line, position.character),
      );
      this.#known.set(document.uri, name, { piece, asked });
    } catch (error) {
      this.#known.set(document.uri, name, { piece: undefined, asked });
      this.#note(`No definition: ${errorName(error)}`);
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

  /** Resolves when the work is done, or the time over. */
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
