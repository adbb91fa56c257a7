import { html, type TemplateResult } from 'lit';
import type { ToolCallView } from '../../src/protocol/view-state.ts';
import { icon } from './controls.ts';

const shownArguments = 200;

/** One inert line: what the model asked for. */
export const toolCallLine = (call: ToolCallView): TemplateResult =>
  html`<p class="tool-call" title=${call.arguments.slice(0, 2_000)}>
    ${icon('tools')}<span class="tool-name">${call.name}</span>
    <code class="tool-arguments">${call.arguments.slice(0, shownArguments)}</code>
  </p>`;
