import { isRecord, parseJson } from '../../../src/base/json.ts';
import { createCustomIssue, type Issue } from '../validation.ts';
import type { ChatBody, Message } from './body.ts';

/**
 * Returns an issue for each error in the tool calls and tool messages of a conversation. The tool messages for all
 * calls of an assistant message must directly follow this message.
 */
export function findToolResultIssues({ messages }: ChatBody): Issue[] {
  const issues: Issue[] = [];
  let pendingIds = new Set<string>();
  let callerIndex = -1;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (pendingIds.delete(message.tool_call_id)) continue;
      issues.push(createUnexpectedResultIssue(index, message.tool_call_id, callerIndex >= 0));
      continue;
    }
    issues.push(...createMissingResultIssues(callerIndex, pendingIds));
    callerIndex =
      message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0 ? index : -1;
    pendingIds = new Set(getToolCallIds(message));
    issues.push(...findCallIssues(message, index));
  }
  return [...issues, ...createMissingResultIssues(callerIndex, pendingIds)];
}

const getToolCalls = (message: Message) =>
  message.role === 'assistant' ? (message.tool_calls ?? []) : [];

const getToolCallIds = (message: Message): string[] => getToolCalls(message).map(({ id }) => id);

function createUnexpectedResultIssue(index: number, id: string, followsCalls: boolean): Issue {
  const message = followsCalls
    ? `No open tool call of the message before has the id '${id}'`
    : 'A tool message must follow an assistant message with tool_calls';
  return createCustomIssue(['messages', index, 'tool_call_id'], message);
}

function createMissingResultIssues(index: number, unansweredIds: ReadonlySet<string>): Issue[] {
  if (unansweredIds.size === 0) return [];
  const joinedIds = [...unansweredIds].join(', ');
  const message = `Every tool call must be followed by a tool message with its result. Missing: ${joinedIds}`;
  return [createCustomIssue(['messages', index, 'tool_calls'], message)];
}

function findCallIssues(message: Message, index: number): Issue[] {
  const seenIds = new Set<string>();
  return getToolCalls(message).flatMap(({ id, function: { arguments: json } }, position) => {
    const path = ['messages', index, 'tool_calls', position];
    const isRepeated = seenIds.has(id);
    seenIds.add(id);
    return [
      ...(isRepeated ? [createCustomIssue([...path, 'id'], `The id '${id}' is used twice`)] : []),
      ...(isRecord(parseJson(json))
        ? []
        : [
            createCustomIssue(
              [...path, 'function', 'arguments'],
              'Must be the text of a JSON object',
            ),
          ]),
    ];
  });
}

const maxTools = 128;

/** Returns an issue for each error that the schema does not detect in tool definitions, such as a repeated name. */
export function findToolDefinitionIssues({ tools, tool_choice: choice }: ChatBody): Issue[] {
  const functions = (tools ?? []).flatMap((tool, index) =>
    tool.type === 'function' ? [{ index, ...tool.function }] : [],
  );
  const names = functions.map(({ name }) => name);
  const issues = functions.flatMap(({ index, name, parameters }, position) => {
    const path = ['tools', index, 'function'];
    const type = parameters?.['type'];
    return [
      ...(names.indexOf(name) < position
        ? [createCustomIssue([...path, 'name'], `The name '${name}' is used twice`)]
        : []),
      ...(type === undefined || type === 'object'
        ? []
        : [createCustomIssue([...path, 'parameters'], "The schema's type must be 'object'")]),
    ];
  });
  if (names.length > maxTools) {
    issues.push(createCustomIssue(['tools'], `At most ${maxTools} tools are allowed`));
  }
  const chosenName = typeof choice === 'object' ? choice.function.name : undefined;
  if (choice === 'required' && names.length === 0) {
    issues.push(createCustomIssue(['tool_choice'], 'tool_choice needs tools'));
  } else if (chosenName !== undefined && !names.includes(chosenName)) {
    issues.push(createCustomIssue(['tool_choice'], `There is no tool named '${chosenName}'`));
  }
  return issues;
}
