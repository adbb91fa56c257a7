import { isRecord, type Json } from '../../base/json.ts';
import { hasNewerVersion } from '../../base/newer-version.ts';
import { checkCommandText } from '../commands/command-text.ts';

/** Scope of a grant: one conversation of this window, or every conversation of this workspace. */
export type GrantScope = 'conversation' | 'always';

export type Grant =
  /**
   * Grant for one tool. `key` starts with the tool's name. It can also contain limits of the grant such as a price, and
   * a digest of the tool's description and schema.
   */
  | { readonly type: 'tool'; readonly key: string }
  | { readonly type: 'commands'; readonly commands: readonly CommandGrant[] };

/** A command that may run in one folder. In another folder, the same command can have a different effect. */
export interface CommandGrant {
  /** Folder in the format of path arguments of tools, with links resolved; `.` for the workspace folder itself. */
  readonly folder: string;
  /** Decoded first words of the command; never a whole line. */
  readonly words: readonly string[];
}

/** Store for one value per workspace, which workspace files cannot change. */
export interface GrantStore {
  /** Returns the stored value, unvalidated. */
  get(): unknown;
  set(value: Json): void | PromiseLike<void>;
}

/** Grants that have the same scope, by kind. */
export interface GrantSet {
  readonly tools: readonly string[];
  readonly commands: readonly CommandGrant[];
}

/** Maximum number of grants of each kind. The oldest grants are removed first. */
const maxGrants = 500;

/** Version of the stored format. Version 1 did not store the folder of a command. */
const storeVersion = 2;

/**
 * Tools and commands that the user has allowed to run again without approval. Only an answer of the user adds a grant.
 */
export class Grants {
  readonly #store: GrantStore;
  readonly #conversationGrants = new Map<string, GrantSet>();

  constructor(store: GrantStore) {
    this.#store = store;
  }

  /** Grants that apply to every conversation of this workspace. */
  get workspaceGrants(): GrantSet {
    return readGrants(this.#store.get());
  }

  /** Checks whether a grant for the tool exists in at least one of the given scopes. */
  allowsTool(key: string, conversationId: string, scopes: readonly GrantScope[]): boolean {
    return (
      (scopes.includes('always') && this.workspaceGrants.tools.includes(key)) ||
      (scopes.includes('conversation') &&
        this.#getConversationGrants(conversationId).tools.includes(key))
    );
  }

  /** Returns the command prefixes that are granted in this conversation and folder. */
  listPrefixes(conversationId: string, folder: string): readonly (readonly string[])[] {
    return mergeGrants(this.workspaceGrants, this.#getConversationGrants(conversationId))
      .commands.filter((grant) => grant.folder === folder)
      .map(({ words }) => words);
  }

  /**
   * Adds a grant.
   * @throws Error for a grant that must not be stored, for example because a word looks like a secret; the grant is
   *   then not added
   */
  async addGrant(grant: Grant, scope: GrantScope, conversationId: string): Promise<void> {
    if (!isGrantable(grant)) throw new Error('The grant cannot be stored.');
    const addedGrants = toGrantSet(grant);
    if (scope === 'always' && !this.#isStoreNewer)
      await this.#saveGrants(mergeGrants(this.workspaceGrants, addedGrants));
    else
      this.#conversationGrants.set(
        conversationId,
        mergeGrants(this.#getConversationGrants(conversationId), addedGrants),
      );
  }

  /**
   * Revokes the grant for the workspace and for all conversations. Does not change grants that a newer version of the
   * extension stored, because this version does not use them.
   */
  async revokeGrant(grant: Grant): Promise<void> {
    for (const [id, grants] of this.#conversationGrants)
      this.#conversationGrants.set(id, removeGrant(grants, grant));
    await this.#saveGrants(removeGrant(this.workspaceGrants, grant));
  }

  async revokeAll(): Promise<void> {
    this.#conversationGrants.clear();
    await this.#saveGrants(noGrants);
  }

  /** Removes all grants of a deleted conversation. */
  forgetConversation(conversationId: string): void {
    this.#conversationGrants.delete(conversationId);
  }

  /**
   * True if a newer version of the extension wrote the stored grants. They must then stay unchanged, so a new grant
   * applies only to its conversation.
   */
  get #isStoreNewer(): boolean {
    return hasNewerVersion(this.#store.get(), storeVersion);
  }

  #getConversationGrants(conversationId: string): GrantSet {
    return this.#conversationGrants.get(conversationId) ?? noGrants;
  }

  async #saveGrants({ tools, commands }: GrantSet): Promise<void> {
    if (this.#isStoreNewer) return;
    const storedCommands = commands
      .slice(-maxGrants)
      .map(({ folder, words }) => ({ folder, words }));
    await this.#store.set({
      version: storeVersion,
      tools: tools.slice(-maxGrants),
      commands: storedCommands,
    });
  }
}

/** Checks that a grant contains only what may be stored and shown: no secrets and no hidden characters. */
export function isGrantable(grant: Grant): boolean {
  return grant.type === 'tool'
    ? isToolKey(grant.key)
    : grant.commands.length > 0 && grant.commands.every(isCommandGrant);
}

const noGrants: GrantSet = { tools: [], commands: [] };

const toGrantSet = (grant: Grant): GrantSet =>
  grant.type === 'tool'
    ? { tools: [grant.key], commands: [] }
    : { tools: [], commands: grant.commands };

const mergeGrants = (a: GrantSet, b: GrantSet): GrantSet => ({
  tools: [...new Set([...a.tools, ...b.tools])],
  commands: [
    ...a.commands,
    ...b.commands.filter((command) => !includesCommand(a.commands, command)),
  ],
});

function removeGrant({ tools, commands }: GrantSet, grant: Grant): GrantSet {
  const removedGrants = toGrantSet(grant);
  return {
    tools: tools.filter((key) => !removedGrants.tools.includes(key)),
    commands: commands.filter((command) => !includesCommand(removedGrants.commands, command)),
  };
}

const includesCommand = (
  commandGrants: readonly CommandGrant[],
  { folder, words }: CommandGrant,
): boolean =>
  commandGrants.some(
    (command) =>
      command.folder === folder &&
      command.words.length === words.length &&
      command.words.every((word, index) => word === words[index]),
  );

/** Reads the stored grants. Ignores values that this version cannot have written. */
function readGrants(value: unknown): GrantSet {
  if (!isRecord(value) || value['version'] !== storeVersion) return noGrants;
  const { tools, commands } = value;
  return {
    tools: Array.isArray(tools) ? tools.filter(isToolKey).slice(-maxGrants) : [],
    commands: Array.isArray(commands) ? commands.filter(isCommandGrant).slice(-maxGrants) : [],
  };
}

const isToolKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}(?:#[\w-]{1,64})?$/u.test(value);

const isCommandGrant = (value: unknown): value is CommandGrant =>
  isRecord(value) && isFolderName(value['folder']) && isCommandPrefix(value['words']);

/** Checks that a value is a folder name without hidden characters, because the UI shows the name unchanged. */
const isFolderName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && checkCommandText(value).length === 0;

function isCommandPrefix(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 8) return false;
  const words: readonly unknown[] = value;
  return words.every(isGrantableWord) && checkCommandText(words.join(' ')).length === 0;
}

/**
 * Checks a word of a granted command. Rejects words that look random, because they are more likely keys than task
 * names.
 */
const isGrantableWord = (word: unknown): boolean =>
  typeof word === 'string' &&
  /^[\x21-\x7e]{1,100}$/u.test(word) &&
  !/^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_]{20,}$/u.test(word);
