import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

/**
 * Registers the provider for each combination of language and scheme that gets suggestions. One registration for all
 * documents is not possible, because a selector cannot exclude documents. A registered provider without results
 * prevents VS Code from calling other providers.
 */
export class DocumentSelectors implements Disposable {
  readonly #isLanguageOn: (languageId: string) => boolean;
  readonly #registerProvider: (selector: vscode.DocumentFilter) => Disposable;
  readonly #registeredPatterns = new Map<
    string,
    { readonly languageId: string; readonly registration: Disposable }
  >();
  readonly #openListener: Disposable;

  constructor(options: {
    readonly isLanguageOn: (languageId: string) => boolean;
    readonly registerProvider: (selector: vscode.DocumentFilter) => Disposable;
  }) {
    this.#isLanguageOn = options.isLanguageOn;
    this.#registerProvider = options.registerProvider;
    this.#openListener = vscode.workspace.onDidOpenTextDocument((document) =>
      this.#registerForDocument(document),
    );
    this.update();
  }

  /** Updates the registrations after a change of language settings. */
  update(): void {
    for (const [name, { languageId, registration }] of this.#registeredPatterns) {
      if (this.#isLanguageOn(languageId)) continue;
      registration.dispose();
      this.#registeredPatterns.delete(name);
    }
    for (const document of vscode.workspace.textDocuments) this.#registerForDocument(document);
  }

  /** Checks whether the provider is registered for a document. */
  isRegisteredFor(document: Pick<vscode.TextDocument, 'languageId' | 'uri'>): boolean {
    return this.#registeredPatterns.has(getSelectorKey(document));
  }

  dispose(): void {
    this.#openListener.dispose();
    for (const { registration } of this.#registeredPatterns.values()) registration.dispose();
    this.#registeredPatterns.clear();
  }

  #registerForDocument(document: vscode.TextDocument): void {
    const { languageId } = document;
    const { scheme } = document.uri;
    const name = getSelectorKey(document);
    if (this.#registeredPatterns.has(name) || !isUserDocumentScheme(scheme)) return;
    if (!this.#isLanguageOn(languageId)) return;
    const registration = this.#registerProvider({ language: languageId, scheme });
    this.#registeredPatterns.set(name, { languageId, registration });
  }
}

const getSelectorKey = ({
  languageId,
  uri,
}: Pick<vscode.TextDocument, 'languageId' | 'uri'>): string => `${uri.scheme} ${languageId}`;

/** Checks whether documents of a scheme are user documents: files, untitled documents and notebook cells. */
export function isUserDocumentScheme(scheme: string): boolean {
  if (userDocumentSchemes.has(scheme)) return true;
  return !nonUserSchemes.has(scheme) && vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}

const userDocumentSchemes: ReadonlySet<string> = new Set([
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
]);

/** Schemes of writable documents that are not user documents, such as settings, input boxes and logs. */
const nonUserSchemes: ReadonlySet<string> = new Set([
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
