import * as l10n from '@vscode/l10n';
import { parseJson } from '../../base/json.ts';
import type { RequestedCall } from '../../conversation/conversation.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { cleanLine, type Preview, type Tool, type ToolContext, type ToolPlan } from '../tool.ts';
import type { PendingRequests } from './pending.ts';
import type { Permission } from './decide.ts';
import type { GrantScope } from './grants.ts';

/** The rules that the person set. Nothing that a model, a file or a server says can reach them. */
export interface Permissions {
  judge(tool: Tool, plan: ToolPlan, conversationId: string): Promise<Permission>;
  remember(tool: Tool, plan: ToolPlan, scope: GrantScope, conversationId: string): Promise<void>;
}

export interface ApprovalPorts {
  readonly permissions: Permissions;
  readonly pending: PendingRequests;
}

/** A call that is about to run. */
export interface PlannedCall {
  /** Nobody is asked any more once its signal fires. */
  readonly context: ToolContext;
  readonly call: RequestedCall;
  readonly tool: Tool;
  readonly plan: ToolPlan;
  /** Told before the person is asked. */
  readonly onWait: () => void;
}

/** How a call ends that may not run. */
export type Refusal = Pick<ToolRun, 'status' | 'output'>;

/**
 * Asks the rules whether a call may run, and the person where the rules say so.
 * @returns undefined when it may
 * @throws what the rules throw; then nothing may run
 */
export async function refusalOf(
  planned: PlannedCall,
  { permissions, pending }: ApprovalPorts,
): Promise<Refusal | undefined> {
  const { tool, plan, call } = planned;
  const { conversationId, messageId, callId, signal } = planned.context;
  const permission = await permissions.judge(tool, plan, conversationId);
  if (permission.decision === 'allow') return undefined;
  const reasons = permission.reasons.map(({ text }) => text);
  if (permission.decision === 'refuse') {
    return { status: 'denied', output: l10n.t('Not allowed: {0}', reasons.join(' ')) };
  }
  planned.onWait();
  const answer = await pending.approve(
    {
      messageId,
      callId,
      title: `${plan.verb} ${cleanLine(plan.target, 120)}`.trim(),
      preview: plan.preview ?? previewOf(plan, call),
      reasons: reasons.length > 0 ? reasons : [l10n.t('This tool asks before it does anything.')],
      remember: permission.remember,
      rememberWhat: permission.rememberWhat,
    },
    signal,
  );
  if (answer === undefined) return { status: 'not-run', output: notRun };
  if (answer.answer === 'deny') return { status: 'denied', output: denial(answer.reason) };
  if (answer.answer !== 'once') {
    await permissions.remember(tool, plan, answer.answer, conversationId);
  }
  return undefined;
}

/** What the model is told of a call that was stopped while nothing was done yet. */
export const notRun = 'Not run: it was stopped before it began.';

const denial = (reason: string): string =>
  reason.trim() === ''
    ? 'The person denied this call. Do not try it again in another way; ask what they would like instead.'
    : `The person denied this call and says: ${reason.trim()}`;

/** The arguments as they were read: what a model wrote can say one thing twice, and hide it in escapes. */
function previewOf(
  { resources }: ToolPlan,
  { function: { arguments: text } }: RequestedCall,
): Preview {
  const files = resources.flatMap((each) => (each.type === 'path' ? [each.path] : []));
  return { language: 'json', text: JSON.stringify(parseJson(text), null, 2), cwd: '', files };
}
