import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { StreamedText } from '../../webview/chat/transcript/text-fold.ts';
import { MarkdownStream } from '../../webview/markdown/markdown-stream.ts';

/** Text to stream into the page, with its renderer and its speed. The page stays scrolled to the end of the text. */
export interface StreamRun {
  /**
   * Renderer. `extension` is the renderer of the extension. `plainText` appends one text node per delta to one element
   * per paragraph. `plainNode` extends a single text node. `fullRender` parses, sanitizes and replaces the complete
   * text in every frame.
   */
  readonly renderer: keyof typeof renderers;
  readonly text: string;
  /** Number of characters rendered before the measured frames. */
  readonly prefilledLength: number;
  readonly charactersPerFrame: number;
  readonly frameCount: number;
}

interface Renderer {
  append(text: string): void;
  renderPendingText(): void;
}

/** Functions of the page that the benchmark calls. */
interface MarkdownBench {
  prepare(run: StreamRun): Promise<void>;
  /** Resolves with the duration of each frame in milliseconds. */
  measureStream(): Promise<number[]>;
  loadSavedText(text: string): void;
  measureOpening(mode: 'restored' | 'at once'): Promise<number>;
}

declare global {
  var markdownBench: MarkdownBench;
}

const markdownOptions = {
  openLink() {},
  code: { copy() {}, insert() {}, openNewFile() {}, apply() {} },
  schedule: (run: () => void) => void setTimeout(run, 1000),
};

const renderers = {
  extension: (panel: HTMLElement): Renderer => new MarkdownStream(panel, markdownOptions),
  plainText: (panel: HTMLElement): Renderer => {
    let paragraph = panel.appendChild(document.createElement('div'));
    const append = (text: string): void => {
      for (const [index, part] of text.split('\n\n').entries()) {
        if (index > 0) paragraph = panel.appendChild(document.createElement('div'));
        paragraph.append(document.createTextNode(part));
      }
    };
    return { append, renderPendingText() {} };
  },
  plainNode: (panel: HTMLElement): Renderer => {
    const node = panel.appendChild(document.createTextNode(''));
    return { append: (text) => node.appendData(text), renderPendingText() {} };
  },
  fullRender: (panel: HTMLElement): Renderer => {
    let text = '';
    const render = (): void => {
      panel.innerHTML = DOMPurify.sanitize(marked.parse(text, { async: false }));
    };
    return { append: (addedText) => void (text += addedText), renderPendingText: render };
  },
};

const deltaLength = 20;
let panel: HTMLElement;
let currentRun: StreamRun;
let currentRenderer: Renderer;
let savedText = '';

globalThis.markdownBench = {
  async prepare(nextRun) {
    currentRun = nextRun;
    panel = createScrollingPanel();
    currentRenderer = renderers[currentRun.renderer](panel);
    await measurePaintMs(() => appendText(0, currentRun.prefilledLength));
  },
  async measureStream() {
    const durations: number[] = [];
    for (let frame = 0; frame < currentRun.frameCount; frame += 1) {
      const start = currentRun.prefilledLength + frame * currentRun.charactersPerFrame;
      durations.push(
        await measurePaintMs(() => appendText(start, start + currentRun.charactersPerFrame)),
      );
    }
    return durations;
  },
  loadSavedText(text) {
    savedText = text;
    panel = createScrollingPanel();
  },
  measureOpening: (mode) => measurePaintMs(() => showText(mode)),
};

function appendText(start: number, end: number): void {
  for (let offset = start; offset < end; offset += deltaLength) {
    currentRenderer.append(currentRun.text.slice(offset, Math.min(offset + deltaLength, end)));
  }
  currentRenderer.renderPendingText();
  panel.scrollTo(0, panel.scrollHeight);
}

function showText(mode: 'restored' | 'at once'): void {
  if (mode === 'restored') {
    new StreamedText(panel, markdownOptions).show(savedText, false);
    return;
  }
  const stream = new MarkdownStream(panel, markdownOptions);
  stream.append(savedText);
  stream.closeStream();
}

function createScrollingPanel(): HTMLElement {
  const element = document.createElement('div');
  element.style.cssText = 'width:420px;height:700px;overflow:auto';
  return document.body.appendChild(element);
}

/** Calls `render` in an animation frame. Resolves with the time until the frame is painted, in milliseconds. */
function measurePaintMs(render: () => void): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const start = performance.now();
      render();
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - start));
      port1.start();
      port2.postMessage(undefined);
    });
  });
}
