import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { QuestionView } from '../../../src/chat/protocol/view-state.ts';
import { pendingTitle } from './approval-card.ts';
import { isSubmit } from '../composer/edit-box.ts';
import { visible } from './visible.ts';

interface QuestionCard {
  readonly question: QuestionView;
  /** `1 of 3`; empty for one alone. */
  readonly place: string;
  readonly mayChoose: boolean;
  readonly answer: (text: string) => void;
}

/** A question of the model, or whether to go on: choices, and an answer in own words where one is taken. */
export const questionCard = ({
  question,
  place,
  mayChoose,
  answer,
}: QuestionCard): TemplateResult =>
  html`<div class="pending-card" role="group" aria-labelledby="pending-title" tabindex="-1">
    ${pendingTitle('question', question.text, place)}
    <div class="pending-actions choices">
      ${question.choices.map(
        (choice) =>
          html`<button
            type="button"
            class="button secondary"
            dir="auto"
            aria-disabled=${mayChoose ? 'false' : 'true'}
            @click=${() => mayChoose && answer(choice)}
          >
            ${visible(choice)}
          </button>`,
      )}
    </div>
    ${question.freeText ? answerField(question, answer) : nothing}
  </div>`;

const answerField = ({ choices }: QuestionView, answer: (text: string) => void): TemplateResult =>
  html`<input
    class="pending-text"
    dir="auto"
    maxlength="10000"
    aria-label=${l10n.t('Answer')}
    placeholder=${choices.length > 0 ? l10n.t('Or answer in your own words') : l10n.t('Your answer')}
    @keydown=${(event: KeyboardEvent) => {
      if (!isSubmit(event)) return;
      event.preventDefault();
      answer((event.currentTarget as HTMLInputElement).value.trim());
    }}
  />`;
