import type { ChatBody, FunctionTool } from '../../chat/body.ts';
import { clausesOf } from './clauses.ts';
import { fulfil, type Rounds } from './fulfil.ts';
import { orderFor } from './orders.ts';
import type { Context } from './plan.ts';
import { replay, type Work } from './replay.ts';
import { taskOf } from './task.ts';
import { Toolbox } from './toolbox.ts';

/** More calls than any sensible request needs; a mind that is asked without end must end by itself. */
const mostCalls = 400;

/** The next step of what the conversation asks for with the tools it gives; undefined when it asks for no action. */
export function nextWork(body: ChatBody, tools: readonly FunctionTool[]): Work | undefined {
  const { request, attached, outcomes } = taskOf(body);
  const toolbox = new Toolbox(tools, request);
  const paths = attached.slice(0, 1);
  const context: Context = { toolbox, attached, paths, word: undefined, command: undefined };
  const rounds = understood(request, context);
  if (rounds === undefined) return undefined;
  const work = replay(fulfil(rounds, context), outcomes, body.parallel_tool_calls !== false);
  if (outcomes.length < mostCalls || work.calls.length === 0) return work;
  return { say: 'I have called tools very often for this one request, so I stop here.', calls: [] };
}

function understood(request: string, context: Context): Rounds | undefined {
  const rounds = clausesOf(request);
  const acts = rounds.flat().some((clause) => orderFor(clause, context) !== undefined);
  return acts ? rounds : undefined;
}
