import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/base/amounts.ts';
import { maxPromptLength } from '../../../src/chat/protocol/constants.ts';
import { renderIcon, isSubmitKey, renderTextButton } from '../../base/controls.ts';

/** Returns an error message if the text is too long to send, or an empty string. */
export const findLengthProblem = ({ length }: string): string =>
  length <= maxPromptLength
    ? ''
    : l10n.t(
        'Too long to send: {0} of at most {1} characters. Shorten it, or attach a file instead.',
        formatCount(length),
        formatCount(maxPromptLength),
      );

/** Renders the error message for a text that is too long. Renders nothing for other texts. */
export function renderLengthNote(text: string): TemplateResult | typeof nothing {
  const problem = findLengthProblem(text);
  if (problem === '') return nothing;
  return html`<p class="note length-note" role="alert">${renderIcon('warning')} ${problem}</p>`;
}

interface EditBox {
  readonly text: string;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
  /** Called with the text after each change. */
  readonly onInput?: (text: string) => void;
  /** Accessible name of the text field. */
  readonly label?: string;
  readonly submitLabel?: string;
  /** If false, Enter adds a line instead of submitting the text. Default: true. */
  readonly submitsOnEnter?: boolean;
}

/**
 * Creates an editor for a user message or a plan. While the editor of a message is open, the composer is inert and no
 * second editor can open, so the editor's default labels **Message** and **Send** are unambiguous.
 */
export function createEditBox({
  text,
  onSubmit,
  onCancel,
  onInput,
  label = l10n.t('Message'),
  submitLabel = l10n.t('Send'),
  submitsOnEnter = true,
}: EditBox): HTMLElement {
  const element = document.createElement('div');
  element.className = 'edit-box';
  const readText = (): string => element.querySelector('textarea')?.value.trim() ?? text;
  const submitText = (): void => {
    if (readText() !== '' && findLengthProblem(readText()) === '') onSubmit(readText());
  };
  const renderBox = (): void => {
    render(
      html`<textarea
          class="growing"
          dir="auto"
          aria-label=${label}
          .value=${text}
          @input=${() => {
            onInput?.(element.querySelector('textarea')?.value ?? '');
            renderBox();
          }}
          @keydown=${(event: KeyboardEvent) => handleKey(event, submitsOnEnter ? submitText : undefined, onCancel)}
        ></textarea>
        ${renderLengthNote(readText())}
        <div class="edit-actions">
          ${renderTextButton({ label: l10n.t('Cancel'), onClick: onCancel })}
          ${renderTextButton({ label: submitLabel, onClick: submitText, isPrimary: true })}
        </div>`,
      element,
    );
  };
  renderBox();
  return element;
}

function handleKey(
  event: KeyboardEvent,
  submit: (() => void) | undefined,
  cancel: () => void,
): void {
  if (submit !== undefined && isSubmitKey(event)) submit();
  else if (event.key === 'Escape') cancel();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
