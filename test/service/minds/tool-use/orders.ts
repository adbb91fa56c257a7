import type { Clause } from './clauses.ts';
import type { Order, ReadOrder } from './order.ts';
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
  for (const read of all) {
    const order = read(clause, context);
    if (order !== undefined) return order;
  }
  return undefined;
}
