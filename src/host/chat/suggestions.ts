import * as vscode from 'vscode';

/** A prompt for the empty chat, made from what is open, and what of it goes along. */
export interface Suggestion {
  readonly text: string;
  readonly attach?: {
    readonly kind: 'file' | 'problems' | 'selection';
    readonly editor: vscode.TextEditor;
  };
}

const atMost = 3;

/** Up to three prompts about the open files; general ones when nothing is open or the workspace is not trusted. */
export function suggestPrompts(): readonly Suggestion[] {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  const open = editor === undefined || !vscode.workspace.isTrusted ? [] : aboutEditor(editor);
  return [...open, ...general()].slice(0, atMost);
}

function aboutEditor(editor: vscode.TextEditor): readonly Suggestion[] {
  const { document, selection } = editor;
  const name = document.uri.path.split('/').at(-1) ?? '';
  if (document.isUntitled || name === '') return [];
  const problems = vscode.languages.getDiagnostics(document.uri).length;
  const suggestions: Suggestion[] = [];
  if (!selection.isEmpty) {
    suggestions.push({
      text: vscode.l10n.t('Explain the selection in {0}', name),
      attach: { kind: 'selection', editor },
    });
  }
  if (problems > 0) {
    suggestions.push({
      text: vscode.l10n.t('How do I fix the problems of {0}?', name),
      attach: { kind: 'problems', editor },
    });
  }
  return [
    ...suggestions,
    { text: vscode.l10n.t('Explain {0}', name), attach: { kind: 'file', editor } },
    { text: vscode.l10n.t('Write tests for {0}', name), attach: { kind: 'file', editor } },
    { text: vscode.l10n.t('What could go wrong in {0}?', name), attach: { kind: 'file', editor } },
  ];
}

function general(): readonly Suggestion[] {
  return [
    { text: vscode.l10n.t('What can you help me with?') },
    { text: vscode.l10n.t('Write a regular expression that matches an ISO date') },
    { text: vscode.l10n.t('Compare two ways to structure a small web service') },
  ];
}
