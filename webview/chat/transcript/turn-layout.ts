import type { StatsView, ChangesView, ToolCallView } from '../../../src/agent/protocol.ts';
import type { CitationView, MessageView } from '../../../src/chat/protocol/view-state.ts';
import { isBusy } from '../store.ts';

/** Row below an answer: a tool call, or the heading of a group of tool calls. */
export type RowLayout =
  | { readonly kind: 'call'; readonly index: number }
  | { readonly kind: 'group'; readonly group: ReadGroup };

/** A group of consecutive read-only tool calls. The calls can belong to several answers. */
export interface ReadGroup {
  /** Key that stays the same while calls are added to the group. */
  readonly key: string;
  readonly calls: readonly ToolCallView[];
  readonly isOpen: boolean;
}

/** Properties of a rendered message that depend on the messages around it. */
export interface MessageLayout {
  /** True if another answer of the turn follows. The page renders the two answers as one. */
  readonly isContinued: boolean;
  /** True if the previous message is an answer of the same turn. */
  readonly isContinuation: boolean;
  /** True if all content of the message belongs to a collapsed group. */
  readonly isHidden: boolean;
  /** True if the message's reasoning belongs to a collapsed group. */
  readonly hasFoldedReasoning: boolean;
  readonly rows: readonly RowLayout[];
  /** File changes of the turn. Null for all messages except the last message of the turn. */
  readonly changes: ChangesView | null;
  /**
   * Usage of each request of the turn, in order. Omits requests whose usage the service did not report. Empty for all
   * messages except the last message of the turn.
   */
  readonly stats: readonly StatsView[];
  /** Sources of the turn without duplicates. Empty for all messages except the last message of the turn. */
  readonly sources: readonly CitationView[];
  /** Number of each source of the message in the turn's list of sources, starting at 1. */
  readonly sourceNumbers: readonly number[];
}

interface LayoutContext {
  readonly changes: readonly ChangesView[];
  /** Keys of the call groups ({@link ReadGroup.key}) that the user expanded. */
  readonly openGroupKeys: ReadonlySet<string>;
}

/** Returns the layout of each message, in the order of the messages. */
export function createLayouts(
  messages: readonly MessageView[],
  { changes, openGroupKeys }: LayoutContext,
): MessageLayout[] {
  const groups = groupCalls(messages, openGroupKeys);
  let turnId = '';
  let stats: StatsView[] = [];
  let sources = new TurnSources();
  return messages.map((message, index) => {
    if (message.role === 'user') {
      turnId = message.id;
      stats = [];
      sources = new TurnSources();
    }
    if (message.stats !== null) stats.push(message.stats);
    for (const { delegated } of message.toolCalls) if (delegated) stats.push(delegated.stats);
    const isContinued = message.role === 'assistant' && messages[index + 1]?.role === 'assistant';
    const placements = groups[index] ?? [];
    const sourceNumbers = message.citations.map((citation) => sources.addSource(citation));
    const isFolded = ({ group, isHead }: MessagePlacement): boolean =>
      group !== null && !group.isOpen && !isHead;
    return {
      isContinued,
      isContinuation: message.role === 'assistant' && messages[index - 1]?.role === 'assistant',
      isHidden:
        isContinued &&
        placements.length > 0 &&
        placements.every(isFolded) &&
        endsWithToolCalls(message),
      hasFoldedReasoning: placements[0] !== undefined && isFolded(placements[0]),
      rows: placements.flatMap(createRows),
      changes: isContinued || message.role === 'user' ? null : findChanges(changes, turnId),
      stats: isContinued || message.role === 'user' ? [] : stats,
      sources: isContinued || message.role === 'user' ? [] : sources.sources,
      sourceNumbers,
    };
  });
}

/** Sources of one turn. A source that several answers cite has the same number in all of them. */
class TurnSources {
  readonly sources: CitationView[] = [];
  readonly #numbers = new Map<string, number>();

  /** Adds a source unless the list already contains it. Returns the number of the source, from 1. */
  addSource(citation: CitationView): number {
    const key = citation.url || `${citation.host} ${citation.title}`;
    const number = this.#numbers.get(key) ?? this.sources.push(citation);
    this.#numbers.set(key, number);
    return number;
  }
}

/** Checks whether both layouts produce the same rendered message. */
export function isSameLayout(first: MessageLayout, second: MessageLayout): boolean {
  return (
    first.isContinued === second.isContinued &&
    first.isContinuation === second.isContinuation &&
    first.isHidden === second.isHidden &&
    first.hasFoldedReasoning === second.hasFoldedReasoning &&
    first.changes === second.changes &&
    hasSameItems(first.sources, second.sources) &&
    hasSameItems(first.sourceNumbers, second.sourceNumbers) &&
    first.rows.length === second.rows.length &&
    hasSameItems(first.stats, second.stats) &&
    first.rows.every((row, index) => isSameRow(row, second.rows[index]))
  );
}

/**
 * Placement of one tool call of a message. `group` is the group that contains the call, or null if the call has a
 * separate row.
 */
interface MessagePlacement {
  readonly index: number;
  readonly group: ReadGroup | null;
  /** True for the first call of a group. */
  readonly isHead: boolean;
}

interface GroupMember {
  readonly messageIndex: number;
  readonly callIndex: number;
}

function groupCalls(
  messages: readonly MessageView[],
  openGroupKeys: ReadonlySet<string>,
): MessagePlacement[][] {
  const placements: MessagePlacement[][] = messages.map(() => []);
  let members: GroupMember[] = [];
  const getCall = ({ messageIndex, callIndex }: GroupMember): ToolCallView | undefined =>
    messages[messageIndex]?.toolCalls[callIndex];
  const close = (): void => {
    const [first] = members;
    const calls = members.map(getCall).filter((call) => call !== undefined);
    const key = first === undefined ? '' : `${messages[first.messageIndex]?.id}/${first.callIndex}`;
    const group = calls.length > 1 ? { key, calls, isOpen: openGroupKeys.has(key) } : null;
    for (const member of members) {
      placements[member.messageIndex]?.push({
        index: member.callIndex,
        group,
        isHead: member === first,
      });
    }
    members = [];
  };
  for (const [messageIndex, message] of messages.entries()) {
    if (!continuesGroup(message)) close();
    for (const [index, call] of message.toolCalls.entries()) {
      const member = { messageIndex, callIndex: index };
      if (!isBusy(message) && isCompletedRead(call)) {
        members.push(member);
      } else {
        close();
        placements[messageIndex]?.push({ index, group: null, isHead: false });
      }
    }
    if (!endsWithToolCalls(message)) close();
  }
  close();
  return placements;
}

function createRows({ index, group, isHead }: MessagePlacement): RowLayout[] {
  if (group === null) return [{ kind: 'call', index }];
  return [
    ...(isHead ? [{ kind: 'group', group } as const] : []),
    ...(group.isOpen ? [{ kind: 'call', index } as const] : []),
  ];
}

/**
 * Checks whether the call is a completed read-only call, which can be part of a group. Returns false for a delegated
 * task, which always has a separate row.
 */
const isCompletedRead = ({ readOnly, status, delegated }: ToolCallView): boolean =>
  readOnly && status === 'done' && delegated === undefined;

/**
 * Checks whether the message shows nothing above its tool calls. Its calls can then join a group with the calls of the
 * previous message.
 */
const continuesGroup = ({ role, text, summary }: MessageView): boolean =>
  role === 'assistant' && text.trim() === '' && summary === null;

/**
 * Checks whether the message shows nothing below its tool calls. Its calls can then share a group with the calls of the
 * next message.
 */
const endsWithToolCalls = ({ status, failure, isIncomplete }: MessageView): boolean =>
  status === 'complete' && failure === null && !isIncomplete;

const findChanges = (changes: readonly ChangesView[], turnId: string): ChangesView | null =>
  changes.find((change) => change.turnId === turnId) ?? null;

const hasSameItems = <T>(first: readonly T[], second: readonly T[]): boolean =>
  first.length === second.length && first.every((item, index) => item === second[index]);

function isSameRow(first: RowLayout, second: RowLayout | undefined): boolean {
  if (second === undefined || first.kind !== second.kind) return false;
  if (first.kind === 'call') return second.kind === 'call' && first.index === second.index;
  return second.kind === 'group' && isSameGroup(first.group, second.group);
}

const isSameGroup = (first: ReadGroup, second: ReadGroup): boolean =>
  first.key === second.key &&
  first.isOpen === second.isOpen &&
  hasSameItems(first.calls, second.calls);
