import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { SnippetIndex, snippetLimits } from '../snippet-index.ts';
import type { Snapshot } from '../../snapshot.ts';
import type { FileRules } from './file-rules.ts';
import { listTabUris, openDocument, pathForModel } from '../../../workspace/vscode/documents.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';

/** Idle time before the first document is read, and interval between two documents, in milliseconds. */
const idleMs = 400;
const intervalMs = 20;
/** Maximum number of characters per line that the index uses. */
const maxLineLength = 200;

/** Provides similar text from the documents in open tabs. Reads one document at a time while the user is idle. */
export class OpenTabs implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #index = new SnippetIndex();
  /** Paths of indexed documents by URI, and URIs by path. The index returns only the path of a snippet. */
  readonly #paths = new Map<string, string>();
  readonly #uris = new Map<string, vscode.Uri>();
  /** URIs of the documents that must be read. */
  readonly #unreadUris = new Set<string>();
  #cancel = (): void => {};
  #isDisposed = false;

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#clock = clock;
    const { window, workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument(({ document }) => this.#handleDocumentChange(document)),
    );
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#drop(uri.toString())));
    const update = (): void => this.#updateTabs();
    this.#owned.add(window.onDidChangeVisibleTextEditors(update));
    this.#owned.add(window.tabGroups.onDidChangeTabs(update));
    this.#owned.add(workspace.onDidGrantWorkspaceTrust(update));
    this.#owned.add(
      rules.onDidChange(() => {
        for (const uriText of this.#paths.keys()) this.#drop(uriText);
        update();
      }),
    );
    update();
  }

  getSnippets(_: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[] {
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

  /** Schedules a read. Does not read immediately, because this method runs on every key press. */
  #handleDocumentChange({ uri }: vscode.TextDocument): void {
    const uriText = uri.toString();
    if (this.#paths.has(uriText)) this.#unreadUris.add(uriText);
    if (this.#unreadUris.size > 0) this.#scheduleRead(idleMs);
  }

  #updateTabs(): void {
    if (!vscode.workspace.isTrusted) return;
    const tabUris = new Set([...listTabUris()].slice(0, snippetLimits.documents));
    for (const uriText of this.#paths.keys()) if (!tabUris.has(uriText)) this.#drop(uriText);
    for (const uriText of tabUris) if (!this.#paths.has(uriText)) this.#unreadUris.add(uriText);
    if (this.#unreadUris.size > 0) this.#scheduleRead(idleMs);
  }

  #drop(uriText: string): void {
    const path = this.#paths.get(uriText);
    this.#unreadUris.delete(uriText);
    this.#paths.delete(uriText);
    this.#index.delete(uriText);
    if (path !== undefined) this.#uris.delete(path);
  }

  #scheduleRead(ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => void this.#readNext());
  }

  async #readNext(): Promise<void> {
    const [uriText] = this.#unreadUris;
    if (uriText === undefined) return;
    this.#unreadUris.delete(uriText);
    const document = openDocument(uriText);
    if (document !== undefined) {
      await this.#rules.check(document.uri);
      if (!this.#isDisposed && !document.isClosed) this.#read(document);
    }
    if (!this.#isDisposed && this.#unreadUris.size > 0) this.#scheduleRead(intervalMs);
  }

  #read(document: vscode.TextDocument): void {
    const uriText = document.uri.toString();
    const path = pathForModel(document);
    this.#drop(uriText);
    // Two workspace folders may have the same name. Without unique paths, the source of a snippet is ambiguous.
    if (!this.#rules.isShareable(document.uri) || this.#uris.has(path)) return;
    const focusLine = getFocusLine(document);
    this.#paths.set(uriText, path);
    this.#uris.set(path, document.uri);
    this.#index.set({
      document: uriText,
      path,
      text: getTextAround(document, focusLine),
      focus: focusLine,
    });
  }
}

/** Returns the 0-based line of the cursor if the document is visible, otherwise 0. */
function getFocusLine(document: vscode.TextDocument): number {
  const editor = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  return editor?.selection.active.line ?? 0;
}

/**
 * Returns the text of the lines to index. Empty lines replace the preceding text, so that line numbers remain correct.
 * Does not read the other lines of a long document.
 */
function getTextAround(document: vscode.TextDocument, focusLine: number): string {
  const first = Math.max(0, focusLine - snippetLimits.lines / 2);
  const end = Math.min(document.lineCount, first + snippetLimits.lines);
  const lines = Array.from({ length: Math.max(0, end - first) }, (_, index) =>
    document.lineAt(first + index).text.slice(0, maxLineLength),
  );
  return '\n'.repeat(first) + lines.join('\n');
}
