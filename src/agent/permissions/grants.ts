import { isRecord, type Json } from '../../base/json.ts';
import { isNewer } from '../../base/newer-version.ts';
import { judgeCommandText } from '../commands/command-text.ts';

/** How long an answer counts: as long as this window keeps the conversation, or from now on in this workspace. */
export type GrantScope = 'conversation' | 'always';

export type Grant =
  /** `key` is the tool's name; for a tool of another extension with a digest of what it says it is. */
  | { readonly type: 'tool'; readonly key: string }
  | { readonly type: 'commands'; readonly commands: readonly CommandGrant[] };

/** Commands that may run in one folder: what their words do in another one is unknown. */
export interface CommandGrant {
  /** As the tools name it, without links; `.` for the workspace folder itself. */
  readonly folder: string;
  /** The first words, each decoded: never a whole line. */
  readonly words: readonly string[];
}

/** Keeps one value per workspace, where no file of the workspace can reach it. */
export interface GrantStore {
  /** What was set last, unchecked. */
  get(): unknown;
  set(value: Json): void | PromiseLike<void>;
}

/** What was granted at one time. */
export interface Granted {
  readonly tools: readonly string[];
  readonly commands: readonly CommandGrant[];
}

/** Of each kind. The oldest go first: they are asked about again. */
const maxKept = 500;

/** The first version did not say in which folder commands were allowed. */
const storeVersion = 2;

/** What the person has allowed beyond a single call. Only answers of theirs get in here. */
export class Grants {
  readonly #store: GrantStore;
  readonly #conversations = new Map<string, Granted>();

  constructor(store: GrantStore) {
    this.#store = store;
  }

  /** What is granted in every conversation of this workspace. */
  get kept(): Granted {
    return readGranted(this.#store.get());
  }

  /** Whether the tool is granted by an answer of one of these scopes. */
  allowsTool(key: string, conversationId: string, scopes: readonly GrantScope[]): boolean {
    return (
      (scopes.includes('always') && this.kept.tools.includes(key)) ||
      (scopes.includes('conversation') && this.#own(conversationId).tools.includes(key))
    );
  }

  /** What commands may begin with in this conversation and this folder. */
  prefixes(conversationId: string, folder: string): readonly (readonly string[])[] {
    return merged(this.kept, this.#own(conversationId))
      .commands.filter((each) => each.folder === folder)
      .map(({ words }) => words);
  }

  /** @throws Error for what may not be kept, such as words that look secret; then nothing is granted */
  async remember(grant: Grant, scope: GrantScope, conversationId: string): Promise<void> {
    if (!isGrantable(grant)) throw new Error('This may not be remembered.');
    const added = grantedBy(grant);
    if (scope === 'always' && !this.#isStoreNewer) await this.#set(merged(this.kept, added));
    else this.#conversations.set(conversationId, merged(this.#own(conversationId), added));
  }

  /** Revokes the grant, in conversations too. Permissions of a newer version stay: none of them applies here. */
  async revoke(grant: Grant): Promise<void> {
    for (const [id, own] of this.#conversations) this.#conversations.set(id, without(own, grant));
    await this.#set(without(this.kept, grant));
  }

  async revokeAll(): Promise<void> {
    this.#conversations.clear();
    await this.#set(nothing);
  }

  /** The conversation is gone, and all that was granted in it. */
  forgetConversation(conversationId: string): void {
    this.#conversations.delete(conversationId);
  }

  /** Keeps permissions of a newer version unchanged. New grants then apply to their conversation only. */
  get #isStoreNewer(): boolean {
    return isNewer(this.#store.get(), storeVersion);
  }

  #own(conversationId: string): Granted {
    return this.#conversations.get(conversationId) ?? nothing;
  }

  async #set({ tools, commands }: Granted): Promise<void> {
    if (this.#isStoreNewer) return;
    const kept = commands.slice(-maxKept).map(({ folder, words }) => ({ folder, words }));
    await this.#store.set({ version: storeVersion, tools: tools.slice(-maxKept), commands: kept });
  }
}

/** Whether a grant holds nothing that must not be kept or shown: no secrets, no hidden characters. */
export function isGrantable(grant: Grant): boolean {
  return grant.type === 'tool'
    ? isKey(grant.key)
    : grant.commands.length > 0 && grant.commands.every(isCommandGrant);
}

const nothing: Granted = { tools: [], commands: [] };

const grantedBy = (grant: Grant): Granted =>
  grant.type === 'tool'
    ? { tools: [grant.key], commands: [] }
    : { tools: [], commands: grant.commands };

const merged = (a: Granted, b: Granted): Granted => ({
  tools: [...new Set([...a.tools, ...b.tools])],
  commands: [...a.commands, ...b.commands.filter((each) => !has(a.commands, each))],
});

function without({ tools, commands }: Granted, grant: Grant): Granted {
  const gone = grantedBy(grant);
  return {
    tools: tools.filter((key) => !gone.tools.includes(key)),
    commands: commands.filter((each) => !has(gone.commands, each)),
  };
}

const has = (all: readonly CommandGrant[], { folder, words }: CommandGrant): boolean =>
  all.some(
    (each) =>
      each.folder === folder &&
      each.words.length === words.length &&
      each.words.every((word, at) => word === words[at]),
  );

/** Anything that could not have been written grants nothing. */
function readGranted(value: unknown): Granted {
  if (!isRecord(value) || value['version'] !== storeVersion) return nothing;
  const { tools, commands } = value;
  return {
    tools: Array.isArray(tools) ? tools.filter(isKey).slice(-maxKept) : [],
    commands: Array.isArray(commands) ? commands.filter(isCommandGrant).slice(-maxKept) : [],
  };
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}(?:#[\w-]{1,64})?$/u.test(value);

const isCommandGrant = (value: unknown): value is CommandGrant =>
  isRecord(value) && isFolder(value['folder']) && isPrefix(value['words']);

/** Shown as it is. */
const isFolder = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && judgeCommandText(value).length === 0;

function isPrefix(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 8) return false;
  const words: readonly unknown[] = value;
  return words.every(isWord) && judgeCommandText(words.join(' ')).length === 0;
}

/** What a machine made up is more likely a key than the name of a task. */
const isWord = (word: unknown): boolean =>
  typeof word === 'string' &&
  /^[\x21-\x7e]{1,100}$/u.test(word) &&
  !/^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_]{20,}$/u.test(word);
