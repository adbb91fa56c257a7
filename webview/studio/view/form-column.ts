import { html, nothing, render, type TemplateResult } from 'lit';
import { renderIcon, isSubmitKey } from '../../base/controls.ts';
import type { Drafts } from '../drafts.ts';
import {
  findCreateProblems,
  findEditProblems,
  mergeProblems,
  type FormProblem,
} from '../form-rules.ts';
import type { State, StudioPost } from '../store.ts';
import { labels } from '../labels.ts';
import { renderAccountNote } from './failure-note.ts';
import { CreateForm } from './create-form.ts';
import { EditForm } from './edit-form.ts';

interface ColumnContext {
  readonly post: StudioPost;
  readonly drafts: Drafts;
  /** Returns a random seed that the service accepts. */
  readonly createRandomSeed: () => number;
  readonly announce: (text: string) => void;
}

type StudioState = NonNullable<State['studio']>;

/** Column with the active form and the button that starts a job and shows the price. */
export class FormColumn {
  readonly element = document.createElement('div');
  readonly #context: ColumnContext;
  readonly #createForm: CreateForm;
  readonly #editForm: EditForm;
  #studio: StudioState | undefined;
  /** True while the options are expanded. Has an effect only in a narrow window. */
  #isUnfolded = false;
  #problems: readonly FormProblem[] = [];

  constructor(context: ColumnContext) {
    this.#context = context;
    const { post, drafts, createRandomSeed } = context;
    this.#createForm = new CreateForm({
      post,
      drafts,
      createRandomSeed,
      redraw: () => this.#render(),
    });
    this.#editForm = new EditForm({ post, drafts });
    this.element.className = 'form-column';
    this.element.role = 'form';
    this.element.ariaLabel = labels.create;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  update(studio: StudioState): void {
    this.#studio = studio;
    this.#render();
  }

  /** Moves the focus to the prompt of the create form or the instruction of the edit form. */
  focus(): void {
    this.element.querySelector<HTMLElement>('#prompt, #instruction')?.focus();
  }

  /** Selects the text of the edit instruction, so that typing replaces the text. */
  selectInstruction(): void {
    this.element.querySelector<HTMLTextAreaElement>('#instruction')?.select();
  }

  #onKey(event: KeyboardEvent): void {
    const { target } = event;
    const hasModifier = event.ctrlKey || event.metaKey;
    const isInPrompt = target instanceof HTMLTextAreaElement;
    if (!isSubmitKey(event) || !(hasModifier || isInPrompt)) return;
    event.preventDefault();
    event.stopPropagation();
    commitNumberField(target);
    this.#submitForm();
  }

  #submitForm(): void {
    const [problem] = this.#listErrors();
    if (problem === undefined) return this.#context.drafts.startJob();
    this.#context.announce(problem.text);
    if (problem.field === 'prompt') this.focus();
  }

  #listErrors(): FormProblem[] {
    return this.#problems.filter(({ severity }) => severity === 'error');
  }

  #render(): void {
    const studio = this.#studio;
    if (studio === undefined) return;
    const isEdit = this.#context.drafts.mode === 'edit';
    const [mainFields, optionFields] = isEdit
      ? this.#renderEditParts(studio)
      : this.#renderCreateParts(studio);
    render(
      html`<div class="form-scroll">
          ${renderAccountNote(studio.account, this.#context.post)} ${mainFields}
          <button
            type="button"
            class="fold quiet-button"
            aria-expanded=${this.#isUnfolded ? 'true' : 'false'}
            aria-controls="form-options"
            @click=${() => this.#toggleForm()}
          >
            ${renderIcon(this.#isUnfolded ? 'chevron-down' : 'chevron-right')} ${labels.options}
          </button>
          <div id="form-options" class="form-options ${this.#isUnfolded ? 'unfolded' : ''}">
            ${optionFields} ${this.#renderNote()}
          </div>
        </div>
        ${this.#renderFoot()}`,
      this.element,
    );
  }

  /** Renders a note about the chosen options that the request omits. */
  #renderNote(): TemplateResult | typeof nothing {
    const { note = '', canRestore = false } = this.#context.drafts.check ?? {};
    if (note === '') return nothing;
    const restoreOptions = (): void => this.#context.post({ type: 'unsent-restore' });
    return html`<p id="unsent-note" class="hint" dir="auto">${note}</p>
      ${
        canRestore
          ? html`<button type="button" class="link" @click=${restoreOptions}>
              ${labels.restore}
            </button>`
          : nothing
      }`;
  }

  #renderCreateParts(studio: StudioState): [TemplateResult, TemplateResult | typeof nothing] {
    const { create, check } = this.#context.drafts;
    const model = studio.models.create.find(({ id }) => id === create?.model);
    const pageProblems = create === undefined ? [] : findCreateProblems(create, model);
    this.#problems = mergeProblems([...pageProblems, ...this.#createForm.problems], check);
    return [
      this.#createForm.renderBasicFields(studio, model, this.#problems),
      model === undefined ? nothing : this.#createForm.renderOptions(studio, model, this.#problems),
    ];
  }

  #renderEditParts(studio: StudioState): [TemplateResult, TemplateResult | typeof nothing] {
    const { edit, check } = this.#context.drafts;
    const model = studio.models.edit.find(({ id }) => id === edit?.model);
    const pageProblems = edit === undefined ? [] : findEditProblems(edit, model, studio.inputs);
    this.#problems = mergeProblems(pageProblems, check);
    return [
      this.#editForm.renderBasicFields(studio, model, this.#problems),
      model === undefined
        ? nothing
        : this.#editForm.renderOptions(model, studio.inputs.length, this.#problems),
    ];
  }

  #renderFoot(): TemplateResult {
    const { mode, check, isPriceCurrent } = this.#context.drafts;
    const [firstProblem] = this.#listErrors();
    const price = isPriceCurrent ? (check?.priceText ?? '') : '';
    const detail = isPriceCurrent ? (check?.priceDetail ?? '') : '';
    const note = firstProblem?.text ?? detail;
    return html`<div class="form-foot">
      ${note === '' ? nothing : html`<p id="run-note" class="run-note" dir="auto">${note}</p>`}
      <button
        type="button"
        class="button run-button"
        aria-disabled=${firstProblem === undefined ? 'false' : 'true'}
        aria-describedby=${note === '' ? nothing : 'run-note'}
        @click=${() => this.#submitForm()}
      >
        ${labels.formatPaidAction(getRunLabel(mode), price)}
      </button>
    </div>`;
  }

  #toggleForm(): void {
    this.#isUnfolded = !this.#isUnfolded;
    this.#render();
  }
}

const getRunLabel = (mode: Drafts['mode']): string =>
  mode === 'create' ? labels.generate : labels.edit;

/**
 * Commits the value that the user typed into a number field. Without this call, the field fires its `change` event only
 * when it loses the focus.
 */
function commitNumberField(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement)) return;
  target.blur();
  target.focus();
}
