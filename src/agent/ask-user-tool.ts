import type { PendingRequests } from './pending.ts';
import { type Tool, ToolError } from './tool.ts';

const maxChoices = 8;

/** Asks the person a question, answered in the chat. */
export function createAskUserTool(pending: PendingRequests): Tool {
  return {
    name: 'ask_user',
    kind: 'question',
    description:
      'Asks the person a question and returns their answer. Use it when you cannot go on without a decision that is theirs; never for permission, which is asked for by itself.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 4_000 },
        choices: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 200 },
          maxItems: maxChoices,
          description: 'Short answers to choose from. The person may also answer in own words.',
        },
      },
      required: ['question'],
      additionalProperties: false,
    },
    plan: ({ question }) =>
      Promise.resolve({ verb: 'Ask', done: 'Asked', target: String(question), resources: [] }),
    async run({ question, choices }, { messageId, callId, signal }) {
      const answer = await pending.ask(
        {
          messageId,
          callId,
          text: String(question),
          choices: Array.isArray(choices) ? [...new Set(choices.map(String))] : [],
          freeText: true,
        },
        signal,
      );
      if (answer === undefined) throw new ToolError('stopped', 'The person did not answer.');
      return { output: answer };
    },
  };
}
