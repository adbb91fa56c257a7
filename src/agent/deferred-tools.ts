import * as l10n from '@vscode/l10n';
import { readOptionalString } from './arguments.ts';
import { estimateDefinitionTokens, type Tool, createToolDefinition } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import { discoveryToolName } from '../conversation/wrapped-call.ts';
import { ToolError } from '../workspace/tool-error.ts';

export const isDeferredTool = (tool: Tool): boolean => tool.summary !== undefined;

/**
 * Returns the tools whose complete definitions a request contains. Omits deferred tools, whose definitions the model
 * requests when it needs them.
 */
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
 * Estimates the tokens that a tool adds to each request. A deferred tool adds only one line to the description of the
 * discovery tool, and any other tool adds its definition.
 */
export const estimateToolTokens = (tool: Tool): number =>
  isDeferredTool(tool)
    ? estimateTokens(`${formatDeferredTool(tool)}\n`)
    : estimateDefinitionTokens(tool);

/** Estimates the tokens that tools add to each request, including the discovery tool. */
export const estimateAllToolTokens = (tools: readonly Tool[]): number =>
  selectToolsToSend(addDiscoveryTool(new Map(tools.map((tool) => [tool.name, tool])))).reduce(
    (sum, tool) => sum + estimateDefinitionTokens(tool),
    0,
  );

/** Formats the line of a deferred tool in the description of the discovery tool: its name and summary. */
const formatDeferredTool = ({ name, summary = '' }: Tool): string => `${name}: ${summary}`;

/**
 * Creates the discovery tool, which returns the definitions of deferred tools and never runs a deferred tool itself. If
 * its arguments also contain arguments for the deferred tool, a direct call of the deferred tool replaces the call
 * before any permission check.
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
      const tool = deferredTools.find((deferredTool) => deferredTool.name === name);
      if (tool === undefined) {
        const joinedNames = deferredTools.map((deferredTool) => deferredTool.name).join(', ');
        return Promise.reject(
          new ToolError('unknown-tool', `Set "tool" to one of: ${joinedNames}.`),
        );
      }
      const definition = JSON.stringify(createToolDefinition(tool).function);
      return Promise.resolve({
        output: `${definition}\nTo call it, repeat the call of ${discoveryToolName} with "arguments".`,
      });
    },
  };
}
