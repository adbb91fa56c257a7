import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { hidesSomething, visibleSegments } from '../../../src/base/visible-text.ts';

/** Indentation that is no surprise in code; further than that a line could leave the view. */
export const codeIndentation = { indentation: 40 };

type Options = Parameters<typeof visibleSegments>[1];

/** Text for a template, with a mark in place of everything that could hide in it. */
export function visible(text: string, options?: Options): string | (string | TemplateResult)[] {
  if (!hidesSomething(text, options)) return text;
  return visibleSegments(text, options).map((each) =>
    each.label === ''
      ? each.text
      : html`<span class="hidden-character" title=${l10n.t('Hidden: {0}', each.label)}
          >${each.label}</span
        >`,
  );
}

/** The same as one string, where no element can stand: names and tooltips. */
export function visibleString(text: string): string {
  if (!hidesSomething(text)) return text;
  return visibleSegments(text)
    .map((each) => (each.label === '' ? each.text : `[${each.label}]`))
    .join('');
}

/** The same as nodes, for what is built without a template. */
export function appendVisible(parent: Node, text: string, options?: Options): void {
  for (const { text: part, label } of visibleSegments(text, options)) {
    parent.appendChild(label === '' ? document.createTextNode(part) : mark(label));
  }
}

function mark(label: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'hidden-character';
  element.title = l10n.t('Hidden: {0}', label);
  element.textContent = label;
  return element;
}
