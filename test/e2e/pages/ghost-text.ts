import type { JSHandle, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

/** The visible inline suggestion of the active editor. */
export class GhostText {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Returns the visible text of the suggestion: the parts in the line of the cursor, then the lines below. Returns an
   * empty string without a suggestion.
   */
  async readText(): Promise<string> {
    const [text = ''] = await (await this.#startRecorder(false)).stop();
    return text;
  }

  /** Resolves when the suggestion equals or matches the expected text. */
  async waitForText(expected: string | RegExp): Promise<void> {
    await eventually(async () => {
      const text = await this.readText();
      const isMatch = typeof expected === 'string' ? text === expected : expected.test(text);
      if (!isMatch) throw new Error(`The ghost text is ${JSON.stringify(text)}, not ${expected}.`);
    });
  }

  /** Resolves when no suggestion is visible. */
  waitUntilHidden(): Promise<void> {
    return this.waitForText('');
  }

  /** Starts recording the visible suggestion in every painted frame. */
  startRecording(): Promise<GhostTextRecording> {
    return this.#startRecorder(true);
  }

  async #startRecorder(readsEveryFrame: boolean): Promise<GhostTextRecording> {
    const editor = '.editor-group-container.active .monaco-editor';
    return new GhostTextRecording(
      await this.#page.evaluateHandle(recordFrames, { editor, readsEveryFrame }),
    );
  }
}

/** Recording of the visible inline suggestion, frame by frame. */
export class GhostTextRecording {
  readonly #recorder: JSHandle<Recorder>;

  constructor(recorder: JSHandle<Recorder>) {
    this.#recorder = recorder;
  }

  /**
   * Resolves when the last painted frame shows the expected text. {@link GhostText.readText} can also return text that
   * is not painted yet.
   */
  async waitForText(expected: string): Promise<void> {
    await eventually(async () => {
      const text = await this.#recorder.evaluate((recorder) => recorder.getLastText());
      if (text !== expected) throw new Error(`The last frame shows ${JSON.stringify(text)}.`);
    });
  }

  /**
   * Stops the recording. Returns the visible texts in order, without consecutive duplicates. An empty text stands for
   * frames without a suggestion.
   */
  async stop(): Promise<readonly string[]> {
    const visibleTexts = await this.#recorder.evaluate((recorder) => recorder.endRecording());
    await this.#recorder.dispose();
    return visibleTexts;
  }
}

/**
 * Returns the recorded texts that show a flicker or a changed suggestion: each text that is empty, or that is not the
 * end of the previous text. Call this for a recording in which the user types the suggested text.
 * @param autoClosedText text that the editor inserted automatically, such as a bracket. It may disappear from the end
 * of the suggestion, but must not reappear.
 */
export function findFlickers(
  visibleTexts: readonly string[],
  autoClosedText = '',
): readonly string[] {
  return visibleTexts.filter((text, index) => {
    const previousText = visibleTexts[index - 1];
    if (previousText === undefined) return false;
    const isAutoClosed = autoClosedText !== '' && previousText.endsWith(autoClosedText);
    const possibleRests = isAutoClosed
      ? [previousText, previousText.slice(0, -autoClosedText.length)]
      : [previousText];
    return text === '' || !possibleRests.some((rest) => rest.endsWith(text));
  });
}

interface Recorder {
  getLastText(): string | undefined;
  endRecording(): string[];
}

/**
 * Reads the text of the visible suggestion. If `readsEveryFrame` is true, reads it again after each painted frame, so
 * that states that are never painted are excluded. Normalizes spaces, and orders the spans of a line from left to
 * right. Runs in the page.
 */
function recordFrames({
  editor,
  readsEveryFrame,
}: {
  editor: string;
  readsEveryFrame: boolean;
}): Recorder {
  const findElements = (selector: string): Element[] => [
    ...document.querySelectorAll(`${editor} ${selector}`),
  ];
  const readText = (): string => {
    const lineText = findElements('[class*="ghost-text-decoration"]')
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .toSorted((left, right) => left.box.top - right.box.top || left.box.left - right.box.left)
      .map(({ element }) => element.textContent)
      .join('');
    const lines = findElements('.suggest-preview-text .view-line').map(
      ({ textContent }) => textContent,
    );
    return [lineText, ...lines].join('\n').replaceAll('\u00A0', ' ').replaceAll('\u200B', '');
  };
  const visibleTexts = [readText()];
  let hasStopped = !readsEveryFrame;
  const channel = new MessageChannel();
  channel.port1.addEventListener('message', () => {
    const text = readText();
    if (!hasStopped && visibleTexts.at(-1) !== text) visibleTexts.push(text);
  });
  channel.port1.start();
  const onFrame = (): void => {
    if (hasStopped) return;
    channel.port2.postMessage(undefined);
    requestAnimationFrame(onFrame);
  };
  if (readsEveryFrame) requestAnimationFrame(onFrame);
  return {
    getLastText: () => visibleTexts.at(-1),
    endRecording: () => {
      hasStopped = true;
      channel.port1.close();
      return visibleTexts;
    },
  };
}
