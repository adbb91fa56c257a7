import { expect, test } from 'vitest';
import { drawFrontier } from './frontier-plot.ts';

test('drawFrontier draws a point for each policy in both plots, and labels all policies except those of the kind delay', () => {
  const sums = { appearanceDelayMedian: 150, visibleRatio: 0.4 };
  const image = drawFrontier([
    { name: 'balanced', kind: 'step', requestRatio: 1, sums },
    { name: 'like others', kind: 'other', requestRatio: 4, sums },
    { name: '200 ms', kind: 'delay', requestRatio: 1.4, sums },
    { name: '600 ms', kind: 'delay', requestRatio: 0.9, sums },
  ]);
  expect(image.match(/<circle/gu)).toHaveLength(8);
  expect(image.match(/>(?:balanced|like others)<\/text>/gu)).toHaveLength(4);
  const lines = [...image.matchAll(/<polyline points="([^"]*)"/gu)].map(([, points = '']) =>
    points.split(' ').map((point) => Number(point.split(',')[0])),
  );
  expect(lines.map(([first = 0, second = 0]) => first < second)).toEqual([true, true]);
});
