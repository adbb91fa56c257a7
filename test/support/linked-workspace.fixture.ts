import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Fake of `vscode.Uri`, with only the members that the extension uses when it checks whether it may send a file to the
 * service.
 */
export class FakeUri {
  readonly authority: string;
  readonly query = '';
  readonly fragment = '';
  readonly scheme: string;
  readonly path: string;

  constructor(scheme: string, path: string, authority = '') {
    this.scheme = scheme;
    this.path = path;
    this.authority = authority;
  }

  static file(path: string): FakeUri {
    return new FakeUri('file', path);
  }

  static parse(text: string): FakeUri {
    const { protocol, pathname, host } = new URL(text);
    // VS Code keeps dot segments, but URL removes them.
    const path = text.startsWith('file://') ? text.slice('file://'.length) : pathname;
    return new FakeUri(protocol.slice(0, -1), decodeURIComponent(path), decodeURIComponent(host));
  }

  get fsPath(): string {
    return this.path;
  }

  with({
    scheme = this.scheme,
    path = this.path,
    authority = this.authority,
  }: Partial<FakeUri>): FakeUri {
    return new FakeUri(scheme, path, authority);
  }

  toString(): string {
    return `${this.scheme}://${this.authority}${this.path}`;
  }
}

/**
 * Fake of the `vscode` API, with only the members that the extension uses when it checks whether it may send a file to
 * the service. Reads real files. Records dialogs, and answers them from `dialogAnswers` in order.
 */
export class FakeEditor {
  readonly shownDialogs: { readonly question: string; readonly detail: string }[] = [];
  readonly dialogAnswers: string[] = [];
  readonly SymbolKind = {};
  readonly l10n = {
    t: (text: string, ...args: unknown[]): string =>
      text.replaceAll(/\{(\d)\}/gu, (_, index: string) => String(args[Number(index)])),
  };
  readonly workspace = {
    isTrusted: true,
    getConfiguration: () => ({ inspect: () => ({}) }),
    workspaceFolders: [] as { readonly uri: FakeUri; readonly name: string }[],
    notebookDocuments: [] as unknown[],
    getWorkspaceFolder: ({ scheme, path }: FakeUri): unknown =>
      this.workspace.workspaceFolders.find(
        ({ uri }) => uri.scheme === scheme && path.startsWith(`${uri.path}/`),
      ),
    asRelativePath: ({ path }: FakeUri): string =>
      path.replace(`${this.workspace.workspaceFolders[0]?.uri.path}/`, ''),
    openTextDocument: async (uri: FakeUri) => ({ uri, languageId: 'plain', getText: () => 'text' }),
    fs: { stat: async ({ path }: FakeUri) => ({ type: this.statTypes[path] ?? 2 }) },
  };
  readonly window = {
    visibleTextEditors: [],
    showInformationMessage: async (question: string): Promise<undefined> => {
      this.shownDialogs.push({ question, detail: '' });
    },
    showWarningMessage: async (
      question: string,
      { detail = '' }: { readonly detail?: string },
    ): Promise<string | undefined> => {
      this.shownDialogs.push({ question, detail });
      return this.dialogAnswers.shift();
    },
  };
  readonly env = { remoteName: undefined as string | undefined };
  readonly languages = {
    getDiagnostics: () => [{ range: { start: { line: 0 } }, message: 'A problem' }],
  };
  readonly FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
  readonly FileSystemError = Error;
  readonly Uri = FakeUri;
  readonly Location = class {
    readonly uri: FakeUri | undefined = undefined;
  };
  readonly MarkdownString = class {
    value = '';
    appendText(text: string): this {
      this.value += text;
      return this;
    }
  };
  /** File types that `stat` returns, by path of the URI. For other paths, `stat` returns the type of a folder. */
  statTypes: Readonly<Record<string, number>> = {};
}

export const editor = new FakeEditor();

/**
 * Temporary folder with symbolic links. The workspace folder of {@link editor} is the link `work`. Use `using` to
 * delete the folder.
 */
export class LinkedWorkspace implements Disposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'linked-')));

  constructor(links: Readonly<Record<string, string>> = {}) {
    for (const path of ['home/.ssh/id_rsa', 'home/notes.md', 'real/.env', 'real/deep/a.ts']) {
      mkdirSync(dirname(this.toPath(path)), { recursive: true });
      writeFileSync(this.toPath(path), 'text');
    }
    symlinkSync(this.toPath('real'), this.toPath('work'));
    for (const [path, target] of Object.entries(links))
      symlinkSync(
        existsSync(this.toPath(target)) ? this.toPath(target) : target,
        this.toPath(path),
      );
    editor.workspace.workspaceFolders = [{ uri: this.getUri('work'), name: 'work' }];
    editor.workspace.isTrusted = true;
  }

  toPath(path: string): string {
    return join(this.#root, path);
  }

  getUri(path: string): FakeUri {
    return FakeUri.file(`${this.#root}/${path}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true });
    editor.shownDialogs.length = 0;
    editor.dialogAnswers.length = 0;
    editor.env.remoteName = undefined;
  }
}
