import { makeTabStopIfScrollable } from './code-block.ts';

/**
 * Maximum characters per slice. Highlighting a slice takes a few milliseconds. Slices of longer code are highlighted
 * independently.
 */
const sliceLength = 6000;
const maxCodeLength = 200_000;
const budgetMs = 8;

interface Slice {
  readonly language: string;
  readonly groups: HTMLElement[];
}

/**
 * Highlights finished code blocks and draws finished diagrams while the page is idle. A run that highlights takes at
 * most about 8 ms. A run draws at most one diagram.
 */
export class Highlighter {
  readonly #schedule: (run: () => void) => void;
  #queue: Slice[] = [];
  #diagrams: HTMLElement[] = [];
  #isRunning = false;

  constructor(schedule: (run: () => void) => void) {
    this.#schedule = schedule;
  }

  /** Queues all code blocks inside `element`, or `element` itself. */
  add(element: HTMLElement): void {
    const codeBlocks = element.querySelectorAll<HTMLElement>('.code-block');
    const blocks = element.matches('.code-block') ? [element] : codeBlocks;
    for (const block of blocks) {
      if (block.dataset['language'] !== 'mermaid') this.#queue.push(...createSlices(block));
      else if (block.dataset['unclosed'] === undefined) this.#diagrams.push(block);
    }
    this.#startIfNeeded();
  }

  dispose(): void {
    this.#queue = [];
    this.#diagrams = [];
  }

  #startIfNeeded(): void {
    if (this.#isRunning || this.#queue.length + this.#diagrams.length === 0) return;
    this.#isRunning = true;
    this.#schedule(() => void this.#run());
  }

  async #run(): Promise<void> {
    await (this.#queue.length > 0 ? this.#highlight() : this.#draw());
    this.#isRunning = false;
    this.#startIfNeeded();
  }

  /**
   * Highlights queued slices within the time budget. The first call loads the languages, which are a separate bundle.
   */
  async #highlight(): Promise<void> {
    const { highlightGroups, isKnownLanguage } = await import('./highlight-code.ts');
    const started = performance.now();
    while (this.#queue.length > 0 && performance.now() - started < budgetMs / 2) {
      const { language, groups } = this.#queue.shift()!;
      if (isKnownLanguage(language)) highlightGroups(language, groups);
    }
  }

  /** Draws a queued diagram. The first call loads the drawing library, which is a separate bundle. */
  async #draw(): Promise<void> {
    const { drawDiagram } = await import('./diagram.ts');
    const block = this.#diagrams.shift();
    if (block) drawDiagram(block, { schedule: this.#schedule, makeTabStopIfScrollable });
  }
}

function createSlices(block: HTMLElement): Slice[] {
  const language = block.dataset['language'] ?? '';
  const groups = [...block.querySelectorAll<HTMLElement>('.code-lines')];
  const hasHiddenCharacters = block.querySelector('.hidden-character') !== null;
  const length = groups.reduce((sum, group) => sum + group.textContent.length, 0);
  if (!language || hasHiddenCharacters || length > maxCodeLength) return [];
  const slices: Slice[] = [];
  let remaining = 0;
  for (const group of groups) {
    if (remaining <= 0) {
      slices.push({ language, groups: [] });
      remaining = sliceLength;
    }
    slices.at(-1)!.groups.push(group);
    remaining -= group.textContent.length;
  }
  return slices;
}
