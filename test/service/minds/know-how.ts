export interface KnowHow {
  readonly advice: string;
  /** TypeScript. */
  readonly source: string;
}

/** What the assistant knows by heart about the topic of a question; undefined when that is nothing. */
export function knowHow(question: string): KnowHow | undefined {
  return topics.find(({ about }) => about.test(question));
}

const retry = {
  about: /\bretr(?:y|ies)|back-?off|flaky/i,
  advice:
    'A small function that runs a step again is often enough; keep the number of attempts explicit, so that a lasting failure is still seen.',
  source: `/** Runs \`step\` up to \`attempts\` times and returns its first success. */
async function attempt<T>(step: () => Promise<T>, attempts = 3): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (attempts <= 1) throw error;
    return attempt(step, attempts - 1);
  }
}`,
};

const topics = [
  retry,
  {
    about: /debounc|throttl/i,
    advice:
      'Debouncing waits until calls stop coming. Keep one timer, and start it anew with each call:',
    source: `/** Calls \`run\` once, \`ms\` milliseconds after the last call. */
function debounce<A extends unknown[]>(run: (...args: A) => void, ms: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args: A) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms, ...args);
  };
}`,
  },
  {
    about: /\bsort|order by|group/i,
    advice: 'Sort a copy, and compare by a key instead of by hand; the order stays readable then:',
    source: `/** A sorted copy, smallest key first. */
function sortedBy<T>(items: readonly T[], key: (item: T) => number): T[] {
  return items.toSorted((a, b) => key(a) - key(b));
}`,
  },
  {
    about: /\bcach|memo/i,
    advice: 'Memoising pays when the same input comes often. A map and six lines will do:',
    source: `/** Remembers what \`compute\` returned for each key. */
function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}`,
  },
] as const;
