import { rmSync } from 'node:fs';
import * as vscode from 'vscode';
import type { CompletionContext } from '../../src/completion/vscode/suggestion-state.ts';
import { InlineProvider } from '../../src/completion/vscode/inline-provider.ts';
import { InlineSuggestions } from '../../src/completion/vscode/inline-suggestions.ts';
import type { Host } from '../../src/host.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { setChoiceState } from '../../src/platform/settings.ts';
import {
  type AccountFixture,
  createAccountFixture,
  type FixtureOptions,
} from './account-fixture.ts';
import { makeFolder } from './workspace-folder.ts';

/** Inline suggestions in the real extension host. The test requests suggestions in place of VS Code. */
export interface CompletionFixture extends AccountFixture, CompletionContext {
  readonly suggestions: InlineSuggestions;
  readonly providers: ProviderProbe;
  /** A new folder in the open workspace. */
  readonly folder: vscode.Uri;
  /** Writes a file into the folder and opens it without an editor. The character `|` in `text` marks the cursor. */
  openAtCursor(name: string, text: string): Promise<CursorPosition>;
  /** Requests suggestions at this position, with the arguments that VS Code would pass. */
  requestSuggestions(
    cursor: CursorPosition,
    requestOptions?: RequestOptions,
  ): Promise<readonly vscode.InlineCompletionItem[]>;
}

export interface CursorPosition {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

export interface RequestOptions {
  readonly isExplicit?: boolean;
  readonly selectedCompletion?: vscode.SelectedCompletionInfo;
  readonly token?: vscode.CancellationToken;
}

export async function createCompletionFixture(
  options: FixtureOptions = {},
): Promise<CompletionFixture> {
  const fixture = createAccountFixture(options);
  const { account, log } = fixture;
  // The engine reads only those host properties that the fixture has.
  const context = fixture.context as unknown as vscode.ExtensionContext;
  setChoiceState(context.globalState);
  const models = createModelCatalog({ context, account, log });
  const host: Host = {
    context,
    log,
    account,
    models,
    isMintPreapproved: false,
    accountEnvironment: {},
    service: account.service,
  };
  await account.readKey();
  const providers = new ProviderProbe();
  const suggestions = new InlineSuggestions(host);
  suggestions.start();
  await suggestions.updateRuntime();
  const path = makeFolder('completion');
  const folder = vscode.Uri.file(path);
  return {
    ...fixture,
    host,
    suggestions,
    providers,
    folder,
    async openAtCursor(name, text) {
      const uri = vscode.Uri.joinPath(folder, name);
      const cursorIndex = text.indexOf('|');
      const content = text.replace('|', '');
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
      const document = await vscode.workspace.openTextDocument(uri);
      return {
        document,
        position: document.positionAt(cursorIndex < 0 ? content.length : cursorIndex),
      };
    },
    requestSuggestions: (cursor, requestOptions) =>
      providers.requestSuggestions(cursor, requestOptions),
    [Symbol.dispose]() {
      suggestions.dispose();
      providers[Symbol.dispose]();
      models.dispose();
      fixture[Symbol.dispose]();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

interface ProviderRegistration {
  readonly selector: vscode.DocumentSelector;
  readonly provider: vscode.InlineCompletionItemProvider;
}

type RegisterProvider = typeof vscode.languages.registerInlineCompletionItemProvider;

/** Captures the suggestion providers that the code under test registers. VS Code never calls a captured provider. */
export class ProviderProbe implements Disposable {
  readonly registrations = new Set<ProviderRegistration>();
  readonly #register = vscode.languages.registerInlineCompletionItemProvider;

  constructor() {
    const register: RegisterProvider = (selector, provider) => {
      // The test does not capture providers of the installed extension, whose files have other
      // paths.
      if (!(provider instanceof InlineProvider)) return this.#register(selector, provider);
      const registration = { selector, provider };
      this.registrations.add(registration);
      return new vscode.Disposable(() => this.registrations.delete(registration));
    };
    Object.assign(vscode.languages, { registerInlineCompletionItemProvider: register });
  }

  /**
   * Returns the provider that VS Code would call for the document. Returns undefined if it would call none.
   * @throws Error if VS Code would call several providers
   */
  findProvider(document: vscode.TextDocument): vscode.InlineCompletionItemProvider | undefined {
    const matches = [...this.registrations].filter(
      ({ selector }) => vscode.languages.match(selector, document) > 0,
    );
    if (matches.length > 1)
      throw new Error(`${matches.length} providers for ${document.languageId}`);
    return matches[0]?.provider;
  }

  async requestSuggestions(
    cursor: CursorPosition,
    requestOptions?: RequestOptions,
  ): Promise<readonly vscode.InlineCompletionItem[]> {
    const provider = this.findProvider(cursor.document);
    return provider === undefined ? [] : requestFromProvider(provider, cursor, requestOptions);
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.languages, { registerInlineCompletionItemProvider: this.#register });
  }
}

const createNeverCanceledToken = (): vscode.CancellationToken =>
  new vscode.CancellationTokenSource().token;

/** Requests suggestions with the arguments that VS Code would pass. */
export async function requestFromProvider(
  provider: vscode.InlineCompletionItemProvider,
  { document, position }: CursorPosition,
  {
    isExplicit = false,
    selectedCompletion,
    token = createNeverCanceledToken(),
  }: RequestOptions = {},
): Promise<readonly vscode.InlineCompletionItem[]> {
  const { Invoke, Automatic } = vscode.InlineCompletionTriggerKind;
  const context = {
    triggerKind: isExplicit ? Invoke : Automatic,
    selectedCompletionInfo: selectedCompletion,
  } as vscode.InlineCompletionContext;
  const items = await provider.provideInlineCompletionItems(document, position, context, token);
  return Array.isArray(items) ? items : (items?.items ?? []);
}
