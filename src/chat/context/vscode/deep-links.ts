import * as vscode from 'vscode';
import type { Account } from '../../../account/vscode/account.ts';
import { stripHiddenCharacters } from '../../../base/hidden-characters.ts';
import type { Lazy } from '../../../base/lazy.ts';
import { stripPromptDirectives } from '../../../conversation/prompt-file.ts';
import { confirm, showError } from '../../../platform/notifications.ts';
import type { ChatRuntime } from '../../vscode/chat-runtime.ts';

/** Content of a link to the extension. Untrusted, because any web page or program can open such a link. */
export type DeepLink =
  | { readonly kind: 'chat'; readonly prompt: string }
  | { readonly kind: 'connect'; readonly baseUrl: string };

const maxPromptLength = 4_000;
const maxAddressLength = 500;

/**
 * Reads a link of the forms `/chat?prompt=…` and `/connect?baseUrl=…`. Ignores all other parameters.
 * @returns undefined for any other link, and for an invalid prompt or address
 */
export function readDeepLink({
  path,
  query,
}: Pick<vscode.Uri, 'path' | 'query'>): DeepLink | undefined {
  if (path === '/chat') {
    const { text } = stripHiddenCharacters(
      readParameter(query, 'prompt').replace(otherParametersPattern, '$<prompt>'),
    );
    const prompt = stripPromptDirectives(shortenWhiteSpace(text.trim()));
    return prompt === '' || prompt.length > maxPromptLength ? undefined : { kind: 'chat', prompt };
  }
  if (path !== '/connect') return undefined;
  const baseUrl = readParameter(query, 'baseUrl').replace(/&.*$/su, '');
  const url = baseUrl.length > maxAddressLength ? null : URL.parse(baseUrl);
  const isWebAddress = url !== null && ['https:', 'http:'].includes(url.protocol);
  if (!isWebAddress || url.username !== '' || url.password !== '') return undefined;
  return { kind: 'connect', baseUrl: url.href };
}

/**
 * Shortens long runs of spaces and empty lines in a text. Long runs could move the text after them out of the visible
 * part of the confirmation.
 */
const shortenWhiteSpace = (text: string): string =>
  text
    .split(/\r?\n/u)
    .map((line) =>
      blankLinePattern.test(line) ? '' : line.replaceAll(wideGapPattern, ' ').trimEnd(),
    )
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n');

/** Matches one character that is white space or has no visible shape. */
const blankPattern = String.raw`[\s\p{C}\u2800\uFFFC]`;
const blankLinePattern = new RegExp(`^${blankPattern}*$`, 'u');
const wideGapPattern = new RegExp(`${blankPattern}{16,}`, 'gu');

/**
 * Matches a prompt and the link parameters after it, such as `&name=value`. VS Code has already decoded the query, so
 * the prompt can also contain `&`. An `&` in the query of a URL, or before white space, belongs to the prompt.
 */
const otherParametersPattern = /^(?<prompt>(?:.*\s)?[^\s?&]*)(?:&\w[\w.-]*=[^\s&]*)+$/su;

/**
 * Returns the decoded text from the first `name=` to the end of the query; empty if the query has no such parameter.
 */
function readParameter(query: string, name: 'prompt' | 'baseUrl'): string {
  const start = `&${query}`.indexOf(`&${name}=`);
  return start === -1 ? '' : query.slice(start + name.length + 1);
}

interface LinkPorts {
  readonly account: Account;
  readonly chat: Pick<Lazy<Pick<ChatRuntime, 'startDraft'>>, 'get'>;
}

/**
 * Opens a link after the user's confirmation. A chat link only fills the composer of a new chat. A connection link only
 * fills in the address of a new connection, which the user must then confirm.
 */
export async function openDeepLink(uri: vscode.Uri, { account, chat }: LinkPorts): Promise<void> {
  const link = readDeepLink(uri);
  if (link === undefined) return void showError(vscode.l10n.t('This link cannot be opened.'));
  const openLabel = vscode.l10n.t('Open');
  const detail =
    link.kind === 'chat' ? link.prompt : formatConnectionDetail(link.baseUrl, openLabel);
  const question = vscode.l10n.t('Open a link from outside VS Code?');
  if ((await confirm({ question, detail }, openLabel)) !== openLabel) return;
  if (link.kind === 'chat') return (await chat.get()).startDraft(link.prompt);
  // Adds a new connection instead of changing the active one, whose key from the environment would otherwise be sent to the
  // new address.
  const { addProfileAndKey } = await import('../../../account/vscode/key-commands.ts');
  await addProfileAndKey(account, link.baseUrl);
}

const formatConnectionDetail = (baseUrl: string, openLabel: string): string =>
  `${baseUrl}\n\n${vscode.l10n.t('“{0}” fills in this address for a new connection.', openLabel)}`;
