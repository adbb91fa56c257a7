/** Maximum number of stored plans. The oldest plans are dropped. */
const maxPendingPlans = 50;

interface PendingPlan<Plan> {
  /** Input of the tool call as JSON, by which the plan is found. */
  readonly key: string;
  readonly description: string;
  readonly plan: Plan;
}

/**
 * Plans of tool calls that VS Code shows for confirmation. VS Code then passes only the input to the confirmed call.
 * The stored plan ensures that the call does what the user confirmed, even if settings changed in the meantime.
 */
export class PendingPlans<Plan> {
  readonly #describePlan: (plan: Plan) => string;
  /** Stored plans, oldest first. */
  #pendingPlans: readonly PendingPlan<Plan>[] = [];

  /** @param describePlan Returns the complete description of a plan, as shown to the user. */
  constructor(describePlan: (plan: Plan) => string) {
    this.#describePlan = describePlan;
  }

  add(input: object, plan: Plan): void {
    const pendingPlan = { key: JSON.stringify(input), description: this.#describePlan(plan), plan };
    this.#pendingPlans = [...this.#pendingPlans, pendingPlan].slice(-maxPendingPlans);
  }

  /**
   * Removes and returns the oldest plan for `input`. Returns `undefined` if no plan is stored for this input. If plans
   * for this input have different descriptions, removes them and returns `undefined`. The user must then confirm the
   * call again.
   */
  takePlan(input: object): Plan | undefined {
    const key = JSON.stringify(input);
    const matchingPlans = this.#pendingPlans.filter((pendingPlan) => pendingPlan.key === key);
    const [firstPlan] = matchingPlans;
    const isUnambiguous = new Set(matchingPlans.map(({ description }) => description)).size === 1;
    this.#pendingPlans = this.#pendingPlans.filter((pendingPlan) =>
      isUnambiguous ? pendingPlan !== firstPlan : pendingPlan.key !== key,
    );
    return isUnambiguous ? firstPlan?.plan : undefined;
  }
}
