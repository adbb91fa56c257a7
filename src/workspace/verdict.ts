/** `refuse` cannot be allowed by anybody; `ask` needs the person; `allow` needs nothing. Ordered by strictness. */
export type Decision = 'allow' | 'ask' | 'refuse';

/** Why a call is not simply allowed. Shown on the approval card and told to the model on a refusal. */
export interface Reason {
  /** Stable, for tests: `sensitive`, `outside-workspace`, `secret`, `network`, `redirect`, … */
  readonly code: string;
  /** A sentence for the person. */
  readonly text: string;
}

export interface Verdict {
  readonly decision: Decision;
  readonly reasons: readonly Reason[];
  /**
   * Whether an answer may be remembered for later calls. False for anything on the list that no setting overrides:
   * there every single call is asked about, whatever was granted before.
   */
  readonly rememberable: boolean;
}

export const allowed: Verdict = { decision: 'allow', reasons: [], rememberable: true };

const strictness: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, refuse: 2 };

/** The strictest of all, with every reason: no rule is skipped because another one allowed. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(
    (worst, each) => ({
      decision:
        strictness[each.decision] > strictness[worst.decision] ? each.decision : worst.decision,
      reasons: [...worst.reasons, ...each.reasons],
      rememberable: worst.rememberable && each.rememberable,
    }),
    allowed,
  );
}
