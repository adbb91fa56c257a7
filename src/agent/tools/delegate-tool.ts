import * as l10n from '@vscode/l10n';
import { findChatModelByName } from '../../models/model-selection.ts';
import type { Model } from '../../service/model-types.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { readOptionalString } from '../arguments.ts';
import { sanitizeOutput, type Tool } from '../tool.ts';

/** Name of the tool that gives a task to another model. The tool is not available inside a delegated task. */
export const delegateToolName = 'delegate';

/** Maximum length in characters of the report on a delegated task. */
const maxReportLength = 12_000;

/** Creates the tool that gives a task to another model, which can use only read-only tools. */
export function createDelegateTool(): Tool {
  return {
    name: 'delegate',
    kind: 'read',
    description:
      'Lets a cheaper model explore and report. Use it for broad searches. It knows only the task.',
    parameters: {
      type: 'object',
      properties: { task: { type: 'string' } },
      required: ['task'],
    },
    plan: (args) =>
      Promise.resolve({
        verb: l10n.t('Explore'),
        target: readOptionalString(args, 'task') ?? '',
        resources: [],
      }),
    async run(args, { delegate }) {
      const task = readOptionalString(args, 'task')?.trim() ?? '';
      if (task === '') throw new ToolError('bad-arguments', 'Describe the task.');
      if (delegate === undefined) throw new ToolError('failed', 'Nothing can be delegated here.');
      return { output: sanitizeOutput(await delegate(task), maxReportLength) };
    },
  };
}

/** Returns the message that starts a delegated task. */
export const createTaskMessage = (task: string): string =>
  `Explore the workspace for this task. You can only read. Another model gets your last message as the report: answer the task with facts, name files and lines, and do not offer more work.\n\n${task}`;

/**
 * Returns the model that the user chose for delegated tasks. Returns `currentModel` if no model is chosen, the model is
 * unavailable, or `isSuitable` rejects it. A suitable model can call tools and protects data at least as well as
 * `currentModel`.
 */
export function chooseDelegateModel(
  models: readonly Model[],
  name: string,
  currentModel: Model | undefined,
  isSuitable: (model: Model, currentModel: Model) => boolean,
): Model | undefined {
  const chosenModel = name.trim() === '' ? undefined : findChatModelByName(models, name.trim());
  const isUsable =
    chosenModel !== undefined &&
    currentModel !== undefined &&
    !chosenModel.offline &&
    isSuitable(chosenModel, currentModel);
  return isUsable ? chosenModel : currentModel;
}
