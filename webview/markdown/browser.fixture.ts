import { highlightGroups } from './highlight-code.ts';
import { payloads } from './hostile.fixture.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { sanitize } from './sanitize.ts';

/** Bundled into a page of a real browser by `browser.test.ts`; returns what should not be there. */
function renderHostileTexts(): string[] {
  return payloads.flatMap((payload) => {
    const container = document.body.appendChild(document.createElement('div'));
    const code = { copy() {}, insert() {}, newFile() {} };
    const stream = new MarkdownStream(container, { openLink() {}, code });
    stream.append(payload);
    stream.end();
    const forbidden =
      'img, svg, math, iframe, object, embed, script, style, link, form, [src], [style]';
    return [...container.querySelectorAll(forbidden)].map((element) => element.outerHTML);
  });
}

/** Passes every payload through the last door; returns what is more than a coloured span. */
function sanitizeHostileTexts(): string[] {
  return payloads.flatMap((payload) => {
    const holder = document.body.appendChild(document.createElement('div'));
    holder.append(sanitize(`<span class="hljs-tag" id="x" onclick="steal()">a</span>${payload}`));
    holder.append(sanitize('<span class="codicon">b</span>'));
    return [
      ...holder.querySelectorAll(':not(span), span:not(.hljs-tag)[class], span[id], [onclick]'),
    ].map((element) => element.outerHTML);
  });
}

/** Colours code whose comment runs across two groups of lines; returns the groups' HTML. */
function highlightAcrossGroups(): string[] {
  const groups = ['let a = "<b>"; /* one\n', 'two */ let b;\n'].map((text) => {
    const group = document.createElement('span');
    group.textContent = text;
    return group;
  });
  highlightGroups('javascript', groups);
  return groups.map((group) => group.innerHTML);
}

Object.assign(globalThis, { renderHostileTexts, sanitizeHostileTexts, highlightAcrossGroups });
