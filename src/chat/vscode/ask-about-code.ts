import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Attachment } from '../../conversation/conversation.ts';
import type { OpenChat } from './open-chat.ts';
import {
  type EditorTarget,
  readLines,
  authorizeSending,
  formatTarget,
  resolveTarget,
  formatProblem,
} from '../../editor/vscode/editor-target.ts';
import { createId } from '../../base/ids.ts';

/** Chat page from which the question is sent. */
interface ChatPage {
  readonly chat: OpenChat;
  showNotice(text: string): void;
  show(chat: OpenChat): void;
}

interface AskOptions {
  readonly kind: 'explain' | 'writeTests';
  /** Arguments that VS Code passes to the command. */
  readonly args: readonly unknown[];
  readonly getPage: () => Promise<ChatPage>;
  readonly createChat: () => OpenChat;
}

/**
 * Sends a question about the code in an editor, and attaches the code and its problems. Keeps the draft in the
 * composer. If the chat has messages, sends the question in a new chat.
 */
export async function askAboutCode({ kind, args, getPage, createChat }: AskOptions): Promise<void> {
  // Read the editor first, because the chat takes the focus.
  const target = await resolveTarget(args, systemClock);
  const sendDecision = target && (await authorizeSending(target.document));
  if (sendDecision === 'no') return;
  const page = await getPage();
  if (target === undefined) return page.showNotice(vscode.l10n.t('Open a file first.'));
  if (typeof sendDecision === 'object') return page.showNotice(sendDecision.reason);
  if (!page.chat.session.conversation.isEmpty) page.show(createChat());
  await page.chat.session.send(createQuestion(kind, target), createAttachments(target));
}

function createQuestion(kind: AskOptions['kind'], { problems }: EditorTarget): string {
  if (kind === 'writeTests')
    return vscode.l10n.t('Write tests for this code in the style of the existing tests.');
  return problems.length > 0
    ? vscode.l10n.t('Explain this code, and where its problems come from.')
    : vscode.l10n.t('Explain this code.');
}

function createAttachments(target: EditorTarget): readonly Attachment[] {
  const { document, span, problems } = target;
  const label = formatTarget(target);
  const codeAttachment: Attachment = {
    id: createId(),
    kind: 'selection',
    label,
    language: document.languageId,
    text: readLines(document, span).join('\n'),
  };
  const text = problems.slice(0, maxAttachedProblems).map(formatProblem).join('\n');
  const problemAttachment: Attachment = {
    id: createId(),
    kind: 'problems',
    label: vscode.l10n.t('Problems of {0}', label),
    language: 'text',
    text,
  };
  return text === '' ? [codeAttachment] : [codeAttachment, problemAttachment];
}

const maxAttachedProblems = 50;
