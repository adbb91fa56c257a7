import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CreateDraft } from '../../../src/image/studio/protocol/form.ts';
import { renderIcon, renderIconButton } from '../../base/controls.ts';
import { type FormProblem, findProblem, readSeed } from '../form-rules.ts';
import { labels } from '../labels.ts';

interface FormField {
  /** Id of the control. The label and the notes refer to this id. */
  readonly id: string;
  readonly label: string;
  readonly control: TemplateResult;
  /** Content beside the label, such as a character counter. */
  readonly aside?: TemplateResult | typeof nothing;
  readonly hint?: string;
  readonly problem?: FormProblem | undefined;
}

/** Renders a control with its label and notes. */
export const renderField = ({
  id,
  label,
  control,
  aside,
  hint,
  problem,
}: FormField): TemplateResult =>
  html`<div class="field">
    <div class="field-head">
      <label for=${id}>${label}</label>
      ${aside ?? nothing}
    </div>
    ${control} ${renderNotes(id, hint, problem)}
  </div>`;

interface FieldGroup {
  readonly id: string;
  readonly label: string;
  readonly content: TemplateResult;
  readonly hint?: string;
  readonly problem?: FormProblem | undefined;
}

/** Renders several controls with one label. */
export const renderGroup = ({ id, label, content, hint, problem }: FieldGroup): TemplateResult =>
  html`<div
    class="field"
    role="group"
    id=${id}
    aria-labelledby="${id}-label"
    aria-describedby=${getNoteIds(id, hint, problem)}
  >
    <div class="field-head"><span id="${id}-label">${label}</span></div>
    ${content} ${renderNotes(id, hint, problem)}
  </div>`;

interface TextArea {
  readonly id: string;
  readonly value: string;
  readonly maxChars: number;
  readonly placeholder: string;
  readonly label: string;
  readonly problem: FormProblem | undefined;
  readonly onChange: (text: string) => void;
}

/** Renders a text area with a character counter. */
export function renderTextArea(area: TextArea): TemplateResult {
  const { id, value, maxChars, placeholder, label, problem, onChange } = area;
  const isShown = maxChars > 0 && (value.length > 0 || maxChars < 100_000);
  return renderField({
    id,
    label,
    problem,
    aside: isShown
      ? html`<span class="counter ${value.length > maxChars ? 'over' : ''}">
          <span aria-hidden="true">${value.length} / ${maxChars}</span>
          <span class="visually-hidden"
            >${labels.formatCharacterCount(value.length, maxChars)}</span
          >
        </span>`
      : nothing,
    control: html`<textarea
      id=${id}
      class="growing input"
      dir="auto"
      rows="3"
      placeholder=${placeholder}
      aria-invalid=${problem?.severity === 'error' && value !== '' ? 'true' : 'false'}
      aria-describedby=${getNoteIds(id, undefined, problem)}
      .value=${live(value)}
      @input=${(event: Event) => onChange((event.target as HTMLTextAreaElement).value)}
    ></textarea>`,
  });
}

interface SwitchField {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export const renderCheckbox = ({
  id,
  label,
  hint,
  isChecked,
  onChange,
}: SwitchField): TemplateResult =>
  html`<div class="switch">
    <input
      type="checkbox"
      id=${id}
      aria-describedby=${hint === undefined ? nothing : `${id}-hint`}
      .checked=${live(isChecked)}
      @change=${(event: Event) => onChange((event.target as HTMLInputElement).checked)}
    />
    <label for=${id}>${label}</label>
    ${hint === undefined ? nothing : html`<span class="hint" id="${id}-hint">${hint}</span>`}
  </div>`;

interface SelectField {
  readonly id: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly label?: string;
  readonly onChange: (value: string) => void;
}

export const renderSelect = ({
  id,
  value,
  options,
  label,
  onChange,
}: SelectField): TemplateResult =>
  html`<select
    id=${id}
    class="input"
    aria-label=${label ?? nothing}
    .value=${live(value)}
    @change=${(event: Event) => onChange((event.target as HTMLSelectElement).value)}
  >
    ${options.map(
      (option) =>
        html`<option value=${option.value} ?selected=${option.value === value}>
          ${option.label}
        </option>`,
    )}
  </select>`;

/** Returns the ids of a control's notes for `aria-describedby`, or nothing for a control without notes. */
export function getNoteIds(
  id: string,
  hint: string | undefined,
  problem: FormProblem | undefined,
): string | typeof nothing {
  const ids = [
    hint === undefined ? '' : `${id}-hint`,
    problem === undefined ? '' : `${id}-problem`,
  ].filter(Boolean);
  return ids.length === 0 ? nothing : ids.join(' ');
}

const renderNotes = (id: string, hint?: string, problem?: FormProblem): TemplateResult =>
  html`${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  ${
    problem === undefined
      ? nothing
      : html`<p class="field-problem ${problem.severity}" id="${id}-problem" dir="auto">
          ${renderIcon(problem.severity === 'error' ? 'error' : 'warning')}
          <span>${problem.text}</span>
        </p>`
  }`;

const imageFormats = ['png', 'jpeg', 'webp'] as const;

/** Renders the field in which the user selects the file format of the image. */
export const renderFormatField = (
  format: CreateDraft['format'],
  problems: readonly FormProblem[],
  change: (format: CreateDraft['format']) => void,
): TemplateResult =>
  renderField({
    id: 'format',
    label: labels.format,
    problem: findProblem(problems, 'format'),
    control: renderSelect({
      id: 'format',
      value: format ?? '',
      options: [
        { value: '', label: labels.formatDefault },
        ...imageFormats.map((format) => ({ value: format, label: format.toUpperCase() })),
      ],
      onChange: (value) => change(imageFormats.find((format) => format === value) ?? null),
    }),
  });

interface SeedField {
  readonly seed: number | null;
  /** Invalid text in the seed field. Undefined if the field contains a valid seed. */
  readonly invalidText: string | undefined;
  readonly onInvalidText: (text: string) => void;
  readonly problem: FormProblem | undefined;
  readonly createRandomSeed: () => number;
  readonly onChange: (seed: number | null) => void;
}

/** Renders the seed field. An empty field means a random seed for each job. */
export const renderSeedField = ({
  seed,
  invalidText,
  onInvalidText,
  problem,
  createRandomSeed,
  onChange,
}: SeedField): TemplateResult =>
  renderField({
    id: 'seed',
    label: labels.seed,
    problem,
    control: html`<div class="seed">
      <input
        type="text"
        id="seed"
        class="input"
        inputmode="numeric"
        spellcheck="false"
        placeholder=${labels.seedRandom}
        title=${labels.seedProblem}
        aria-invalid=${invalidText === undefined ? 'false' : 'true'}
        aria-describedby=${getNoteIds('seed', undefined, problem)}
        .value=${live(invalidText ?? (seed === null ? '' : String(seed)))}
        @change=${(event: Event) => {
          const { value } = event.target as HTMLInputElement;
          const newSeed = readSeed(value);
          if (newSeed === undefined) onInvalidText(value);
          else onChange(newSeed);
        }}
      />
      ${renderIconButton({ icon: 'refresh', label: labels.seedRoll, onClick: () => onChange(createRandomSeed()) })}
      ${
        seed === null && invalidText === undefined
          ? nothing
          : renderIconButton({
              icon: 'close',
              label: labels.seedClear,
              onClick: () => onChange(null),
            })
      }
    </div>`,
  });
