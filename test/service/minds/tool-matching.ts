import type { FunctionTool } from '../chat/body.ts';
import type { Json } from '../../../src/base/json.ts';
import { valueFor } from './from-schema.ts';

export interface Match {
  readonly tool: FunctionTool;
  /** What its arguments are filled from. */
  readonly text: string;
}

const isQuestion = /^(?:what|which|who|why|how|when|where|is|are|does|do)\b/i;

/** The tool whose name the text uses, the description deciding between several; a question has to say more than one word of it. */
export function matchTools(text: string, tools: readonly FunctionTool[]): Match[] {
  const tool = bestTool(text, tools, isQuestion.test(text) ? 3 : 2);
  return tool === undefined ? [] : [{ tool, text }];
}

/** As {@link matchTools}, whatever the text says, when `least` is 0. */
export function bestTool(
  text: string,
  tools: readonly FunctionTool[],
  least: number,
): FunctionTool | undefined {
  const words = new Set(stems(text));
  const [first] = tools
    .map((tool) => ({ tool, points: pointsOf(tool, words) }))
    .filter(({ points }) => points >= least)
    .sort((a, b) => b.points - a.points);
  return first?.tool;
}

function pointsOf(
  { function: { name, description = '' } }: FunctionTool,
  words: ReadonlySet<string>,
): number {
  const inName = stems(name).filter((word) => words.has(word)).length;
  if (inName === 0) return 0;
  const inDescription = new Set(stems(description).filter((word) => words.has(word))).size;
  return inName * 2 + inDescription;
}

/** Arguments that fit the tool's schema, taken from the text as far as it says something. */
export function toolArguments(tool: FunctionTool, text: string): Readonly<Record<string, Json>> {
  const value = valueFor({ type: 'object', ...tool.function.parameters }, { text });
  return value as Readonly<Record<string, Json>>;
}

const commonWords = new Set(
  'a an the and or of to in on at is are be it this that with for from by as all any your you me my i please can could what which use using used given when returns return'.split(
    ' ',
  ),
);

const stems = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !commonWords.has(word))
    .map((word) => word.replace(/(?:ing|es|s)$/, ''));
