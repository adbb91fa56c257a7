import * as vscode from 'vscode';
import type { Attachment } from '../../../conversation/conversation.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { findActiveOrVisibleEditor } from '../../../platform/window.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { mayContainSecrets } from '../../../workspace/vscode/send-consent.ts';

/**
 * Prompt that the empty chat suggests. `attachmentSource` determines what the prompt attaches, such as the selection in
 * a file; absent if the prompt attaches nothing.
 */
export interface SuggestedPrompt {
  readonly text: string;
  readonly attachmentSource?: { readonly kind: Attachment['kind']; readonly uri: vscode.Uri };
}

const maxSuggestedPrompts = 3;
const readmeFilesPattern = /^readme(\.\w+)?$/iu;
const manifestFilesPattern = /^(package\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml)$/iu;

/** Files that describe the first workspace folder, such as its README. */
interface FolderFiles {
  readonly folder: string;
  readonly readme?: vscode.Uri | undefined;
  readonly manifest?: vscode.Uri | undefined;
}

/**
 * Suggests prompts about the open editor and the first workspace folder. All paths in the prompts exist. Without a
 * folder or in an untrusted workspace, suggests only general prompts.
 */
export class SuggestedPrompts {
  #folderFiles: FolderFiles | undefined;
  #listedPrompts: readonly SuggestedPrompt[] = [];
  /** Prompts of the previous list. The page shows these prompts until it receives the current list. */
  #previousPrompts: readonly SuggestedPrompt[] = [];

  /** Finds the files that describe the first workspace folder, such as its README. */
  async loadFolderFiles(): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined || this.#folderFiles?.folder === folder.uri.toString()) return;
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder.uri)).catch(
      () => [],
    );
    const findEntry = (pattern: RegExp): vscode.Uri | undefined => {
      const [name] = entries.find(([entryName]) => pattern.test(entryName)) ?? [];
      return name === undefined ? undefined : vscode.Uri.joinPath(folder.uri, name);
    };
    this.#folderFiles = {
      folder: folder.uri.toString(),
      readme: findEntry(readmeFilesPattern),
      manifest: findEntry(manifestFilesPattern),
    };
  }

  /** Returns up to three prompts for the current editor and folder. */
  listPrompts(): readonly SuggestedPrompt[] {
    const editor = findActiveOrVisibleEditor();
    const isTrusted = vscode.workspace.isTrusted;
    const editorPrompts = editor === undefined || !isTrusted ? [] : createEditorPrompts(editor);
    const folderPrompts = isTrusted ? this.#createFolderPrompts() : [];
    this.#previousPrompts = this.#listedPrompts;
    this.#listedPrompts = [...editorPrompts, ...folderPrompts, ...createGeneralPrompts()].slice(
      0,
      maxSuggestedPrompts,
    );
    return this.#listedPrompts;
  }

  /**
   * Returns the prompt with this text from the current or the previous list, even if another file is open now.
   */
  findPrompt(text: string): SuggestedPrompt | undefined {
    return [...this.#listedPrompts, ...this.#previousPrompts].find(
      (prompt) => prompt.text === text,
    );
  }

  #createFolderPrompts(): readonly SuggestedPrompt[] {
    const { readme, manifest } = this.#folderFiles ?? {};
    return [
      ...(readme === undefined
        ? []
        : [
            createFilePrompt(vscode.l10n.t('Summarize {0}', getRelativePath(readme)), readme),
            createFilePrompt(
              vscode.l10n.t('What is missing in {0}?', getRelativePath(readme)),
              readme,
            ),
          ]),
      ...(manifest === undefined
        ? []
        : [createFilePrompt(vscode.l10n.t('Explain {0}', getRelativePath(manifest)), manifest)]),
    ];
  }
}

const createFilePrompt = (text: string, uri: vscode.Uri): SuggestedPrompt => ({
  text,
  attachmentSource: { kind: 'file', uri },
});

const getRelativePath = (uri: vscode.Uri): string => vscode.workspace.asRelativePath(uri);

function createEditorPrompts({
  document,
  selection,
}: vscode.TextEditor): readonly SuggestedPrompt[] {
  const { uri } = document;
  if (document.isUntitled || isLikelySecret(uri.path)) return [];
  const path = getRelativePath(uri);
  const suggestions: SuggestedPrompt[] = [];
  if (!selection.isEmpty) {
    const text = vscode.l10n.t('Explain the selection in {0}', path);
    suggestions.push({ text, attachmentSource: { kind: 'selection', uri } });
  }
  if (vscode.languages.getDiagnostics(uri).length > 0) {
    const text = vscode.l10n.t('How do I fix the problems of {0}?', path);
    suggestions.push({ text, attachmentSource: { kind: 'problems', uri } });
  }
  return [
    ...suggestions,
    createFilePrompt(vscode.l10n.t('Explain {0}', path), uri),
    ...(untestedLanguages.has(document.languageId)
      ? []
      : [createFilePrompt(vscode.l10n.t('Write tests for {0}', path), uri)]),
    createFilePrompt(vscode.l10n.t('What could go wrong in {0}?', path), uri),
  ];
}

/** Languages of text and data files. The chat does not suggest tests for files in these languages. */
const untestedLanguages: ReadonlySet<string> = new Set([
  ...['asciidoc', 'bibtex', 'git-commit', 'latex', 'markdown', 'mdx', 'plaintext', 'quarto', 'rmd'],
  ...['restructuredtext', 'tex', 'typst'],
  ...[
    'csv',
    'css',
    'diff',
    'dockercompose',
    'dockerfile',
    'dotenv',
    'html',
    'ignore',
    'ini',
    'json',
  ],
  ...['json5', 'jsonc', 'jsonl', 'less', 'log', 'properties', 'scss', 'svg', 'toml', 'xml', 'yaml'],
]);

const createGeneralPrompts = (): readonly SuggestedPrompt[] => [
  { text: vscode.l10n.t('What can you help me with?') },
  { text: vscode.l10n.t('Write a regular expression that matches an ISO date') },
  { text: vscode.l10n.t('Compare two ways to structure a small web service') },
];

/**
 * File of the active or visible editor that the composer offers to attach. Never a file that is outside the
 * workspace, may contain secrets, or belongs to an untrusted workspace.
 */
export class ActiveFileSuggestion implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #onChange: () => void;
  #uri: vscode.Uri | undefined;
  #latestCheckNumber = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    const update = (): void => void this.#updateSuggestion();
    this.#disposables.add(vscode.window.onDidChangeActiveTextEditor(update));
    this.#disposables.add(vscode.window.onDidChangeVisibleTextEditors(update));
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(update));
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(update));
    update();
  }

  get uri(): vscode.Uri | undefined {
    return this.#uri;
  }

  /** Path of the offered file relative to its workspace folder. Null if no file is offered. */
  get label(): string | null {
    return this.#uri === undefined ? null : getRelativePath(this.#uri).slice(0, 300);
  }

  dispose(): void {
    this.#latestCheckNumber += 1;
    this.#disposables.dispose();
  }

  async #updateSuggestion(): Promise<void> {
    this.#latestCheckNumber += 1;
    const checkNumber = this.#latestCheckNumber;
    const uri = await findAttachableUri(findActiveOrVisibleEditor()?.document.uri);
    // Ignores the result if a newer check has started or the object was disposed.
    if (checkNumber !== this.#latestCheckNumber || uri?.toString() === this.#uri?.toString())
      return;
    this.#uri = uri;
    this.#onChange();
  }
}

async function findAttachableUri(uri: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  if (uri === undefined || !vscode.workspace.isTrusted) return undefined;
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return undefined;
  return (await mayContainSecrets(uri)) ? undefined : uri;
}
