import { type Nano, toNano } from '../base/nano-amount.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';
import type { Bill, PaidRequest } from '../service/chat/spending.ts';

/** What one request can cost at most, in dollars; more is a false figure, and the estimate counts. */
const most = 1_000_000_000_000n;

/**
 * What a request cost, in dollars; one DIEM counts as one dollar. What the service said counts first, then the price
 * that was known before, then the estimate.
 * @param estimate by the model's prices, which name the same cost in each unit
 * @returns undefined when nothing tells
 */
export function amountOf(
  { price }: Pick<PaidRequest, 'price'>,
  { cost, usage }: Bill,
  estimate: (usage: Usage) => Cost | undefined,
): Nano | undefined {
  const said = cost === undefined ? undefined : sum(cost);
  if (said !== undefined) return said;
  return either(price) ?? (usage === undefined ? undefined : either(estimate(usage)));
}

/** What is known before: the price, where there is one. */
export const priceOf = ({ price }: Pick<PaidRequest, 'price'>): Nano => either(price) ?? 0n;

/** The service names what it took of each. */
function sum({ usd, diem }: Cost): Nano | undefined {
  const said = [usd, diem].filter((each) => each !== undefined).map(toNano);
  const total = said.reduce<Nano>((all, each) => all + (each ?? 0n), 0n);
  return said.length === 0 || said.includes(undefined) || total > most ? undefined : total;
}

/** A list names the same price in each unit. */
function either(cost: Cost | undefined): Nano | undefined {
  const amount = toNano(cost?.usd ?? cost?.diem);
  return amount === undefined || amount > most ? undefined : amount;
}
