import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

/**
 * Registers a provider for just those documents that get suggestions: one registration for each language and scheme
 * that is seen. A selector cannot leave something out, and a provider that gives nothing keeps others from being asked.
 */
export class DocumentSelectors implements Disposable {
  readonly #isLanguageOn: (languageId: string) => boolean;
  readonly #register: (selector: vscode.DocumentFilter) => Disposable;
  readonly #registered = new Map<
    string,
    { readonly languageId: string; readonly end: Disposable }
  >();
  readonly #opening: Disposable;

  constructor(options: {
    readonly isLanguageOn: (languageId: string) => boolean;
    readonly register: (selector: vscode.DocumentFilter) => Disposable;
  }) {
    this.#isLanguageOn = options.isLanguageOn;
    this.#register = options.register;
    this.#opening = vscode.workspace.onDidOpenTextDocument((document) => this.#add(document));
    this.update();
  }

  /** Registers and lets go, as languages are on or off now. */
  update(): void {
    for (const [name, { languageId, end }] of this.#registered) {
      if (this.#isLanguageOn(languageId)) continue;
      end.dispose();
      this.#registered.delete(name);
    }
    for (const document of vscode.workspace.textDocuments) this.#add(document);
  }

  /** Whether the editor asks the provider for suggestions in the document. */
  serves(document: Pick<vscode.TextDocument, 'languageId' | 'uri'>): boolean {
    return this.#registered.has(selectorKey(document));
  }

  dispose(): void {
    this.#opening.dispose();
    for (const { end } of this.#registered.values()) end.dispose();
    this.#registered.clear();
  }

  #add(document: vscode.TextDocument): void {
    const { languageId } = document;
    const { scheme } = document.uri;
    const name = selectorKey(document);
    if (this.#registered.has(name) || !isUserDocumentScheme(scheme)) return;
    if (!this.#isLanguageOn(languageId)) return;
    const end = this.#register({ language: languageId, scheme });
    this.#registered.set(name, { languageId, end });
  }
}

const selectorKey = ({
  languageId,
  uri,
}: Pick<vscode.TextDocument, 'languageId' | 'uri'>): string => `${uri.scheme} ${languageId}`;

/** Whether a person writes documents of this scheme: files of any kind, new ones, cells of notebooks. */
export function isUserDocumentScheme(scheme: string): boolean {
  if (written.has(scheme)) return true;
  return !others.has(scheme) && vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}

const written: ReadonlySet<string> = new Set([
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
]);

/** What can be written but is no document of the person's work: settings, input boxes, logs, comments, the past. */
const others: ReadonlySet<string> = new Set([
  'vscode-userdata',
  'vscode-settings',
  'vscode-scm',
  'vscode-interactive-input',
  'vscode-chat-input',
  'chatSessionInput',
  'search-editor',
  'output',
  'comment',
  'debug',
  'git',
  'inmemory',
  'walkThroughSnippet',
]);
