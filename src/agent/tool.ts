import { stripEscapeSequences, stripHiddenCharacters } from '../base/hidden-characters.ts';
import type { Json } from '../base/json.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type { ToolImage } from '../conversation/tool-run.ts';
import type { Cost, ToolDefinition } from '../service/chat/chat-types.ts';
import type { PathAccess } from '../workspace/path-rules.ts';

/** A JSON schema as it is sent to the model. Other extensions' schemas pass through unchanged. */
export type JsonSchema = { readonly [key: string]: Json };

/** Arguments that fit the tool's schema. Made without a prototype: `__proto__` is a name like any other. */
export type ToolArguments = { readonly [name: string]: Json };

/**
 * What a tool may do at most. `read` runs beside others and is allowed inside the workspace; `edit` and `command`
 * run alone and in order; `editor` only moves what the person sees; `question` asks the person;
 * `external` belongs to another extension, which confirms by its own rules.
 */
export type ToolKind = 'read' | 'edit' | 'command' | 'editor' | 'question' | 'external';

export interface Tool {
  /** As the model calls it: `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly kind: ToolKind;
  /** Off until the person switches it on. */
  readonly optIn?: boolean;
  /** For the model: what it does, what it returns, when to use another one. */
  readonly description: string;
  /** Of the arguments: an object schema. */
  readonly parameters: JsonSchema;
  /**
   * What a call would do, without doing it: for the row, the rules and the approval.
   * @throws ToolError for arguments that no run could accept.
   */
  plan(args: ToolArguments, context: ToolContext): Promise<ToolPlan>;
  /**
   * Does it. The rules were asked before; what can have changed since (a link, a file's text) is checked again.
   * @throws ToolError with what the model can do about it.
   */
  run(args: ToolArguments, context: ToolContext): Promise<ToolResult>;
}

/** Where a call belongs. */
export interface ToolContext {
  readonly conversationId: string;
  /** Id of the person's message that began the turn. */
  readonly turnId: string;
  /** Id of the answer that holds the call. */
  readonly messageId: string;
  readonly callId: string;
  /** Fires when the person stops the turn: the tool ends its processes and throws or returns within a second. */
  readonly signal: AbortSignal;
  /** Whether the model takes pictures. */
  readonly vision: boolean;
}

export interface ToolPlan {
  /** Imperative, as a button says it: `Read`, `Edit`, `Run`. */
  readonly verb: string;
  /** Past form, for the row afterwards: `Read`, `Edited`, `Ran`. */
  readonly pastVerb: string;
  /** One line: `src/app.ts:10-20`, `*.ts`, a command line. */
  readonly target: string;
  /** What a click on the row opens. */
  readonly uri?: string;
  /** Everything the call reaches; the rules judge each. */
  readonly resources: readonly Resource[];
  /** What the person reads before they allow it; a call that is never asked about needs none. */
  readonly preview?: Preview;
}

export type Resource =
  | {
      readonly type: 'path';
      /** As the model wrote it: relative to the (first) workspace folder, `folder/…` with several, or absolute. */
      readonly path: string;
      readonly access: PathAccess;
      /** Of a write that knows it: what becomes of the text, or of the parts of it that change. */
      readonly change?: { readonly before: string; readonly after: string };
    }
  | { readonly type: 'command'; readonly commandLine: string; readonly cwd: string }
  /** A command that the same conversation has started, and that the person allowed then. */
  | { readonly type: 'own-process' }
  | {
      readonly type: 'external';
      /** Of the service itself; absent for a tool of another extension. */
      readonly ownTool?: {
        /** Of the web, that the call sends something to: what is remembered holds for it alone. */
        readonly host?: string;
        /** The call carries more than is usual: it is asked about whatever is remembered. */
        readonly alwaysAsk?: true;
      };
    }
  | {
      /** The call costs money of the person's account. */
      readonly type: 'cost';
      /** As shown, e.g. `$0.01`; empty when nobody knows it before. */
      readonly price: string;
    };

/** Whole, never shortened: what the person sees is what happens. */
export interface Preview {
  /** `diff` is unified, without file headers. */
  readonly language: 'shellscript' | 'powershell' | 'diff' | 'json' | 'plaintext';
  readonly text: string;
  /** Working directory of a command, as shown; empty for anything else. */
  readonly cwd: string;
  /** Labels of the files that change. */
  readonly files: readonly string[];
}

export interface ToolResult {
  /** For the model. The caller cleans and caps it. */
  readonly output: string;
  readonly images?: readonly ToolImage[];
  /** It did what it does, and what it ran or asked said that it failed: an exit code other than 0. */
  readonly failed?: boolean;
  /** What the call itself cost, besides the requests of the turn: it counts towards the turn's budget. */
  readonly cost?: Cost;
  /** Replaces the plan's target in the row when the run knows better, e.g. `12 results for "foo"`. */
  readonly target?: string;
}

export type Mode = 'ask' | 'agent';

/** Kinds that change nothing outside the editor's window. */
const askModeKinds: ReadonlySet<Tool['kind']> = new Set(['read', 'editor', 'question']);

/** No service takes more. */
const maxTools = 128;

/** The tools that a model gets in a mode: the first of a name counts, switched-off ones and those beyond 128 are left out. */
export function selectTools(
  tools: readonly Tool[],
  { mode, disabled }: { readonly mode: Mode; readonly disabled: ReadonlySet<string> },
): ReadonlyMap<string, Tool> {
  const selected = new Map<string, Tool>();
  for (const tool of tools) {
    if (disabled.has(tool.name) || selected.has(tool.name) || !/^[\w-]{1,64}$/u.test(tool.name))
      continue;
    if (selected.size === maxTools) break;
    if (mode === 'agent' || askModeKinds.has(tool.kind)) selected.set(tool.name, tool);
  }
  return selected;
}

/** As it is sent to the model (spec §2.4); the schema is passed through unchanged. */
export const toolDefinition = ({ name, description, parameters }: Tool): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters },
});

/** What the tool costs in every request, about, in tokens. */
export const estimateToolTokens = (tool: Tool): number =>
  estimateTokens(JSON.stringify(toolDefinition(tool)));

/** Most characters of one call that the model gets. */
export const maxOutputLength = 60_000;

/** What a tool said, as the model and the page may see it: no escape sequences, nothing invisible, not too much. */
export function sanitizeOutput(text: string, limit = maxOutputLength): string {
  // Far more than is kept is not worth looking at; an escape sequence at the cut is cut like any other text.
  const bounded = text.length > limit * 8 ? truncateMiddle(text, limit * 4) : text;
  return truncateMiddle(stripHiddenCharacters(stripEscapeSequences(bounded)).text, limit);
}

/** One line for a row or a card's title. */
export function sanitizeLine(text: string, limit = 300): string {
  const line = stripHiddenCharacters(stripEscapeSequences(text.slice(0, limit * 4))).text;
  const flat = line.replaceAll(/\s+/gu, ' ').trim();
  return flat.length > limit ? `${flat.slice(0, limit - 1)}…` : flat;
}

/** The beginning and the end, which say most; errors stand at the end. */
function truncateMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.4);
  const tail = limit - head;
  const omitted = text.length - head - tail;
  return `${trimHighSurrogate(text.slice(0, head))}\n[… ${omitted} characters left out …]\n${trimLowSurrogate(text.slice(-tail))}`;
}

/** No half of a character outside the basic plane. */
const trimHighSurrogate = (text: string): string => text.replace(/[\uD800-\uDBFF]$/u, '');
const trimLowSurrogate = (text: string): string => text.replace(/^[\uDC00-\uDFFF]/u, '');
