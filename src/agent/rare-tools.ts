import * as l10n from '@vscode/l10n';
import { readOptionalString } from './arguments.ts';
import { estimateDefinitionTokens, type Tool, createToolDefinition } from './tool.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import { discoveryToolName } from '../conversation/wrapped-call.ts';
import { ToolError } from '../workspace/tool-error.ts';

export const isRareTool = (tool: Tool): boolean => tool.summary !== undefined;

/**
 * Returns the tools whose complete definitions are part of a request: all tools except the rarely
 * used ones.
 */
export const selectToolsToSend = (tools: ReadonlyMap<string, Tool>): readonly Tool[] =>
  [...tools.values()].filter((tool) => !isRareTool(tool));

/**
 * Adds the discovery tool, with which the model looks up rare tools. The definition of the
 * discovery tool stays the same when the model uses a rare tool, so that the service can cache all
 * definitions.
 */
export function withDiscoveryTool(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  const rareTools = [...tools.values()].filter(isRareTool);
  return rareTools.length === 0
    ? tools
    : new Map([...tools, [discoveryToolName, createDiscoveryTool(rareTools)]]);
}

/**
 * Estimates the tokens that a tool adds to each request. A rare tool adds one line, any other tool
 * its definition.
 */
export const estimateToolTokens = (tool: Tool): number =>
  isRareTool(tool) ? estimateTokens(`${formatRareTool(tool)}\n`) : estimateDefinitionTokens(tool);

/** Estimates the tokens that tools add to each request, including the discovery tool. */
export const estimateRequestTokens = (tools: readonly Tool[]): number =>
  selectToolsToSend(withDiscoveryTool(new Map(tools.map((tool) => [tool.name, tool])))).reduce(
    (sum, tool) => sum + estimateDefinitionTokens(tool),
    0,
  );

/** Formats one line of the discovery tool's description: the name and summary of a rarely used tool. */
const formatRareTool = ({ name, summary = '' }: Tool): string => `${name}: ${summary}`;

/**
 * Creates the discovery tool, which returns the definitions of rare tools. The discovery tool never
 * runs a rare tool itself: if a call contains the name and arguments of a rare tool, the caller
 * replaces that call by a direct call of the rare tool before any check.
 */
function createDiscoveryTool(rareTools: readonly Tool[]): Tool {
  return {
    name: discoveryToolName,
    kind: 'read',
    description: `Calls one of the tools below. First give only "tool" to get its definition, then also "arguments" to call it.\n${rareTools.map(formatRareTool).join('\n')}`,
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
      const tool = rareTools.find((rareTool) => rareTool.name === name);
      if (tool === undefined) {
        const names = rareTools.map((rareTool) => rareTool.name).join(', ');
        return Promise.reject(new ToolError('unknown-tool', `Set "tool" to one of: ${names}.`));
      }
      const definition = JSON.stringify(createToolDefinition(tool).function);
      return Promise.resolve({
        output: `${definition}\nTo call it, repeat the call of ${discoveryToolName} with "arguments".`,
      });
    },
  };
}
