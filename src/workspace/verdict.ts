/** Ordered by strictness: `allow` needs no approval, `ask` needs the user's approval, `refuse` can't be approved. */
export type Decision = 'allow' | 'ask' | 'refuse';

/** Reason why a call is not simply allowed. Shown on the approval card, and sent to the model after a refusal. */
export interface Reason {
  /** Stable code for tests, such as `sensitive`, `outside-workspace`, `secret`, `network` or `redirect`. */
  readonly code: string;
  /** Sentence for the user. */
  readonly text: string;
}

export interface Verdict {
  readonly decision: Decision;
  readonly reasons: readonly Reason[];
  /**
   * True when the user's answer may be stored for later calls. False for the checks that no setting overrides: each
   * such call requires approval, regardless of earlier answers.
   */
  readonly rememberable: boolean;
}

export const allowed: Verdict = { decision: 'allow', reasons: [], rememberable: true };

const strictness: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, refuse: 2 };

/** Combines verdicts into the strictest decision with all reasons, so that no rule can override another. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(
    (worst, verdict) => ({
      decision:
        strictness[verdict.decision] > strictness[worst.decision]
          ? verdict.decision
          : worst.decision,
      reasons: [...worst.reasons, ...verdict.reasons],
      rememberable: worst.rememberable && verdict.rememberable,
    }),
    allowed,
  );
}
