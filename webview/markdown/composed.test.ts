// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import {
  batchLength,
  blockVariants,
  createSource,
  roundsPerSeed,
  runMicrotasks,
  seeds,
  splitters,
} from './composed.fixture.ts';
import { createRandom, renderParts } from './render.fixture.ts';

test.each(seeds)(
  'composed documents are rendered the same in random chunks as in one chunk (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const source = createSource(random);
    const types = Object.values(blockVariants);
    const composeBlocks = (): string => {
      const parts = Array.from({ length: 2 + random(2) }, () =>
        types[random(types.length)]!(source),
      );
      return parts.reduce(
        (text, part) => `${text}${source.pick(['\n', '\n', '\n\n', '\n\n\n'])}${part}`,
      );
    };
    const failures: string[] = [];
    for (let round = 0; round < roundsPerSeed; round += 1) {
      const text = composeBlocks();
      const parts = splitters[random(splitters.length)]!(text, random);
      if (renderParts(parts) !== renderParts([text])) failures.push(JSON.stringify(parts));
      if (round % batchLength === 0) await runMicrotasks();
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);
