import { html, render } from 'lit';
import type { ImageDetails, ImageView } from '../../../src/image/studio/protocol/state.ts';
import { words } from '../messages.ts';
import { cssVariables } from '../../base/css-variables.ts';

type Source = NonNullable<ImageDetails['source']>;

const middle = 50;

/** Two pictures in one place and a slider between them: the earlier one at its left, the later one at its right. */
export class Compare {
  readonly element = document.createElement('div');
  #share = middle;
  #shown = '';

  constructor() {
    this.element.className = 'compare';
  }

  show(image: ImageView, source: Source): void {
    if (image.id !== this.#shown) this.#share = middle;
    this.#shown = image.id;
    this.#render(image, source);
  }

  #render(image: ImageView, source: Source): void {
    const { width, height, src } = image;
    const share = this.#share;
    render(
      html`<div
        class="compare-space"
        ${cssVariables({
          '--share': `${share}%`,
          '--ratio': String(width / height),
          '--width': `${width}px`,
          '--height': `${height}px`,
        })}
      >
        <img class="compare-after" src=${src} alt="" />
        <img class="compare-before" src=${source.src} alt="" />
        <span class="compare-label before" aria-hidden="true">${words.before}</span>
        <span class="compare-label after" aria-hidden="true">${words.after}</span>
        <span class="compare-line" aria-hidden="true"></span>
        <input
          type="range"
          class="compare-slider"
          min="0"
          max="100"
          step="1"
          aria-label=${words.compareLabel}
          aria-valuetext=${words.compareValue(share, source.label)}
          .value=${String(share)}
          @input=${(event: Event) => {
            this.#share = (event.target as HTMLInputElement).valueAsNumber;
            this.#render(image, source);
          }}
        />
      </div>`,
      this.element,
    );
  }
}
