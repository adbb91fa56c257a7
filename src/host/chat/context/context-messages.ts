import * as vscode from 'vscode';
import { readSlashCommand, slashCommands } from '../../../chat/slash-commands.ts';
import type {
  ContextChoose,
  ContextDrop,
  ContextOffer,
  ContextSearch,
} from '../../../protocol/chat/context.ts';
import type { HostMessage } from '../../../protocol/host-message.ts';
import type { OpenChat } from '../open-chat.ts';
import type { ChatContext } from './chat-context.ts';
import { commandOffers } from './command-offers.ts';
import { offerCommitMessage } from './commit-offer.ts';
import { compactChat } from './compact-chat.ts';
import { trustRefusal } from './gathered.ts';
import { mentionOffers } from './mention-offers.ts';
import type { NamedPrompt } from './prompt-files.ts';

export interface ContextMessagesOptions {
  readonly context: ChatContext;
  readonly post: (message: HostMessage) => void;
  readonly notice: (text: string) => void;
  /** How the chat works now: a prompt may be written for the other mode. */
  readonly mode: () => string;
}

/** Answers what a page asks about `#`, `/` and what is dropped on it. */
export class ContextMessages {
  readonly #options: ContextMessagesOptions;
  #search = new AbortController();

  constructor(options: ContextMessagesOptions) {
    this.#options = options;
  }

  async handle(
    message: ContextSearch | ContextChoose | ContextDrop,
    chat: OpenChat,
  ): Promise<void> {
    if (message.type === 'context-search') return this.#offer(message);
    if (message.type === 'context-choose') return this.#choose(message, chat);
    return this.#drop(message, chat);
  }

  /**
   * Does what a message needs before it is sent: a command takes what it is about, a search its words.
   * @returns whether the message is to be sent; when not, the person was told why
   */
  async mayBeSent(text: string, chat: OpenChat): Promise<boolean> {
    if (text === '/compact') return this.#tell(await compactChat(chat.session), false);
    const prompt = await this.#promptOf(text);
    if (prompt !== undefined) return this.#showPrompt(prompt.prompt, prompt.rest);
    const read = readSlashCommand(text);
    if (read !== undefined && chat.attachments.length === 0) {
      const refusal = await this.#options.context.attach.forCommand(read.command.attaches, chat);
      // A question that stands for itself needs no code.
      const isAlone = chat.attachments.length === 0 && read.rest === '';
      if (refusal !== undefined && isAlone) return this.#giveBack(text, refusal);
    }
    if (read?.command.name === 'commit') offerCommitMessage(chat.session);
    if (/(?:^|\s)#codebase\b/u.test(text)) {
      this.#tell(await this.#options.context.attach.codebase(chat, text), true);
    }
    return true;
  }

  /** The latest search counts: those before are ended. */
  async #offer({ request, kind, query }: ContextSearch): Promise<void> {
    this.#search.abort();
    const search = new AbortController();
    this.#search = search;
    const { post } = this.#options;
    const found = await this.#found(kind, query, search.signal);
    if (!search.signal.aborted) post({ type: 'context-offers', request, ...found });
  }

  async #found(
    kind: ContextSearch['kind'],
    query: string,
    signal: AbortSignal,
  ): Promise<{ readonly offers: ContextOffer[]; readonly note: string }> {
    const { context } = this.#options;
    const { offers, prompts } = context;
    const note = trustRefusal() ?? '';
    if (kind === 'command') {
      const found = commandOffers(query, { offers, prompts: await prompts.all });
      return { offers: found.slice(0, mostOffers), note: '' };
    }
    if (note !== '') return { offers: [], note };
    const found = await mentionOffers(kind, query, { sources: context, signal });
    return { offers: found.slice(0, mostOffers), note: found.length === 0 ? noneFound() : '' };
  }

  async #choose({ id, text }: ContextChoose, chat: OpenChat): Promise<void> {
    const { context, notice } = this.#options;
    const target = context.offers.find(id);
    if (target === undefined) return;
    if (target.kind === 'prompt') return void this.#showPrompt(target.prompt, '');
    if (target.kind === 'command') return this.#chooseCommand(target.name, chat);
    if (target.kind === 'codebase' && text.replaceAll(/#\S*/gu, '').trim() === '')
      return notice(vscode.l10n.t('The workspace is searched for the words of your question.'));
    if (target.kind === 'folder' || target.kind === 'codebase')
      notice(vscode.l10n.t('Reading the workspace…'));
    this.#tell(await context.attach.target(target, chat, text), true);
    if (target.kind === 'file') context.remember(target.uri.toString());
  }

  async #chooseCommand(name: string, chat: OpenChat): Promise<void> {
    const command = slashCommands.find((each) => each.name === name);
    if (command === undefined || chat.attachments.length > 0) return;
    this.#tell(await this.#options.context.attach.forCommand(command.attaches, chat), true);
  }

  async #drop({ uris }: ContextDrop, chat: OpenChat): Promise<void> {
    for (const address of uris) {
      const uri = addressOf(address);
      if (uri === undefined) continue;
      this.#tell(await this.#options.context.attach.place(uri, chat), true);
    }
  }

  /** The prompt of the workspace that a message begins with. */
  async #promptOf(
    text: string,
  ): Promise<{ readonly prompt: NamedPrompt; readonly rest: string } | undefined> {
    const match = /^\/(?<name>\S+)(?:\s+(?<rest>[\s\S]*))?$/u.exec(text);
    if (match === null || readSlashCommand(text) !== undefined) return undefined;
    const prompts = await this.#options.context.prompts.all;
    const prompt = prompts.find(({ name }) => name === match.groups?.['name']);
    return prompt && { prompt, rest: match.groups?.['rest'] ?? '' };
  }

  /** A prompt is of the workspace: it goes into the composer, and the person sends it. */
  #showPrompt({ name, body, mode, model }: NamedPrompt, rest: string): false {
    const { post, notice } = this.#options;
    const text = rest === '' ? body : `${body}\n\n${rest}`;
    post({ type: 'draft-set', text, replace: true });
    const otherMode = mode !== '' && mode !== this.#options.mode() ? mode : '';
    const wants = [otherMode, model].filter((each) => each !== '').join(', ');
    notice(
      wants === ''
        ? vscode.l10n.t('Read the prompt, then send it.')
        : vscode.l10n.t('{0} is written for: {1}. Read the prompt, then send it.', name, wants),
    );
    return false;
  }

  #giveBack(text: string, reason: string): false {
    this.#options.post({ type: 'draft-set', text, replace: false });
    this.#options.notice(reason);
    return false;
  }

  #tell<T>(sentence: string | undefined, result: T): T {
    if (sentence !== undefined) this.#options.notice(sentence);
    return result;
  }
}

const mostOffers = 60;

const noneFound = (): string => vscode.l10n.t('Nothing in the workspace is called so.');

/** What was dropped, where it is an address at all. Whether it may be taken, others decide. */
function addressOf(text: string): vscode.Uri | undefined {
  try {
    const uri = vscode.Uri.parse(text.trim(), true);
    const schemes = vscode.workspace.workspaceFolders?.map((folder) => folder.uri.scheme) ?? [];
    return uri.scheme === 'file' || schemes.includes(uri.scheme) ? uri : undefined;
  } catch {
    return undefined;
  }
}
