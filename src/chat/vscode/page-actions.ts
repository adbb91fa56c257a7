import * as vscode from 'vscode';
import {
  createFailureAction,
  isChatAction,
  isFailureAction,
} from '../../account/vscode/failure-actions.ts';
import { omitRefusedField } from '../../account/vscode/show-failure.ts';
import type { ConnectResult } from '../../account/protocol.ts';
import { findUnencryptedFailure } from '../../account/vscode/unencrypted-origins.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { AnswerImage, Message } from '../../conversation/conversation.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { omitUndefined } from '../../base/json.ts';
import { getProtectedChat } from '../protected-chat.ts';
import { findSelectedModel, getChatSelection } from '../../models/vscode/selected-model.ts';
import {
  showModelAttestation,
  showMessageAttestation,
} from '../../privacy/vscode/protection-view.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { OpenChat, PageHandlers, SuggestionsOffer } from './open-chat.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import { checkLink } from '../../conversation/link.ts';
import type { Host } from '../../host.ts';
import { confirm, showInformation } from '../../platform/notifications.ts';
import { getWorkspaceSetting } from '../../platform/settings.ts';
import { findActiveOrVisibleEditor } from '../../platform/window.ts';
import { isLoopback } from '../../service/http/endpoint.ts';

interface ActionContext {
  readonly agents: Agents;
  readonly host: Host;
  readonly images: LazyChatImages;
  readonly suggestionsOffer: SuggestionsOffer;
  readonly post: (message: HostMessage) => void;
  readonly openNewChat: () => void;
}

/** Returns the handlers for the user's actions on messages, such as copying code or opening links. */
export const createActionHandlers = (
  context: ActionContext,
): PageHandlers<
  | 'message-copy'
  | 'image-act'
  | 'image-hint-request'
  | 'code-copy'
  | 'code-insert'
  | 'code-new-file'
  | 'code-apply'
  | 'link-open'
  | 'paths-check'
  | 'path-open'
  | 'attestation-show'
  | 'action-run'
  | 'connect-submit'
  | 'address-change'
  | 'local-servers-request'
  | 'suggestions-offer-answer'
> => ({
  'message-copy': ({ messageId }, { session }) =>
    copyMessage(session.conversation.findMessage(messageId)),
  'image-act': async ({ messageId, imageId, action }, { session }) => {
    const message = session.conversation.findMessage(messageId);
    if (!getImages(message).some(({ id }) => id === imageId)) return undefined;
    return (await context.images.get()).chat.performAction(imageId, action);
  },
  'image-hint-request': async () => {
    const { chat } = await context.images.get();
    context.post({ type: 'image-hint', text: chat.nextImageSummary });
  },
  'code-copy': ({ text }) => copyToClipboard(text),
  'code-insert': ({ text }) => insertAtCursor(text),
  'code-new-file': ({ text, language }) => openAsNewFile(text, language),
  'code-apply': async ({ text, info, lineBefore, textBefore }, { session: { conversation } }) => {
    const agent = await context.agents.getRuntime();
    const { head } = conversation;
    const minProtection = head && getProtectedChat(conversation, head.id)?.kind;
    const block = { code: text, info, lineBefore, textBefore };
    return agent.applyCode(block, conversation, omitUndefined({ minProtection }));
  },
  'link-open': ({ href }) => openLink(href),
  'paths-check': async ({ paths }) => {
    const foundPaths = await Promise.all(
      paths.map(async (path) => ((await findWorkspaceFile(path)) === undefined ? [] : [path])),
    );
    if (foundPaths.flat().length > 0)
      context.post({ type: 'paths-found', paths: foundPaths.flat() });
  },
  'path-open': ({ path }) => openWorkspaceFile(path),
  'attestation-show': ({ messageId }, { session }) =>
    messageId === null
      ? showModelAttestation(
          findSelectedModel(getChatSelection(context.host.models, session.conversation))?.id,
        )
      : showMessageAttestation(session.conversation.findMessage(messageId)),
  'action-run': (message, chat) => runFailureAction(message, chat, context),
  ...createConnectHandlers(context),
  'suggestions-offer-answer': ({ answer }) =>
    answer === 'accept'
      ? context.suggestionsOffer.acceptSuggestionsOffer()
      : context.suggestionsOffer.closeSuggestionsOffer(),
});

const createUnknownProblem = (): ConnectResult => ({
  address: '',
  problem: {
    field: 'address',
    message: vscode.l10n.t('That did not work. See the log for details.'),
    unencryptedOrigin: null,
  },
  fixes: [],
});

/** Returns the handlers of the connect form. A new submission aborts the previous submission. */
function createConnectHandlers({
  host,
  post,
}: Pick<ActionContext, 'host' | 'post'>): PageHandlers<
  'connect-submit' | 'address-change' | 'local-servers-request'
> {
  const { account, models } = host;
  let submissionController = new AbortController();
  return {
    'connect-submit': async ({ type: _type, ...request }) => {
      submissionController.abort();
      submissionController = new AbortController();
      const { signal } = submissionController;
      account.typedAddress = request.address;
      const { id } = account.profile;
      const { connectProfile } = await import('../../account/vscode/connect.ts');
      const result = await connectProfile(account, request, signal).catch((error: unknown) => {
        // Without this message, the form would wait forever.
        if (!signal.aborted) post({ type: 'connect-result', ...createUnknownProblem() });
        throw error;
      });
      if (signal.aborted) return undefined;
      // The user may have switched to another connection meanwhile.
      if (account.profile.id === id) {
        if (result.problem === null) account.typedAddress = '';
        else if (result.address !== '') account.typedAddress = result.address;
      }
      // Loads the models before the form closes, because the first message needs the default model.
      if (result.problem === null && request.method === 'key') await models.refresh();
      post({ type: 'connect-result', ...result });
      if (result.problem !== null) return undefined;
      if (request.method === 'wallet') {
        await vscode.commands.executeCommand('inferenceService.mintKey');
        return undefined;
      }
      const { getRetentionWarning } = await import('../../account/vscode/key-commands.ts');
      return getRetentionWarning(account);
    },
    'address-change': ({ address }) => {
      account.typedAddress = address;
    },
    'local-servers-request': async () => {
      // Ignores the request unless the account is signed out, because only then the page shows the connect form.
      if (!vscode.workspace.isTrusted || account.view.status !== 'signed-out') return;
      const { listLocalServers } = await import('../../account/vscode/connect.ts');
      post({ type: 'local-servers', servers: [...(await listLocalServers(account))] });
    },
  };
}

async function copyMessage(message: Message | undefined): Promise<void> {
  if (message === undefined) return;
  // An image is copied as its prompt.
  const text = [...getImages(message).map(({ alt }) => alt), message.text]
    .filter((part) => part !== '')
    .join('\n');
  const citations = message.role === 'assistant' ? message.result.citations : undefined;
  const citationText =
    citations === undefined
      ? text
      : (await import('../../conversation/export.ts')).addFootnotes(text, citations);
  // Hidden control characters could run commands when the text is pasted into a terminal.
  await copyToClipboard(stripHiddenCharacters(citationText).text);
}

const getImages = (message: Message | undefined): readonly AnswerImage[] =>
  message?.role === 'assistant' ? (message.images ?? []) : [];

const copyToClipboard = async (text: string): Promise<void> => {
  await vscode.env.clipboard.writeText(text);
};

/**
 * Replaces all selections in the visible editor with the code. Returns an error message if no editor is visible or
 * the file is read-only.
 */
async function insertAtCursor(text: string): Promise<string | undefined> {
  const editor = findActiveOrVisibleEditor();
  if (editor === undefined) return vscode.l10n.t('Open a file first.');
  const isInserted = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!isInserted) return vscode.l10n.t('The file cannot be changed: it is read-only.');
  await vscode.window.showTextDocument(
    editor.document,
    editor.viewColumn ?? vscode.ViewColumn.Active,
  );
  return undefined;
}

/**
 * Opens the code as an untitled file. The file has the language of the code fence if VS Code supports this language.
 */
async function openAsNewFile(content: string, fence: string): Promise<void> {
  const languages = await vscode.languages.getLanguages();
  const language = findFenceLanguage(fence, languages);
  const document = await vscode.workspace.openTextDocument({
    content,
    ...(language === undefined ? {} : { language }),
  });
  await vscode.window.showTextDocument(document, { preview: false });
}

const languageAliases: Readonly<Record<string, string>> = {
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

function findFenceLanguage(fence: string, languages: readonly string[]): string | undefined {
  const name = fence.toLowerCase();
  return [name, languageAliases[name]].find(
    (item) => item !== undefined && languages.includes(item),
  );
}

/**
 * Opens a link of an answer in the browser. VS Code asks the user to confirm unless the user trusts the site. VS Code
 * always trusts loopback addresses, so the extension itself asks before it opens such an address.
 * @returns an error message if the link must not be opened
 */
async function openLink(href: string): Promise<string | undefined> {
  const verdict = checkLink(href);
  if (verdict.kind === 'refuse') {
    return vscode.l10n.t('This link was not opened: only plain web addresses are.');
  }
  if (isLoopback(new URL(verdict.url).hostname) && !(await confirmOpenLocalAddress(verdict.url))) {
    return undefined;
  }
  // VS Code accepts a string at run time. A `Uri` would decode escapes, so that the opened address could differ.
  await vscode.env.openExternal(verdict.url as unknown as vscode.Uri);
  return undefined;
}

/**
 * File of the workspace that an answer names. `selection` is the line at the end of the path in the answer; absent if
 * the path has no line number.
 */
interface NamedFile {
  readonly uri: vscode.Uri;
  readonly selection: vscode.Range | undefined;
}

/** Finds the file that a path such as `src/tide.ts:12` names; undefined if the workspace contains no such file. */
async function findWorkspaceFile(path: string): Promise<NamedFile | undefined> {
  const {
    name = path,
    line,
    column,
  } = /^(?<name>.*?):(?<line>\d{1,7})(?:[-:](?<column>\d{1,7}))?$/u.exec(path)?.groups ?? {};
  // The second number is a column after a colon, and the last line of a range after a hyphen.
  const isColumn = column !== undefined && path.endsWith(`:${column}`);
  // Loaded on first use, because the path module is large.
  const { resolveUri } = await import('../../workspace/vscode/paths.ts');
  try {
    const uri = resolveUri(name, vscode.workspace.workspaceFolders ?? []);
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return undefined;
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) return undefined;
    const position = new vscode.Position(
      Math.max(0, Number(line ?? 1) - 1),
      isColumn ? Math.max(0, Number(column) - 1) : 0,
    );
    return {
      uri,
      selection: line === undefined ? undefined : new vscode.Range(position, position),
    };
  } catch {
    // The path is invalid, or the file does not exist.
    return undefined;
  }
}

async function openWorkspaceFile(path: string): Promise<string | undefined> {
  const file = await findWorkspaceFile(path);
  if (file === undefined) return vscode.l10n.t('{0} is no longer where it was.', path);
  const { uri, selection } = file;
  await vscode.commands.executeCommand('vscode.open', uri, omitUndefined({ selection }));
  return undefined;
}

async function confirmOpenLocalAddress(detail: string): Promise<boolean> {
  const openLabel = vscode.l10n.t('Open');
  const question = vscode.l10n.t('Open this address of your own machine?');
  return (await confirm({ question, detail }, openLabel)) === openLabel;
}

/**
 * Runs an action, such as a retry, that the page offers for a failed answer or connection. Does nothing for an unknown
 * action.
 */
async function runFailureAction(
  { action, messageId }: Extract<WebviewMessage, { type: 'action-run' }>,
  { session }: OpenChat,
  { host, openNewChat }: ActionContext,
): Promise<void> {
  if (!isFailureAction(action)) return;
  if (!isChatAction(action)) {
    const shownMessage =
      messageId === null ? undefined : session.conversation.findMessage(messageId);
    const failure = shownMessage?.role === 'assistant' ? shownMessage.result.failure : undefined;
    // The account's failure card always refers to the active address.
    const { origin } = (messageId === null ? findUnencryptedFailure(host.account) : failure) ?? {};
    await createFailureAction(action, origin).run();
    return;
  }
  switch (action) {
    case 'new-chat':
      openNewChat();
      return;
    case 'retry':
    case 'pay-again':
      if (messageId !== null) await session.retry(messageId);
      return;
    case 'continue':
      if (messageId !== null) await session.continue(messageId);
      return;
    case 'send-without': {
      const message = messageId === null ? undefined : session.conversation.findMessage(messageId);
      const failure = message?.role === 'assistant' ? message.result.failure : undefined;
      if (message === undefined || failure === undefined) return;
      if (!omitRefusedField(failure, host.account)) {
        const text = vscode.l10n.t(
          'Another service is active now, so the message was not sent. Retry to send it there.',
        );
        void showInformation(text);
        return;
      }
      await session.retry(message.id);
      return;
    }
  }
}

/** Checks whether long lines in code blocks wrap. */
export const shouldWrapCode = (): boolean => getWorkspaceSetting('inferenceService.chat.wrapCode');
