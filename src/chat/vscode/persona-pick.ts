import * as vscode from 'vscode';
import { formatDecimal } from '../../base/amounts.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { PersonaImages, type PersonaResults, PersonaSearch } from './persona-search.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import { getSetting } from '../../platform/settings.ts';
import {
  type Character,
  type CharacterPage,
  type CharacterQuery,
  listCharacters,
} from '../../service/characters.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import type { Host } from '../../host.ts';
import type { ChatWebview } from './chat-page.ts';
import type { Chats } from './chats.ts';

interface PickOptions {
  readonly clock: Clock;
  readonly listCharacters: (query: CharacterQuery, signal: AbortSignal) => Promise<CharacterPage>;
  readonly images: Pick<PersonaImages, 'fetchImageFile'>;
  readonly includesAdult: boolean;
  /** Display name of the selected chat model. This model answers in the character of any persona. */
  readonly modelName: string;
  /** Returns the display name for a model id; `undefined` if no model has the id. */
  readonly getModelName: (modelId: string) => string | undefined;
}

interface PersonaItem extends vscode.QuickPickItem {
  readonly character?: Character;
  readonly action?: 'more';
}

/** Maximum number of parallel image requests. */
const maxParallelFetches = 4;
/** Maximum number of personas in the list whose image is shown. */
const maxImages = 60;

/** Quick pick of personas. The service searches again while the user types. */
export class PersonaPick {
  readonly #options: PickOptions;
  readonly #disposables = new DisposableStore();
  readonly #pick = this.#disposables.add(vscode.window.createQuickPick<PersonaItem>());
  readonly #search: PersonaSearch;
  readonly #selection = Promise.withResolvers<Character | undefined>();
  readonly #stopController = new AbortController();
  /** Icons by the persona's slug. `undefined` for a persona whose image is loading or unavailable. */
  readonly #icons = new Map<string, vscode.Uri | undefined>();
  readonly #imageQueue: Character[] = [];
  #activeFetchCount = 0;
  #results: PersonaResults | undefined;

  constructor(options: PickOptions) {
    this.#options = options;
    const { clock, listCharacters, includesAdult, modelName } = options;
    const onChange = (results: PersonaResults): void => this.#showResults(results);
    this.#search = this.#disposables.add(
      new PersonaSearch({ clock, listCharacters, includesAdult, onChange }),
    );
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Chat with a Persona: {0} answers in its words', modelName);
    pick.placeholder = vscode.l10n.t('Search');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    this.#disposables.add(pick.onDidChangeValue((query) => this.#search.search(query)));
    this.#disposables.add(pick.onDidAccept(() => this.#acceptItem()));
    this.#disposables.add(pick.onDidHide(() => this.#finishPick(undefined)));
    this.#disposables.add({ dispose: () => this.#stopController.abort() });
  }

  /** Shows the quick pick. Returns the chosen persona, or `undefined` if the user closed the quick pick. */
  showPick(query: string): Promise<Character | undefined> {
    this.#pick.value = query;
    this.#pick.show();
    this.#search.search(query);
    return this.#selection.promise;
  }

  #acceptItem(): void {
    const [item] = this.#pick.selectedItems;
    if (item?.action === 'more') this.#search.loadMore();
    else if (item?.character !== undefined) this.#finishPick(item.character);
  }

  #finishPick(character: Character | undefined): void {
    this.#selection.resolve(character);
    this.#disposables.dispose();
  }

  #showResults(results: PersonaResults): void {
    this.#results = results;
    this.#pick.busy = results.isLoading;
    this.#updateItems();
    for (const character of results.characters.slice(0, maxImages))
      this.#queueImageFetch(character);
    this.#fetchNextImage();
  }

  #updateItems(): void {
    const results = this.#results;
    if (results === undefined) return;
    const [activeItem] = this.#pick.activeItems;
    const items = [
      ...results.characters.map((character) => this.#createItem(character)),
      ...createTrailingItems(results),
    ];
    this.#pick.keepScrollPosition = true;
    this.#pick.items = items;
    const matchingItem = items.find(
      ({ character }) => character?.slug === activeItem?.character?.slug,
    );
    if (activeItem?.character !== undefined && matchingItem !== undefined)
      this.#pick.activeItems = [matchingItem];
  }

  #createItem(character: Character): PersonaItem {
    const { slug, name, description, tags, modelId, rating, isAdult } = character;
    const model = modelId === undefined ? undefined : this.#options.getModelName(modelId);
    const details = [
      isAdult ? vscode.l10n.t('for adults') : '',
      rating === undefined ? '' : vscode.l10n.t('{0} of 5', formatDecimal(rating.average, 1)),
      tags.slice(0, 4).join(', '),
      model ?? '',
    ];
    return {
      label: toPlainText(name),
      description: toPlainText(details.filter((detail) => detail !== '').join(' · ')),
      detail: toPlainText(description).slice(0, 300),
      iconPath: this.#icons.get(slug) ?? new vscode.ThemeIcon('person'),
      // The service already filtered the results, and VS Code's filter would hide some of them.
      alwaysShow: true,
      character,
    };
  }

  #queueImageFetch(character: Character): void {
    if (character.photoUrl === undefined || this.#icons.has(character.slug)) return;
    this.#icons.set(character.slug, undefined);
    this.#imageQueue.push(character);
  }

  #fetchNextImage(): void {
    while (this.#activeFetchCount < maxParallelFetches && this.#imageQueue.length > 0) {
      const nextCharacter = this.#imageQueue.shift();
      if (nextCharacter !== undefined) void this.#fetchImage(nextCharacter);
    }
  }

  async #fetchImage({ slug, photoUrl = '' }: Character): Promise<void> {
    this.#activeFetchCount += 1;
    const path = await this.#options.images.fetchImageFile(photoUrl, this.#stopController.signal);
    this.#activeFetchCount -= 1;
    if (this.#stopController.signal.aborted) return;
    if (path !== undefined) this.#icons.set(slug, vscode.Uri.file(path));
    // Update the items only once for images that arrive together.
    if (this.#activeFetchCount === 0 || this.#imageQueue.length === 0) this.#updateItems();
    this.#fetchNextImage();
  }
}

/**
 * Returns the items below the personas: an error, a loading note, **More personas**, or a note that no persona was
 * found. Empty if there is nothing to add.
 */
function createTrailingItems({
  characters,
  isLoading,
  hasMore,
  failure,
}: PersonaResults): PersonaItem[] {
  if (failure !== undefined) {
    return [
      {
        label: `$(error) ${escapeIcons(failure.message)}`,
        detail: vscode.l10n.t('Retry'),
        alwaysShow: true,
        action: 'more',
      },
    ];
  }
  if (isLoading) {
    return characters.length > 0 ? [] : [{ label: vscode.l10n.t('Loading…'), alwaysShow: true }];
  }
  if (hasMore) {
    return [{ label: vscode.l10n.t('More personas'), alwaysShow: true, action: 'more' }];
  }
  if (characters.length > 0) return [];
  const label = vscode.l10n.t('No results');
  return [{ label, alwaysShow: true }];
}

/** Removes hidden characters from a text that another user of the service wrote, and escapes icon syntax. */
const toPlainText = (text: string): string => escapeIcons(stripHiddenCharacters(text).text);

interface PersonaDependencies {
  readonly host: Host;
  readonly chats: Chats;
  /** Returns the visible chat. Opens a chat if none is visible. */
  readonly getVisibleChat: () => Promise<ChatWebview>;
}

/**
 * Shows the quick pick of personas, and sets the chosen persona in a chat. Does nothing if the user closes the quick
 * pick.
 */
export async function choosePersona(
  dependencies: PersonaDependencies,
  query: string,
): Promise<void> {
  const { host } = dependencies;
  const folder = vscode.Uri.joinPath(host.context.globalStorageUri, 'persona-pictures').fsPath;
  const pick = new PersonaPick({
    clock: systemClock,
    listCharacters: (pageQuery, signal) => listPersonas(host, pageQuery, signal),
    images: new PersonaImages({ folder, service: host.service }),
    includesAdult: getSetting('inferenceService.personas.showAdult'),
    getModelName: (modelId) => host.models.models.find(({ id }) => id === modelId)?.name,
    modelName: host.models.chatModel?.name ?? vscode.l10n.t('The chosen model'),
  });
  const chosenCharacter = await pick.showPick(query);
  if (chosenCharacter !== undefined) await startChatWithCharacter(dependencies, chosenCharacter);
}

/**
 * Sets the persona in the visible chat if the chat is empty, otherwise in a new chat. A conversation cannot change its
 * persona.
 */
async function startChatWithCharacter(
  { getVisibleChat, chats }: PersonaDependencies,
  character: Character,
): Promise<void> {
  const view = await getVisibleChat();
  if (!view.chat.session.conversation.isEmpty) view.show(chats.create());
  const { session } = view.chat;
  const { slug, name } = character;
  await session.setOptions({ ...session.conversation.options, character: { slug, name } });
  view.focusComposer();
}

/**
 * Requests a page of personas. If the request fails, also records the failure in the account, so that the account's
 * status can show the failure.
 * @throws an error if the request fails or `signal` aborts
 */
async function listPersonas(
  { account, service }: Host,
  pageQuery: CharacterQuery,
  signal: AbortSignal,
): Promise<CharacterPage> {
  const { profile } = account;
  try {
    return await listCharacters(service, pageQuery, { signal });
  } catch (error) {
    const { failure } = toServiceError(error);
    if (failure.code !== 'stopped') account.reportOutcome(failure, profile);
    throw error;
  }
}
