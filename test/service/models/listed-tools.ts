import { isRecord } from '../../../src/base/json.ts';
import type { FunctionTool } from '../chat/body.ts';
import type { PlannedCall } from './request.ts';

/**
 * Name of the tool through which the model calls deferred tools, whose definitions the request omits. Its description
 * lists these tools, one per line as `name: purpose`.
 */
const discoveryToolName = 'more_tools';

/** Returns the given tools, and the deferred tools that the description of `more_tools` lists. */
export function addDeferredTools(tools: readonly FunctionTool[]): readonly FunctionTool[] {
  const discoveryTool = tools.find((tool) => tool.function.name === discoveryToolName);
  const lineMatches = discoveryTool?.function.description?.matchAll(/^([\w-]+): /gm) ?? [];
  const listedTools = [...lineMatches].map(([, name = '']): FunctionTool => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }));
  return [...tools, ...listedTools];
}

/** Converts a call of a deferred tool to a call of `more_tools`. Returns a call of another tool unchanged. */
export function wrapDeferredCall(call: PlannedCall, tools: readonly FunctionTool[]): PlannedCall {
  const isOffered = tools.some((tool) => tool.function.name === call.name);
  return isOffered || !tools.some((tool) => tool.function.name === discoveryToolName)
    ? call
    : { name: discoveryToolName, args: { tool: call.name, arguments: call.args } };
}

/**
 * Returns the call of a deferred tool that a call of `more_tools` contains. Returns a call of another tool unchanged.
 */
export function unwrapDeferredCall(call: PlannedCall): PlannedCall {
  const { tool, arguments: args } = call.args;
  return call.name === discoveryToolName && typeof tool === 'string' && isRecord(args)
    ? { name: tool, args }
    : call;
}
