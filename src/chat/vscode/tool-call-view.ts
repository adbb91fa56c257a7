import { cleanOutput } from '../../agent/tool.ts';
import type { Pending } from '../../agent/permissions/approval.ts';
import type { Answer } from '../../conversation/conversation.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import type { PendingView, ToolCallView } from '../protocol/view-state.ts';
import type { ToolCall } from '../../service/chat/chat-types.ts';

const longestName = 128;
const longestVerb = 60;
const longestTarget = 400;

/** The rows of an answer. `ended` says that nothing more happens to its calls. */
export function toolCallViews({ result, toolRuns }: Answer, ended: boolean): ToolCallView[] {
  const runs = new Map(toolRuns.map((run) => [run.callId, run]));
  return (result.toolCalls ?? []).map((call) => {
    const run = runs.get(call.id);
    return run === undefined ? requestedView(call, ended) : toolRunView(call, run);
  });
}

/** The row of a call of which no more is known than that it was asked for. */
export const requestedView = (
  { id, function: { name } }: Pick<ToolCall, 'id' | 'function'>,
  ended: boolean,
): ToolCallView => ({
  id: id.slice(0, longestName),
  name: name.slice(0, longestName),
  status: ended ? 'not-run' : 'requested',
  verb: '',
  target: '',
  openable: false,
  readOnly: false,
  startedAt: null,
  durationMs: null,
});

export const toolRunView = (
  call: Pick<ToolCall, 'id' | 'function'>,
  run: ToolRun,
): ToolCallView => ({
  ...requestedView(call, false),
  status: run.status,
  verb: run.verb.slice(0, longestVerb),
  // A call that was never planned has its own name for a target, which the row says already.
  target: run.verb === '' ? '' : run.target.slice(0, longestTarget),
  openable: run.uri !== undefined,
  readOnly: run.readOnly,
  startedAt: run.startedAt,
  durationMs: run.durationMs ?? null,
});

/** Longest arguments or output that the page gets, in characters. */
const longestText = 40_000;

/** What a model or a tool wrote, for an open row. Escape sequences and tag characters are out; the page shows the rest. */
export const cleanToolText = (text: string): string => cleanOutput(text, longestText);

/** What waits, for the page. */
export const pendingView = (pending: Pending): PendingView =>
  pending.kind === 'question'
    ? { ...pending, choices: [...pending.choices] }
    : {
        ...pending,
        preview: { ...pending.preview, files: [...pending.preview.files] },
        reasons: [...pending.reasons],
        remember: [...pending.remember],
      };
