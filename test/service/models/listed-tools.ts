import { isRecord } from '../../../src/base/json.ts';
import type { FunctionTool } from '../chat/body.ts';
import type { PlannedCall } from './request.ts';

/** Name of the tool whose description lists further tools, one per line as `name: purpose`. */
const listName = 'more_tools';

/** Adds the tools that the description of another tool lists. */
export function withListedTools(tools: readonly FunctionTool[]): readonly FunctionTool[] {
  const list = tools.find((tool) => tool.function.name === listName);
  const lines = list?.function.description?.matchAll(/^([\w-]+): /gm) ?? [];
  const listed = [...lines].map(([, name = '']): FunctionTool => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }));
  return [...tools, ...listed];
}

/** Converts a call of a listed tool to a call of the tool that lists it. */
export function wrapListedCall(call: PlannedCall, tools: readonly FunctionTool[]): PlannedCall {
  const isOffered = tools.some((tool) => tool.function.name === call.name);
  return isOffered || !tools.some((tool) => tool.function.name === listName)
    ? call
    : { name: listName, args: { tool: call.name, arguments: call.args } };
}

/** Returns the call of the listed tool; any other call unchanged. */
export function unwrapListedCall(call: PlannedCall): PlannedCall {
  const { tool, arguments: args } = call.args;
  return call.name === listName && typeof tool === 'string' && isRecord(args)
    ? { name: tool, args }
    : call;
}
