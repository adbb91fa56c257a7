import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { SnippetIndex, snippetLimits } from '../snippet-index.ts';
import type { Snapshot } from '../../snapshot.ts';
import type { FileRules } from './file-rules.ts';
import {
  addressesInTabs,
  openDocument,
  pathForModel,
} from '../../../workspace/vscode/documents.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';

/** Milliseconds without a change after which documents are read, and between two of them. */
const restMs = 400;
const betweenMs = 20;
/** The index takes no more of a line. */
const longestLine = 200;

/** Finds what is alike in the documents of open tabs. Reads them one after the other while nobody types. */
export class OpenTabs implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #index = new SnippetIndex();
  /** What the index holds: path by address, and the other way round, since its pieces have no address. */
  readonly #paths = new Map<string, string>();
  readonly #uris = new Map<string, vscode.Uri>();
  /** Addresses of documents that are to be read. */
  readonly #due = new Set<string>();
  #cancel = (): void => {};
  #isDisposed = false;

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#clock = clock;
    const { window, workspace } = vscode;
    this.#owned.add(workspace.onDidChangeTextDocument(({ document }) => this.#changed(document)));
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#drop(uri.toString())));
    const look = (): void => this.#lookAtTabs();
    this.#owned.add(window.onDidChangeVisibleTextEditors(look));
    this.#owned.add(window.tabGroups.onDidChangeTabs(look));
    this.#owned.add(workspace.onDidGrantWorkspaceTrust(look));
    this.#owned.add(
      rules.onDidChange(() => {
        for (const address of this.#paths.keys()) this.#drop(address);
        look();
      }),
    );
    look();
  }

  snippets(_: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[] {
    return this.#index.query(snapshot).flatMap((snippet) => {
      const uri = this.#uris.get(snippet.path);
      return uri === undefined ? [] : [{ uri, snippet }];
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#cancel();
    this.#owned.dispose();
    this.#index.clear();
  }

  /** Only notes it: it is told of every keystroke. */
  #changed({ uri }: vscode.TextDocument): void {
    const address = uri.toString();
    if (this.#paths.has(address)) this.#due.add(address);
    if (this.#due.size > 0) this.#readAfter(restMs);
  }

  #lookAtTabs(): void {
    if (!vscode.workspace.isTrusted) return;
    const shown = new Set([...addressesInTabs()].slice(0, snippetLimits.documents));
    for (const address of this.#paths.keys()) if (!shown.has(address)) this.#drop(address);
    for (const address of shown) if (!this.#paths.has(address)) this.#due.add(address);
    if (this.#due.size > 0) this.#readAfter(restMs);
  }

  #drop(address: string): void {
    const path = this.#paths.get(address);
    this.#due.delete(address);
    this.#paths.delete(address);
    this.#index.delete(address);
    if (path !== undefined) this.#uris.delete(path);
  }

  #readAfter(ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => void this.#readNext());
  }

  async #readNext(): Promise<void> {
    const [address] = this.#due;
    if (address === undefined) return;
    this.#due.delete(address);
    const document = openDocument(address);
    if (document !== undefined) {
      await this.#rules.check(document.uri);
      if (!this.#isDisposed && !document.isClosed) this.#read(document);
    }
    if (!this.#isDisposed && this.#due.size > 0) this.#readAfter(betweenMs);
  }

  #read(document: vscode.TextDocument): void {
    const address = document.uri.toString();
    const path = pathForModel(document);
    this.#drop(address);
    // Two folders may have the same name: then nobody could tell whose a piece is.
    if (!this.#rules.isShareable(document.uri) || this.#uris.has(path)) return;
    const focus = focusOf(document);
    this.#paths.set(address, path);
    this.#uris.set(path, document.uri);
    this.#index.set({ document: address, path, text: textAround(document, focus), focus });
  }
}

/** Where the person looks, or looked. */
function focusOf(document: vscode.TextDocument): number {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  return editor?.selection.active.line ?? 0;
}

/** As much as the index takes, at its line numbers: a long document is not read as a whole. */
function textAround(document: vscode.TextDocument, focus: number): string {
  const first = Math.max(0, focus - snippetLimits.lines / 2);
  const end = Math.min(document.lineCount, first + snippetLimits.lines);
  const lines = Array.from({ length: Math.max(0, end - first) }, (_, at) =>
    document.lineAt(first + at).text.slice(0, longestLine),
  );
  return '\n'.repeat(first) + lines.join('\n');
}
