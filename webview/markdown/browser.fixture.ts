import { highlightGroups } from './highlight-code.ts';
import { payloads } from './hostile.fixture.ts';
import { MarkdownStream } from './markdown-stream.ts';

/**
 * Renders each hostile text of `payloads` in a real browser, and returns the HTML of all elements that must not occur.
 * `browser.test.ts` bundles this module.
 */
function renderHostileTexts(): string[] {
  return payloads.flatMap((payload) => {
    const container = document.body.appendChild(document.createElement('div'));
    const stream = startStream(container);
    stream.append(payload);
    stream.closeStream();
    const forbidden =
      'img, svg, math, iframe, object, embed, script, style, link, form, [src], [style]';
    return [...container.querySelectorAll(forbidden)].map((element) => element.outerHTML);
  });
}

function startStream(container: HTMLElement): MarkdownStream {
  const code = { copy() {}, insert() {}, openNewFile() {}, apply() {} };
  return new MarkdownStream(container, { openLink() {}, code });
}

/**
 * Highlights each hostile text of `payloads` as code of every language. Returns the HTML of unexpected elements, and
 * the texts that highlighting changed.
 */
function highlightHostileTexts(): string[] {
  return payloads.flatMap((payload) =>
    ['xml', 'javascript', 'css', 'json', 'bash'].flatMap((language) => {
      const group = document.body.appendChild(document.createElement('span'));
      const text = `<span class="codicon" onclick="steal()">a</span>${payload}\n`;
      group.textContent = text;
      highlightGroups(language, [group]);
      const foreign = [
        ...group.querySelectorAll(':not(span), span:not([class^="hljs-"]), [onclick]'),
      ].map((element) => element.outerHTML);
      return group.textContent === text ? foreign : [...foreign, text];
    }),
  );
}

/** Highlights code with a comment that spans two line groups. Returns the HTML of each group. */
function highlightAcrossGroups(): string[] {
  const groups = ['let a = "<b>"; /* one\n', 'two */ let b;\n'].map((text) => {
    const group = document.createElement('span');
    group.textContent = text;
    return group;
  });
  highlightGroups('javascript', groups);
  return groups.map((group) => group.innerHTML);
}

/**
 * Selects text at the end of a long paragraph, and adds text to the paragraph. Returns the selected text after each
 * rendering.
 */
async function selectWhileParagraphGrows(): Promise<string[]> {
  const container = document.body.appendChild(document.createElement('div'));
  const stream = startStream(container);
  stream.append('Some words, and some more. '.repeat(100));
  stream.renderPendingText();
  const selected: string[] = [];
  for (let flush = 0; flush < 3; flush += 1) {
    const text = container.querySelector('p')!.lastChild as Text;
    const start = text.data.lastIndexOf('words');
    if (flush === 0) getSelection()!.setBaseAndExtent(text, start, text, start + 5);
    await new Promise((resolve) => setTimeout(resolve));
    stream.append('Even more words. ');
    stream.renderPendingText();
    selected.push(getSelection()!.toString());
  }
  return selected;
}

/** Returns the number of listeners for selection changes while two long paragraphs grow, and after both have ended. */
function countSelectionListeners(): number[] {
  const listeners = new Set<unknown>();
  const addEventListener = document.addEventListener.bind(document);
  const removeEventListener = document.removeEventListener.bind(document);
  Object.assign(document, {
    addEventListener: (type: string, listener: () => void) => {
      if (type === 'selectionchange') listeners.add(listener);
      addEventListener(type, listener);
    },
    removeEventListener: (type: string, listener: () => void) => {
      if (type === 'selectionchange') listeners.delete(listener);
      removeEventListener(type, listener);
    },
  });
  const streams = [0, 1].map(() =>
    startStream(document.body.appendChild(document.createElement('div'))),
  );
  for (const stream of streams)
    for (let flush = 0; flush < 3; flush += 1) {
      stream.append('Some words, and some more. '.repeat(100));
      stream.renderPendingText();
    }
  const counts = [listeners.size];
  streams[0]!.closeStream();
  counts.push(listeners.size);
  streams[1]!.dispose();
  counts.push(listeners.size);
  Object.assign(document, { addEventListener, removeEventListener });
  return counts;
}

Object.assign(globalThis, {
  countSelectionListeners,
  renderHostileTexts,
  highlightHostileTexts,
  highlightAcrossGroups,
  selectWhileParagraphGrows,
});
