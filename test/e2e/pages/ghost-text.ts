import type { JSHandle, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

/** The suggestion that stands in grey in the active editor, as the person sees it. */
export class GhostText {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The text of all its parts: those in the line one after the other, then its further lines. Empty when there is none. */
  async text(): Promise<string> {
    const [text = ''] = await (await this.#look(false)).end();
    return text;
  }

  /** Resolves when it is this text, or holds a match. */
  async shows(expected: string | RegExp): Promise<void> {
    await eventually(async () => {
      const text = await this.text();
      const fits = typeof expected === 'string' ? text === expected : expected.test(text);
      if (!fits) throw new Error(`The ghost text is ${JSON.stringify(text)}, not ${expected}.`);
    });
  }

  /** Resolves when there is none. */
  isGone(): Promise<void> {
    return this.shows('');
  }

  /** Watches it in every frame that is painted, from now on. */
  record(): Promise<GhostTextRecording> {
    return this.#look(true);
  }

  async #look(everyFrame: boolean): Promise<GhostTextRecording> {
    const editor = '.editor-group-container.active .monaco-editor';
    return new GhostTextRecording(await this.#page.evaluateHandle(look, { editor, everyFrame }));
  }
}

/** What was seen of the ghost text, frame by frame. */
export class GhostTextRecording {
  readonly #recorder: JSHandle<Recorder>;

  constructor(recorder: JSHandle<Recorder>) {
    this.#recorder = recorder;
  }

  /** Ends it. Gives each text that was visible, in order; the same text in frames on end is one. */
  async end(): Promise<readonly string[]> {
    const seen = await this.#recorder.evaluate((recorder) => recorder.end());
    await this.#recorder.dispose();
    return seen;
  }
}

/**
 * The texts that are no rest of the one before, by typing along: where the suggestion flickered or changed.
 * @param closer what the editor closes by itself when its opener is typed: it may go from the end, and not come back
 */
export function flickers(seen: readonly string[], closer = ''): readonly string[] {
  return seen.filter((text, index) => {
    const before = seen[index - 1];
    if (before === undefined) return false;
    const isClosed = closer !== '' && before.endsWith(closer);
    const rests = isClosed ? [before, before.slice(0, -closer.length)] : [before];
    return text === '' || !rests.some((rest) => rest.endsWith(text));
  });
}

interface Recorder {
  end(): string[];
}

/**
 * Runs in the page: reads now, and with `everyFrame` after each frame that is painted, so that states that nobody could
 * see do not count. Spaces are written as such; of several spans on a line the left one comes first.
 */
function look({ editor, everyFrame }: { editor: string; everyFrame: boolean }): Recorder {
  const all = (selector: string): Element[] => [
    ...document.querySelectorAll(`${editor} ${selector}`),
  ];
  const read = (): string => {
    const inLine = all('[class*="ghost-text-decoration"]')
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .toSorted((one, other) => one.box.top - other.box.top || one.box.left - other.box.left)
      .map(({ element }) => element.textContent)
      .join('');
    const lines = all('.suggest-preview-text .view-line').map(({ textContent }) => textContent);
    return [inLine, ...lines].join('\n').replaceAll('\u00A0', ' ').replaceAll('\u200B', '');
  };
  const seen = [read()];
  let isOver = !everyFrame;
  const painted = new MessageChannel();
  painted.port1.addEventListener('message', () => {
    const text = read();
    if (!isOver && seen.at(-1) !== text) seen.push(text);
  });
  painted.port1.start();
  const onFrame = (): void => {
    if (isOver) return;
    painted.port2.postMessage(undefined);
    requestAnimationFrame(onFrame);
  };
  if (everyFrame) requestAnimationFrame(onFrame);
  return {
    end: () => {
      isOver = true;
      painted.port1.close();
      return seen;
    },
  };
}
