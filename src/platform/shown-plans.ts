/** So many calls may wait for the person's answer. */
const mostWaiting = 50;

interface Shown<Plan> {
  /** Of the input. */
  readonly key: string;
  readonly words: string;
  readonly plan: Plan;
}

/**
 * What the editor asks the person about, kept until they said yes: a call of a language model tool says nothing then
 * but its input, and what is done is what was shown, whatever was chosen meanwhile.
 */
export class ShownPlans<Plan> {
  readonly #wordsOf: (plan: Plan) => string;
  /** Oldest first. */
  #shown: readonly Shown<Plan>[] = [];

  /** @param wordsOf All that the person sees of a plan. */
  constructor(wordsOf: (plan: Plan) => string) {
    this.#wordsOf = wordsOf;
  }

  keep(input: object, plan: Plan): void {
    const shown = { key: JSON.stringify(input), words: this.#wordsOf(plan), plan };
    this.#shown = [...this.#shown, shown].slice(-mostWaiting);
  }

  /**
   * The plan that the person said yes to, once. Equal calls are told apart by nothing: when they were asked about
   * different plans for them, or what they were asked about is not known any more, there is none, and they are to be
   * asked anew.
   */
  take(input: object): Plan | undefined {
    const key = JSON.stringify(input);
    const mine = this.#shown.filter((each) => each.key === key);
    const [first] = mine;
    const isClear = new Set(mine.map(({ words }) => words)).size === 1;
    this.#shown = this.#shown.filter((each) => (isClear ? each !== first : each.key !== key));
    return isClear ? first?.plan : undefined;
  }
}
