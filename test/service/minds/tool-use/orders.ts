import type { Clause } from './clauses.ts';
import { type Order, pathsFor, type ReadOrder } from './order.ts';
import { codeOrders } from './orders-code.ts';
import { findFiles, listFolder, searchText } from './orders-find.ts';
import { explainFile, otherTool } from './orders-other.ts';
import {
  callTool,
  getProblems,
  openFiles,
  readFiles,
  readFolder,
  showDiff,
} from './orders-read.ts';
import { runAndFix, runOrders } from './orders-run.ts';
import { findAndRename, writeOrders } from './orders-write.ts';
import type { Context } from './plan.ts';

/** The first that understands a clause counts. */
const all: readonly ReadOrder[] = [
  callTool,
  runAndFix,
  findAndRename,
  ...codeOrders,
  ...runOrders,
  ...writeOrders,
  showDiff,
  getProblems,
  readFolder,
  findFiles,
  openFiles,
  readFiles,
  listFolder,
  searchText,
  explainFile,
  otherTool,
];

/** What a clause asks for with the tools there are; undefined when it asks for no action. */
export function orderFor(clause: Clause, context: Context): Order | undefined {
  if (asksOfAttached(clause, context)) return undefined;
  for (const read of all) {
    const order = read(clause, context);
    if (order !== undefined) return order;
  }
  return undefined;
}

/** Nobody looks up what the person sent along. */
function asksOfAttached(clause: Clause, context: Context): boolean {
  const paths = pathsFor(clause, context);
  const isKnown = paths.length > 0 && paths.every((path) => context.attached.includes(path));
  return isKnown && /^what(?:'s| is| are) in\b/i.test(clause.text);
}
