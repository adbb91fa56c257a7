import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import { asRecord, parseJson } from '../../../src/base/json.ts';
import type { ToolCallView, ToolStepView } from '../../../src/agent/protocol.ts';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import { renderIcon } from '../../base/controls.ts';
import { formatDuration } from '../../base/format.ts';
import { isBusy, type PostMessage } from '../store.ts';
import {
  codeHiddenTextOptions,
  markHiddenCharacters,
  showInvisibleCharacters,
} from './preview-block.ts';
import type { ReadGroup, RowLayout } from './turn-layout.ts';

/** Actions of the buttons in a tool row. The transcript handles the clicks on all rows with one listener. */
export type ToolAction = 'fold' | 'open' | 'cancel' | 'review' | 'group';

/** Arguments and output of a tool call, as sent by the host. */
export interface ToolOutput {
  readonly arguments: string;
  readonly output: string;
}

interface ToolRow {
  readonly call: ToolCallView;
  readonly index: number;
  readonly now: number;
  /**
   * True while the answer that contains the call can still change. A requested call is shown as running only during
   * this time.
   */
  readonly isBusy: boolean;
  readonly tabIndex: number;
  readonly isExpanded: boolean;
  /** Arguments and output of the call. Undefined until the host sends them. */
  readonly output: ToolOutput | undefined;
}

/**
 * Time in milliseconds after which the row of a running call shows its duration. A duration that appeared earlier would
 * flicker for short calls.
 */
const minShownElapsedMs = 2_000;

/**
 * Renders a tool call as a line with its action, target and duration. An open row also shows the arguments and the
 * output.
 */
export function renderToolRow(row: ToolRow): TemplateResult {
  const { call, index, isExpanded, tabIndex } = row;
  const name = formatRowName(call);
  return html`<div class="tool-row ${call.status}" data-index=${index}>
      ${renderIcon(getIcon(call, row.isBusy))}<span class="tool-verb"
        >${markHiddenCharacters(call.verb || call.name)}</span
      >
      ${renderRowTarget(call, tabIndex)}<span class="tool-state">${renderStatusText(row)}</span>
      ${call.status === 'running' ? renderCancelButton(name, tabIndex) : nothing}<button
        type="button"
        class="icon-button tool-chevron codicon codicon-chevron-${isExpanded ? 'down' : 'right'}"
        data-tool="fold"
        aria-label=${l10n.t('Details of {0}', name)}
        aria-expanded=${isExpanded ? 'true' : 'false'}
        tabindex=${tabIndex}
      ></button>
    </div>
    ${isExpanded ? renderRowDetails(row, name) : nothing}`;
}

/** Renders the button that expands or collapses a group of calls. */
export function renderGroupRow(
  { key, calls, isOpen }: ReadGroup,
  tabIndex: number,
): TemplateResult {
  return html`<div class="tool-row">
    <button
      type="button"
      class="fold"
      data-tool="group"
      data-group=${key}
      aria-expanded=${isOpen ? 'true' : 'false'}
      tabindex=${tabIndex}
    >
      ${renderIcon(isOpen ? 'chevron-down' : 'chevron-right')}
      <span class="fold-label">${getGroupLabel(calls)}</span>
    </button>
  </div>`;
}

/** Returns a label for the calls: `Read 5 files` if all calls read files, and otherwise `Looked at 7 things`. */
export function getGroupLabel(calls: readonly ToolCallView[]): string {
  if (!calls.every(({ name }) => name === 'read_file'))
    return l10n.t('Looked at {0} things', calls.length);
  const paths = new Set(calls.map(({ target: path }) => path.replace(/:\d+(?:-\d+)?$/u, '')));
  return paths.size === 1 ? l10n.t('Read 1 file') : l10n.t('Read {0} files', paths.size);
}

function renderRowTarget(call: ToolCallView, tabIndex: number): TemplateResult | typeof nothing {
  const { target: text, openable } = call;
  if (text === '' || isPendingCommand(call)) return nothing;
  const title = showInvisibleCharacters(text);
  if (!openable) {
    return html`<span class="tool-target" title=${title}
      ><bdi>${markHiddenCharacters(text)}</bdi></span
    >`;
  }
  return html`<button
    type="button"
    class="tool-target link"
    data-tool="open"
    title=${title}
    tabindex=${tabIndex}
  >
    <bdi>${markHiddenCharacters(text)}</bdi>
  </button>`;
}

/**
 * Checks whether a call is a command that needs approval. The row of such a call omits the command, because the
 * approval card above the composer shows it.
 */
const isPendingCommand = ({ name, status }: ToolCallView): boolean =>
  name === 'run_command' && status === 'waiting';

const renderCancelButton = (name: string, tabIndex: number): TemplateResult =>
  html`<button
    type="button"
    class="icon-button codicon codicon-debug-stop"
    data-tool="cancel"
    aria-label=${l10n.t('Cancel {0}', name)}
    title=${l10n.t('Cancel')}
    tabindex=${tabIndex}
  ></button>`;

function renderStatusText({ call, now, tabIndex }: ToolRow): TemplateResult | string {
  const { name, status, startedAt, durationMs } = call;
  switch (status) {
    case 'requested':
      return '';
    case 'waiting':
      return html`<button type="button" class="link" data-tool="review" tabindex=${tabIndex}>
        ${l10n.t('Waiting for you')}
      </button>`;
    case 'running': {
      const elapsedMs = startedAt === null ? 0 : now - startedAt;
      return elapsedMs < minShownElapsedMs
        ? ''
        : formatDuration(Math.floor(elapsedMs / 1_000) * 1_000);
    }
    case 'done':
      // The time of a question is the user's.
      return durationMs === null || name === 'ask_user' ? '' : formatShortDuration(durationMs);
    case 'failed':
      return call.exitCode === undefined
        ? statusLabels.failed
        : l10n.t('Exit code {0}', call.exitCode);
    default:
      return statusLabels[status];
  }
}

/** Formats a duration. Shows milliseconds if the duration is below 0.1 s, as for most tools. */
const formatShortDuration = (ms: number): string =>
  ms < 100 ? `${Math.round(ms)} ms` : formatDuration(ms);

const statusLabels = {
  failed: l10n.t('Failed'),
  denied: l10n.t('Denied'),
  cancelled: l10n.t('Canceled'),
  'not-run': l10n.t('Not run'),
} as const;

function renderRowDetails({ call, output }: ToolRow, name: string): TemplateResult {
  return html`<div
    class="tool-detail"
    tabindex="0"
    role="group"
    aria-label=${l10n.t('Details of {0}', name)}
  >
    ${
      output === undefined
        ? html`<p class="note late">${renderIcon('loading')} ${l10n.t('Loading…')}</p>`
        : html`${renderArguments(call, output.arguments)}${renderSteps(call)}
            <div class=${hasErrorOutput(call) ? 'tool-error' : ''}>
              ${renderDetailBlock(hasErrorOutput(call) ? l10n.t('Error') : l10n.t('Output'), output.output, hasEnded(call) ? l10n.t('None') : l10n.t('Loading…'))}
            </div>`
    }
  </div>`;
}

/** Renders the arguments of a call. For a command, renders the command line first and the other arguments below it. */
function renderArguments({ name }: ToolCallView, text: string): unknown {
  const { command, ...otherArguments } = name === 'run_command' ? asRecord(parseJson(text)) : {};
  if (typeof command !== 'string') return renderDetailBlock(l10n.t('Arguments'), text);
  const commandBlock = renderDetailBlock(l10n.t('Command'), command);
  if (Object.keys(otherArguments).length === 0) return commandBlock;
  return [commandBlock, renderDetailBlock(l10n.t('Arguments'), JSON.stringify(otherArguments))];
}

/**
 * Checks whether the whole output of a call is an error message. False for a failed command, because its output can
 * also contain other lines.
 */
const hasErrorOutput = ({ name, status }: ToolCallView): boolean =>
  status === 'failed' && name !== 'run_command' && name !== 'read_command_output';

/** Renders the tool calls of a delegated task. */
function renderSteps({ delegated }: ToolCallView): TemplateResult | typeof nothing {
  if (delegated === undefined) return nothing;
  return html`<p class="tool-label">${delegated.model}</p>
    <div class="tool-steps">${delegated.steps.map(renderStep)}</div>`;
}

const renderStep = (step: ToolStepView): TemplateResult =>
  html`<div class="tool-row ${step.status}">
    ${renderIcon(getIcon(step, true))}<span class="tool-verb"
      >${markHiddenCharacters(step.verb || step.name)}</span
    >
    <span class="tool-target" title=${showInvisibleCharacters(step.target)}
      ><bdi>${markHiddenCharacters(step.target)}</bdi></span
    ><span class="tool-state">${formatStepState(step)}</span>
  </div>`;

const formatStepState = ({ status, durationMs }: ToolStepView): string => {
  if (status === 'waiting') return l10n.t('Waiting for you');
  if (status === 'done') return durationMs === null ? '' : formatShortDuration(durationMs);
  return status === 'running' || status === 'requested' ? '' : statusLabels[status];
};

const renderDetailBlock = (
  label: string,
  text: string,
  emptyText = l10n.t('None'),
): TemplateResult =>
  html`<p class="tool-label">${label}</p>
    ${
      text === ''
        ? html`<p class="note">${emptyText}</p>`
        : html`<pre
            dir="ltr"
          ><code>${markHiddenCharacters(text, codeHiddenTextOptions)}</code></pre>`
    }`;

const hasEnded = ({ status }: ToolCallView): boolean =>
  status !== 'requested' && status !== 'waiting' && status !== 'running';

function formatRowName(call: ToolCallView): string {
  const target = isPendingCommand(call) ? '' : call.target;
  return showInvisibleCharacters(`${call.verb || call.name} ${target}`.trim());
}

function getIcon({ status, name }: ToolStepView, isTurnBusy: boolean): string {
  if (status === 'running' || (status === 'requested' && isTurnBusy)) return 'loading';
  return statusIcons[status] ?? toolIcons.get(name) ?? 'tools';
}

const statusIcons: Partial<Record<ToolCallView['status'], string>> = {
  waiting: 'question',
  failed: 'error',
  denied: 'circle-slash',
  cancelled: 'stop-circle',
  'not-run': 'debug-step-over',
};

const toolIcons: ReadonlyMap<string, string> = new Map([
  ['read_file', 'file'],
  ['list_directory', 'folder'],
  ['find_files', 'search'],
  ['search_text', 'search'],
  ['get_problems', 'warning'],
  ['find_symbols', 'symbol-method'],
  ['go_to_definition', 'references'],
  ['find_references', 'references'],
  ['edit_file', 'edit'],
  ['edit_cells', 'edit'],
  ['create_file', 'new-file'],
  ['delete_file', 'trash'],
  ['rename_file', 'rename'],
  ['run_command', 'terminal'],
  ['open_file', 'go-to-file'],
  ['show_diff', 'diff'],
  ['ask_user', 'comment-discussion'],
  ['update_todos', 'check'],
  ['delegate', 'agent'],
]);

interface ToolRowsContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  /** Scrolls the pending approval or question into view. */
  readonly revealPendingCard: (messageId: string, callId: string) => void;
  /** Called when the rows need to be rendered again. */
  readonly onChange: () => void;
}

/**
 * The tool calls of one message. Requests the output of a call when its row opens and drops the output when the row
 * closes.
 */
export class ToolRows {
  readonly #context: ToolRowsContext;
  /** Outputs of the tool calls whose rows are open, by call id. Undefined until the host sends the output. */
  readonly #openOutputs = new Map<string, ToolOutput | undefined>();
  #message: MessageView;
  #stopTicking: () => void = () => {};

  constructor(message: MessageView, context: ToolRowsContext) {
    this.#message = message;
    this.#context = context;
  }

  update(message: MessageView): void {
    const previousMessage = this.#message;
    this.#message = message;
    if (message.toolCalls === previousMessage.toolCalls || this.#openOutputs.size === 0) return;
    for (const [index, call] of message.toolCalls.entries()) {
      // A status change can change the output.
      if (
        this.#openOutputs.has(call.id) &&
        call.status !== previousMessage.toolCalls[index]?.status
      ) {
        this.#requestDetails(call);
      }
    }
  }

  render(rows: readonly RowLayout[], tabIndex: number): TemplateResult | typeof nothing {
    this.#scheduleTick();
    if (rows.length === 0) return nothing;
    return html`<div class="tool-rows">${rows.map((row) => this.#renderRow(row, tabIndex))}</div>`;
  }

  performAction(action: ToolAction, index: number): void {
    const call = this.#message.toolCalls[index];
    if (call === undefined) return;
    const { post, revealPendingCard } = this.#context;
    const ids = { messageId: this.#message.id, callId: call.id };
    if (action === 'fold') this.#toggleRow(call);
    else if (action === 'open') post({ type: 'tool-open', ...ids });
    else if (action === 'cancel') post({ type: 'tool-cancel', ...ids });
    else if (action === 'review') revealPendingCard(ids.messageId, ids.callId);
  }

  showOutput(callId: string, output: ToolOutput): void {
    if (!this.#openOutputs.has(callId)) return;
    this.#openOutputs.set(callId, output);
    this.#context.onChange();
  }

  dispose(): void {
    this.#stopTicking();
  }

  #renderRow(row: RowLayout, tabIndex: number): unknown {
    if (row.kind === 'group') return keyed(row.group.key, renderGroupRow(row.group, tabIndex));
    const call = this.#message.toolCalls[row.index];
    if (call === undefined) return nothing;
    return keyed(
      call.id,
      renderToolRow({
        call,
        index: row.index,
        now: this.#context.clock.now(),
        isBusy: isBusy(this.#message),
        tabIndex,
        isExpanded: this.#openOutputs.has(call.id),
        output: this.#openOutputs.get(call.id),
      }),
    );
  }

  #toggleRow(call: ToolCallView): void {
    if (!this.#openOutputs.delete(call.id)) {
      this.#openOutputs.set(call.id, undefined);
      this.#requestDetails(call);
    }
    this.#context.onChange();
  }

  #requestDetails({ id: callId }: ToolCallView): void {
    this.#context.post({ type: 'tool-output-request', messageId: this.#message.id, callId });
  }

  /** Schedules a rendering after one second if a call is running. */
  #scheduleTick(): void {
    this.#stopTicking();
    if (!this.#message.toolCalls.some(({ status }) => status === 'running')) return;
    this.#stopTicking = this.#context.clock.after(1_000, () => this.#context.onChange());
  }
}
