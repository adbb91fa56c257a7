import { expect, test } from 'vitest';
import type { Completions } from '../../../src/completion/completions.ts';
import { CompletionEngine } from '../../../src/completion/engine.ts';
import type { Figures } from './figures.ts';
import { PlainDebounce } from './plain-debounce.ts';
import { type Policy, replay } from './replay.ts';
import { beatMs } from './rhythm.ts';
import type { Trace } from './trace.ts';
import { traces } from './traces.ts';

const plain: Policy = (ports) => new PlainDebounce(ports);
const ours: Policy = (ports) => new CompletionEngine(ports);
const silent: Policy = () => silence;
const named = traces.map(({ name }) => name);

const silence: Completions = {
  provide: async () => ({ suggestions: [], source: 'none' }),
  accepted() {},
  moved() {},
  forget() {},
  dispose() {},
};

/** Each trace under each policy, played once. */
const played = new Map<string, Promise<Figures>>();

test.each(named)('%s: the person arrives at the same text whatever is suggested', async (name) => {
  const alone = await play(name, silent);
  expect(alone.keys).toBeGreaterThan(300);
  expect((await play(name, plain)).text).toBe(alone.text);
  expect((await play(name, ours)).text).toBe(alone.text);
});

test.each(named)('%s: what was shown always went on from the text around it', async (name) => {
  expect((await play(name, ours)).stale).toEqual([]);
  expect((await play(name, plain)).stale).toEqual([]);
});

test('a suggestion from another place is found out', async () => {
  const { stale } = await replay(first(), (ports) => forgetful(new PlainDebounce(ports)));
  expect(stale.length).toBeGreaterThan(0);
});

test('a text that comes and goes under the keys is found out', async () => {
  const { flickers } = await replay(first(), (ports) => moody(new CompletionEngine(ports)));
  expect(flickers.length).toBeGreaterThan(0);
});

test('a replay is the same every time', async () => {
  const { name } = first();
  expect(await replay(first(), ours)).toEqual(await play(name, ours));
});

test('the rhythm does not change from one machine or version to another', () => {
  expect([beatMs('withinWord', '1'), beatMs('thought', '1'), beatMs('erase', 'x')]).toEqual([
    221, 3_165, 101,
  ]);
});

async function play(name: string, policy: Policy): Promise<Figures> {
  const trace = traces.find((each) => each.name === name) ?? first();
  const key = `${name} ${[silent, plain, ours].indexOf(policy)}`;
  const figures = played.get(key) ?? replay(trace, policy);
  played.set(key, figures);
  return figures;
}

function first(): Trace {
  const trace = traces.at(-1);
  if (trace === undefined) throw new Error('There are no traces.');
  return trace;
}

/** Gives the first suggestion that it ever had at every place. */
function forgetful(inner: Completions): Completions {
  let kept: Awaited<ReturnType<Completions['provide']>> | undefined;
  return {
    ...silence,
    async provide(snapshot, how) {
      const provided = kept ?? (await inner.provide(snapshot, how));
      if (provided.suggestions.length > 0) kept = provided;
      return provided;
    },
  };
}

/** Has nothing to say every other time. */
function moody(inner: Completions): Completions {
  let isSilent = false;
  return {
    ...silence,
    async provide(snapshot, how) {
      const provided = await inner.provide(snapshot, how);
      isSilent = provided.suggestions.length > 0 && !isSilent;
      return isSilent ? { suggestions: [], source: 'none' } : provided;
    },
  };
}
