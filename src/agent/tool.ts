import { isId } from '../base/ids.ts';
import { stripEscapeSequences, stripHiddenCharacters } from '../base/hidden-characters.ts';
import type { Json } from '../base/json.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import { discoveryToolName } from '../conversation/wrapped-call.ts';
import type { TodoList } from '../conversation/conversation.ts';
import type { ToolImage } from '../conversation/tool-run.ts';
import type { Mode } from '../conversation/protocol.ts';
import type { Cost, ToolDefinition } from '../service/chat/chat-types.ts';
import type { TextChange } from '../workspace/remote-reference.ts';
import type { PathAccess } from '../workspace/path-rules.ts';

/** JSON schema that is sent to the model. The schema of another extension's tool is sent unchanged. */
export type JsonSchema = { readonly [key: string]: Json };

/** Arguments that fit the tool's schema. The object has no prototype, so `__proto__` is an ordinary name. */
export type ToolArguments = { readonly [name: string]: Json };

/**
 * Upper bound of a tool's effects.
 * - `read` runs concurrently and is allowed inside the workspace.
 * - `edit` and `command` run alone and in order.
 * - `editor` only changes which files the editor shows.
 * - `question` asks the user.
 * - `todo` writes the todo list of the chat.
 * - `external` calls a tool of another extension, which itself asks the user for confirmation.
 */
export type ToolKind = 'read' | 'edit' | 'command' | 'editor' | 'question' | 'todo' | 'external';

export interface Tool {
  /** Name by which the model calls the tool: `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly kind: ToolKind;
  /** True for a tool that is disabled until the user enables it. */
  readonly isOptIn?: boolean;
  /**
   * Purpose of a deferred tool in a few words; absent for other tools. Requests contain only this text; the discovery
   * tool returns the complete definition.
   */
  readonly summary?: string;
  /** Description for the model: purpose, output, and alternatives to the tool. */
  readonly description: string;
  /** JSON schema of the arguments, which are an object. */
  readonly parameters: JsonSchema;
  /**
   * Describes a call without running the tool. The tool row, the permission rules and the approval request use the
   * plan.
   * @throws ToolError for arguments that no run could accept
   */
  plan(args: ToolArguments, context: ToolContext): Promise<ToolPlan>;
  /**
   * Runs a call that the permission rules or the user allowed. Rejects a call whose target changed after {@link plan},
   * for example because of a new symbolic link or edited text.
   * @throws ToolError with instructions for the model
   */
  run(args: ToolArguments, context: ToolContext): Promise<ToolResult>;
}

/** Ids of a call and of its turn, and the functions that the call may use. */
export interface ToolContext {
  readonly conversationId: string;
  /** Id of the user message that started the turn. */
  readonly turnId: string;
  /** Id of the answer that contains the call. */
  readonly messageId: string;
  readonly callId: string;
  /** Fires when the user stops the turn. The tool must then end its processes and settle within a second. */
  readonly signal: AbortSignal;
  readonly supportsVision: boolean;
  /**
   * True if the user approved this call. Absent if the rules allowed the call, and in {@link Tool.plan}, which runs
   * before the approval.
   */
  readonly isApproved?: true;
  /** Todo list of the chat; absent outside a chat. */
  readonly todos?: TodoAccess;
  /**
   * Gives a task to another model, which can only read, and returns its report. Absent outside a chat and inside a
   * delegated task.
   * @throws ToolError if the model could not complete the task
   */
  readonly delegate?: (task: string) => Promise<string>;
}

export interface TodoAccess {
  readonly list: TodoList;
  /** False if the user edited the list after the model last received it. */
  readonly isKnownToModel: boolean;
  write(list: TodoList): void;
}

export interface ToolPlan {
  /** Verb in the imperative, as on a button: `Read`, `Edit` or `Run`. */
  readonly verb: string;
  /** Target of the call as one line of text, such as `src/app.ts:10-20`, `*.ts` or a command line. */
  readonly target: string;
  /** URI of the file that a click on the tool row opens; absent if a click opens none. */
  readonly uri?: string;
  /** All resources that the call accesses. The permission rules check each of them. */
  readonly resources: readonly ToolResource[];
  /** Content of the approval request. Absent for a call that never requires approval. */
  readonly preview?: ToolPreview;
}

export type ToolResource =
  | {
      readonly type: 'path';
      /**
       * Path as the model wrote it: absolute, or relative to the first workspace folder. If several folders are open,
       * the first segment can name another folder (`folder/…`).
       */
      readonly path: string;
      readonly access: PathAccess;
      /** File content before and after a write, or only the differing parts of both; absent if unknown. */
      readonly change?: TextChange;
    }
  | {
      readonly type: 'command';
      readonly commandLine: string;
      readonly cwd: string;
      /** True if the command continues while the agent works on. */
      readonly isBackground?: boolean;
    }
  /** A process that a command of the same conversation started with the user's approval. */
  | { readonly type: 'own-process' }
  | {
      readonly type: 'external';
      /** Set for a tool of this extension that sends data to the service; absent for a tool of another extension. */
      readonly ownTool?: {
        /** Host name of the server that receives the data of the call. A grant applies only to this host. */
        readonly host?: string;
        /**
         * Set if the call could leak workspace data: it requests a web page with a very long address, or a host for
         * which many calls have already run. The user must then approve the call even if a stored grant covers the
         * tool.
         */
        readonly shouldAlwaysAsk?: true;
      };
    }
  | {
      /** Cost of a call that is charged to the user's account. */
      readonly type: 'cost';
      /** Displayed price, such as `$0.01`; empty if it is unknown before the call. */
      readonly price: string;
    };

/** Complete content of the approval request, never shortened, so that the user sees exactly what the call does. */
export interface ToolPreview {
  /** Language of `text`. A `diff` is a unified diff without file headers. */
  readonly language: 'shellscript' | 'powershell' | 'diff' | 'json' | 'plaintext';
  readonly text: string;
  /** Displayed working directory of a command; empty for other calls. */
  readonly cwd: string;
  /** Labels of the files that the call changes. */
  readonly files: readonly string[];
}

export interface ToolResult {
  /** Output for the model, which the caller sanitizes and shortens. */
  readonly output: string;
  readonly images?: readonly ToolImage[];
  /** True if the tool worked but a command or service reported a failure, such as an exit code other than 0. */
  readonly hasFailed?: boolean;
  /**
   * Price of the call itself, for example for a generated image. Excludes the model requests of the turn. The price
   * counts toward the turn budget.
   */
  readonly cost?: Cost;
  /** Text that replaces the target in the tool row, such as `12 results for "foo"`. */
  readonly target?: string;
}

/** Kinds of tools that are available in Ask and Plan mode, because they change nothing outside the editor window. */
const readingKinds: ReadonlySet<Tool['kind']> = new Set(['read', 'editor', 'question']);

/** Maximum number of tools that services accept in a request. */
const maxTools = 128;

/**
 * Selects the tools of a mode. Omits disabled tools, tools with the name of the discovery tool or of an earlier tool,
 * and tools after the first 128.
 */
export function selectTools(
  tools: readonly Tool[],
  { mode, disabledNames }: { readonly mode: Mode; readonly disabledNames: ReadonlySet<string> },
): ReadonlyMap<string, Tool> {
  const selectedTools = new Map<string, Tool>();
  for (const tool of tools) {
    if (disabledNames.has(tool.name) || selectedTools.has(tool.name) || !isId(tool.name)) continue;
    if (tool.name === discoveryToolName) continue;
    if (selectedTools.size === maxTools) break;
    if (mode === 'agent' || readingKinds.has(tool.kind)) selectedTools.set(tool.name, tool);
  }
  return selectedTools;
}

/** Returns the tool definition for a request (spec §2.4), with the schema unchanged. */
export const createToolDefinition = ({ name, description, parameters }: Tool): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters },
});

/** Estimates the tokens of the definition of a tool. */
export const estimateDefinitionTokens = (tool: Tool): number =>
  estimateTokens(JSON.stringify(createToolDefinition(tool)));

/** Maximum length in characters of a call's output for the model. */
export const maxOutputLength = 60_000;

/**
 * Sanitizes the output of a tool for the model and the chat page: removes escape sequences and hidden characters, and
 * cuts the middle of a long output.
 */
export function sanitizeOutput(text: string, limit = maxOutputLength): string {
  // Cuts a very long text first. An escape sequence at the cut is treated as plain text.
  const shortenedText = text.length > limit * 8 ? truncateMiddle(text, limit * 4) : text;
  return truncateMiddle(stripHiddenCharacters(stripEscapeSequences(shortenedText)).text, limit);
}

/** Sanitizes text to a single line for a tool row or the title of an approval card. */
export function sanitizeLine(text: string, limit = 300): string {
  const line = stripHiddenCharacters(stripEscapeSequences(text.slice(0, limit * 4))).text;
  const singleLine = line.replaceAll(/\s+/gu, ' ').trim();
  return singleLine.length > limit ? `${singleLine.slice(0, limit - 1)}…` : singleLine;
}

/** Shortens a text by cutting its middle instead of its end, because errors usually come last. */
function truncateMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const headLength = Math.floor(limit * 0.4);
  const tailLength = limit - headLength;
  const omittedCount = text.length - headLength - tailLength;
  return `${trimHighSurrogate(text.slice(0, headLength))}\n[… ${omittedCount} characters left out …]\n${trimLowSurrogate(text.slice(-tailLength))}`;
}

/** Removes the first half of a surrogate pair at the end of a cut text. */
const trimHighSurrogate = (text: string): string => text.replace(/[\uD800-\uDBFF]$/u, '');
const trimLowSurrogate = (text: string): string => text.replace(/^[\uDC00-\uDFFF]/u, '');
