import * as vscode from 'vscode';
import {
  failureAction,
  isChatAction,
  isFailureAction,
} from '../../account/vscode/failure-actions.ts';
import { openWebsite } from '../../account/vscode/website.ts';
import type { ChatSession } from '../chat-session.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import { checkLink } from '../../conversation/link.ts';
import type { Host } from '../../host.ts';
import { ask } from '../../platform/notifications.ts';
import { workspaceSetting } from '../../platform/settings.ts';
import { shownEditor } from '../../platform/window.ts';
import { isLoopback } from '../../service/http/endpoint.ts';

/** Puts code where the cursor is, in place of the selection; one undo takes it back. */
export async function insertAtCursor(text: string): Promise<string | undefined> {
  const editor = shownEditor();
  if (editor === undefined) return vscode.l10n.t('Open a file to insert the code into.');
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!done) return vscode.l10n.t('The code could not be inserted: the file is read-only.');
  await vscode.window.showTextDocument(
    editor.document,
    editor.viewColumn ?? vscode.ViewColumn.Active,
  );
  return undefined;
}

/** Opens the code as an untitled file in the language that its fence names, where VS Code knows that language. */
export async function openAsNewFile(content: string, fence: string): Promise<void> {
  const known = await vscode.languages.getLanguages();
  const language = languageOfFence(fence, known);
  const document = await vscode.workspace.openTextDocument({
    content,
    ...(language === undefined ? {} : { language }),
  });
  await vscode.window.showTextDocument(document, { preview: false });
}

const aliases: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  cs: 'csharp',
  js: 'javascript',
  jsx: 'javascriptreact',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

function languageOfFence(fence: string, known: readonly string[]): string | undefined {
  const name = fence.toLowerCase();
  return [name, aliases[name]].find((each) => each !== undefined && known.includes(each));
}

/**
 * Opens a link of an answer in the person's browser. VS Code shows the whole address and asks, unless the person
 * trusts that site already; for this machine, which VS Code always trusts, we ask.
 * @returns why it was refused, for the person; undefined when it was not.
 */
export async function openLink(href: string): Promise<string | undefined> {
  const verdict = checkLink(href);
  if (verdict.kind === 'refuse') {
    return vscode.l10n.t('This link was not opened: only plain web addresses are.');
  }
  if (isLoopback(new URL(verdict.url).hostname) && !(await confirmLocal(verdict.url))) {
    return undefined;
  }
  // As text: a Uri would decode what the address has encoded, and open another one than was asked about.
  await vscode.env.openExternal(verdict.url as unknown as vscode.Uri);
  return undefined;
}

async function confirmLocal(detail: string): Promise<boolean> {
  const open = vscode.l10n.t('Open');
  const question = vscode.l10n.t('Open this address of your own machine?');
  return (await ask({ question, detail }, open)) === open;
}

export interface FailureActionContext {
  readonly session: ChatSession;
  readonly host: Host;
  readonly newChat: () => void;
}

/** Does what a button of a failure card says. Anything that no card offers is ignored. */
export async function runFailureAction(
  { action, messageId }: Extract<WebviewMessage, { type: 'action-run' }>,
  { session, host, newChat }: FailureActionContext,
): Promise<void> {
  if (!isFailureAction(action)) return;
  if (!isChatAction(action)) {
    await failureAction(action).run();
    return;
  }
  switch (action) {
    case 'add-credits':
      await openWebsite(host.account);
      return;
    case 'new-chat':
      newChat();
      return;
    case 'retry':
      if (messageId !== null) await session.retry(messageId);
      return;
    case 'continue':
      if (messageId !== null) await session.continue(messageId);
      return;
  }
}

/** Whether long lines in code blocks of the chat wrap. */
export const wrapCode = (): boolean => workspaceSetting('inferenceService.chat.wrapCode');
