import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { iconButton } from '../../view/controls.ts';
import { type Problem, readSeed } from '../form-rules.ts';
import { words } from '../words.ts';
import { field } from './field.ts';

interface SeedField {
  readonly seed: number | null;
  readonly problem: Problem | undefined;
  readonly roll: () => number;
  readonly change: (seed: number | null) => void;
}

/** The number that makes a picture come out alike again; empty is another one each time. */
export const seedField = ({ seed, problem, roll, change }: SeedField): TemplateResult =>
  field({
    id: 'seed',
    label: words.seed,
    problem,
    control: html`<div class="seed">
      <input
        type="text"
        id="seed"
        class="input"
        inputmode="numeric"
        spellcheck="false"
        placeholder=${words.seedRandom}
        title=${words.seedProblem}
        .value=${live(seed === null ? '' : String(seed))}
        @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          const read = readSeed(input.value);
          // What is no seed does not stay there as if it were one.
          if (read === undefined) input.value = seed === null ? '' : String(seed);
          else change(read);
        }}
      />
      ${iconButton({ icon: 'refresh', label: words.seedRoll, run: () => change(roll()) })}
      ${
        seed === null
          ? nothing
          : iconButton({ icon: 'close', label: words.seedClear, run: () => change(null) })
      }
    </div>`,
  });
