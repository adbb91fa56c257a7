import type { ReplaySums } from './completion-sums.ts';

/** Point of the plot with the median results of one policy. */
export interface PlotPoint {
  readonly name: string;
  /**
   * Kind of the policy: `step` is a policy that users can select in the settings, `other` imitates the policy of
   * another extension, and `delay` is the balanced policy with another delay.
   */
  readonly kind: 'step' | 'other' | 'delay';
  /** Number of requests as a multiple of the number with a plain debounce of 300 ms. */
  readonly requestRatio: number;
  readonly sums: Pick<ReplaySums, 'appearanceDelayMedian' | 'visibleRatio'>;
}

interface Panel {
  readonly title: string;
  readonly leftPx: number;
  readonly maxValue: number;
  readonly tickStep: number;
  readonly getValue: (point: PlotPoint) => number;
  readonly unit: string;
}

const panelSize = { width: 320, height: 220, top: 40 } as const;
const panels: readonly Panel[] = [
  {
    title: 'Time from a key to the suggestion, median',
    leftPx: 60,
    maxValue: 900,
    tickStep: 200,
    getValue: ({ sums }) => sums.appearanceDelayMedian,
    unit: ' ms',
  },
  {
    title: 'Time with a suggestion',
    leftPx: 460,
    maxValue: 60,
    tickStep: 20,
    getValue: ({ sums }) => 100 * sums.visibleRatio,
    unit: ' %',
  },
];
/** Request ratios at the left and right end of the horizontal axis, which is logarithmic. */
const ratioRange = { min: 0.3, max: 5 } as const;
const ratioTicks = [0.5, 1, 2, 4];
const colors = { step: '#0066bf', other: '#b34700', delay: '#7a8699' } as const;

/**
 * Returns an SVG image with two plots over the request ratio: latency, and percentage of time with a visible
 * suggestion.
 */
export function drawFrontier(points: readonly PlotPoint[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="820" height="330" viewBox="0 0 820 330" font-family="sans-serif" font-size="11">
<rect width="820" height="330" fill="#ffffff"/>
${panels.map((panel) => drawPanel(panel, points)).join('\n')}
</svg>
`;
}

function drawPanel(panel: Panel, points: readonly PlotPoint[]): string {
  const { leftPx, maxValue, tickStep, unit, title } = panel;
  const { width, height, top } = panelSize;
  const bottom = top + height;
  const getY = (value: number): number => bottom - (value / maxValue) * height;
  const ticks = Array.from(
    { length: Math.floor(maxValue / tickStep) + 1 },
    (_, index) => index * tickStep,
  );
  const getX = (ratio: number): number => leftPx + computeRatioPosition(ratio) * width;
  const getCoordinates = (point: PlotPoint): readonly [number, number] => [
    getX(point.requestRatio),
    getY(panel.getValue(point)),
  ];
  const linePoints = points
    .filter(({ kind }) => kind === 'delay')
    .toSorted((a, b) => a.requestRatio - b.requestRatio)
    .map((point) => getCoordinates(point).map(formatCoordinate).join(','));
  return [
    formatText(leftPx, top - 16, title, '#1f2328'),
    ...ticks.flatMap((tick) => [
      `<path d="M${leftPx} ${formatCoordinate(getY(tick))}H${leftPx + width}" stroke="#d8dee4"/>`,
      formatText(leftPx - 8, getY(tick) + 4, `${tick}${unit}`, '#57606a', 'end'),
    ]),
    ...ratioTicks.map((ratio) =>
      formatText(getX(ratio), bottom + 18, `${ratio}×`, '#57606a', 'middle'),
    ),
    formatText(
      leftPx + width / 2,
      bottom + 38,
      'requests, relative to a debounce of 300 ms',
      '#57606a',
      'middle',
    ),
    `<polyline points="${linePoints.join(' ')}" fill="none" stroke="${colors.delay}" stroke-dasharray="4 3"/>`,
    ...points.map((point) => drawPoint(point, getCoordinates(point))),
  ].join('\n');
}

/** Returns the position of a request ratio on the horizontal axis, from 0 (left end) to 1 (right end). */
const computeRatioPosition = (ratio: number): number =>
  Math.log(ratio / ratioRange.min) / Math.log(ratioRange.max / ratioRange.min);

function drawPoint({ name, kind }: PlotPoint, [x, y]: readonly [number, number]): string {
  const color = colors[kind];
  if (kind === 'delay')
    return `<circle cx="${formatCoordinate(x)}" cy="${formatCoordinate(y)}" r="2" fill="${color}"><title>${name}</title></circle>`;
  const circle = `<circle cx="${formatCoordinate(x)}" cy="${formatCoordinate(y)}" r="4" fill="${color}"/>`;
  return `${circle}${formatText(x, y - 9, name, color, 'middle')}`;
}

const formatText = (
  x: number,
  y: number,
  content: string,
  color: string,
  anchor = 'start',
): string =>
  `<text x="${formatCoordinate(x)}" y="${formatCoordinate(y)}" fill="${color}" text-anchor="${anchor}">${content}</text>`;

const formatCoordinate = (value: number): string => value.toFixed(1);
