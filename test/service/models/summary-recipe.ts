import type { Recipe } from './request.ts';

/** Recipe that summarizes a conversation whose paragraphs start with `User:`, `Assistant:` or `Tool:`. */
export const summaryRecipe: Recipe = {
  name: 'summary of the conversation',
  matchesRequest: ({ text }) => /^\s*summarize the conversation so far/i.test(text),
  createReply: ({ text }) => {
    const conversation = /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(text)?.[1] ?? '';
    const parts = conversation.split(/\n\n(?=(?:User|Assistant): )/);
    const requests = parts.flatMap((part) => /^User: ([\s\S]*)/.exec(part)?.[1] ?? []);
    const earlierRequest = readRequestInSummary(conversation);
    const allRequests = [
      ...(earlierRequest === undefined ? [] : [earlierRequest]),
      ...requests,
    ].map((request) =>
      request.replaceAll(/<attachment: ([^>\n]+)>[\s\S]*?<\/attachment>/g, '(attached $1)'),
    );
    const calls = [...conversation.matchAll(/^Tool: (.+) \(([a-z-]+)\)$/gm)];
    const actions = calls.map(
      ([, target = '', status]) => `- ${toOneLine(target, 120)} (${status})`,
    );
    return [
      `Requests so far: ${allRequests.length}.`,
      ...[...new Set(actions)].slice(-40),
      `Latest request: ${toOneLine(allRequests.findLast((request) => request.trim() !== '') ?? 'nothing yet', 600)}`,
    ].join('\n');
  },
};

/** Returns the last request of the user from a summary. Returns undefined for other texts. */
export const readRequestInSummary = (text: string): string | undefined =>
  [...text.matchAll(/^Latest request: (.*)$/gm)].at(-1)?.[1];

function toOneLine(text: string, maxLength: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
