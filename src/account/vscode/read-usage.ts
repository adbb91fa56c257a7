import * as vscode from 'vscode';
import { computeRequestCost } from '../budget.ts';
import { type BudgetPeriod, formatLocalDate, isSameMonth } from '../spending-day.ts';
import type { UsageView } from '../usage-protocol.ts';
import {
  listLastDays,
  zeroUsage,
  sumUsageBy,
  sumUsage,
  formatUsageCsv,
  type UsageRecord,
  type UsageTotals,
} from '../usage.ts';
import { convertNanoToNumber } from '../../base/nano-amount.ts';
import type { Cost, Usage } from '../../service/chat/chat-types.ts';
import type { Clock } from '../../base/clock.ts';
import type { LazyBudget } from './budget.ts';
import type { PricedModels } from './budget-watch.ts';
import { estimateCost } from '../../service/pricing.ts';

/** A conversation with the time and cost of each of its replies. */
export interface ConversationCosts {
  readonly id: string;
  readonly title: string;
  readonly isDamaged: boolean;
  readonly answers: readonly {
    /** Time of the reply, in milliseconds since the epoch. */
    readonly time: number;
    readonly modelId: string;
    readonly usage?: Usage;
    readonly cost?: Cost;
  }[];
}

/** Sources of usage data. */
export interface UsageDependencies {
  readonly service: { readonly clock: Clock };
  readonly models: PricedModels;
  /** The user's budget; undefined if spending is not recorded. */
  readonly budget?: LazyBudget;
}

interface UsageSource {
  readonly dependencies: UsageDependencies;
  readonly readCosts: () => AsyncIterable<ConversationCosts>;
  /** Length of the period in days, including today. */
  readonly days: number;
}

const maxConversations = 200;
const maxTitleLength = 300;

/**
 * Reads the spending of the last `days` days in all windows, and the cost of each conversation.
 * @throws if a record cannot be read
 */
export async function readUsage({
  dependencies,
  readCosts,
  days,
}: UsageSource): Promise<UsageView> {
  const watch = await dependencies.budget?.getWatch();
  const dayNames = listLastDays(dependencies.service.clock.now(), days, formatLocalDate);
  const allRecords = (await watch?.listUsageRecords()) ?? [];
  const records = allRecords.filter(({ day }) => dayNames.includes(day));
  const totalsByDay = sumUsageBy(records, ({ day }) => day);
  const usages = (await watch?.listBudgetUsages()) ?? [];
  const incompleteDays = (await watch?.listIncompleteDays()) ?? new Set<string>();
  return {
    days,
    ...(dayNames.some((day) => incompleteDays.has(day)) && { isIncomplete: true }),
    total: createTotalsView(sumUsage(totalsByDay.values())),
    byDay: dayNames.map((day) => ({ day, ...createTotalsView(totalsByDay.get(day) ?? zeroUsage) })),
    byModel: sortByCost(sumUsageBy(records, formatModelLabel)).map(([model, totals]) => ({
      model: dependencies.models.find(model)?.name ?? model,
      ...createTotalsView(totals),
    })),
    byFeature: sortByCost(sumUsageBy(records, ({ feature }) => feature)).map(
      ([feature, totals]) => ({
        feature,
        ...createTotalsView(totals),
      }),
    ),
    byConversation: await sumConversationCosts(dependencies, readCosts(), dayNames),
    budgets: usages.map(({ period, spentAmount, limit, isPartial, isDamaged }) => ({
      period,
      usd: convertNanoToNumber(spentAmount),
      limitUsd: convertNanoToNumber(limit),
      ...((isPartial ||
        isDamaged ||
        hasUnpricedRecords(allRecords, period, dependencies.service.clock.now())) && {
        isIncomplete: true,
      }),
    })),
  };
}

/** Returns the model to show for a request: its id, or a label for a web search, whose model the service chooses. */
const formatModelLabel = ({ model, feature }: UsageRecord): string =>
  model === '' && feature === 'web' ? vscode.l10n.t('Web search') : model;

/** Checks whether the current day or month contains a request whose price is unknown. */
function hasUnpricedRecords(
  records: readonly UsageRecord[],
  period: BudgetPeriod,
  now: number,
): boolean {
  const today = formatLocalDate(now);
  return records.some(
    ({ day, isUnpriced }) =>
      isUnpriced === true && (period === 'daily' ? day === today : isSameMonth(day, today)),
  );
}

async function sumConversationCosts(
  { models }: UsageDependencies,
  conversations: AsyncIterable<ConversationCosts>,
  days: readonly string[],
): Promise<UsageView['byConversation']> {
  const sums: { id: string; title: string; isDamaged: boolean; sum: UsageTotals }[] = [];
  for await (const { answers, ...conversation } of conversations) {
    const records = toUsageRecords(answers, models).filter(({ day }) => days.includes(day));
    if (records.length === 0) continue;
    const sum = sumUsage(sumUsageBy(records, ({ day }) => day).values());
    sums.push({ ...conversation, sum });
  }
  return sums
    .toSorted((a, b) => compareCost(a.sum, b.sum))
    .slice(0, maxConversations)
    .map(({ id, title, isDamaged, sum }) => ({
      id,
      title: title.slice(0, maxTitleLength),
      ...createTotalsView(sum),
      ...(isDamaged && { isIncomplete: true }),
    }));
}

function toUsageRecords(
  answers: ConversationCosts['answers'],
  models: PricedModels,
): readonly UsageRecord[] {
  return answers.map(({ time, modelId, usage, cost }) => {
    const bill = { ...(usage && { usage }), ...(cost && { cost }) };
    const spentAmount = computeRequestCost({}, bill, (requestUsage) =>
      estimateCost(requestUsage, models.find(modelId)?.pricing),
    );
    return {
      day: formatLocalDate(time),
      feature: 'chat',
      model: modelId,
      spentAmount: spentAmount ?? 0n,
      promptTokens: usage?.promptTokens ?? 0,
      cachedTokens: usage?.cachedTokens ?? 0,
      completionTokens: usage?.completionTokens ?? 0,
    };
  });
}

const createTotalsView = ({ spentAmount, ...sum }: UsageTotals) => ({
  ...sum,
  usd: convertNanoToNumber(spentAmount),
});

const sortByCost = (
  sums: ReadonlyMap<string, UsageTotals>,
): readonly (readonly [string, UsageTotals])[] =>
  [...sums].toSorted(([, a], [, b]) => compareCost(a, b));

const compareCost = (a: UsageTotals, b: UsageTotals): number =>
  a.spentAmount === b.spentAmount
    ? b.requests - a.requests
    : a.spentAmount < b.spentAmount
      ? 1
      : -1;

/** Exports all recorded requests as a CSV file. The user chooses the location. */
export async function exportUsage({ budget }: Pick<UsageDependencies, 'budget'>): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export as CSV'),
    filters: { CSV: ['csv'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'usage.csv') }),
  });
  if (uri === undefined) return;
  const watch = await budget?.getWatch();
  const text = formatUsageCsv((await watch?.listUsageRecords()) ?? []);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(uri, { preview: true });
}
