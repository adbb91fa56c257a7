import * as vscode from 'vscode';
import type { Attachment } from '../../../conversation/conversation.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { activeOrVisibleEditor } from '../../../platform/window.ts';

/** Prompt that the empty chat suggests, and the context to attach. */
export interface SuggestedPrompt {
  readonly text: string;
  readonly attach?: { readonly kind: Attachment['kind']; readonly uri: vscode.Uri };
}

const maxPrompts = 3;
const guideFiles =
  /^(readme(\.\w+)?|package\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml)$/iu;

/**
 * Suggests prompts about the open editor and folder. Without a folder or in an untrusted workspace, suggests only
 * general prompts.
 */
export class SuggestedPrompts {
  #folder: { readonly name: string; readonly guide: vscode.Uri } | undefined;

  /** Finds a file that describes the first workspace folder, such as its README. */
  async loadFolder(): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined || this.#folder?.name === folder.name) return;
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder.uri)).catch(
      () => [],
    );
    const names = entries.map(([name]) => name).filter((name) => guideFiles.test(name));
    const guide = names.find((name) => /^readme/iu.test(name)) ?? names[0];
    if (guide === undefined) return;
    this.#folder = { name: folder.name, guide: vscode.Uri.joinPath(folder.uri, guide) };
  }

  /** Returns up to three prompts for the current editor and folder. */
  list(): readonly SuggestedPrompt[] {
    const editor = activeOrVisibleEditor();
    const trusted = vscode.workspace.isTrusted;
    const open = editor === undefined || !trusted ? [] : editorPrompts(editor);
    const tour = trusted ? this.#folderPrompts() : [];
    return [...open, ...tour, ...generalPrompts()].slice(0, maxPrompts);
  }

  #folderPrompts(): readonly SuggestedPrompt[] {
    if (this.#folder === undefined) return [];
    const { name, guide: uri } = this.#folder;
    const attach = { kind: 'file', uri } as const;
    return [
      { text: vscode.l10n.t('What is {0} about?', name), attach },
      { text: vscode.l10n.t('Where do I start reading {0}?', name), attach },
      { text: vscode.l10n.t('What is missing in the README of {0}?', name), attach },
    ];
  }
}

function editorPrompts({ document, selection }: vscode.TextEditor): readonly SuggestedPrompt[] {
  const { uri } = document;
  const name = uri.path.split('/').at(-1) ?? '';
  if (document.isUntitled || name === '' || isLikelySecret(uri.path)) return [];
  const suggestions: SuggestedPrompt[] = [];
  if (!selection.isEmpty) {
    const text = vscode.l10n.t('Explain the selection in {0}', name);
    suggestions.push({ text, attach: { kind: 'selection', uri } });
  }
  if (vscode.languages.getDiagnostics(uri).length > 0) {
    const text = vscode.l10n.t('How do I fix the problems of {0}?', name);
    suggestions.push({ text, attach: { kind: 'problems', uri } });
  }
  const attach = { kind: 'file', uri } as const;
  return [
    ...suggestions,
    { text: vscode.l10n.t('Explain {0}', name), attach },
    { text: vscode.l10n.t('Write tests for {0}', name), attach },
    { text: vscode.l10n.t('What could go wrong in {0}?', name), attach },
  ];
}

const generalPrompts = (): readonly SuggestedPrompt[] => [
  { text: vscode.l10n.t('What can you help me with?') },
  { text: vscode.l10n.t('Write a regular expression that matches an ISO date') },
  { text: vscode.l10n.t('Compare two ways to structure a small web service') },
];
