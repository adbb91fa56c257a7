import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type {
  CreateDraft,
  StudioModel,
  StudioStyles,
} from '../../../src/image/studio/protocol/form.ts';
import { renderIcon } from '../../base/controls.ts';
import type { Drafts } from '../drafts.ts';
import { type FormProblem, findProblem } from '../form-rules.ts';
import type { State, StudioPost } from '../store.ts';
import { labels } from '../labels.ts';
import { Chooser, createModelChoices } from './chooser.ts';
import {
  renderCheckbox,
  renderField,
  renderFormatField,
  renderGroup,
  renderSeedField,
  renderTextArea,
} from './field.ts';
import { renderSizeField, renderTileGroup } from './size-field.ts';

interface FormContext {
  readonly post: StudioPost;
  readonly drafts: Drafts;
  /** Returns a random seed that the service accepts. */
  readonly createRandomSeed: () => number;
  readonly redraw: () => void;
}

type Studio = NonNullable<State['studio']>;

/** Form for creating an image. Shows only options that the selected model supports. */
export class CreateForm {
  readonly #context: FormContext;
  readonly #modelChooser: Chooser;
  readonly #styleChooser: Chooser;
  #hasCustomSize = false;
  /**
   * Invalid text that the user typed into the seed field, with the draft's seed at that time. The text is discarded
   * when the seed of the draft changes.
   */
  #refusedSeed: { readonly text: string; readonly seed: number | null } | undefined;
  #areStylesRequested = false;

  constructor(context: FormContext) {
    this.#context = context;
    const { post } = context;
    this.#modelChooser = new Chooser({
      id: 'model',
      label: labels.model,
      listLabel: labels.models,
      filterLabel: labels.modelFilter,
      placeholder: labels.chooseModel,
      onChoose: (model) => this.#changeDraft({ model }),
      refresh: { label: labels.modelsRefresh, onClick: () => post({ type: 'models-request' }) },
    });
    this.#styleChooser = new Chooser({
      id: 'style',
      label: labels.style,
      listLabel: labels.styles,
      filterLabel: labels.styleFilter,
      placeholder: labels.styleNone,
      onChoose: (style) => this.#changeDraft({ stylePreset: style || null }),
    });
  }

  /** Problems with entered text that the draft cannot contain, such as an invalid seed. */
  get problems(): FormProblem[] {
    if (this.#refusedSeedText === undefined) return [];
    return [{ field: 'seed', severity: 'error', text: labels.seedProblem }];
  }

  get #refusedSeedText(): string | undefined {
    const { create } = this.#context.drafts;
    return create?.seed === this.#refusedSeed?.seed ? this.#refusedSeed?.text : undefined;
  }

  /** Renders the prompt and the model. */
  renderBasicFields(
    studio: Studio,
    model: StudioModel | undefined,
    problems: readonly FormProblem[],
  ): TemplateResult {
    const draft = this.#context.drafts.create;
    if (draft === undefined) return html``;
    this.#modelChooser.update(createModelChoices(studio.models.create, studio.models, draft.model));
    return html`${renderTextArea({
        id: 'prompt',
        label: labels.prompt,
        placeholder: labels.promptPlaceholder,
        value: draft.prompt,
        maxChars: model?.promptLimit ?? 0,
        problem: omitMissingTextProblem(draft.prompt, findProblem(problems, 'prompt')),
        onChange: (prompt) => this.#changeDraft({ prompt }),
      })}
      ${renderField({
        id: 'model',
        label: labels.model,
        control: html`${this.#modelChooser.element}`,
        ...(model?.description ? { hint: model.description } : {}),
        problem: findModelProblem(model, problems),
      })}
      <button type="button" class="link" @click=${() => this.#context.post({ type: 'input-pick' })}>
        ${labels.editImage}
      </button>`;
  }

  renderOptions(
    studio: Studio,
    model: StudioModel,
    problems: readonly FormProblem[],
  ): TemplateResult {
    const draft = this.#context.drafts.create;
    if (draft === undefined) return html``;
    const changeDraft = (changes: Partial<CreateDraft>): void => this.#changeDraft(changes);
    return html`${renderSizeField({
      draft,
      sizing: model.sizing,
      problems,
      isCustomShown: this.#hasCustomSize,
      showCustomSize: (isCustom) => {
        this.#hasCustomSize = isCustom;
        this.#context.redraw();
      },
      onChange: changeDraft,
    })}
    ${this.#renderQuality(draft, model, problems)}
    ${model.hasBasicOptionsOnly ? nothing : this.#renderVariants(draft, problems)}
    ${model.hasBasicOptionsOnly ? nothing : this.#renderStyle(draft, studio.styles, problems)}
    ${model.hasBasicOptionsOnly ? nothing : this.#renderNegativePrompt(draft, model, problems)}
    ${model.steps === null ? nothing : this.#renderSteps(draft, model.steps, problems)}
    ${model.hasBasicOptionsOnly ? nothing : this.#renderSeed(draft, problems)}
    ${this.#renderSwitches(draft, model)} ${this.#renderMoreOptions(draft, model, problems)}`;
  }

  #renderSeed(draft: CreateDraft, problems: readonly FormProblem[]): TemplateResult {
    return renderSeedField({
      seed: draft.seed,
      invalidText: this.#refusedSeedText,
      onInvalidText: (text) => {
        this.#refusedSeed = { text, seed: draft.seed };
        this.#context.redraw();
      },
      problem: findProblem(problems, 'seed'),
      createRandomSeed: this.#context.createRandomSeed,
      onChange: (seed) => {
        this.#refusedSeed = undefined;
        this.#changeDraft({ seed });
      },
    });
  }

  #renderQuality(
    draft: CreateDraft,
    { qualities, defaultQuality }: StudioModel,
    problems: readonly FormProblem[],
  ): TemplateResult | typeof nothing {
    if (qualities.length === 0) return nothing;
    return renderGroup({
      id: 'quality',
      label: labels.quality,
      problem: findProblem(problems, 'quality'),
      content: renderTileGroup({
        name: 'quality',
        label: labels.quality,
        value: draft.quality ?? defaultQuality ?? '',
        tiles: [
          ...(defaultQuality === null
            ? [{ value: '', label: labels.modelDefault, detail: '' }]
            : []),
          ...qualities.map(({ name, priceText }) => ({
            value: name,
            label: name,
            detail: priceText,
          })),
        ],
        onChoose: (quality) => this.#changeDraft({ quality: quality === '' ? null : quality }),
      }),
    });
  }

  #renderVariants(draft: CreateDraft, problems: readonly FormProblem[]): TemplateResult {
    return renderGroup({
      id: 'variants',
      label: labels.variants,
      problem: findProblem(problems, 'variants'),
      content: renderTileGroup({
        name: 'variants',
        label: labels.variants,
        value: String(draft.variants),
        tiles: ['1', '2', '3', '4'].map((value) => ({ value, label: value })),
        onChoose: (value) =>
          this.#changeDraft({ variants: Number(value) as CreateDraft['variants'] }),
      }),
    });
  }

  #renderStyle(
    draft: CreateDraft,
    styles: StudioStyles,
    problems: readonly FormProblem[],
  ): TemplateResult {
    this.#requestStyles(styles);
    const { status, names } = styles;
    const noStyleOptions = names.length === 0 ? [] : [{ value: '', label: labels.styleNone }];
    this.#styleChooser.update({
      value: draft.stylePreset ?? '',
      options: status === 'ready' ? [...noStyleOptions, ...names.map(createStyleOption)] : [],
      emptyText: this.#renderStylesNote(styles),
    });
    return renderField({
      id: 'style',
      label: labels.style,
      control: html`${this.#styleChooser.element}`,
      problem: findProblem(problems, 'stylePreset'),
    });
  }

  /** Requests the style presets from the host, unless a request is already pending. */
  #requestStyles({ status }: StudioStyles): void {
    if (status === 'unasked' && !this.#areStylesRequested)
      this.#context.post({ type: 'styles-request' });
    this.#areStylesRequested = status === 'unasked';
  }

  #renderStylesNote({ status, problem }: StudioStyles): TemplateResult | string {
    if (status === 'ready') return labels.stylesEmpty;
    if (status !== 'failed') {
      return html`<span class="late">${renderIcon('loading')} ${labels.stylesLoading}</span>`;
    }
    return html`<span>${problem ?? labels.stylesFailed}</span>
      <button
        type="button"
        class="link"
        @click=${() => this.#context.post({ type: 'styles-request' })}
      >
        ${labels.retry}
      </button>`;
  }

  #renderNegativePrompt(
    draft: CreateDraft,
    model: StudioModel,
    problems: readonly FormProblem[],
  ): TemplateResult {
    return renderTextArea({
      id: 'negative-prompt',
      label: labels.negativePrompt,
      placeholder: labels.negativePlaceholder,
      value: draft.negativePrompt,
      maxChars: model.promptLimit,
      problem: findProblem(problems, 'negativePrompt'),
      onChange: (negativePrompt) => this.#changeDraft({ negativePrompt }),
    });
  }

  #renderSteps(
    draft: CreateDraft,
    steps: { readonly default: number | null; readonly max: number },
    problems: readonly FormProblem[],
  ): TemplateResult {
    if (steps.default === null) {
      return renderOptionalNumberField({
        id: 'steps',
        label: labels.steps,
        value: draft.steps,
        range: { min: 1, max: steps.max, step: 1 },
        problem: findProblem(problems, 'steps'),
        change: (value) => this.#changeDraft({ steps: value }),
      });
    }
    const value = Math.min(draft.steps ?? steps.default, steps.max);
    return renderField({
      id: 'steps',
      label: labels.steps,
      aside: html`<span class="counter" aria-hidden="true">${value}</span>`,
      problem: findProblem(problems, 'steps'),
      control: html`<input
        type="range"
        id="steps"
        min="1"
        max=${steps.max}
        aria-valuetext=${labels.formatSteps(value, steps.max)}
        .value=${live(String(value))}
        @input=${(event: Event) =>
          this.#changeDraft({ steps: (event.target as HTMLInputElement).valueAsNumber })}
      />`,
    });
  }

  #renderSwitches(draft: CreateDraft, model: StudioModel): TemplateResult {
    const { webSearchPrice, enhancePrice } = model;
    return html`<div class="field">
      ${
        webSearchPrice === null
          ? nothing
          : renderCheckbox({
              id: 'web-search',
              label: labels.formatPaidOption(labels.webSearch, webSearchPrice),
              isChecked: draft.webSearch,
              onChange: (webSearch) => this.#changeDraft({ webSearch }),
            })
      }
      ${
        enhancePrice === null
          ? nothing
          : renderCheckbox({
              id: 'enhance-prompt',
              label: labels.formatPaidOption(labels.enhancePrompt, enhancePrice),
              isChecked: draft.enhancePrompt,
              onChange: (enhancePrompt) => this.#changeDraft({ enhancePrompt }),
            })
      }
      ${renderCheckbox({
        id: 'safe-mode',
        label: labels.safeMode,
        hint: labels.safeModeHint,
        isChecked: draft.safeMode,
        onChange: (safeMode) => this.#changeDraft({ safeMode }),
      })}
    </div>`;
  }

  #renderMoreOptions(
    draft: CreateDraft,
    model: StudioModel,
    problems: readonly FormProblem[],
  ): TemplateResult {
    const hasProblem = findProblem(problems, 'cfgScale', 'format') !== undefined;
    return html`<details class="more" ?open=${hasProblem}>
      <summary>${renderIcon('chevron-right')} ${labels.advanced}</summary>
      ${model.hasBasicOptionsOnly ? nothing : this.#renderGuidance(draft, problems)}
      ${renderFormatField(draft.format, problems, (format) => this.#changeDraft({ format }))}
      ${model.hasBasicOptionsOnly ? nothing : this.#renderFileOptions(draft)}
    </details>`;
  }

  #renderFileOptions(draft: CreateDraft): TemplateResult {
    return html`${renderCheckbox({
      id: 'hide-watermark',
      label: labels.hideWatermark,
      isChecked: draft.hideWatermark,
      onChange: (hideWatermark) => this.#changeDraft({ hideWatermark }),
    })}
    ${renderCheckbox({
      id: 'embed-exif',
      label: labels.embedExif,
      isChecked: draft.embedExifMetadata,
      onChange: (embedExifMetadata) => this.#changeDraft({ embedExifMetadata }),
    })}`;
  }

  #renderGuidance(draft: CreateDraft, problems: readonly FormProblem[]): TemplateResult {
    return renderOptionalNumberField({
      id: 'guidance',
      label: labels.guidance,
      value: draft.cfgScale,
      range: { min: 0.5, max: 20, step: 0.5 },
      problem: findProblem(problems, 'cfgScale'),
      change: (cfgScale) => this.#changeDraft({ cfgScale }),
    });
  }

  #changeDraft(changes: Partial<CreateDraft>): void {
    this.#context.drafts.changeCreateDraft(changes);
  }
}

/** Renders a number field. An empty field means the default of the model. */
const renderOptionalNumberField = ({
  value,
  range: { min, max, step },
  change,
  ...fieldOptions
}: Omit<Parameters<typeof renderField>[0], 'control'> & {
  readonly value: number | null;
  readonly range: { readonly min: number; readonly max: number; readonly step: number };
  readonly change: (value: number | null) => void;
}): TemplateResult =>
  renderField({
    ...fieldOptions,
    control: html`<input
      type="number"
      id=${fieldOptions.id}
      class="input"
      min=${min}
      max=${max}
      step=${step}
      placeholder=${labels.modelDefault}
      .value=${live(value === null ? '' : String(value))}
      @change=${(event: Event) => {
        const { valueAsNumber } = event.target as HTMLInputElement;
        change(Number.isFinite(valueAsNumber) ? valueAsNumber : null);
      }}
    />`,
  });

const createStyleOption = (name: string): { readonly value: string; readonly label: string } => ({
  value: name,
  label: name,
});

/**
 * Returns the problem to show below a text field. Omits the problem that the field is empty, because the form's button
 * already shows it.
 */
export const omitMissingTextProblem = (
  text: string,
  problem: FormProblem | undefined,
): FormProblem | undefined =>
  text.trim() === '' && problem?.severity === 'error' ? undefined : problem;

/** Returns the problem with the selected model. If there is none, returns the model's warning. */
export const findModelProblem = (
  model: { readonly warning: string } | undefined,
  problems: readonly FormProblem[],
): FormProblem | undefined =>
  findProblem(problems, 'model') ??
  (model?.warning ? { field: 'model', severity: 'warning', text: model.warning } : undefined);
