/**
 * Decision about a tool call, ordered by strictness: `allow` needs no approval, `ask` needs the user's approval,
 * `refuse` can't be approved.
 */
export type Decision = 'allow' | 'ask' | 'refuse';

/**
 * Reason why a tool call requires approval or is refused. Shown on the approval card. If the call is refused, the model
 * also receives the reason.
 */
export interface Reason {
  /** Stable code for tests, such as `sensitive`, `outside-workspace`, `secret`, `network` or `redirect`. */
  readonly code: string;
  /** Sentence shown to the user. */
  readonly text: string;
}

export interface Verdict {
  readonly decision: Decision;
  readonly reasons: readonly Reason[];
  /**
   * True if the user's answer may be stored for later calls. False for checks that no setting can override; then each
   * call requires approval.
   */
  readonly isRememberable: boolean;
}

export const allowedVerdict: Verdict = { decision: 'allow', reasons: [], isRememberable: true };

/**
 * Returns a verdict that requires the user's approval for each call, even if the user has granted
 * similar calls.
 */
export const requireApproval = (reason: Reason): Verdict => ({
  decision: 'ask',
  reasons: [reason],
  isRememberable: false,
});

const strictness: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, refuse: 2 };

/** Combines verdicts into the strictest decision with all reasons, so that no rule can override another. */
export function combineVerdicts(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(
    (strictestVerdict, verdict) => ({
      decision:
        strictness[verdict.decision] > strictness[strictestVerdict.decision]
          ? verdict.decision
          : strictestVerdict.decision,
      reasons: [...strictestVerdict.reasons, ...verdict.reasons],
      isRememberable: strictestVerdict.isRememberable && verdict.isRememberable,
    }),
    allowedVerdict,
  );
}
