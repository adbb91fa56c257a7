import type { Clock } from '../../../src/base/clock.ts';
import { type Saved, type ScrollArea, scrollAreas } from '../saved.ts';

interface ScrollContext {
  readonly saved: Saved;
  readonly clock: Clock;
  readonly areas: Readonly<Record<ScrollArea, HTMLElement>>;
}

const keepDelayMs = 150;

/** Keeps how far the lists are scrolled, and scrolls them there again in the next load of the page. */
export class KeptScroll {
  readonly #context: ScrollContext;
  /** Areas not yet where they were left: what fills them may come later. Until then nothing of them is kept. */
  readonly #waiting = new Map<ScrollArea, number>();
  #cancelKeep: (() => void) | undefined;

  constructor(context: ScrollContext) {
    this.#context = context;
    const { areas, saved, clock } = context;
    const resized = new ResizeObserver(() => this.settle());
    for (const name of scrollAreas) {
      const top = saved.kept.scroll[name];
      if (top > 0) this.#waiting.set(name, top);
      const area = areas[name];
      const soon = (): void => {
        this.#cancelKeep ??= clock.after(keepDelayMs, () => this.keep());
      };
      area.addEventListener('scroll', soon, { passive: true });
      for (const type of ['wheel', 'pointerdown', 'keydown']) {
        area.addEventListener(type, () => this.#waiting.delete(name), { passive: true });
      }
      resized.observe(area);
    }
  }

  /** Scrolls what can be scrolled by now to where it was left. A person who scrolls goes first. */
  settle(): void {
    for (const [name, top] of this.#waiting) {
      const area = this.#context.areas[name];
      area.scrollTop = top;
      if (Math.abs(area.scrollTop - top) <= 1) this.#waiting.delete(name);
    }
  }

  keep(): void {
    this.#cancelKeep?.();
    this.#cancelKeep = undefined;
    const { saved, areas } = this.#context;
    const scroll = { ...saved.kept.scroll };
    for (const name of scrollAreas) {
      // What is hidden has no position.
      const isShown = areas[name].clientHeight > 0;
      if (isShown && !this.#waiting.has(name)) scroll[name] = Math.round(areas[name].scrollTop);
    }
    saved.keep({ scroll });
  }
}
