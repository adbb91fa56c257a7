/** Functions that the bundle with KaTeX exports. */
interface FormulaRenderer {
  isCached(source: string): boolean;
  renderFormula(element: HTMLElement, source: string): void;
}

/**
 * Maximum number of characters to highlight at a time. Highlighting them takes a few milliseconds. Longer code is split
 * into parts, and each part is highlighted independently of the others.
 */
const maxHighlightChars = 6000;
const maxCodeLength = 200_000;
const budgetMs = 8;

interface RenderSlice {
  readonly language: string;
  readonly groups: HTMLElement[];
}

/** CSS class of formulas that show their source until KaTeX has rendered them. */
const unrenderedClass = 'unrendered';
/**
 * Maximum number of new formulas that are rendered immediately in one update of the page. Further formulas are rendered
 * while the page is idle.
 */
const immediateRenderCount = 10;

let formulaRenderer: FormulaRenderer | undefined;
let rendererPromise: Promise<FormulaRenderer> | undefined;
let remainingCount = immediateRenderCount;

/**
 * Renders a new formula if KaTeX is loaded. Otherwise, the formula shows its source until an `IdleRenderer` renders it.
 * @param element contains the source as its text and as its `data-source` attribute
 */
export function prepareFormula(element: HTMLElement): void {
  element.classList.add(unrenderedClass);
  if (!formulaRenderer) return;
  if (!formulaRenderer.isCached(element.dataset['source'] ?? '')) remainingCount -= 1;
  if (remainingCount >= 0) renderFormula(element, formulaRenderer);
}

function renderFormula(element: HTMLElement, renderer: FormulaRenderer): void {
  element.classList.remove(unrenderedClass);
  renderer.renderFormula(element, element.dataset['source'] ?? '');
}

/** Loads KaTeX, which is a separate bundle, and its style sheet. */
async function loadFormulaRenderer(): Promise<FormulaRenderer> {
  const { isCached, prepareDocument, renderFormula: render } = await import('./render-formula.ts');
  await prepareDocument();
  formulaRenderer = { isCached, renderFormula: render };
  return formulaRenderer;
}

/**
 * Task that runs while the page is idle. Resolves to true if no other task should run in the same idle period, because
 * this one may have taken all of its time.
 */
type RenderTask = () => Promise<boolean>;

/**
 * Highlights completed code blocks, renders formulas and draws diagrams while the page is idle. An idle period without
 * a diagram takes at most about 8 ms. A period draws at most one diagram.
 */
export class IdleRenderer {
  readonly #schedule: (run: () => void) => void;
  readonly #makeTabStop: (element: HTMLElement, label: string) => void;
  /** Queued tasks by the element that each task changes. */
  readonly #tasks = new Map<HTMLElement, RenderTask>();
  #isRunning = false;

  /**
   * @param schedule runs a function when the page is idle
   * @param makeTabStop makes a diagram a tab stop while the diagram can be scrolled
   */
  constructor(
    schedule: (run: () => void) => void,
    makeTabStop: (element: HTMLElement, label: string) => void,
  ) {
    this.#schedule = schedule;
    this.#makeTabStop = makeTabStop;
  }

  /** Queues all code blocks inside `element`, and `element` itself if it is a code block. */
  addCodeBlocks(element: HTMLElement): void {
    const codeBlocks = element.querySelectorAll<HTMLElement>('.code-block');
    const blocks = element.matches('.code-block') ? [element] : codeBlocks;
    for (const block of blocks) {
      if (block.dataset['language'] === 'mermaid') {
        if (block.dataset['unclosed'] === undefined)
          this.#tasks.set(block, () => this.#drawDiagram(block));
        continue;
      }
      for (const slice of createSlices(block))
        this.#tasks.set(slice.groups[0]!, () => highlightSlice(slice));
    }
    this.#scheduleTasks();
  }

  /** Queues the given formulas, except those that are already rendered. */
  addFormulas(formulas: readonly HTMLElement[]): void {
    remainingCount = immediateRenderCount;
    for (const element of formulas.filter(({ classList }) => classList.contains(unrenderedClass)))
      this.#tasks.set(element, async () => {
        renderFormula(element, await (rendererPromise ??= loadFormulaRenderer()));
        return false;
      });
    this.#scheduleTasks();
  }

  dispose(): void {
    this.#tasks.clear();
  }

  #scheduleTasks(): void {
    if (this.#isRunning || this.#tasks.size === 0) return;
    this.#isRunning = true;
    this.#schedule(() => void this.#runTasks());
  }

  /** Runs queued tasks until the time budget of the idle period is used up. */
  async #runTasks(): Promise<void> {
    let startedAt: number | undefined;
    for (const [element, task] of this.#tasks) {
      this.#tasks.delete(element);
      // If a bundle cannot load, code, formulas and diagrams remain unchanged.
      const isLong = await task().catch(() => false);
      startedAt ??= performance.now();
      if (isLong || performance.now() - startedAt >= budgetMs / 2) break;
    }
    this.#isRunning = false;
    this.#scheduleTasks();
  }

  /** Draws a diagram. The first call loads the drawing library, which is a separate bundle. */
  async #drawDiagram(block: HTMLElement): Promise<boolean> {
    const { drawDiagram } = await import('./diagram.ts');
    drawDiagram(block, {
      schedule: this.#schedule,
      makeTabStopIfScrollable: this.#makeTabStop,
    });
    return true;
  }
}

/** Highlights a part of a code block. The first call loads the language definitions, which are a separate bundle. */
async function highlightSlice({ language, groups }: RenderSlice): Promise<boolean> {
  const { highlightGroups, isKnownLanguage } = await import('./highlight-code.ts');
  if (isKnownLanguage(language)) highlightGroups(language, groups);
  return false;
}

function createSlices(block: HTMLElement): RenderSlice[] {
  const language = block.dataset['language'] ?? '';
  const groups = [...block.querySelectorAll<HTMLElement>('.code-lines')];
  const hasHiddenCharacters = block.querySelector('.hidden-character') !== null;
  const length = groups.reduce((sum, group) => sum + group.textContent.length, 0);
  if (!language || hasHiddenCharacters || length > maxCodeLength) return [];
  const slices: RenderSlice[] = [];
  let remainingChars = 0;
  for (const group of groups) {
    if (remainingChars <= 0) {
      slices.push({ language, groups: [] });
      remainingChars = maxHighlightChars;
    }
    slices.at(-1)!.groups.push(group);
    remainingChars -= group.textContent.length;
  }
  return slices;
}
