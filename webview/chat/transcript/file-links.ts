import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../src/base/clock.ts';
import type { PostMessage } from '../store.ts';

/** Time in milliseconds for which the page collects paths before it requests them from the host. */
const collectDelayMs = 100;
/**
 * Time in milliseconds after which the page requests the path of a missing file again, because the agent may have
 * created the file.
 */
const retryDelayMs = 10_000;
const maxLinkedPaths = 100;

/** Turns paths in answers into links if a workspace file exists at the path. */
export class FileLinks {
  readonly #root: HTMLElement;
  readonly #post: PostMessage;
  readonly #clock: Clock;
  readonly #foundPaths = new Set<string>();
  /** Time of the last request to the host in milliseconds, by path. */
  readonly #requestTimes = new Map<string, number>();
  #pendingPaths = new Set<string>();

  constructor(
    root: HTMLElement,
    { post, clock }: { readonly post: PostMessage; readonly clock: Clock },
  ) {
    this.#root = root;
    this.#post = post;
    this.#clock = clock;
    new MutationObserver((mutations) => this.#onChange(mutations)).observe(root, {
      childList: true,
      subtree: true,
    });
    root.addEventListener('click', (event) => this.#openLink(event));
    root.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#openLink(event);
    });
  }

  /**
   * Turns the given paths into links wherever they occur in answers. The host has confirmed that a file exists at each
   * path.
   */
  linkPaths(paths: readonly string[]): void {
    for (const path of paths) this.#foundPaths.add(path);
    for (const element of this.#root.querySelectorAll<HTMLElement>(pathSelector))
      this.#showLink(element);
  }

  #onChange(mutations: readonly MutationRecord[]): void {
    for (const { addedNodes } of mutations)
      for (const node of addedNodes) {
        if (!(node instanceof HTMLElement)) continue;
        if (node.matches(pathSelector)) this.#addElement(node);
        for (const element of node.querySelectorAll<HTMLElement>(pathSelector))
          this.#addElement(element);
      }
  }

  #addElement(element: HTMLElement): void {
    const path = element.dataset['path'] ?? '';
    if (this.#foundPaths.has(path)) return this.#showLink(element);
    const requestedAt = this.#requestTimes.get(path) ?? -Infinity;
    if (this.#clock.now() - requestedAt < retryDelayMs || this.#pendingPaths.size >= maxLinkedPaths)
      return;
    this.#requestTimes.set(path, this.#clock.now());
    this.#pendingPaths.add(path);
    if (this.#pendingPaths.size === 1)
      this.#clock.after(collectDelayMs, () => this.#requestPaths());
  }

  #requestPaths(): void {
    const paths = [...this.#pendingPaths];
    this.#pendingPaths = new Set();
    this.#post({ type: 'paths-check', paths });
  }

  #showLink(element: HTMLElement): void {
    const path = element.dataset['path'] ?? '';
    if (!this.#foundPaths.has(path) || element.closest('a') !== null) return;
    element.classList.add('file-link');
    element.setAttribute('role', 'link');
    element.tabIndex = 0;
    element.title = l10n.t('Open {0}', path);
  }

  #openLink(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest('.file-link') : null;
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#post({ type: 'path-open', path: link.dataset['path'] ?? '' });
  }
}

const pathSelector = '[data-path]';
