import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CreateDraft, StudioModel } from '../../../src/image/studio/protocol/form.ts';
import { cssVariables } from '../../base/css-variables.ts';
import {
  fitPixels,
  type FormProblem,
  findProblem,
  parseAspectRatio,
  resolveDraftSize,
} from '../form-rules.ts';
import { labels } from '../labels.ts';
import { renderGroup } from './field.ts';

interface SizeTile {
  readonly value: string;
  readonly label: string;
  /** Text below the label, such as a price or a size. */
  readonly detail?: string;
  /** Aspect ratio of the frame above the label, such as `16:9`. Omit it for a tile without a frame. */
  readonly ratio?: string;
}

interface SizeTiles {
  /** Name of the radio group, unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly tiles: readonly SizeTile[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/** Renders a radio group whose options are tiles. */
export const renderTileGroup = ({
  name,
  label,
  tiles,
  value,
  onChoose,
}: SizeTiles): TemplateResult =>
  html`<div class="tiles" role="radiogroup" aria-label=${label}>
    ${tiles.map((tile) => renderTile(name, tile, tile.value === value, onChoose))}
  </div>`;

const renderTile = (
  name: string,
  { value, label, detail, ratio }: SizeTile,
  isChecked: boolean,
  choose: (value: string) => void,
): TemplateResult =>
  html`<label class="choice ${ratio === undefined ? '' : 'shaped'}">
    <input
      type="radio"
      class="visually-hidden"
      name=${name}
      value=${value}
      .checked=${live(isChecked)}
      @change=${() => choose(value)}
    />
    ${ratio === undefined ? nothing : renderRatioFrame(ratio)}
    <span>${label}</span>
    ${detail ? html`<span class="choice-detail">${detail}</span>` : nothing}
  </label>`;

/** Renders a small frame that illustrates an aspect ratio. */
const renderRatioFrame = (ratio: string): TemplateResult =>
  html`<span class="frame-space" aria-hidden="true"
    ><span
      class="frame ${parseAspectRatio(ratio) >= 1 ? 'wide' : 'tall'}"
      ${cssVariables({ '--ratio': String(parseAspectRatio(ratio)) })}
    ></span
  ></span>`;

interface SizeField {
  readonly draft: CreateDraft;
  readonly sizing: StudioModel['sizing'];
  readonly problems: readonly FormProblem[];
  /** True if the fields for width and height are visible although a tile matches their values. */
  readonly isCustomShown: boolean;
  readonly showCustomSize: (isCustom: boolean) => void;
  readonly onChange: (changes: Partial<CreateDraft>) => void;
}

/** Renders the size selection that the model supports: pixels, aspect ratios or resolutions (spec §4.5). */
export function renderSizeField(size: SizeField): TemplateResult {
  const { sizing } = size;
  switch (sizing.kind) {
    case 'pixels':
      return renderPixelField(size, sizing);
    case 'unknown':
      return renderUnknownSizeField(size, sizing);
    case 'ratio':
      return renderRatioField(size, sizing);
    case 'tier':
      return html`${renderRatioField(size, sizing)} ${renderResolutionField(size, sizing)}`;
  }
}

interface Resolutions {
  readonly resolutions: readonly { readonly name: string; readonly priceText: string }[];
  /** Default resolution of the model. Absent if unknown. */
  readonly defaultResolution?: string;
}

function renderResolutionField(
  { draft, problems, onChange }: SizeField,
  { resolutions, defaultResolution }: Resolutions,
): TemplateResult {
  const tiles = resolutions.map(({ name, priceText }) => ({
    value: name,
    label: name,
    detail: priceText,
  }));
  return renderGroup({
    id: 'resolution',
    label: labels.resolution,
    problem: findProblem(problems, 'resolution'),
    content: renderTileGroup({
      name: 'resolution',
      label: labels.resolution,
      value: draft.resolution ?? defaultResolution ?? '',
      tiles: defaultResolution === undefined ? [createModelDefaultTile(), ...tiles] : tiles,
      onChoose: (value) => onChange({ resolution: value || null }),
    }),
  });
}

/** Creates the tile that selects the model's default size. Needed only for models whose default size is unknown. */
const createModelDefaultTile = (): SizeTile => ({ value: '', label: labels.modelDefault });

type UnknownSizing = Extract<StudioModel['sizing'], { kind: 'unknown' }>;

/**
 * Renders the size fields for a model whose supported sizes are unknown: aspect ratio, resolution, and width and
 * height. A size in pixels and the other two fields exclude each other. Until the user chooses a size, the request
 * contains none.
 */
function renderUnknownSizeField(size: SizeField, sizing: UnknownSizing): TemplateResult {
  const { draft, problems, onChange } = size;
  const { pixels } = sizing;
  const emptySize = { width: null, height: null };
  const fieldContext = {
    ...size,
    change: (changes: Partial<CreateDraft>) => onChange({ ...emptySize, ...changes }),
  };
  const changePixels = (changes: Partial<CreateDraft>): void => {
    const currentSize = {
      width: draft.width ?? defaultSidePx,
      height: draft.height ?? defaultSidePx,
    };
    onChange({ aspectRatio: null, resolution: null, ...currentSize, ...changes });
  };
  return html`${sizing.ratios.length === 0 ? nothing : renderRatioField(fieldContext, sizing)}
  ${sizing.resolutions.length === 0 ? nothing : renderResolutionField(fieldContext, sizing)}
  ${
    pixels === null
      ? nothing
      : renderGroup({
          id: 'size',
          label: labels.size,
          problem: findProblem(problems, 'size'),
          hint: labels.formatCustomHint(pixels.min, pixels.max, pixels.divisor),
          content: renderCustomSize(draft, pixels, changePixels),
        })
  }`;
}

/** Default width and height of an image in pixels, for a model whose default size is unknown (spec §4.5). */
const defaultSidePx = 1_024;

function renderRatioField(
  { draft, problems, onChange }: SizeField,
  sizing: { readonly ratios: readonly string[]; readonly defaultRatio?: string },
): TemplateResult {
  const tiles = sizing.ratios.map((ratio) => ({ value: ratio, label: ratio, ratio }));
  return renderGroup({
    id: 'ratio',
    label: labels.ratio,
    problem: findProblem(problems, 'aspectRatio', 'size'),
    content: renderTileGroup({
      name: 'ratio',
      label: labels.ratio,
      value: draft.aspectRatio ?? sizing.defaultRatio ?? '',
      tiles: sizing.defaultRatio === undefined ? [createModelDefaultTile(), ...tiles] : tiles,
      onChoose: (value) => onChange({ aspectRatio: value || null }),
    }),
  });
}

type PixelSizing = Extract<StudioModel['sizing'], { kind: 'pixels' }>;
type PixelLimits = Pick<PixelSizing, 'min' | 'max' | 'divisor'>;

function renderPixelField(size: SizeField, sizing: PixelSizing): TemplateResult {
  const { draft, problems, onChange, isCustomShown, showCustomSize } = size;
  const currentSize = resolveDraftSize(draft, sizing);
  const tile = sizing.sizes.find(
    ({ width, height }) => width === currentSize.width && height === currentSize.height,
  );
  const isCustom = !sizing.isFixed && (isCustomShown || tile === undefined);
  return renderGroup({
    id: 'size',
    label: labels.size,
    problem: findProblem(problems, 'size'),
    ...(isCustom ? { hint: labels.formatCustomHint(sizing.min, sizing.max, sizing.divisor) } : {}),
    content: html`${renderTileGroup({
      name: 'size',
      label: labels.size,
      value: isCustom ? labels.custom : (tile?.ratio ?? ''),
      tiles: [
        ...sizing.sizes.map(({ ratio, width, height }) => ({
          value: ratio,
          label: ratio,
          ratio,
          detail: `${width} × ${height}`,
        })),
        ...(sizing.isFixed ? [] : [{ value: labels.custom, label: labels.custom }]),
      ],
      onChoose: (value) => {
        const chosenSize = sizing.sizes.find(({ ratio }) => ratio === value);
        showCustomSize(chosenSize === undefined);
        onChange({
          width: chosenSize?.width ?? currentSize.width,
          height: chosenSize?.height ?? currentSize.height,
        });
      },
    })}
    ${isCustom ? renderCustomSize(currentSize, sizing, onChange) : nothing}`,
  });
}

const renderCustomSize = (
  { width, height }: Pick<CreateDraft, 'width' | 'height'>,
  sizing: PixelLimits,
  change: SizeField['onChange'],
): TemplateResult =>
  html`<div class="custom-size">
    ${renderPixelInput(labels.width, width, sizing, (value) => change({ width: value }))}
    <span aria-hidden="true">×</span>
    ${renderPixelInput(labels.height, height, sizing, (value) => change({ height: value }))}
  </div>`;

const renderPixelInput = (
  label: string,
  value: number | null,
  sizing: PixelLimits,
  change: (value: number) => void,
): TemplateResult =>
  html`<input
    type="number"
    class="input"
    aria-label=${label}
    min=${fitPixels(sizing.min, sizing)}
    max=${fitPixels(sizing.max, sizing)}
    step=${sizing.divisor}
    placeholder=${labels.modelDefault}
    .value=${live(value === null ? '' : String(value))}
    @change=${(event: Event) => {
      const input = event.target as HTMLInputElement;
      const enteredValue = input.valueAsNumber;
      const fittedValue = Number.isFinite(enteredValue) ? fitPixels(enteredValue, sizing) : value;
      // Set the input directly, because an unchanged draft is not rendered again.
      input.value = fittedValue === null ? '' : String(fittedValue);
      if (fittedValue !== null) change(fittedValue);
    }}
  />`;
