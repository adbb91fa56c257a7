import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { iconButton } from '../../base/controls.ts';
import { type Problem, readSeed } from '../form-rules.ts';
import { words } from '../messages.ts';
import { describedBy, field } from './field.ts';

interface SeedField {
  readonly seed: number | null;
  /** What was written that is no seed. */
  readonly refused: string | undefined;
  readonly refuse: (text: string) => void;
  readonly problem: Problem | undefined;
  readonly roll: () => number;
  readonly change: (seed: number | null) => void;
}

/** The number that makes a picture come out alike again; empty is another one each time. */
export const seedField = ({
  seed,
  refused,
  refuse,
  problem,
  roll,
  change,
}: SeedField): TemplateResult =>
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
        aria-invalid=${refused === undefined ? 'false' : 'true'}
        aria-describedby=${describedBy('seed', undefined, problem)}
        .value=${live(refused ?? (seed === null ? '' : String(seed)))}
        @change=${(event: Event) => {
          const { value } = event.target as HTMLInputElement;
          const read = readSeed(value);
          if (read === undefined) refuse(value);
          else change(read);
        }}
      />
      ${iconButton({ icon: 'refresh', label: words.seedRoll, run: () => change(roll()) })}
      ${
        seed === null && refused === undefined
          ? nothing
          : iconButton({ icon: 'close', label: words.seedClear, run: () => change(null) })
      }
    </div>`,
  });
