import * as vscode from 'vscode';
import type { Account } from '../../../account/vscode/account.ts';
import { stripHiddenCharacters } from '../../../base/hidden-characters.ts';
import type { Lazy } from '../../../base/lazy.ts';
import { stripPromptDirectives } from '../../../conversation/prompt-file.ts';
import { confirm } from '../../../platform/notifications.ts';
import type { ChatRuntime } from '../../vscode/chat-runtime.ts';

/** Content of a link that any web page or program can open. */
export type DeepLink =
  | { readonly kind: 'chat'; readonly prompt: string }
  | { readonly kind: 'connect'; readonly baseUrl: string };

const maxPromptLength = 4_000;
const maxAddressLength = 500;

/**
 * Reads a link of the forms `/chat?prompt=…` and `/connect?baseUrl=…`. Ignores other parameters.
 * Undefined for any other link, and for a text or an address that is not acceptable.
 */
export function readDeepLink({
  path,
  query,
}: Pick<vscode.Uri, 'path' | 'query'>): DeepLink | undefined {
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  if (path === '/chat') {
    const { text } = stripHiddenCharacters(parameters.get('prompt') ?? '');
    const prompt = stripPromptDirectives(text.trim());
    return prompt === '' || prompt.length > maxPromptLength ? undefined : { kind: 'chat', prompt };
  }
  if (path !== '/connect') return undefined;
  const baseUrl = parameters.get('baseUrl') ?? '';
  const url = baseUrl.length > maxAddressLength ? null : URL.parse(baseUrl);
  const isWebAddress = url !== null && ['https:', 'http:'].includes(url.protocol);
  if (!isWebAddress || url.username !== '' || url.password !== '') return undefined;
  return { kind: 'connect', baseUrl: url.href };
}

interface LinkPorts {
  readonly account: Account;
  readonly chat: Pick<Lazy<Pick<ChatRuntime, 'startDraft'>>, 'get'>;
}

/**
 * Opens a link after the user's confirmation. A chat link only fills the composer of a new chat, and
 * a connection link only fills the address of a new connection, which the user then confirms.
 */
export async function openDeepLink(uri: vscode.Uri, { account, chat }: LinkPorts): Promise<void> {
  const link = readDeepLink(uri);
  if (link === undefined) return;
  const detail = link.kind === 'chat' ? link.prompt : link.baseUrl;
  const open = vscode.l10n.t('Open');
  const question = vscode.l10n.t('Open a link from outside VS Code?');
  if ((await confirm({ question, detail }, open)) !== open) return;
  if (link.kind === 'chat') return (await chat.get()).startDraft(link.prompt);
  // The active connection stays unchanged: the key of the environment would apply to a new address.
  const { addProfileAndKey } = await import('../../../account/vscode/key-commands.ts');
  await addProfileAndKey(account, link.baseUrl);
}
