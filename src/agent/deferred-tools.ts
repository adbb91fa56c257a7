import * as l10n from '@vscode/l10n';
import { readOptionalString } from './arguments.ts';
import { estimateDefinitionTokens, type Tool, createToolDefinition } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import { discoveryToolName } from '../conversation/wrapped-call.ts';
import { ToolError } from '../workspace/tool-error.ts';

export const isDeferredTool = (tool: Tool): boolean => tool.summary !== undefined;

/** Returns the tools whose complete definitions a request contains: all except deferred tools. */
export const selectToolsToSend = (tools: ReadonlyMap<string, Tool>): readonly Tool[] =>
  [...tools.values()].filter((tool) => !isDeferredTool(tool));

/**
 * Adds the discovery tool, with which the model looks up deferred tools. Its definition stays the same when the model
 * uses a deferred tool, so that the service can cache all definitions.
 */
export function addDiscoveryTool(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  const deferredTools = [...tools.values()].filter(isDeferredTool);
  return deferredTools.length === 0
    ? tools
    : new Map([...tools, [discoveryToolName, createDiscoveryTool(deferredTools)]]);
}

/**
 * Estimates the tokens that a tool adds to each request: those of one line for a deferred tool, those of its definition
 * for any other tool.
 */
export const estimateToolTokens = (tool: Tool): number =>
  isDeferredTool(tool)
    ? estimateTokens(`${formatDeferredTool(tool)}\n`)
    : estimateDefinitionTokens(tool);

/** Estimates the tokens that tools add to each request, including the discovery tool. */
export const estimateRequestTokens = (tools: readonly Tool[]): number =>
  selectToolsToSend(addDiscoveryTool(new Map(tools.map((tool) => [tool.name, tool])))).reduce(
    (sum, tool) => sum + estimateDefinitionTokens(tool),
    0,
  );

/** Formats the line of a deferred tool in the description of the discovery tool: its name and summary. */
const formatDeferredTool = ({ name, summary = '' }: Tool): string => `${name}: ${summary}`;

/**
 * Creates the discovery tool, which returns the definitions of deferred tools. It never runs a deferred tool itself. A
 * call with the name and arguments of a deferred tool is replaced with a direct call before any check.
 */
function createDiscoveryTool(deferredTools: readonly Tool[]): Tool {
  return {
    name: discoveryToolName,
    kind: 'read',
    description: `Calls one of the tools below. First give only "tool" to get its definition, then also "arguments" to call it.\n${deferredTools.map(formatDeferredTool).join('\n')}`,
    parameters: {
      type: 'object',
      properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
      required: ['tool'],
    },
    plan: (args) =>
      Promise.resolve({
        verb: l10n.t('Look up tool'),
        target: readOptionalString(args, 'tool') ?? '',
        resources: [],
      }),
    run: (args) => {
      const name = readOptionalString(args, 'tool');
      const tool = deferredTools.find((rareTool) => rareTool.name === name);
      if (tool === undefined) {
        const names = deferredTools.map((rareTool) => rareTool.name).join(', ');
        return Promise.reject(new ToolError('unknown-tool', `Set "tool" to one of: ${names}.`));
      }
      const definition = JSON.stringify(createToolDefinition(tool).function);
      return Promise.resolve({
        output: `${definition}\nTo call it, repeat the call of ${discoveryToolName} with "arguments".`,
      });
    },
  };
}
