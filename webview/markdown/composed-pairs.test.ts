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
import { createRandom, renderParts, renderUnfinishedText } from './render.fixture.ts';

test.each(seeds)(
  'each prefix of a composed document is rendered the same, regardless of the chunks in which it arrived (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const source = createSource(random);
    // Omits link definitions, because they change the links before them only when the text ends.
    const composers = Object.entries(blockVariants).flatMap(([type, compose]) =>
      type === 'definition' ? [] : [compose],
    );
    const failures: string[] = [];
    for (let round = 0; round < roundsPerSeed; round += 1) {
      const text = Array.from({ length: 2 }, () =>
        composers[random(composers.length)]!(source),
      ).join(source.pick(['\n', '\n\n']));
      const parts = splitters[random(splitters.length)]!(text, random);
      const receivedParts = parts.slice(0, 1 + random(parts.length));
      if (
        renderUnfinishedText(receivedParts).innerHTML !==
        renderUnfinishedText([receivedParts.join('')]).innerHTML
      )
        failures.push(JSON.stringify(receivedParts));
      if (round % batchLength === 0) await runMicrotasks();
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);

test.each(Object.entries(blockVariants))(
  'a block of type "%s" before any other block is rendered the same in two chunks as in one, regardless of the split position',
  async (_type, composeFirst) => {
    const source = createSource(createRandom(1));
    const failures: string[] = [];
    for (const composeSecond of Object.values(blockVariants)) {
      const text = `${composeFirst(source)}${source.pick(['\n', '\n\n'])}${composeSecond(source)}`;
      const wholeHtml = renderParts([text]);
      for (let cutIndex = 1; cutIndex < text.length; cutIndex += 1) {
        const parts = [text.slice(0, cutIndex), text.slice(cutIndex)];
        if (renderParts(parts) !== wholeHtml) failures.push(JSON.stringify(parts));
      }
      await runMicrotasks();
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);
