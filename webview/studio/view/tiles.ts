import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { ratioOf } from '../form-rules.ts';
import { cssVariables } from '../../base/css-variables.ts';

interface Tile {
  readonly value: string;
  readonly label: string;
  /** Small, below or beside: a price, a size. */
  readonly detail?: string;
  /** Draws a frame of this shape above the label. */
  readonly ratio?: string;
}

interface Tiles {
  /** Of the radio group; unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly tiles: readonly Tile[];
  readonly value: string;
  readonly choose: (value: string) => void;
}

/** One of some, all in sight; arrows move as in every radio group. */
export const tileGroup = ({ name, label, tiles, value, choose }: Tiles): TemplateResult =>
  html`<div class="tiles" role="radiogroup" aria-label=${label}>
    ${tiles.map((tile) => oneTile(name, tile, tile.value === value, choose))}
  </div>`;

const oneTile = (
  name: string,
  { value, label, detail, ratio }: Tile,
  checked: boolean,
  choose: (value: string) => void,
): TemplateResult =>
  html`<label class="choice ${ratio === undefined ? '' : 'shaped'}">
    <input
      type="radio"
      class="visually-hidden"
      name=${name}
      value=${value}
      .checked=${live(checked)}
      @change=${() => choose(value)}
    />
    ${ratio === undefined ? nothing : frame(ratio)}
    <span>${label}</span>
    ${detail ? html`<span class="choice-detail">${detail}</span>` : nothing}
  </label>`;

/** A small frame in the ratio's shape. */
const frame = (ratio: string): TemplateResult =>
  html`<span class="frame-space" aria-hidden="true"
    ><span
      class="frame ${ratioOf(ratio) >= 1 ? 'wide' : 'tall'}"
      ${cssVariables({ '--ratio': String(ratioOf(ratio)) })}
    ></span
  ></span>`;
