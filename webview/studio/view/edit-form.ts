import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type {
  EditDraft,
  InputImage,
  StudioEditModel,
} from '../../../src/image/studio/protocol/form.ts';
import { renderIcon, renderIconButton } from '../../base/controls.ts';
import type { Drafts } from '../drafts.ts';
import { type FormProblem, findProblem } from '../form-rules.ts';
import type { State, StudioPost } from '../store.ts';
import { labels } from '../labels.ts';
import { Chooser, createModelChoices } from './chooser.ts';
import { omitMissingTextProblem, findModelProblem } from './create-form.ts';
import {
  renderCheckbox,
  renderField,
  renderFormatField,
  renderGroup,
  renderTextArea,
} from './field.ts';
import { renderTileGroup } from './size-field.ts';

interface FormContext {
  readonly post: StudioPost;
  readonly drafts: Drafts;
}

type Studio = NonNullable<State['studio']>;

/** Form for editing an input image or combining several. */
export class EditForm {
  readonly #context: FormContext;
  readonly #modelChooser: Chooser;

  constructor(context: FormContext) {
    this.#context = context;
    this.#modelChooser = new Chooser({
      id: 'edit-model',
      label: labels.model,
      listLabel: labels.models,
      filterLabel: labels.modelFilter,
      placeholder: labels.chooseModel,
      onChoose: (model) => this.#changeDraft({ model }),
      refresh: {
        label: labels.modelsRefresh,
        onClick: () => context.post({ type: 'models-request' }),
      },
    });
  }

  renderBasicFields(
    studio: Studio,
    model: StudioEditModel | undefined,
    problems: readonly FormProblem[],
  ): TemplateResult {
    const draft = this.#context.drafts.edit;
    if (draft === undefined) return html``;
    this.#modelChooser.update(createModelChoices(studio.models.edit, studio.models, draft.model));
    return html`${this.#renderInputs(studio.inputs, problems)}
    ${renderTextArea({
      id: 'instruction',
      label: labels.instruction,
      placeholder: labels.instructionPlaceholder,
      value: draft.prompt,
      maxChars: model?.promptLimit ?? 0,
      problem: omitMissingTextProblem(draft.prompt, findProblem(problems, 'prompt')),
      onChange: (prompt) => this.#changeDraft({ prompt }),
    })}
    ${renderField({
      id: 'edit-model',
      label: labels.model,
      control: html`${this.#modelChooser.element}`,
      problem: findModelProblem(model, problems),
    })}`;
  }

  renderOptions(
    model: StudioEditModel,
    inputCount: number,
    problems: readonly FormProblem[],
  ): TemplateResult {
    const draft = this.#context.drafts.edit;
    if (draft === undefined) return html``;
    const takesRatio = inputCount > 1 || model.takesSingleImageRatio;
    return html`${takesRatio ? this.#renderRatio(draft, model, problems) : nothing}
      ${this.#renderResolution(draft, model, problems)}
      ${this.#renderQuality(draft, model, problems)}
      <div class="field">
        ${
          model.enhancePrice === null
            ? nothing
            : renderCheckbox({
                id: 'edit-enhance',
                label: labels.formatPaidOption(labels.enhancePrompt, model.enhancePrice),
                isChecked: draft.enhancePrompt,
                onChange: (enhancePrompt) => this.#changeDraft({ enhancePrompt }),
              })
        }
        ${renderCheckbox({
          id: 'edit-safe-mode',
          label: labels.safeMode,
          hint: labels.safeModeHint,
          isChecked: draft.safeMode,
          onChange: (safeMode) => this.#changeDraft({ safeMode }),
        })}
      </div>
      <details class="more">
        <summary>${renderIcon('chevron-right')} ${labels.advanced}</summary>
        ${renderFormatField(draft.format, problems, (format) => this.#changeDraft({ format }))}
      </details>`;
  }

  #renderInputs(inputs: readonly InputImage[], problems: readonly FormProblem[]): TemplateResult {
    const { post } = this.#context;
    return renderGroup({
      id: 'inputs',
      label: labels.inputs,
      problem: findProblem(problems, 'inputs'),
      content: html`<ul class="inputs" aria-label=${labels.inputs}>
          ${repeat(
            inputs,
            ({ id }) => id,
            (input, index) => this.#renderInput(input, index, inputs),
          )}
        </ul>
        <div class="field-actions">
          <button type="button" class="link" @click=${() => post({ type: 'input-pick' })}>
            ${labels.inputAdd}
          </button>
          <button type="button" class="link" @click=${() => post({ type: 'inputs-clear' })}>
            ${labels.leaveEdit}
          </button>
        </div>`,
    });
  }

  #renderInput(input: InputImage, index: number, inputs: readonly InputImage[]): TemplateResult {
    const { post } = this.#context;
    const { id, label, src, thumb } = input;
    return html`<li class="input-image">
      <img src=${thumb ?? src} alt="" decoding="async" />
      <span class="input-label"><bdi>${label}</bdi></span>
      ${
        index === 0
          ? nothing
          : renderIconButton({
              icon: 'arrow-up',
              label: labels.formatMoveInput(label),
              onClick: () => post({ type: 'inputs-set', ids: moveInputForward(inputs, index) }),
            })
      }
      ${renderIconButton({
        icon: 'close',
        label: labels.formatRemoveInput(label),
        onClick: () => post({ type: 'input-remove', id }),
      })}
    </li>`;
  }

  #renderRatio(
    draft: EditDraft,
    { ratios }: StudioEditModel,
    problems: readonly FormProblem[],
  ): TemplateResult | typeof nothing {
    if (ratios.length === 0) return nothing;
    return renderGroup({
      id: 'edit-ratio',
      label: labels.ratio,
      problem: findProblem(problems, 'aspectRatio', 'size'),
      content: renderTileGroup({
        name: 'edit-ratio',
        label: labels.ratio,
        value: draft.aspectRatio ?? (ratios.includes('auto') ? 'auto' : ''),
        tiles: [
          ...(ratios.includes('auto') ? [] : [{ value: '', label: labels.modelDefault }]),
          ...ratios.map((ratio) => ({ value: ratio, label: ratio, ratio })),
        ],
        onChoose: (value) => this.#changeDraft({ aspectRatio: value || null }),
      }),
    });
  }

  #renderResolution(
    draft: EditDraft,
    { resolutions }: StudioEditModel,
    problems: readonly FormProblem[],
  ): TemplateResult | typeof nothing {
    if (resolutions.length === 0) return nothing;
    return renderGroup({
      id: 'edit-resolution',
      label: labels.resolution,
      problem: findProblem(problems, 'resolution'),
      content: renderTileGroup({
        name: 'edit-resolution',
        label: labels.resolution,
        value: draft.resolution ?? resolutions[0]?.name ?? '',
        tiles: resolutions.map(({ name, priceText }) => ({
          value: name,
          label: name,
          detail: priceText,
        })),
        onChoose: (resolution) => this.#changeDraft({ resolution }),
      }),
    });
  }

  #renderQuality(
    draft: EditDraft,
    { qualities }: StudioEditModel,
    problems: readonly FormProblem[],
  ): TemplateResult | typeof nothing {
    if (qualities.length === 0) return nothing;
    return renderGroup({
      id: 'edit-quality',
      label: labels.quality,
      problem: findProblem(problems, 'quality'),
      content: renderTileGroup({
        name: 'edit-quality',
        label: labels.quality,
        value: draft.quality ?? '',
        tiles: [
          { value: '', label: labels.modelDefault },
          ...qualities.map(({ name, priceText }) => ({
            value: name,
            label: name,
            detail: priceText,
          })),
        ],
        onChoose: (value) => this.#changeDraft({ quality: value || null }),
      }),
    });
  }

  #changeDraft(changes: Partial<EditDraft>): void {
    this.#context.drafts.changeEditDraft(changes);
  }
}

/**
 * Returns the ids of the input images in their new order, after moving the image at `index` one position toward the
 * start. The order matters, because an instruction can refer to an image by its position.
 */
function moveInputForward(inputs: readonly InputImage[], index: number): string[] {
  const ids = inputs.map(({ id }) => id);
  const [id] = ids.splice(index, 1);
  if (id !== undefined) ids.splice(index - 1, 0, id);
  return ids;
}
