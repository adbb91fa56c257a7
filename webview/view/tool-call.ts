import { html, type TemplateResult } from 'lit';
import type { ToolCallView } from '../../src/protocol/view-state.ts';
import { icon } from './controls.ts';

/** One inert line: what the model asked for. */
export const toolCallLine = (call: ToolCallView): TemplateResult =>
  html`<p class="tool-call">
    ${icon('tools')}<span class="tool-name">${call.verb || call.name}</span>
    <code class="tool-arguments">${call.target}</code>
  </p>`;
