import type { JSHandle, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

/** The inline suggestion in the active editor, as rendered. */
export class GhostText {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Returns the text of the suggestion: the parts in the line, then further lines. Empty without one. */
  async readText(): Promise<string> {
    const [text = ''] = await (await this.#startRecorder(false)).stop();
    return text;
  }

  /** Resolves when the suggestion equals or matches the expected text. */
  async waitForText(expected: string | RegExp): Promise<void> {
    await eventually(async () => {
      const text = await this.readText();
      const fits = typeof expected === 'string' ? text === expected : expected.test(text);
      if (!fits) throw new Error(`The ghost text is ${JSON.stringify(text)}, not ${expected}.`);
    });
  }

  /** Resolves when there is no suggestion. */
  waitUntilHidden(): Promise<void> {
    return this.waitForText('');
  }

  /** Starts to record the suggestion in every painted frame. */
  startRecording(): Promise<GhostTextRecording> {
    return this.#startRecorder(true);
  }

  async #startRecorder(everyFrame: boolean): Promise<GhostTextRecording> {
    const editor = '.editor-group-container.active .monaco-editor';
    return new GhostTextRecording(
      await this.#page.evaluateHandle(recordFrames, { editor, everyFrame }),
    );
  }
}

/** A frame-by-frame recording of the inline suggestion. */
export class GhostTextRecording {
  readonly #recorder: JSHandle<Recorder>;

  constructor(recorder: JSHandle<Recorder>) {
    this.#recorder = recorder;
  }

  /** Ends the recording. Returns the visible texts in order, without consecutive duplicates. */
  async stop(): Promise<readonly string[]> {
    const seen = await this.#recorder.evaluate((recorder) => recorder.end());
    await this.#recorder.dispose();
    return seen;
  }
}

/**
 * Returns the texts that do not follow from the previous one by typing along: flickers and changes.
 * @param closer Text that the editor auto-closes: it may disappear from the end, but must not return
 */
export function findFlickers(seen: readonly string[], closer = ''): readonly string[] {
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
 * Runs in the page. Reads the suggestion now, and with `everyFrame` after each painted frame, so that unpainted states
 * do not count. Normalizes spaces; of several spans in a line, the left one comes first.
 */
function recordFrames({ editor, everyFrame }: { editor: string; everyFrame: boolean }): Recorder {
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
