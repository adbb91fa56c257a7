import type { Answer } from '../../conversation/conversation.ts';
import type { MessageView } from '../protocol/view-state.ts';

/**
 * A turn that ended after the calls of an answer did not come to its end: the person stopped it, the window went, or it
 * failed.
 * `last` says that no other message comes after it.
 */
export function answerStatus(
  { status, result: { toolCalls = [], failure }, toolRuns }: Answer,
  running: boolean,
  last: boolean,
): MessageView['status'] {
  if (status !== 'complete' || toolCalls.length === 0) return status;
  if (running) return 'working';
  if (failure !== undefined) return 'failed';
  if (!last) return 'complete';
  // A stop leaves a run of every call.
  const wasLost = toolRuns.length < toolCalls.length;
  return wasLost || toolRuns.some((run) => run.interrupted) ? 'interrupted' : 'stopped';
}
