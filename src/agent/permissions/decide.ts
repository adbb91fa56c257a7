import * as l10n from '@vscode/l10n';
import type { Resource, Tool } from '../tool.ts';
import {
  type CommandGrant,
  type Grant,
  type Grants,
  type GrantScope,
  isGrantable,
} from './grants.ts';
import { allowed, strictest, type Verdict } from '../../workspace/verdict.ts';

/** A call as the rules see it: what it reaches, never what it says of itself. */
export interface DecisionRequest {
  readonly tool: Pick<Tool, 'name' | 'kind'>;
  /** Tells the tool from another of the same name. */
  readonly toolKey: string;
  readonly resources: readonly Resource[];
  /** Of everything the call reaches, in any order. */
  readonly verdicts: readonly Verdict[];
  /** Of commands, what is not granted yet; undefined when their first words would say too little. */
  readonly commands: readonly CommandGrant[] | undefined;
  readonly grants: Grants;
  readonly conversationId: string;
}

/** A verdict, and what of the person's answer may be remembered. */
export interface Permission extends Verdict {
  /** Scopes that may be offered with the question; empty when the answer holds only once. */
  readonly remember: readonly GrantScope[];
  /** What would be remembered, in words; empty when nothing may be. */
  readonly rememberWhat: string;
}

export interface Ruling extends Permission {
  /** What is remembered; undefined when nothing may be. */
  readonly grant: Grant | undefined;
}

/** The strictest of all verdicts. What the person granted before for all such calls is not asked again. */
export function decide(request: DecisionRequest): Ruling {
  const { tool, toolKey, grants, conversationId } = request;
  const worst = strictest([...request.verdicts, ...unstated(request)]);
  const once: Ruling = { ...worst, reasons: distinct(worst), ...nothingToRemember };
  if (worst.decision !== 'ask' || !worst.rememberable) return once;
  const remember = scopesOf(request);
  // Of commands the gate has looked at the grants already: it knows which words of a line they cover.
  if (tool.kind !== 'command' && grants.allowsTool(toolKey, conversationId, remember)) {
    return { ...allowed, ...nothingToRemember };
  }
  const grant = grantOf(request);
  if (!isGrantable(grant)) return { ...once, rememberable: false };
  return { ...once, remember, rememberWhat: wordsOf(grant, request), grant };
}

const nothingToRemember = { remember: [], rememberWhat: '', grant: undefined } as const;

/**
 * A tool that does not say what it changes, or reaches what is not of its kind, is asked about each time: no grant
 * of one kind opens another.
 */
function unstated({ tool: { kind }, resources }: DecisionRequest): readonly Verdict[] {
  const changes = resources.some((each) => each.type === 'path' && each.access !== 'read');
  // That a call costs money only adds a question.
  const isOfKind = ({ type }: Resource): boolean =>
    type === kind || type === 'cost' || (type === 'own-process' && kind === 'command');
  const stated =
    kind === 'edit' ? changes : resources.some((each) => each.type !== 'cost' && isOfKind(each));
  const strange = resources.some((each) => each.type !== 'path' && !isOfKind(each));
  const strangeChange = changes && kind !== 'edit';
  if (!strange && !strangeChange && (stated || !doesThings(kind))) return [];
  const text = l10n.t('The tool does not say what it would do.');
  return [{ decision: 'ask', reasons: [{ code: 'unstated', text }], rememberable: false }];
}

/**
 * Deleting is never allowed from now on, nor what costs money, nor reading outside the workspace: only while the
 * conversation lasts.
 */
function scopesOf({ tool: { kind }, resources }: DecisionRequest): readonly GrantScope[] {
  const isForNow = resources.some(
    (each) => each.type === 'cost' || (each.type === 'path' && each.access === 'delete'),
  );
  return isForNow || !doesThings(kind) ? ['conversation'] : ['conversation', 'always'];
}

const doesThings = (kind: Tool['kind']): boolean =>
  kind === 'edit' || kind === 'command' || kind === 'external';

const grantOf = ({ tool, toolKey, commands }: DecisionRequest): Grant =>
  tool.kind === 'command'
    ? { type: 'commands', commands: commands ?? [] }
    : { type: 'tool', key: toolKey };

function wordsOf(grant: Grant, { tool: { name, kind }, resources }: DecisionRequest): string {
  if (grant.type === 'commands') {
    const starts = grant.commands.map(({ words }) => `"${words.join(' ')}"`);
    const folders = grant.commands.map(({ folder }) =>
      folder === '.' ? l10n.t('the workspace folder itself') : folder,
    );
    return l10n.t('commands in {0} that begin with {1}', anyOf(folders), anyOf(starts));
  }
  const cost = resources.find(({ type }) => type === 'cost');
  const external = resources.find(({ type }) => type === 'external');
  const host = external?.type === 'external' ? external.own?.host : undefined;
  const calls =
    host === undefined ? l10n.t('calls of {0}', name) : l10n.t('calls of {0} for {1}', name, host);
  if (cost?.type === 'cost') return l10n.t('{0} that cost {1} each', calls, cost.price);
  if (kind === 'external') return l10n.t('calls of {0}', name);
  return kind === 'edit'
    ? l10n.t('calls of {0} inside the workspace', name)
    : l10n.t('calls of {0} outside the workspace', name);
}

const anyOf = (all: readonly string[]): string =>
  [...new Set(all)].reduce((some, each) => l10n.t('{0} or {1}', some, each));

function distinct({ reasons }: Verdict): Verdict['reasons'] {
  return [...new Map(reasons.map((reason) => [`${reason.code} ${reason.text}`, reason])).values()];
}
