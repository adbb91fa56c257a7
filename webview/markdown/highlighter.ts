/** Characters coloured at once: a few milliseconds. Longer code is coloured in independent slices. */
const sliceLength = 6000;
const longestCode = 200_000;
const budgetMs = 8;

interface Slice {
  readonly language: string;
  readonly groups: HTMLElement[];
}

/** Colours finished code blocks while the page is idle, in slices of at most about 8 ms. */
export class Highlighter {
  readonly #schedule: (run: () => void) => void;
  #queue: Slice[] = [];
  #running = false;

  constructor(schedule: (run: () => void) => void) {
    this.#schedule = schedule;
  }

  /** Queues the code blocks in a finished block. */
  add(element: HTMLElement): void {
    const inside = element.querySelectorAll<HTMLElement>('.code-block');
    const blocks = element.matches('.code-block') ? [element] : inside;
    for (const block of blocks) this.#queue.push(...slicesOf(block));
    if (this.#queue.length > 0) this.#start();
  }

  dispose(): void {
    this.#queue = [];
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#schedule(() => void this.#run());
  }

  /** The languages are a chunk of their own, loaded with the first finished code block. */
  async #run(): Promise<void> {
    const { highlightGroups, isKnownLanguage } = await import('./highlight-code.ts');
    const started = performance.now();
    while (this.#queue.length > 0 && performance.now() - started < budgetMs / 2) {
      const { language, groups } = this.#queue.shift()!;
      if (isKnownLanguage(language)) highlightGroups(language, groups);
    }
    this.#running = false;
    if (this.#queue.length > 0) this.#start();
  }
}

function slicesOf(block: HTMLElement): Slice[] {
  const language = block.dataset['language'] ?? '';
  const groups = [...block.querySelectorAll<HTMLElement>('.code-lines')];
  const isMarked = block.querySelector('.hidden-character') !== null;
  const length = groups.reduce((sum, group) => sum + group.textContent.length, 0);
  if (!language || isMarked || length > longestCode) return [];
  const slices: Slice[] = [];
  let free = 0;
  for (const group of groups) {
    if (free <= 0) {
      slices.push({ language, groups: [] });
      free = sliceLength;
    }
    slices.at(-1)!.groups.push(group);
    free -= group.textContent.length;
  }
  return slices;
}
