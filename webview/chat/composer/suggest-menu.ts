import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../src/base/clock.ts';
import type {
  ContextSuggestion,
  ContextSuggestions,
  ContextSearch,
} from '../../../src/chat/protocol/composer.ts';
import type { PostMessage } from '../store.ts';
import { addStyle, createCodicon, createElement } from '../../base/element.ts';

/** An incomplete mention or command at the caret. */
export interface SuggestToken extends Pick<ContextSearch, 'kind' | 'query'> {
  /** UTF-16 offsets of the text that an accepted suggestion replaces. */
  readonly start: number;
  readonly end: number;
}

const maxQueryLength = 200;
const narrowedMentionPattern = /^(?<kind>file|folder|symbol):(?<query>.*)$/u;

/**
 * Returns the mention that ends at the caret, or the command if the text contains only a command. Returns `undefined`
 * for other texts.
 */
export function findTokenAt(text: string, caret: number): SuggestToken | undefined {
  const textBefore = text.slice(0, caret);
  const commandMatch = /^\/(?<query>[\p{L}\p{N}._-]*)$/u.exec(textBefore);
  // A command is complete if text follows it.
  if (commandMatch !== null && text.length === caret)
    return dropLongQuery({ kind: 'command', query: textBefore.slice(1), start: 0, end: caret });
  const mentionMatch = /(?:^|[\s(])#(?<typed>[^\s#]*)$/u.exec(textBefore);
  const typedText = mentionMatch?.groups?.['typed'];
  if (typedText === undefined) return undefined;
  const start = caret - typedText.length - 1;
  const { kind, query } = narrowedMentionPattern.exec(typedText)?.groups ?? {};
  if (kind === 'file' || kind === 'folder' || kind === 'symbol')
    return dropLongQuery({ kind, query: query ?? '', start, end: caret });
  return dropLongQuery({ kind: 'any', query: typedText, start, end: caret });
}

const dropLongQuery = (token: SuggestToken): SuggestToken | undefined =>
  token.query.length > maxQueryLength ? undefined : token;

interface SuggestMenuContext {
  readonly textArea: HTMLTextAreaElement;
  readonly post: PostMessage;
  readonly clock: Clock;
  /** Called after an accepted suggestion changes the text of the text area. */
  readonly onDidChange: () => void;
}

/** Delay in milliseconds after which the suggestion list shows a loading note. */
const loadingNoteDelayMs = 300;

/**
 * Suggestion list for commands (`/` at the start of a message) and mentions (`#` anywhere in a message). Loaded on
 * first use.
 */
export class SuggestMenu {
  readonly element = createElement('div', { class: 'suggest-menu' });
  readonly #context: SuggestMenuContext;
  readonly #note = createElement('p', { class: 'suggest-note', role: 'status' });
  readonly #list = createElement('div', { id: listId, role: 'listbox' });
  #token: SuggestToken | undefined;
  /** Text of the incomplete mention or command for which the user closed the list. */
  #dismissedToken: string | undefined;
  #requestNumber = 0;
  #suggestions: readonly ContextSuggestion[] = [];
  #activeIndex = 0;
  #isComposing = false;
  #cancelLoadingNote: () => void = () => {};
  #hint = '';

  constructor(context: SuggestMenuContext) {
    this.#context = context;
    addStyle(suggestMenuStyle);
    this.element.append(this.#list, this.#note);
    this.element.hidden = true;
    const { textArea } = context;
    textArea.addEventListener('compositionstart', () => (this.#isComposing = true));
    textArea.addEventListener('compositionend', () => {
      this.#isComposing = false;
      this.update();
    });
    textArea.addEventListener('keyup', ({ key }) => {
      if (caretKeys.has(key)) this.update();
    });
    textArea.addEventListener('click', () => this.update());
    textArea.addEventListener('blur', () => this.#close());
  }

  /** Sets the text that the list shows for the image command: the model and the price of the next image. */
  set hint(text: string) {
    this.#hint = text;
    if (this.#token?.kind === 'command') this.#render();
  }

  /** Updates the menu after the text or the caret changed. */
  update(): void {
    if (this.#isComposing) return;
    const { value, selectionStart, selectionEnd } = this.#context.textArea;
    const token = selectionStart === selectionEnd ? findTokenAt(value, selectionStart) : undefined;
    if (token === undefined) {
      this.#dismissedToken = undefined;
      return this.#close();
    }
    const typedText = value.slice(token.start, token.end);
    if (typedText === this.#dismissedToken || isSameToken(token, this.#token)) return;
    this.#dismissedToken = undefined;
    this.#requestSuggestions(token);
  }

  /** Shows the host's reply to the current search. Ignores replies to earlier searches. */
  show({ request, suggestions, note }: ContextSuggestions): void {
    if (request !== this.#requestNumber || this.#token === undefined) return;
    this.#cancelLoadingNote();
    this.#suggestions = addImageCommand(suggestions, this.#token);
    this.#activeIndex = 0;
    this.#note.textContent = note;
    this.#render();
  }

  /**
   * Handles a key press in the text field.
   * @returns true if the menu handled the key
   */
  handleKey(event: KeyboardEvent): boolean {
    const hasModifier = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (this.element.hidden || event.isComposing || hasModifier) return false;
    const step = stepByKey[event.key];
    if (event.key === 'Escape') this.#dismiss();
    else if (this.#suggestions.length === 0) return false;
    else if (step !== undefined) this.#moveSelection(step);
    else if (event.key === 'Enter' || event.key === 'Tab')
      this.#acceptSuggestion(this.#activeIndex);
    else return false;
    event.preventDefault();
    // The page would stop the turn on Escape.
    event.stopPropagation();
    return true;
  }

  #requestSuggestions(token: SuggestToken): void {
    const { post, clock } = this.#context;
    const isOtherKind = token.kind !== this.#token?.kind;
    this.#token = token;
    this.#requestNumber += 1;
    if (token.kind === 'command' && isOtherKind) post({ type: 'image-hint-request' });
    const { kind, query } = token;
    post({ type: 'context-search', request: this.#requestNumber, kind, query });
    this.#cancelLoadingNote();
    this.#cancelLoadingNote = clock.after(loadingNoteDelayMs, () => this.#showLoadingNote());
    // Clear the list, so that the user cannot accept an outdated suggestion. The image command needs no search.
    this.#suggestions = addImageCommand([], token);
    this.#activeIndex = 0;
    this.#note.textContent = '';
    this.#render();
  }

  #showLoadingNote(): void {
    this.#note.textContent = l10n.t('Loading…');
    this.#render();
  }

  #acceptSuggestion(index: number): void {
    const suggestion = this.#suggestions[index];
    const token = this.#token;
    if (suggestion === undefined || token === undefined) return;
    const { textArea, post, onDidChange } = this.#context;
    const isNarrowing = suggestion.insert.endsWith(':');
    if (suggestion.kind === 'prompt') this.#dismiss();
    else {
      this.#close();
      replaceToken(textArea, token, `${suggestion.insert}${isNarrowing ? '' : ' '}`);
    }
    if (!isNarrowing && suggestion.id !== imageId)
      post({
        type: 'context-choose',
        id: suggestion.id,
        text: textArea.value.slice(0, maxTextLength),
      });
    onDidChange();
  }

  #moveSelection(step: number): void {
    const count = this.#suggestions.length;
    this.#activeIndex = (this.#activeIndex + step + count) % count;
    this.#render();
    this.#list.children[this.#activeIndex]?.scrollIntoView({ block: 'nearest' });
  }

  /** Closes the menu and keeps it closed until the user types a different token. Does not change the text area. */
  #dismiss(): void {
    const { value } = this.#context.textArea;
    const token = this.#token;
    this.#close();
    this.#dismissedToken = token && value.slice(token.start, token.end);
  }

  #close(): void {
    this.#cancelLoadingNote();
    this.#token = undefined;
    this.#suggestions = [];
    this.#note.textContent = '';
    this.#render();
  }

  #render(): void {
    const { textArea } = this.#context;
    const hasSuggestions = this.#suggestions.length > 0;
    this.element.hidden = !hasSuggestions && this.#note.textContent === '';
    this.#list.hidden = !hasSuggestions;
    const isCommand = this.#token?.kind === 'command';
    this.#list.className = isCommand ? 'commands' : '';
    this.#list.ariaLabel = isCommand ? l10n.t('Commands') : l10n.t('Context');
    this.#list.replaceChildren(
      ...this.#suggestions.map((suggestion, index) => this.#renderOption(suggestion, index)),
    );
    setAttribute(textArea, 'aria-autocomplete', hasSuggestions ? 'list' : null);
    setAttribute(textArea, 'aria-controls', hasSuggestions ? listId : null);
    setAttribute(
      textArea,
      'aria-activedescendant',
      hasSuggestions ? createOptionId(this.#activeIndex) : null,
    );
  }

  #renderOption({ id, kind, label, detail }: ContextSuggestion, index: number): HTMLElement {
    const option = createElement(
      'div',
      {
        id: createOptionId(index),
        role: 'option',
        // The tooltip shows text that the list truncates.
        title: detail,
        'aria-selected': index === this.#activeIndex ? 'true' : 'false',
      },
      createCodicon(icons[kind]),
      createElement(
        'span',
        { class: 'suggest-words' },
        createElement('span', { class: 'suggest-name' }, createElement('bdi', {}, label)),
        createElement('span', { class: 'suggest-detail' }, createElement('bdi', {}, detail)),
        ...(id === imageId ? [createElement('span', { class: 'suggest-hint' }, this.#hint)] : []),
      ),
    );
    option.addEventListener('mousedown', (event) => {
      // Prevents the list from taking the focus from the text area.
      event.preventDefault();
      this.#acceptSuggestion(index);
    });
    return option;
  }
}

const icons = {
  file: 'file',
  folder: 'folder',
  selection: 'code',
  problems: 'warning',
  changes: 'diff',
  terminal: 'terminal',
  symbol: 'symbol-misc',
  codebase: 'search',
  command: 'chevron-right',
  prompt: 'book',
} as const;

const stepByKey: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const caretKeys: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End']);
const maxTextLength = 10_000;
const listId = 'suggest-list';
const imageId = 'image';
const createOptionId = (index: number): string => `suggest-${index}`;

/** Adds the image command to the suggestions. The page provides this command itself, without a search by the host. */
function addImageCommand(
  suggestions: readonly ContextSuggestion[],
  token: SuggestToken,
): readonly ContextSuggestion[] {
  if (token.kind !== 'command' || !'image'.startsWith(token.query)) return suggestions;
  const imageSuggestion: ContextSuggestion = {
    id: imageId,
    kind: 'command',
    insert: '/image',
    label: '/image',
    detail: l10n.t('Generate an image'),
  };
  return [...suggestions, imageSuggestion];
}

/**
 * Replaces the typed token with `text`, and moves the caret after the text. If `text` ends with a space and a space
 * follows the token, inserts only one space.
 */
function replaceToken(
  textArea: HTMLTextAreaElement,
  { start, end }: SuggestToken,
  text: string,
): void {
  const rangeEnd = text.endsWith(' ') && textArea.value.startsWith(' ', end) ? end + 1 : end;
  textArea.setRangeText(text, start, rangeEnd);
  textArea.setSelectionRange(start + text.length, start + text.length);
}

const isSameToken = (a: SuggestToken, b: SuggestToken | undefined): boolean =>
  a.kind === b?.kind && a.query === b.query && a.start === b.start;

function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Style of the suggestion list, modeled on VS Code's suggest widget. */
const suggestMenuStyle = `
.suggest-menu {
  position: absolute;
  z-index: 2;
  inset: auto 12px calc(100% - 4px);
  box-sizing: border-box;
  max-height: min(50vh, 360px);
  overflow: auto;
  border: 1px solid var(--vscode-editorSuggestWidget-border, var(--border));
  border-radius: var(--radius-large);
  padding: 4px;
  color: var(--vscode-editorSuggestWidget-foreground);
  background: var(--vscode-editorSuggestWidget-background);
}
.suggest-menu [role='option'] {
  display: flex;
  gap: 0 8px;
  align-items: flex-start;
  box-sizing: border-box;
  min-height: 24px;
  border-radius: var(--radius);
  padding: 2px 4px;
  cursor: pointer;
}
.suggest-words {
  display: flex;
  flex: 1;
  gap: 0 8px;
  align-items: baseline;
  min-width: 0;
}
.suggest-menu [role='option']:hover {
  background: var(--vscode-list-hoverBackground);
}
.suggest-menu [aria-selected='true'] {
  color: var(--vscode-editorSuggestWidget-selectedForeground, inherit);
  background: var(--vscode-editorSuggestWidget-selectedBackground);
  outline: 1px solid var(--vscode-contrastActiveBorder, transparent);
  outline-offset: -1px;
}
.suggest-menu .codicon {
  flex: none;
  margin-top: 2px;
}
.suggest-name {
  flex: none;
  overflow: hidden;
  max-width: 60%;
  white-space: nowrap;
  text-overflow: ellipsis;
}
.suggest-detail,
.suggest-hint {
  overflow: hidden;
  color: var(--muted);
  font-size: 0.92em;
  white-space: nowrap;
  text-overflow: ellipsis;
}
.suggest-menu [aria-selected='true'] :is(.suggest-detail, .suggest-hint) {
  color: inherit;
}
.suggest-hint {
  margin-inline-start: auto;
}
/* The description of a command is never truncated: it is beside the name or wraps below it. */
.commands .suggest-words {
  flex-wrap: wrap;
}
.commands :is(.suggest-detail, .suggest-hint) {
  margin: 0;
  white-space: normal;
}
.suggest-note {
  margin: 0;
  padding: 4px;
}
.suggest-note:empty {
  display: none;
}
`;
