import { type Resource, type Tool, ToolError, type ToolPlan } from '../tool.ts';
import { type CommandGrants, commandPrefixes, judgeCommand } from './command-gate.ts';
import type { CommandParser, ShellKind } from './command-parser.ts';
import { decide, type Ruling } from './decide.ts';
import type { Grants, GrantScope } from './grants.ts';
import type { PathFacts } from './path-facts.ts';
import { judgePath, type PathAccess } from './path-rules.ts';
import type { TextChange } from './remote-reference.ts';
import { strictest, type Verdict } from './verdict.ts';

export interface PermissionPorts {
  readonly grants: Grants;
  /** @throws ToolError for what no rule may allow */
  readonly facts: (path: string) => Promise<PathFacts>;
  readonly parser: CommandParser;
  /** Of the shell that runs commands. */
  readonly shell: () => ShellKind;
  /** Whether the person lets commands run that only read. */
  readonly reading: () => boolean;
}

/** Judges what a call would do: each resource, where a command runs, and what the person granted before. */
export class PermissionRules {
  readonly #ports: PermissionPorts;

  constructor(ports: PermissionPorts) {
    this.#ports = ports;
  }

  /** @throws what the disk says; then nothing may run */
  async judge(tool: Tool, { resources }: ToolPlan, conversationId: string): Promise<Ruling> {
    const { grants } = this.#ports;
    const judged = await Promise.all(resources.map((each) => this.#judge(each, conversationId)));
    const prefixes = judged.map((each) => each.prefixes);
    return decide({
      tool,
      toolKey: await toolKey(tool),
      resources,
      verdicts: judged.map(({ verdict }) => verdict),
      prefixes: prefixes.every((each) => each !== undefined) ? prefixes.flat() : undefined,
      grants,
      conversationId,
    });
  }

  /** Remembers what `judge` offers for this plan. What it does not offer is not remembered. */
  async remember(
    tool: Tool,
    plan: ToolPlan,
    scope: GrantScope,
    conversationId: string,
  ): Promise<void> {
    const { remember, grant } = await this.judge(tool, plan, conversationId);
    if (grant === undefined || !remember.includes(scope)) return;
    await this.#ports.grants.remember(grant, scope, conversationId);
  }

  async #judge(resource: Resource, conversationId: string): Promise<Judged> {
    if (resource.type === 'external') return { verdict: external, prefixes: [] };
    if (resource.type === 'command') return this.#judgeCommand(resource, conversationId);
    const { path, access, change } = resource;
    return { verdict: await this.#judgePath(path, access, change), prefixes: [] };
  }

  async #judgeCommand(
    { commandLine, cwd }: Extract<Resource, { type: 'command' }>,
    conversationId: string,
  ): Promise<Judged> {
    const { parser, shell, reading, grants } = this.#ports;
    const kind = shell();
    const tree = await parser.parse(kind, commandLine);
    const command = { shell: kind, commandLine, tree, cwd };
    const granted: CommandGrants = {
      prefixes: grants.prefixes(conversationId),
      reading: reading(),
    };
    const folder = await this.#judgePath(cwd === '' ? '.' : cwd, 'read');
    const verdict = strictest([
      judgeCommand(command, granted),
      { ...folder, rememberable: folder.decision === 'allow' },
    ]);
    return { verdict, prefixes: commandPrefixes(command, granted) };
  }

  async #judgePath(path: string, access: PathAccess, change?: TextChange): Promise<Verdict> {
    try {
      return judgePath(await this.#ports.facts(path), access, change);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const reason = { code: error.code, text: error.message };
      return { decision: 'refuse', reasons: [reason], rememberable: false };
    }
  }
}

interface Judged {
  readonly verdict: Verdict;
  /** Of commands: what could be remembered of them. */
  readonly prefixes: readonly (readonly string[])[] | undefined;
}

const external: Verdict = {
  decision: 'ask',
  reasons: [{ code: 'external', text: 'The tool belongs to another extension.' }],
  rememberable: true,
};

/**
 * The name; of another extension's tool also what it says it is: one that changes its description or its arguments
 * after it was allowed is another tool.
 */
async function toolKey({ name, kind, description, parameters }: Tool): Promise<string> {
  if (kind !== 'external') return name;
  const text = new TextEncoder().encode(JSON.stringify([description, parameters]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `${name}#${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
