import * as vscode from 'vscode';
import { amountOf } from '../budget.ts';
import { dayName } from '../spending-day.ts';
import type { UsageView } from '../usage-protocol.ts';
import {
  lastDays,
  noUsage,
  sumBy,
  total,
  usageCsv,
  type UsageRecord,
  type UsageSum,
} from '../usage.ts';
import { nanoUnits } from '../../base/nano-amount.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { answerCosts } from '../../conversation/summary.ts';
import type { ConversationFiles } from '../../conversation/vscode/conversation-files.ts';
import type { Host } from '../../host.ts';
import { estimateCost } from '../../service/pricing.ts';

interface UsageSource {
  readonly host: Host;
  readonly conversations: Pick<ConversationFiles, 'all'>;
  /** How many days back, today included. */
  readonly days: number;
}

const mostConversations = 200;
const longestTitle = 300;

/** What was spent in the last days, in all windows and by each conversation. @throws what the disk says */
export async function readUsage({ host, conversations, days }: UsageSource): Promise<UsageView> {
  const watch = await host.budget?.watch();
  const names = lastDays(host.service.clock.now(), days, dayName);
  const all = (await watch?.usage()) ?? [];
  const records = all.filter(({ day }) => names.includes(day));
  const byDay = sumBy(records, ({ day }) => day);
  const uses = (await watch?.uses()) ?? [];
  return {
    days,
    total: view(total(byDay.values())),
    byDay: names.map((day) => ({ day, ...view(byDay.get(day) ?? noUsage) })),
    byModel: dearestFirst(sumBy(records, ({ model }) => model)).map(([model, sum]) => ({
      model: host.models.find(model)?.name ?? model,
      ...view(sum),
    })),
    byFeature: dearestFirst(sumBy(records, ({ feature }) => feature)).map(([feature, sum]) => ({
      feature,
      ...view(sum),
    })),
    byConversation: await conversationSums(host, conversations, names),
    budgets: uses.map(({ period, spent, limit }) => ({
      period,
      usd: nanoUnits(spent),
      limitUsd: nanoUnits(limit),
    })),
  };
}

async function conversationSums(
  host: Host,
  conversations: UsageSource['conversations'],
  days: readonly string[],
): Promise<UsageView['byConversation']> {
  const found: { id: string; title: string; sum: UsageSum }[] = [];
  for await (const conversation of conversations.all()) {
    const records = recordsOf(conversation, host).filter(({ day }) => days.includes(day));
    if (records.length === 0) continue;
    const { id, title } = conversation;
    found.push({ id, title, sum: total(sumBy(records, ({ day }) => day).values()) });
  }
  return found
    .toSorted((a, b) => order(a.sum, b.sum))
    .slice(0, mostConversations)
    .map(({ id, title, sum }) => ({ id, title: title.slice(0, longestTitle), ...view(sum) }));
}

function recordsOf(conversation: Conversation, { models }: Host): readonly UsageRecord[] {
  return answerCosts(conversation).map(({ at, modelId, usage, cost }) => {
    const bill = { ...(usage && { usage }), ...(cost && { cost }) };
    const spent = amountOf({}, bill, (used) => estimateCost(used, models.find(modelId)?.pricing));
    return {
      day: dayName(at),
      feature: 'chat',
      model: modelId,
      spent: spent ?? 0n,
      promptTokens: usage?.promptTokens ?? 0,
      completionTokens: usage?.completionTokens ?? 0,
    };
  });
}

const view = ({ spent, ...sum }: UsageSum) => ({ ...sum, usd: nanoUnits(spent) });

const dearestFirst = (
  sums: ReadonlyMap<string, UsageSum>,
): readonly (readonly [string, UsageSum])[] => [...sums].toSorted(([, a], [, b]) => order(a, b));

const order = (a: UsageSum, b: UsageSum): number =>
  a.spent === b.spent ? b.requests - a.requests : a.spent < b.spent ? 1 : -1;

/** Saves every request that is kept as a file for spreadsheets, where the person says. */
export async function exportUsage(host: Host): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export usage'),
    filters: { CSV: ['csv'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'usage.csv') }),
  });
  if (target === undefined) return;
  const watch = await host.budget?.watch();
  const text = usageCsv((await watch?.usage()) ?? []);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(target, { preview: true });
}
