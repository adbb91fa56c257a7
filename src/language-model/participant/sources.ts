import * as vscode from 'vscode';
import { checkLink } from '../../conversation/link.ts';
import { chatModels } from '../../models/model-selection.ts';
import { shouldEncryptChats } from '../../privacy/vscode/privacy-settings.ts';
import { protectionView } from '../../privacy/vscode/protection-view.ts';
import type { Citation } from '../../service/chat/chat-types.ts';
import type { AnswerProtection } from '../../service/chat/protection.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';

const maxSources = 30;

/**
 * Appends the sources to an answer and adds them to the references of VS Code's chat. Only web
 * URLs become links.
 */
export function showSources(
  citations: readonly Citation[],
  stream: vscode.ChatResponseStream,
): void {
  const sources = citations.slice(0, maxSources);
  const lines = sources.map((source, index) => formatSource(source, index + 1));
  if (lines.length === 0) return;
  for (const { url = '' } of sources) {
    const link = checkLink(url);
    if (link.kind === 'open') stream.reference(vscode.Uri.parse(link.url));
  }
  const list = new vscode.MarkdownString(`\n\n**${vscode.l10n.t('Sources')}**\n\n`);
  for (const line of lines) list.appendMarkdown(`${line}\n`);
  stream.markdown(list);
}

/** Appends a line about the protection of an answer; nothing for an unprotected answer. */
export function showProtection(
  protection: AnswerProtection | undefined,
  stream: vscode.ChatResponseStream,
): void {
  const view = protectionView(protection);
  if (view === undefined) return;
  const line = new vscode.MarkdownString(`\n\n**${escapeMarkdown(view.label)}** `);
  line.appendText(view.detail);
  stream.markdown(line);
}

function formatSource({ title, url = '', date }: Citation, number: number): string {
  const link = checkLink(url);
  const name = escapeMarkdown(title);
  const dateSuffix = date === undefined ? '' : ` (${escapeMarkdown(date)})`;
  if (link.kind === 'refuse') return `${number}. ${name}${dateSuffix}`;
  // In a parsed URL, only these characters could end the URL of a Markdown link.
  const encodedUrl = link.url.replaceAll(/[()<>]/gu, (character) =>
    encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
  );
  return `${number}. [${name}](${encodedUrl}) — ${escapeMarkdown(link.host)}${dateSuffix}`;
}

/** Escapes an untrusted title, so that it cannot create markup, icons or new lines. */
const escapeMarkdown = (text: string): string =>
  text
    .slice(0, 200)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\\`*_{}[\]()#+\-.!~<>|$&]/gu, String.raw`\$&`);

/**
 * Returns the model for a web search: `model` itself if it supports search, otherwise the first
 * unencrypted model that does. Returns `model` if there is none.
 * @throws ServiceError if chats with `model` are encrypted, because searches cannot be encrypted
 *   and no other model may replace it
 */
export function chooseSearchModel(model: Model, models: readonly Model[]): Model {
  if (shouldEncryptChats(model)) throw new ServiceError(encryptedSearchFailure(model));
  if (model.capabilities.supportsWebSearch) return model;
  const searchable = chatModels(models).find(
    (candidate) =>
      !candidate.offline &&
      candidate.capabilities.supportsWebSearch &&
      !shouldEncryptChats(candidate),
  );
  return searchable ?? model;
}

const encryptedSearchFailure = ({ name }: Model) =>
  ({
    code: 'protection-failed',
    message: `${name.slice(0, 100)}: ${vscode.l10n.t(
      'Left out, since they do not go with encryption: {0}.',
      vscode.l10n.t('web search'),
    )}`,
  }) as const;
