/** Maximum number of stored plans. */
const maxPending = 50;

interface PendingPlan<Plan> {
  /** The tool input as JSON. */
  readonly key: string;
  readonly description: string;
  readonly plan: Plan;
}

/**
 * Stores plans that VS Code shows for confirmation. A confirmed tool call contains only its input; the stored plan
 * makes the call do what was shown, even if settings changed in between.
 */
export class PendingPlans<Plan> {
  readonly #describe: (plan: Plan) => string;
  /** Oldest first. */
  #pending: readonly PendingPlan<Plan>[] = [];

  /** @param describe Returns the complete description of a plan, as shown to the user. */
  constructor(describe: (plan: Plan) => string) {
    this.#describe = describe;
  }

  add(input: object, plan: Plan): void {
    const pending = { key: JSON.stringify(input), description: this.#describe(plan), plan };
    this.#pending = [...this.#pending, pending].slice(-maxPending);
  }

  /**
   * Returns the confirmed plan for `input` and removes it. Equal inputs cannot be distinguished: if their plans have
   * different descriptions, or no plan is stored, returns `undefined` and the user has to confirm again.
   */
  take(input: object): Plan | undefined {
    const key = JSON.stringify(input);
    const matching = this.#pending.filter((pending) => pending.key === key);
    const [firstPlan] = matching;
    const isUnambiguous = new Set(matching.map(({ description }) => description)).size === 1;
    this.#pending = this.#pending.filter((pending) =>
      isUnambiguous ? pending !== firstPlan : pending.key !== key,
    );
    return isUnambiguous ? firstPlan?.plan : undefined;
  }
}
