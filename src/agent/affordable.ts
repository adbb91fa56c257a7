import { estimateTokens } from '../base/token-estimate.ts';
import { toolTokens } from './tool-set.ts';
import type { Tool } from './tool.ts';

/** At most this share of a request is for what is in every request: there must be room for the conversation. */
const fixedShare = 0.5;
/** An instruction is not cut below this, in characters. */
const shortestInstruction = 1_000;

interface Fixed {
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
}

/**
 * What of the instructions and tools fits a model's context of `most` tokens: tools of other extensions go first, the
 * largest before the others, then the longest instructions are cut, then own tools go from the end.
 */
export function affordable({ instructions, tools }: Fixed, most: number): Fixed {
  const room = most * fixedShare;
  const kept = [...tools];
  const texts = [...instructions];
  const excess = (): number =>
    kept.reduce((sum, tool) => sum + toolTokens(tool), 0) +
    texts.reduce((sum, text) => sum + estimateTokens(text), 0) -
    room;
  while (excess() > 0) {
    const external = largestExternal(kept);
    const long = longest(texts);
    if (external !== -1) kept.splice(external, 1);
    else if (long !== -1) texts[long] = halved(texts[long] ?? '');
    else if (kept.length > 0) kept.pop();
    else break;
  }
  return { instructions: texts, tools: kept };
}

function largestExternal(tools: readonly Tool[]): number {
  let found = -1;
  for (const [index, tool] of tools.entries()) {
    const largest = tools[found];
    if (tool.kind === 'external' && (!largest || toolTokens(tool) > toolTokens(largest)))
      found = index;
  }
  return found;
}

function longest(texts: readonly string[]): number {
  let found = -1;
  for (const [index, { length }] of texts.entries()) {
    if (length > Math.max(shortestInstruction, texts[found]?.length ?? 0)) found = index;
  }
  return found;
}

const leftOut = '\n[… left out to save room …]';

const halved = (text: string): string =>
  `${text.slice(0, Math.max(shortestInstruction - leftOut.length, Math.floor(text.length / 2)))}${leftOut}`;
