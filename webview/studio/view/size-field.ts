import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CreateDraft, StudioModel } from '../../../src/image/studio/protocol/form.ts';
import { cssVariables } from '../../base/css-variables.ts';
import { fitPixels, type Problem, problemOf, ratioOf, sizeOf } from '../form-rules.ts';
import { labels } from '../labels.ts';
import { group } from './field.ts';

interface Tile {
  readonly value: string;
  readonly label: string;
  /** Text below the label, such as a price or a size. */
  readonly detail?: string;
  /** Aspect ratio of the frame above the label, such as `16:9`. Omit it for a tile without a frame. */
  readonly ratio?: string;
}

interface Tiles {
  /** Name of the radio group, unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly tiles: readonly Tile[];
  readonly value: string;
  readonly choose: (value: string) => void;
}

/** Renders a radio group whose options are tiles. */
export const tileGroup = ({ name, label, tiles, value, choose }: Tiles): TemplateResult =>
  html`<div class="tiles" role="radiogroup" aria-label=${label}>
    ${tiles.map((tile) => renderTile(name, tile, tile.value === value, choose))}
  </div>`;

const renderTile = (
  name: string,
  { value, label, detail, ratio }: Tile,
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
    ${ratio === undefined ? nothing : frame(ratio)}
    <span>${label}</span>
    ${detail ? html`<span class="choice-detail">${detail}</span>` : nothing}
  </label>`;

/** Renders a small frame that illustrates the aspect ratio. */
const frame = (ratio: string): TemplateResult =>
  html`<span class="frame-space" aria-hidden="true"
    ><span
      class="frame ${ratioOf(ratio) >= 1 ? 'wide' : 'tall'}"
      ${cssVariables({ '--ratio': String(ratioOf(ratio)) })}
    ></span
  ></span>`;

interface SizeField {
  readonly draft: CreateDraft;
  readonly sizing: StudioModel['sizing'];
  readonly problems: readonly Problem[];
  /** True while the fields for width and height are open, even if a tile matches their values. */
  readonly isCustomShown: boolean;
  readonly showCustom: (custom: boolean) => void;
  readonly change: (part: Partial<CreateDraft>) => void;
}

/** Renders the size selection that the model supports: pixels, aspect ratios or resolutions (spec §4.5). */
export function sizeField(size: SizeField): TemplateResult {
  const { sizing } = size;
  if (sizing.kind === 'pixels') return pixelField(size, sizing);
  const ratios = ratioField(size, sizing);
  if (sizing.kind === 'ratio') return ratios;
  const { draft, problems, change } = size;
  return html`${ratios}
  ${group({
    id: 'resolution',
    label: labels.resolution,
    problem: problemOf(problems, 'resolution'),
    content: tileGroup({
      name: 'resolution',
      label: labels.resolution,
      value: draft.resolution ?? sizing.defaultResolution,
      tiles: sizing.resolutions.map(({ name, priceText }) => ({
        value: name,
        label: name,
        detail: priceText,
      })),
      choose: (resolution) => change({ resolution }),
    }),
  })}`;
}

function ratioField(
  { draft, problems, change }: SizeField,
  sizing: { readonly ratios: readonly string[]; readonly defaultRatio: string },
): TemplateResult {
  return group({
    id: 'ratio',
    label: labels.ratio,
    problem: problemOf(problems, 'aspectRatio', 'size'),
    content: tileGroup({
      name: 'ratio',
      label: labels.ratio,
      value: draft.aspectRatio ?? sizing.defaultRatio,
      tiles: sizing.ratios.map((ratio) => ({ value: ratio, label: ratio, ratio })),
      choose: (aspectRatio) => change({ aspectRatio }),
    }),
  });
}

type Pixels = Extract<StudioModel['sizing'], { kind: 'pixels' }>;

function pixelField(size: SizeField, sizing: Pixels): TemplateResult {
  const { draft, problems, change, isCustomShown, showCustom } = size;
  const now = sizeOf(draft, sizing);
  const tile = sizing.sizes.find(
    ({ width, height }) => width === now.width && height === now.height,
  );
  const isCustom = isCustomShown || tile === undefined;
  return group({
    id: 'size',
    label: labels.size,
    problem: problemOf(problems, 'size'),
    ...(isCustom ? { hint: labels.customHint(sizing.min, sizing.max, sizing.divisor) } : {}),
    content: html`${tileGroup({
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
        { value: labels.custom, label: labels.custom },
      ],
      choose: (value) => {
        const chosen = sizing.sizes.find(({ ratio }) => ratio === value);
        showCustom(chosen === undefined);
        change({ width: chosen?.width ?? now.width, height: chosen?.height ?? now.height });
      },
    })}
    ${isCustom ? customSize(now, sizing, change) : nothing}`,
  });
}

const customSize = (
  { width, height }: { readonly width: number; readonly height: number },
  sizing: Pixels,
  change: SizeField['change'],
): TemplateResult =>
  html`<div class="custom-size">
    ${pixelInput(labels.width, width, sizing, (value) => change({ width: value }))}
    <span aria-hidden="true">×</span>
    ${pixelInput(labels.height, height, sizing, (value) => change({ height: value }))}
  </div>`;

const pixelInput = (
  label: string,
  value: number,
  sizing: Pixels,
  change: (value: number) => void,
): TemplateResult =>
  html`<input
    type="number"
    class="input"
    aria-label=${label}
    min=${fitPixels(sizing.min, sizing)}
    max=${fitPixels(sizing.max, sizing)}
    step=${sizing.divisor}
    .value=${live(String(value))}
    @change=${(event: Event) => {
      const input = event.target as HTMLInputElement;
      const written = input.valueAsNumber;
      const fitting = Number.isFinite(written) ? fitPixels(written, sizing) : value;
      // Set the input directly, because an unchanged draft is not rendered again.
      input.value = String(fitting);
      change(fitting);
    }}
  />`;
