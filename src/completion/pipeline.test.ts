import { expect, test } from 'vitest';
import { wait } from '../base/clock.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { snapshotOf } from './snapshot.fixture.ts';
import type {
  CompletionExchange,
  CompletionPorts,
  CompletionSettings,
  ProvidedSuggestions,
} from './ports.ts';
import { CompletionPipeline } from './pipeline.ts';
import { debounceMs } from './request-timing.ts';
import { type Script, ScriptedModel } from './scripted-model.fixture.ts';

const model = readModel({
  id: 'coder',
  type: 'text',
  object: 'model',
  model_spec: { pricing: { input: { usd: 1 }, output: { usd: 2 } } },
}) as Model;

class Bench {
  readonly clock = new ManualClock();
  readonly model = new ScriptedModel(this.clock);
  readonly exchanges: CompletionExchange[] = [];
  hasModel = true;
  settings: CompletionSettings = { automatic: true, inComments: true, prefetch: true };
  /** The debounce has unit tests of its own, so most tests here skip it. */
  debounceMs: CompletionPorts['debounceMs'] = () => 0;
  readonly engine = new CompletionPipeline({
    clock: this.clock,
    settings: () => this.settings,
    target: () => (this.hasModel ? { model, route: 'chat' } : undefined),
    debounceMs: (snapshot, state) => this.debounceMs(snapshot, state),
    context: () => [],
    sendRequest: (ask, signal) => this.model.ask(ask, signal),
    report: (exchange) => this.exchanges.push(exchange),
  });
  #last = new AbortController();

  constructor(...scripts: readonly Script[]) {
    this.model.script(...scripts);
  }

  /** Asks as the editor does: the question before is called off. */
  at(text: string, { isExplicit = false } = {}): Question {
    this.#last.abort();
    this.#last = new AbortController();
    const { signal } = this.#last;
    return new Question(this.engine.provide(snapshotOf(text), { isExplicit, signal }));
  }

  /** Asks, and waits for what comes. */
  async suggested(text: string, how = {}): Promise<ProvidedSuggestions> {
    const question = this.at(text, how);
    await this.clock.advance(10_000);
    return question.provided!;
  }

  stop(): void {
    this.#last.abort();
  }
}

const failing = { code: 'server-error', message: 'It failed.' } as const;

class Question {
  provided: ProvidedSuggestions | undefined;

  constructor(answer: Promise<ProvidedSuggestions>) {
    void answer.then((provided) => (this.provided = provided));
  }

  get texts(): readonly string[] | undefined {
    return this.provided?.suggestions.map(({ text }) => text);
  }
}

const texts = (provided: ProvidedSuggestions): string[] =>
  provided.suggestions.map(({ text }) => text);
const line = (text: string): Script => ({ pieces: [text] });

test('what the model says is suggested, and known from then on', async () => {
  const bench = new Bench(line('tides();'));
  const asked = await bench.suggested('const a = |');
  expect(asked).toMatchObject({
    source: 'requested',
    suggestions: [{ text: 'tides();', replaceLength: 0 }],
  });
  for (const [at, rest] of [
    ['t', 'ides();'],
    ['tid', 'es();'],
    ['ti', 'des();'],
    ['', 'tides();'],
  ]) {
    const known = bench.at(`const a = ${at}|`);
    await bench.clock.advance(0);
    expect(known.provided).toMatchObject({ source: 'cached', suggestions: [{ text: rest }] });
  }
  expect(bench.model.asked).toHaveLength(1);
});

test('a suggestion that was typed whole is no reason to ask again', async () => {
  const bench = new Bench(line('tides();'));
  await bench.suggested('const a = |');
  expect((await bench.suggested('const a = tides();|')).reason).toEqual({
    kind: 'rule',
    rule: 'already-typed',
  });
  expect(bench.model.asked).toHaveLength(1);
});

test('a question under way is waited for while its answer may fit what is typed meanwhile', async () => {
  const bench = new Bench({ pieces: ['tides', '();\n'] });
  bench.at('const a = |');
  await bench.clock.advance(100);
  bench.at('const a = t|');
  await bench.clock.advance(60);
  const last = bench.at('const a = ti|');
  await bench.clock.advance(300);
  expect(last.provided).toMatchObject({ source: 'pending', suggestions: [{ text: 'des();' }] });
  expect(bench.model.asked).toHaveLength(1);
});

test('a question whose answer does not fit any more is closed, and another is asked', async () => {
  const bench = new Bench({ pieces: ['tides', '();', '\n'], pieceMs: 50 }, line('waves();'));
  bench.at('const a = |');
  await bench.clock.advance(240);
  const other = bench.at('const a = w|');
  await bench.clock.advance(0);
  expect(bench.model.asked[0]).toMatchObject({ isAborted: true, sent: 1 });
  await bench.clock.advance(1_000);
  expect(other.texts).toEqual(['waves();']);
});

test('a stream is closed as soon as enough was said', async () => {
  const bench = new Bench({ pieces: ['tides();', '\n', 'more();', '\n', 'and more();'] });
  expect(texts(await bench.suggested('const a = |'))).toEqual(['tides();']);
  expect(bench.model.asked[0]).toMatchObject({ isAborted: true, sent: 2 });
  expect(bench.exchanges).toMatchObject([{ end: 'cut', isEstimate: true, timeToFirstTextMs: 200 }]);
});

test('what the service counted is told, else an estimate', async () => {
  const bench = new Bench(line('tides()'));
  await bench.suggested('const a = |');
  expect(bench.exchanges).toEqual([
    {
      model,
      end: 'complete',
      isEstimate: false,
      timeToFirstTextMs: 200,
      usage: { promptTokens: 100, completionTokens: 10, totalTokens: 110 },
      cost: { usd: 120 / 1_000_000 },
      isCostEstimate: true,
    },
  ]);
});

test('the rest of a long block comes after its first lines', async () => {
  const body = ['  const high = 1;\n', '  const low = 2;\n', '  return high - low;\n', '}\n'];
  const bench = new Bench({ pieces: body, pieceMs: 350 });
  const first = bench.at('function tide() {\n|\n');
  await bench.clock.advance(549);
  expect(first.provided).toBeUndefined();
  await bench.clock.advance(1);
  expect(first.texts).toEqual(['  const high = 1;\n  const low = 2;']);
  const rest = bench.at('function tide() {\n  const high = 1;\n  const low = 2;|\n');
  await bench.clock.advance(2_000);
  expect(rest.provided?.source).toBe('pending');
  expect(rest.texts?.[0]).toContain('return high - low;');
  expect(bench.model.asked).toHaveLength(1);
});

test('a question that nobody waits for is closed after a moment', async () => {
  const bench = new Bench({ pieces: ['tides();'], firstMs: 2_000 });
  const question = bench.at('const a = |');
  await bench.clock.advance(100);
  bench.stop();
  await bench.clock.advance(149);
  expect(bench.model.asked[0]?.isAborted).toBe(false);
  await bench.clock.advance(1);
  expect(bench.model.asked[0]?.isAborted).toBe(true);
  expect(question.provided?.reason).toEqual({ kind: 'rule', rule: 'moved-on' });
});

test.each([
  ['in another document', { document: 'file:///other.ts', position: { line: 0, character: 0 } }],
  ['above the place', { document: 'file:///project/sample', position: { line: 0, character: 3 } }],
  ['in no document', undefined],
])('a question is closed at once when the cursor is %s', async (_, to) => {
  const bench = new Bench({ pieces: ['tides();'], firstMs: 2_000 });
  bench.at('first\nconst a = |');
  await bench.clock.advance(100);
  bench.engine.didMoveCursor(to);
  expect(bench.model.asked[0]?.isAborted).toBe(true);
});

test('a question for the place behind an item that is chosen in a list is not closed by the cursor', async () => {
  const bench = new Bench({ pieces: ['();'], firstMs: 400 });
  bench.at('const a = tides|');
  await bench.clock.advance(100);
  bench.engine.didMoveCursor({
    document: 'file:///project/sample',
    position: { line: 0, character: 12 },
  });
  const again = bench.at('const a = tides|');
  await bench.clock.advance(500);
  expect(again.texts).toEqual(['();']);
  expect(bench.model.asked).toHaveLength(1);
});

test('nobody waits longer than eight seconds, and an answer that comes later is kept', async () => {
  const bench = new Bench({ pieces: ['tides();'], firstMs: 8_200 });
  const question = bench.at('const a = |');
  await bench.clock.advance(8_100);
  expect(question.provided?.reason).toEqual({ kind: 'rule', rule: 'too-slow' });
  await bench.clock.advance(300);
  expect((await bench.suggested('const a = |')).source).toBe('cached');
});

test('at the start of a line there is no wait, within a word there is', async () => {
  const bench = new Bench();
  bench.debounceMs = debounceMs;
  bench.at('if (a) {\n  |\n}');
  await bench.clock.advance(0);
  expect(bench.model.asked).toHaveLength(1);
  bench.at('con|');
  await bench.clock.advance(200);
  expect(bench.model.asked).toHaveLength(1);
  await bench.clock.advance(8_000);
  expect(bench.model.asked).toHaveLength(2);
});

test('what follows is asked for when a suggestion is taken, and waited for', async () => {
  const bench = new Bench(line('tides();'), line('\nwaves();'));
  const { suggestions } = await bench.suggested('const a = |');
  bench.engine.didAccept(suggestions[0]!.id);
  await bench.clock.advance(50);
  expect(bench.model.asked).toHaveLength(2);
  const next = bench.at('const a = tides();|');
  await bench.clock.advance(200);
  expect(next.provided).toMatchObject({
    source: 'pending',
    suggestions: [{ text: '\nwaves();' }],
  });
  expect(bench.model.asked).toHaveLength(2);
});

test('after two were taken, what follows the next is asked for while that is shown', async () => {
  const bench = new Bench(
    line('tides();'),
    line('\nwaves();'),
    line('\nfoam();'),
    line('\nsand();'),
  );
  let text = 'const a = ';
  for (const taken of ['tides();', '\nwaves();']) {
    const { suggestions } = await bench.suggested(`${text}|`);
    bench.engine.didAccept(suggestions[0]!.id);
    text += taken;
  }
  await bench.suggested(`${text}|`);
  expect(bench.model.asked).toHaveLength(4);
  expect(await bench.suggested(`${text}\nfoam();|`)).toMatchObject({
    source: 'cached',
    suggestions: [{ text: '\nsand();' }],
  });
});

test('nothing is asked ahead when that is switched off, or of an id that was not shown', async () => {
  const bench = new Bench(line('tides();'));
  bench.settings = { ...bench.settings, prefetch: false };
  const { suggestions } = await bench.suggested('const a = |');
  bench.engine.didAccept(suggestions[0]!.id);
  bench.settings = { ...bench.settings, prefetch: true };
  bench.engine.didAccept(suggestions[0]!.id + 7);
  await bench.clock.advance(1_000);
  expect(bench.model.asked).toHaveLength(1);
});

test('what was asked ahead is closed when the person goes another way', async () => {
  const bench = new Bench(line('tides();'), { pieces: ['\nwaves();'], firstMs: 2_000 });
  const { suggestions } = await bench.suggested('const a = |');
  bench.engine.didAccept(suggestions[0]!.id);
  await bench.clock.advance(100);
  bench.at('const b = tides();|');
  await bench.clock.advance(0);
  expect(bench.model.asked[1]?.isAborted).toBe(true);
});

test('several are asked for on request, the same text once', async () => {
  const bench = new Bench(line('tides();'), line('waves();'), line('tides();'));
  const provided = await bench.suggested('const a = |', { isExplicit: true });
  expect(texts(provided).toSorted()).toEqual(['tides();', 'waves();']);
  const temperatures = bench.model.asked.map(({ ask }) => ask.request.temperature);
  expect(new Set(temperatures).size).toBe(3);
});

test('on request what is known is not asked for again', async () => {
  const bench = new Bench(line('tides();'), line('waves();'), line('foam();'));
  await bench.suggested('const a = |');
  const provided = await bench.suggested('const a = |', { isExplicit: true });
  expect(texts(provided)[0]).toBe('tides();');
  expect(texts(provided)).toHaveLength(3);
  expect(bench.model.asked).toHaveLength(3);
});

test('others are not waited for long once there is one', async () => {
  const bench = new Bench(line('tides();'), { firstMs: 5_000 }, { firstMs: 5_000 });
  const question = bench.at('const a = |', { isExplicit: true });
  await bench.clock.advance(1_300);
  expect(question.texts).toEqual(['tides();']);
});

test('requests rest after three failures in a row, and begin again when all is forgotten', async () => {
  const failure = { code: 'server-error', message: 'It failed.' } as const;
  const bench = new Bench({ failure }, { failure }, { failure }, line('d'));
  expect((await bench.suggested('const a = |')).reason).toEqual({ kind: 'failed', failure });
  for (const name of ['b', 'c']) {
    bench.at(`const ${name} = |`);
    await bench.clock.advance(1_000);
  }
  for (let count = 0; count < 20; count += 1) {
    const question = bench.at(`const d${count} = |`);
    await bench.clock.advance(500);
    expect(question.provided?.reason).toMatchObject({ kind: 'paused', failure });
  }
  expect(bench.model.asked).toHaveLength(3);
  bench.engine.clear();
  await bench.suggested('const e = |');
  expect(bench.model.asked).toHaveLength(4);
});

test('a model with nothing to say is not asked again at once', async () => {
  const bench = new Bench(line(''));
  expect((await bench.suggested('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'blank',
  });
  expect((await bench.suggested('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'blank',
  });
  expect(bench.model.asked).toHaveLength(1);
});

test('a stream that breaks off leaves the lines that were whole', async () => {
  const bench = new Bench();
  const failure = { code: 'interrupted', message: 'It broke off.' } as const;
  bench.model.ask = async function* () {
    yield [{ type: 'text-delta', text: '  high();\n  lo' }];
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
  };
  expect(texts(await bench.suggested('if (a) {\n|\n}'))).toEqual(['  high();']);
});

test('a part that fails while it reads an answer is a failure, and nobody waits for ever', async () => {
  const bench = new Bench();
  bench.model.ask = () => {
    throw new Error('broken');
  };
  expect((await bench.suggested('const a = |')).reason).toMatchObject({
    kind: 'failed',
    failure: { code: 'internal-error' },
  });
});

test.each([
  ['everything is forgotten', (bench: Bench): void => bench.engine.clear()],
  ['it is switched off', (bench: Bench): void => bench.engine.dispose()],
])('nothing is asked after a wait in which %s', async (_, change) => {
  const bench = new Bench(line('tides();'));
  bench.debounceMs = debounceMs;
  const question = bench.at('cons|');
  await bench.clock.advance(10);
  change(bench);
  await bench.clock.advance(20_000);
  expect(bench.model.asked).toHaveLength(0);
  expect(question.provided?.suggestions).toEqual([]);
});

test('two calls for one place that wait ask once', async () => {
  const bench = new Bench(line('tant;'), line('tant;'));
  bench.debounceMs = debounceMs;
  const { signal } = new AbortController();
  const calls = [1, 2].map(async () =>
    bench.engine.provide(snapshotOf('cons|'), { isExplicit: false, signal }),
  );
  await bench.clock.advance(20_000);
  expect((await Promise.all(calls)).map(texts)).toEqual([['tant;'], ['tant;']]);
  expect(bench.model.asked).toHaveLength(1);
});

test('requests that rest do so for a command as well', async () => {
  const failure = { code: 'rate-limited', message: 'Wait.', retryAfterMs: 60_000 } as const;
  const bench = new Bench({ failure });
  await bench.suggested('const a = |');
  expect((await bench.suggested('const a = |', { isExplicit: true })).reason?.kind).toBe('paused');
  expect(bench.model.asked).toHaveLength(1);
});

test('a command that is given again and again at one place asks no more than for three', async () => {
  const bench = new Bench(line(''), line('same;'), line('same;'), line('same;'));
  for (let count = 0; count < 20; count += 1) {
    const question = bench.at('const a = |', { isExplicit: true });
    await bench.clock.advance(1_300);
    expect(question.provided).toBeDefined();
  }
  expect(bench.model.asked).toHaveLength(3);
});

test('no more than forty questions are asked in a minute, whoever edits', async () => {
  const bench = new Bench();
  for (let count = 0; count < 100; count += 1) {
    bench.at(`const a${count} = |`);
    await bench.clock.advance(500);
  }
  expect(bench.model.asked).toHaveLength(40);
  const refused = bench.at('const b = |');
  await bench.clock.advance(0);
  expect(refused.provided?.reason).toEqual({ kind: 'rule', rule: 'too-many-requests' });
  await bench.clock.advance(60_000);
  await bench.suggested('const c = |');
  expect(bench.model.asked).toHaveLength(41);
});

test('a model that only thinks is closed after half a minute, or after much', async () => {
  const bench = new Bench();
  let isClosed = false;
  bench.model.ask = async function* (_, signal) {
    signal.addEventListener('abort', () => (isClosed = true), { once: true });
    for (let count = 0; count < 1_000 && !signal.aborted; count += 1) {
      await wait(1_000, { clock: bench.clock, signal }).catch(() => {});
      yield [{ type: 'reasoning-delta', text: 'hm' }];
    }
  };
  bench.at('const a = |');
  await bench.clock.advance(40_000);
  expect(isClosed).toBe(true);
  expect(bench.exchanges).toHaveLength(1);
});

test('a stream that ends without a word is a failure, told once', async () => {
  const bench = new Bench();
  bench.model.ask = async function* () {
    yield [{ type: 'text-delta', text: ' ' }];
  };
  expect((await bench.suggested('const a = |')).reason?.kind).toBe('failed');
  expect(bench.exchanges).toMatchObject([{ end: 'failed' }]);
});

test('a request that fails because it was dropped is told once', async () => {
  const bench = new Bench();
  bench.model.ask = async function* (_, signal) {
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    yield [];
  };
  bench.at('const a = |');
  await bench.clock.advance(10);
  bench.engine.clear();
  await bench.clock.advance(10);
  expect(bench.exchanges).toMatchObject([{ end: 'canceled' }]);
});

test('without a model nothing is asked, and nothing throws', async () => {
  const bench = new Bench();
  bench.hasModel = false;
  expect((await bench.suggested('const a = |')).reason).toEqual({ kind: 'rule', rule: 'no-model' });
});

test('failures teach nothing about places', async () => {
  const bench = new Bench({ failure: failing }, { failure: failing });
  bench.debounceMs = debounceMs;
  for (const count of [1, 2]) {
    bench.at(`${'a\n'.repeat(count)}|`);
    await bench.clock.advance(1_000);
  }
  bench.engine.clear();
  bench.at('b\n\n\n|');
  await bench.clock.advance(1);
  expect(bench.model.asked).toHaveLength(3);
});

test('what is seen of a long answer keeps its stream open', async () => {
  const body = ['  one();\n', '  two();\n', '  three();\n', '  four();\n', '  five();\n'];
  const bench = new Bench({ pieces: body, pieceMs: 350 });
  bench.at('function tide() {\n|\n');
  await bench.clock.advance(560);
  const next = bench.at('function tide() {\n  o|\n');
  await bench.clock.advance(0);
  expect(next.texts).toEqual(['ne();\n  two();']);
  await bench.clock.advance(5_000);
  expect(bench.model.asked[0]).toMatchObject({ isAborted: false, sent: 5 });
});

test('where a part of an answer ends that was closed, the rest is asked for', async () => {
  const body = ['  one();\n', '  two();\n', '  three();\n', '  four();\n'];
  const bench = new Bench({ pieces: body, pieceMs: 350 }, line('\n  three();'));
  bench.at('function tide() {\n|\n');
  await bench.clock.advance(560);
  bench.engine.didMoveCursor(undefined);
  const question = bench.at('function tide() {\n  one();\n  two();|\n');
  await bench.clock.advance(1_000);
  expect(question.provided?.source).toBe('requested');
});

test('a model that only talks is told of as one', async () => {
  const bench = new Bench(line('Sure, here is what you asked for:'));
  expect((await bench.suggested('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'prose',
  });
});
