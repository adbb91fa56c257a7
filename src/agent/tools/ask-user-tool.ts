import * as l10n from '@vscode/l10n';
import type { PendingRequests } from '../permissions/approval.ts';
import type { Tool, ToolArguments } from '../tool.ts';
import { ToolError } from '../../workspace/tool-error.ts';

const maxChoices = 8;

/** Creates the tool that asks the user a question in the chat. */
export function createAskUserTool(pendingRequests: PendingRequests): Tool {
  return {
    name: 'ask_user',
    kind: 'question',
    description: 'Asks the user for a decision that only the user can make, never for permission.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 4_000 },
        choices: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 200 },
          maxItems: maxChoices,
          description: 'The user can also type an answer.',
        },
      },
      required: ['question'],
      additionalProperties: false,
    },
    plan: (args) =>
      Promise.resolve({
        verb: l10n.t('Ask'),
        target: readQuestion(args).question,
        resources: [],
      }),
    async run(args, { messageId, callId, signal }) {
      const { question, choices } = readQuestion(args);
      const answer = await pendingRequests.askQuestion(
        {
          messageId,
          callId,
          text: question,
          choices,
          freeText: true,
        },
        signal,
      );
      if (answer === undefined) throw new ToolError('stopped', 'The user did not answer.');
      return { output: answer };
    },
  };
}

/**
 * Reads the question and its choices from the arguments. Drops choices that are not strings, duplicate choices, and all
 * choices after the first {@link maxChoices}.
 */
function readQuestion({ question, choices }: ToolArguments): {
  question: string;
  choices: string[];
} {
  const texts = Array.isArray(choices)
    ? choices.filter((choice) => typeof choice === 'string')
    : [];
  return {
    question: typeof question === 'string' ? question : '',
    choices: [...new Set(texts)].slice(0, maxChoices),
  };
}
