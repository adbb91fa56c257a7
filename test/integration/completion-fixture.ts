import { rmSync } from 'node:fs';
import * as vscode from 'vscode';
import type { CompletionParts } from '../../src/completion/vscode/suggestion-state.ts';
import { InlineProvider } from '../../src/completion/vscode/inline-provider.ts';
import { InlineSuggestions } from '../../src/completion/vscode/inline-suggestions.ts';
import type { Host } from '../../src/host.ts';
import { createModelCatalogue } from '../../src/models/vscode/model-catalogue.ts';
import { type AccountFixture, accountFixture, type FixtureOptions } from './account-fixture.ts';
import { makeFolder } from './workspace-folder.ts';

/** Inline suggestions of their own inside the real host; the editor does not ask them, the test does. */
export interface CompletionFixture extends AccountFixture, CompletionParts {
  readonly suggestions: InlineSuggestions;
  readonly providers: ProviderProbe;
  /** A folder of its own in the opened workspace. */
  readonly folder: vscode.Uri;
  /** Writes a file into the folder and opens it, unseen; `|` is the cursor. */
  open(name: string, text: string): Promise<Place>;
  /** What the editor would get there. */
  ask(place: Place, how?: Asking): Promise<readonly vscode.InlineCompletionItem[]>;
}

export interface Place {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

export interface Asking {
  readonly isExplicit?: boolean;
  readonly selected?: vscode.SelectedCompletionInfo;
  readonly token?: vscode.CancellationToken;
}

export async function completionFixture(options: FixtureOptions = {}): Promise<CompletionFixture> {
  const fixture = accountFixture(options);
  const { account, log } = fixture;
  // They take no more of it.
  const context = fixture.context as unknown as vscode.ExtensionContext;
  const models = createModelCatalogue({ context, account, log });
  const host: Host = { context, log, account, models, service: account.service };
  await account.readKey();
  const providers = new ProviderProbe();
  const suggestions = new InlineSuggestions(host);
  suggestions.start();
  await suggestions.follow();
  const path = makeFolder('completion');
  const folder = vscode.Uri.file(path);
  return {
    ...fixture,
    host,
    suggestions,
    providers,
    folder,
    async open(name, text) {
      const uri = vscode.Uri.joinPath(folder, name);
      const at = text.indexOf('|');
      const written = text.replace('|', '');
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(written));
      const document = await vscode.workspace.openTextDocument(uri);
      return { document, position: document.positionAt(at < 0 ? written.length : at) };
    },
    ask: (place, how) => providers.ask(place, how),
    [Symbol.dispose]() {
      suggestions.dispose();
      providers[Symbol.dispose]();
      models.dispose();
      fixture[Symbol.dispose]();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

interface Registered {
  readonly selector: vscode.DocumentSelector;
  readonly provider: vscode.InlineCompletionItemProvider;
}

type Register = typeof vscode.languages.registerInlineCompletionItemProvider;

/** Takes the test's own providers in place of the editor, which would ask them by itself. */
export class ProviderProbe implements Disposable {
  readonly registered = new Set<Registered>();
  readonly #register = vscode.languages.registerInlineCompletionItemProvider;

  constructor() {
    const register: Register = (selector, provider) => {
      // The installed extension is made of other files, and goes on as it is.
      if (!(provider instanceof InlineProvider)) return this.#register(selector, provider);
      const registered = { selector, provider };
      this.registered.add(registered);
      return new vscode.Disposable(() => this.registered.delete(registered));
    };
    Object.assign(vscode.languages, { registerInlineCompletionItemProvider: register });
  }

  /** The one provider for the document; undefined when the editor would ask none. */
  of(document: vscode.TextDocument): vscode.InlineCompletionItemProvider | undefined {
    const found = [...this.registered].filter(
      ({ selector }) => vscode.languages.match(selector, document) > 0,
    );
    if (found.length > 1) throw new Error(`${found.length} providers for ${document.languageId}`);
    return found[0]?.provider;
  }

  async ask(place: Place, how?: Asking): Promise<readonly vscode.InlineCompletionItem[]> {
    const provider = this.of(place.document);
    return provider === undefined ? [] : askProvider(provider, place, how);
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.languages, { registerInlineCompletionItemProvider: this.#register });
  }
}

const neverCancelled = (): vscode.CancellationToken => new vscode.CancellationTokenSource().token;

/** Asks as the editor does. */
export async function askProvider(
  provider: vscode.InlineCompletionItemProvider,
  { document, position }: Place,
  { isExplicit = false, selected, token = neverCancelled() }: Asking = {},
): Promise<readonly vscode.InlineCompletionItem[]> {
  const { Invoke, Automatic } = vscode.InlineCompletionTriggerKind;
  const context = {
    triggerKind: isExplicit ? Invoke : Automatic,
    selectedCompletionInfo: selected,
  } as vscode.InlineCompletionContext;
  const items = await provider.provideInlineCompletionItems(document, position, context, token);
  return Array.isArray(items) ? items : (items?.items ?? []);
}
