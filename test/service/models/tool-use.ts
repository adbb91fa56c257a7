import { isRecord } from '../../../src/base/json.ts';
import type { ChatBody, FunctionTool } from '../chat/body.ts';
import { getMessageText } from '../chat/messages.ts';
import { type Clause, splitClauses } from './clauses.ts';
import { wrapDeferredCall } from './listed-tools.ts';
import { isContinueRequest, type ModelRequest, type PlannedCall, type Recipe } from './request.ts';
import { createSchemaValue } from './schema-values.ts';
import { readRequestInSummary } from './summary-recipe.ts';
import { type MatchedClause, type ToolRecipe, toolRecipes } from './tool-recipes.ts';
import {
  CallDeniedError,
  getFirstLine,
  getNextStep,
  type Outcome,
  listOutcomes,
  performStep,
  quoteResults,
  type ToolReport,
  type ToolStep,
  type ToolSteps,
} from './tool-steps.ts';
import { formatPathList, type AvailableTools } from './workspace-steps.ts';

/** Recipe that calls tools: those that the request describes, or the tool that `tool_choice` requires. */
export const toolUseRecipe: Recipe = {
  name: 'work with tools',
  matchesRequest: (request) => planReply(request) !== undefined,
  createReply: (request) => {
    const { introduction = '', calls } = planReply(request)!;
    const tools = (request.body.tools ?? []).filter((tool) => tool.type === 'function');
    return { content: introduction, calls: calls.map((call) => wrapDeferredCall(call, tools)) };
  },
};

/** Recipe that quotes the latest tool results if no other recipe uses them, such as the results of scripted calls. */
export const toolResultsRecipe: Recipe = {
  name: 'results of tools',
  matchesRequest: ({ body }) => getNewOutcomes(body).length > 0,
  createReply: ({ body }) =>
    `${quoteResults(getNewOutcomes(body))}\n\nThat is all I needed; nothing else was called.`,
};

const getNewOutcomes = ({ messages }: ChatBody): readonly Outcome[] =>
  listOutcomes(messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1));

function planReply(request: ModelRequest): ToolStep | undefined {
  const { body, tools, question } = request;
  if (tools.length === 0) return undefined;
  const step = planNextStep(request);
  const { tool_choice: choice = 'auto', messages } = body;
  if (choice === 'auto' || messages.at(-1)?.role === 'tool') return step;
  const name = typeof choice === 'object' ? choice.function.name : undefined;
  const demandedCalls =
    step?.calls.filter((call) => name === undefined || call.name === name) ?? [];
  if (demandedCalls.length > 0) return { calls: demandedCalls };
  const demandedTool = tools.find((tool) => tool.function.name === name);
  return {
    calls: [createCall(demandedTool ?? findNamedTool(question, tools) ?? tools[0]!, question)],
  };
}

const attachmentPattern =
  /<([a-z]+)(?:[: ][^>\n]*)?>\n(`{3,})[^\n]*\n(?:[\s\S]*?\n)?\2\n<\/\1>|<\/?[a-z]+: [^>\n]*>/g;

/** Returns the next step for the last request. Returns undefined if a clause matches no recipe. */
function planNextStep({ body, tools }: ModelRequest): ToolStep | undefined {
  const { messages, parallel_tool_calls: isParallel = true } = body;
  const index = messages.findLastIndex(
    (message) => message.role === 'user' && !isContinueRequest(message),
  );
  const text = index < 0 ? '' : getMessageText(messages[index]!);
  const attachments = [...text.matchAll(/<attachment: ([^>\n]+?)(?::\d+(?:-\d+)?)?>/g)];
  const paths = attachments.map(([, path = '']) => path);
  const previousReport = { text: '', paths };
  const requestText = readRequestInSummary(text) ?? text.replaceAll(attachmentPattern, '').trim();
  const clauses = splitClauses(requestText).filter((clause) => !isAboutFiles(paths, clause));
  if (clauses.every((clause) => createSteps(clause, tools, previousReport) === undefined))
    return undefined;
  const outcomes = listOutcomes(messages.slice(index + 1));
  return getNextStep(generateToolSteps(clauses, tools, previousReport), outcomes, isParallel);
}

/** Checks whether a clause only asks about attached files. The model then needs no tool to read them. */
const isAboutFiles = (attachments: readonly string[], { text, paths }: Clause): boolean =>
  /^(?:explain|describe|review|what)\b/i.test(text) &&
  paths.length > 0 &&
  paths.every((path) => attachments.includes(path));

/** Performs the clauses of the request in order. Stops when the user denies a call. */
function* generateToolSteps(
  clauses: readonly Clause[],
  tools: readonly FunctionTool[],
  initialReport: ToolReport,
): ToolSteps {
  const reports: string[] = [];
  let previousReport = initialReport;
  try {
    for (const clause of clauses) {
      const steps = createSteps(clause, tools, previousReport);
      if (steps === undefined) continue;
      previousReport = { ...previousReport, ...(yield* steps) };
      reports.push(previousReport.text);
    }
  } catch (error) {
    if (!(error instanceof CallDeniedError)) throw error;
    const { name, text } = error.outcome;
    reports.push(`You denied \`${name}\`, so I stopped there.\n\n> ${getFirstLine(text)}`);
  }
  return { text: reports.join('\n\n') };
}

/** Returns the steps of the first recipe that matches the clause. Returns undefined if none matches. */
function createSteps(
  clause: Clause,
  availableTools: readonly FunctionTool[],
  previousReport: ToolReport,
): ToolSteps | undefined {
  const toolsByName = new Map(availableTools.map((tool) => [tool.function.name, tool]));
  const tools: AvailableTools = {
    hasTools: (...names) => names.every((name) => toolsByName.has(name)),
    createCall: (name, args) => createCall(toolsByName.get(name)!, clause.text, args),
  };
  const hasBackReference = clause.paths.length === 0 && backReferencePattern.test(clause.text);
  const paths = hasBackReference ? (previousReport.paths ?? []) : clause.paths;
  const command = /\bcommand-\d+\b/.exec(clause.text)?.[0] ?? previousReport.commandId;
  for (const recipe of toolRecipes) {
    const patternMatch = recipe.pattern.exec(clause.text);
    if (patternMatch === null || !tools.hasTools(...recipe.tools)) continue;
    const groups = Object.fromEntries(
      Object.entries(patternMatch.groups ?? {}).map(
        ([name, token]: [string, string | undefined]) => [
          name,
          token === undefined ? undefined : clause.resolveToken(token),
        ],
      ),
    );
    const match: MatchedClause = { clause, groups, paths, commandId: command, tools };
    const calls = (recipe.createArguments?.(match) ?? []).map((args) =>
      tools.createCall(recipe.tools[0]!, args),
    );
    const steps = calls.length > 0 ? makeCalls(calls, recipe) : recipe.createSteps?.(match);
    if (steps !== undefined) return steps;
  }
  const recipeTools = new Set(toolRecipes.flatMap((recipe) => recipe.tools));
  const otherTools = availableTools.filter((tool) => !recipeTools.has(tool.function.name));
  const otherTool = findNamedTool(clause.unmaskedText, otherTools);
  const args = paths.length > 0 ? { path: paths[0] } : {};
  return otherTool && makeCalls([createCall(otherTool, clause.unmaskedText, args)], {});
}

const backReferencePattern =
  /\b(?:its?|them|their|(?:this|that|these|those)(?: files?)?|the command)\b/i;

function* makeCalls(
  calls: readonly PlannedCall[],
  { report }: Pick<ToolRecipe, 'report'>,
): ToolSteps {
  const outcomes = yield* performStep({ calls });
  const completedOutcomes = outcomes.filter(({ kind }) => kind === 'done');
  const failedOutcomes = outcomes.filter(({ kind }) => kind === 'failed');
  const failures = failedOutcomes.map(
    ({ name, text }) => `\`${name}\` failed: ${getFirstLine(text)}`,
  );
  const listValues = (name: string): string[] =>
    completedOutcomes.flatMap(({ args }) => (typeof args[name] === 'string' ? [args[name]] : []));
  const reportText = report?.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    formatPathList(listValues(name)),
  );
  const texts =
    completedOutcomes.length === 0
      ? failures
      : [...failures, reportText ?? quoteResults(completedOutcomes)];
  const changedPaths = [...listValues('to'), ...listValues('path')];
  const output = completedOutcomes.map(({ text }) => text).join('\n');
  const command = /\bin the background as ([\w-]+)/.exec(output)?.[1];
  return {
    text: texts.join('\n\n'),
    ...(changedPaths.length > 0 && { paths: changedPaths }),
    ...(command !== undefined && { commandId: command }),
  };
}

/**
 * Creates a call of a tool. Omits arguments that the tool's schema does not define. For parameters that `args` does not
 * contain, takes values from the text.
 */
function createCall(
  { function: { name, parameters = {} } }: FunctionTool,
  text: string,
  args: Readonly<Record<string, unknown>> = {},
): PlannedCall {
  const properties = parameters['properties'];
  const validArguments = Object.entries(args).filter(
    ([key, value]) => value !== undefined && (!isRecord(properties) || key in properties),
  );
  const schemaValues = createSchemaValue({ ...parameters, type: 'object' }, { text });
  const mentionedEntries = Object.entries(isRecord(schemaValues) ? schemaValues : {}).filter(
    ([key]) => !(key in args),
  );
  return { name, args: Object.fromEntries([...validArguments, ...mentionedEntries]) };
}

/**
 * Returns the first tool whose name consists of several words that all occur in the text. The word "get" need not
 * occur.
 */
function findNamedTool(text: string, tools: readonly FunctionTool[]): FunctionTool | undefined {
  const words = new Set(['get', ...extractWords(text)]);
  return tools.find(({ function: { name } }) => {
    const nameWords = extractWords(name);
    return nameWords.length > 1 && nameWords.every((word) => words.has(word));
  });
}

/** Returns the words of a text in lowercase, without a final `s`. */
const extractWords = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter(Boolean);
