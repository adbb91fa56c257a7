import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { ChatState, MessageView } from '../../../src/chat/protocol/view-state.ts';
import {
  renderIcon,
  renderIconButton,
  isSubmitKey,
  renderTextButton,
} from '../../base/controls.ts';
import type { PostMessage } from '../store.ts';

/** Renders the queued messages, each with its actions. The extension sends these messages at the end of the turn. */
export function renderQueuedMessages(
  { queued, streaming }: Pick<ChatState, 'queued' | 'streaming'>,
  post: PostMessage,
): TemplateResult | typeof nothing {
  if (queued.length === 0) return nothing;
  return html`${queued.some(({ isHeld }) => isHeld) ? renderHeldQueueNote() : nothing}
    <ul class="queued" aria-label=${l10n.t('Waiting for its turn')}>
      ${queued.map(({ id, text, isUrgent }) => {
        const createClickHandler = (action: 'edit' | 'remove' | 'send-now') => () =>
          post({ type: 'queue-act', id, action });
        return html`<li class="chip queued-message" title=${text}>
          ${renderIcon(isUrgent ? 'debug-step-over' : 'watch')}
          <span class="chip-label"><bdi>${text}</bdi></span>
          ${renderIconButton({ icon: 'edit', label: l10n.t('Edit'), onClick: createClickHandler('edit') })}
          ${
            isUrgent && streaming !== null
              ? nothing
              : renderIconButton({
                  icon: 'arrow-up',
                  label: l10n.t('Send now'),
                  onClick: createClickHandler('send-now'),
                })
          }
          ${renderIconButton({ icon: 'close', label: l10n.t('Remove {0}', text), onClick: createClickHandler('remove') })}
        </li>`;
      })}
    </ul>`;
}

const renderHeldQueueNote = (): TemplateResult =>
  html`<p class="note length-note queued-note">
    ${renderIcon('info')}
    <span>${l10n.t('The turn ended early, so queued messages wait. Send or remove them.')}</span>
  </p>`;

/** Renders the todo list. The user can check, edit, add and remove items. Renders nothing for an empty list. */
export function renderTodoList(
  { todos }: Pick<ChatState, 'todos'>,
  post: PostMessage,
): TemplateResult | typeof nothing {
  if (todos.length === 0) return nothing;
  const doneCount = todos.filter(({ status }) => status === 'done').length;
  const currentTodo = todos.find(({ status }) => status === 'active');
  const postChange = (action: TodoAction, id: string | null = null, text = ''): void =>
    post({ type: 'todo-change', id, action, text });
  return html`<details class="todos">
    <summary>
      ${renderIcon('chevron-right')}
      <span>${l10n.t('Todos')} ${doneCount}/${todos.length}</span>
      <span class="todo-current" title=${currentTodo?.text ?? nothing}
        ><bdi>${currentTodo?.text ?? ''}</bdi></span
      >
    </summary>
    <ul aria-label=${l10n.t('Todos')}>
      ${repeat(
        todos,
        ({ id }) => id,
        (todo) => renderTodoItem(todo, postChange),
      )}
      <li class="todo">
        ${renderIcon('add')}
        ${renderTodoField('', l10n.t('Add a todo'), (text, field) => {
          field.value = '';
          if (text !== '') postChange('write', null, text);
        })}
        ${renderIconButton({
          icon: 'trash',
          label: l10n.t('Delete all todos'),
          onClick: () => postChange('clear'),
        })}
      </li>
    </ul>
  </details>`;
}

type TodoAction = Extract<WebviewMessage, { type: 'todo-change' }>['action'];

const renderTodoItem = (
  { id, text, status }: ChatState['todos'][number],
  change: (action: TodoAction, id: string, text?: string) => void,
): TemplateResult =>
  html`<li class="todo ${status}">
    <input
      type="checkbox"
      aria-label=${text}
      .checked=${live(status === 'done')}
      @change=${() => change('toggle', id)}
    />
    ${renderTodoField(text, text, (editedText) => editedText !== text && change('write', id, editedText))}
    ${renderIconButton({ icon: 'close', label: l10n.t('Remove {0}', text), onClick: () => change('remove', id) })}
  </li>`;

/**
 * Renders a text field that calls `write` when the user presses Enter, or leaves the field after a change. Escape
 * restores the previous text, and does not stop the turn.
 */
const renderTodoField = (
  value: string,
  label: string,
  write: (text: string, field: HTMLTextAreaElement) => void,
): TemplateResult =>
  html`<textarea
    class="growing todo-text"
    rows="1"
    dir="auto"
    maxlength="300"
    aria-label=${label}
    placeholder=${value === '' ? label : nothing}
    .value=${value}
    @keydown=${(event: KeyboardEvent) => {
      const { currentTarget: field } = event;
      if (!(field instanceof HTMLTextAreaElement)) return;
      if (isSubmitKey(event)) {
        event.preventDefault();
        write(readLine(field), field);
      }
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      field.value = value;
    }}
    @change=${({ currentTarget: field }: Event) =>
      field instanceof HTMLTextAreaElement && write(readLine(field), field)}
  ></textarea>`;

/** Returns the text of a field as one line. Pasted text can contain line breaks. */
const readLine = ({ value }: HTMLTextAreaElement): string => value.replaceAll(/\s+/gu, ' ').trim();

/**
 * Returns the last answer of a chat in Plan mode, which contains the plan. Returns `undefined` in other modes, while a
 * turn runs, and if the last answer is incomplete or empty.
 */
export function findPlanMessage({
  mode,
  streaming,
  messages,
}: Pick<ChatState, 'mode' | 'streaming' | 'messages'>): MessageView | undefined {
  const lastMessage = messages.at(-1);
  const isAnswer =
    lastMessage?.role === 'assistant' &&
    lastMessage.status === 'complete' &&
    lastMessage.generatedImages === null;
  return mode === 'plan' && streaming === null && isAnswer && lastMessage.text.trim() !== ''
    ? lastMessage
    : undefined;
}

/** Renders the actions of a plan. */
export const renderPlanBar = (actions: {
  readonly startPlan: () => void;
  readonly edit: () => void;
  readonly chooseModel: () => void;
}): TemplateResult =>
  html`<div class="plan-bar">
    ${renderTextButton({ label: l10n.t('Start plan'), onClick: actions.startPlan, isPrimary: true })}
    ${renderTextButton({ label: l10n.t('Edit'), onClick: actions.edit })}
    <span class="spring"></span>
    ${renderIconButton({
      icon: 'chip',
      label: l10n.t('Choose a model'),
      onClick: actions.chooseModel,
    })}
  </div>`;
