import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { MessageView, ToolCallView } from '../../../src/chat/protocol/view-state.ts';
import type { Post } from '../../base/code-api.ts';
import { isBusy } from '../store.ts';
import { groupRow, type ToolAction, type ToolOutput, toolRow } from './tool-row.ts';
import type { RowLayout } from './turn-layout.ts';

interface ToolRowsContext {
  readonly post: Post;
  readonly clock: Clock;
  /** Brings what waits for the person into sight. */
  readonly review: (messageId: string, callId: string) => void;
  /** The rows would be drawn otherwise now. */
  readonly changed: () => void;
}

/** The tool calls of one message. Outputs are asked for when a row is opened, and forgotten when it is closed. */
export class ToolRows {
  readonly #context: ToolRowsContext;
  /** By the call's id: its output, once it was told. */
  readonly #open = new Map<string, ToolOutput | undefined>();
  #message: MessageView;
  #stopTicking: () => void = () => {};

  constructor(message: MessageView, context: ToolRowsContext) {
    this.#message = message;
    this.#context = context;
  }

  update(message: MessageView): void {
    const before = this.#message;
    this.#message = message;
    if (message.toolCalls === before.toolCalls || this.#open.size === 0) return;
    for (const [index, call] of message.toolCalls.entries()) {
      // What it gave is not what it will have given.
      if (this.#open.has(call.id) && call.status !== before.toolCalls[index]?.status) {
        this.#request(call);
      }
    }
  }

  template(rows: readonly RowLayout[], tabIndex: number): TemplateResult | typeof nothing {
    this.#tick();
    if (rows.length === 0) return nothing;
    return html`<div class="tool-rows">${rows.map((row) => this.#row(row, tabIndex))}</div>`;
  }

  act(action: ToolAction, index: number): void {
    const call = this.#message.toolCalls[index];
    if (call === undefined) return;
    const { post, review } = this.#context;
    const ids = { messageId: this.#message.id, callId: call.id };
    if (action === 'fold') this.#toggle(call);
    else if (action === 'open') post({ type: 'tool-open', ...ids });
    else if (action === 'cancel') post({ type: 'tool-cancel', ...ids });
    else if (action === 'review') review(ids.messageId, ids.callId);
  }

  showOutput(callId: string, output: ToolOutput): void {
    if (!this.#open.has(callId)) return;
    this.#open.set(callId, output);
    this.#context.changed();
  }

  dispose(): void {
    this.#stopTicking();
  }

  #row(row: RowLayout, tabIndex: number): unknown {
    if (row.kind === 'group') return keyed(row.group.key, groupRow(row.group, tabIndex));
    const call = this.#message.toolCalls[row.index];
    if (call === undefined) return nothing;
    return keyed(
      call.id,
      toolRow({
        call,
        index: row.index,
        now: this.#context.clock.now(),
        busy: isBusy(this.#message),
        tabIndex,
        expanded: this.#open.has(call.id),
        output: this.#open.get(call.id),
      }),
    );
  }

  #toggle(call: ToolCallView): void {
    if (!this.#open.delete(call.id)) {
      this.#open.set(call.id, undefined);
      this.#request(call);
    }
    this.#context.changed();
  }

  #request({ id: callId }: ToolCallView): void {
    this.#context.post({ type: 'tool-output-request', messageId: this.#message.id, callId });
  }

  /** The seconds of what runs. */
  #tick(): void {
    this.#stopTicking();
    if (!this.#message.toolCalls.some(({ status }) => status === 'running')) return;
    this.#stopTicking = this.#context.clock.after(1_000, () => this.#context.changed());
  }
}
