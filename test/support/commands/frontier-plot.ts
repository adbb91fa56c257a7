/**
 * Writes `docs/inline-suggestions.svg` from replays of the typing traces: `npm run frontier-plot`. The replays use a
 * virtual clock, so every run writes the same image.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeRhythm, replayPolicies } from '../../bench/completion.ts';
import { frontierPolicies, otherPolicies, ownPolicies } from '../../bench/completion-policies.ts';
import { computeMedianSums, type ReplaySums } from '../../bench/completion-sums.ts';
import { drawFrontier, type PlotPoint } from '../../bench/frontier-plot.ts';
import { root } from '../paths.ts';
import { traces } from '../typing-traces/traces.ts';

const roundCount = 5;
const policies = { ...otherPolicies, ...ownPolicies, ...frontierPolicies };
const rounds: Readonly<Record<string, ReplaySums>>[] = [];
for (let round = 0; round < roundCount; round += 1)
  rounds.push(await replayPolicies(policies, changeRhythm(traces, round)));

const computeMedians = (name: string): ReplaySums =>
  computeMedianSums(rounds.flatMap((sums) => sums[name] ?? []));
const baseline = computeMedians('plain debounce of 300 ms').requestCount;
const points = Object.keys(policies).map((name): PlotPoint => {
  const sums = computeMedians(name);
  const kind = name in otherPolicies ? 'other' : name in ownPolicies ? 'step' : 'delay';
  return { name, kind, requestRatio: sums.requestCount / baseline, sums };
});
writeFileSync(join(root, 'docs', 'inline-suggestions.svg'), drawFrontier(points));
