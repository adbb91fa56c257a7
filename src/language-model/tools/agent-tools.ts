import * as vscode from 'vscode';
import type { JsonSchema, Tool, ToolArguments, ToolPlan } from '../../agent/tool.ts';
import type { ToolMaker } from '../../agent/vscode/tool-source.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { defined } from '../../base/json.ts';
import type { Host } from '../../host.ts';
import { CallsPerHost, createNativeTools } from './native-tools.ts';
import { type NativeTool, type PlannedCall, toolError } from './native-tool.ts';

/**
 * The same for our own agent, under its own rules: it asks by itself, and shows the call as it shows all others. What
 * speaks is left to the person there.
 */
export const agentTools = (host: Host): ToolMaker => {
  const tools = createAgentTools(host);
  return () => () => tools;
};

function createAgentTools(host: Host): readonly Tool[] {
  const { searchWeb, readPage, describeImage } = createNativeTools(host);
  return [
    agentTool(searchWeb, {
      name: 'search_web',
      verb: vscode.l10n.t('Search the web for'),
      done: vscode.l10n.t('Searched the web for'),
      description:
        'Searches the web: titles, addresses, dates and excerpts of the best results, numbered. For what is newer than your knowledge or needs a source; name the sources you use. Costs the person about one cent.',
      parameters: parametersOf({ query: 'What to search for, at most 400 characters.' }, ['query']),
    }),
    agentTool(readPage, {
      name: 'read_page',
      verb: vscode.l10n.t('Read'),
      done: vscode.l10n.t({ message: 'Read', comment: ['past'] }),
      description:
        'The text of one page of the public web as Markdown. Pages of this machine or of a private network cannot be read. Costs the person about one cent.',
      parameters: parametersOf({ url: 'The whole address, with https:// or http://.' }, ['url']),
    }),
    agentTool(describeImage, {
      name: 'describe_image',
      verb: vscode.l10n.t('Ask about'),
      done: vscode.l10n.t('Asked about'),
      description:
        'Sends a picture file of the workspace to a model that sees, and returns what it says. Only for models that do not see pictures themselves; others use read_file.',
      parameters: parametersOf(
        {
          path: 'Path of the picture, relative to the workspace folder.',
          question: whatToFindOut,
        },
        ['path'],
      ),
    }),
  ];
}

/** For the model, which reads English best. */
const whatToFindOut = 'What to find out about it. Leave it out for a full description.';

interface Words {
  readonly name: string;
  readonly verb: string;
  readonly done: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

function agentTool(native: NativeTool, { name, verb, done, description, parameters }: Words): Tool {
  const calls = new WeakMap<
    ToolArguments,
    { readonly call: PlannedCall; readonly isBeyond: boolean }
  >();
  const counts = new CallsPerHost();
  return {
    name,
    kind: 'external',
    description,
    parameters,
    async plan(args) {
      const call = await native.plan(args);
      const isBeyond = call.tells !== undefined && counts.isBeyond(call.tells.host);
      calls.set(args, { call, isBeyond });
      return toPlan(call, { verb, done, isBeyond });
    },
    async run(args, { signal }) {
      const planned = calls.get(args);
      // Without a plan nobody was asked.
      if (planned === undefined) throw new ToolError('failed', 'The call was not planned.');
      const { call, isBeyond } = planned;
      if (isBeyond && call.tells !== undefined) counts.agreed(call.tells.host);
      try {
        const { text, images = [], cost } = await call.run(signal);
        return defined({ output: text, images, cost });
      } catch (error) {
        throw toolError(error);
      }
    },
  };
}

const toPlan = (
  { question, detail, target, price, reads, tells }: PlannedCall,
  { verb, done, isBeyond }: Pick<Words, 'verb' | 'done'> & { readonly isBeyond: boolean },
): ToolPlan => ({
  verb,
  done,
  target,
  resources: [
    {
      type: 'external',
      own: {
        ...(tells === undefined ? {} : { host: tells.host }),
        ...(tells?.isLong === true || isBeyond ? { once: true as const } : {}),
      },
    },
    { type: 'cost', price },
    ...(reads === undefined ? [] : [{ type: 'path', path: reads, access: 'read' } as const]),
  ],
  preview: { language: 'plaintext', text: `${question}\n\n${detail}`, cwd: '', files: [] },
});

const parametersOf = (
  properties: Readonly<Record<string, string>>,
  required: readonly string[],
): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, description]) => [
      name,
      { type: 'string', description },
    ]),
  ),
  required,
  additionalProperties: false,
});
