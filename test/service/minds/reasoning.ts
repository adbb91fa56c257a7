import type { ChatCall } from '../chat/call.ts';
import { pick } from '../random.ts';
import { attachedCode, declarationsIn } from './code-reading.ts';
import { questionOf } from './question.ts';

const thoughtsPerEffort = { none: 0, minimal: 1, low: 2, medium: 4, high: 6, xhigh: 7, max: 7 };

/** What a reasoning model thinks before it answers; empty for the others and when switched off. */
export function thoughtsFor(call: ChatCall, random: () => number): string {
  const { body, model, settings } = call;
  if (model.reasoning === 'none') return '';
  if (settings.disable_thinking || settings.strip_thinking_response) return '';
  const asked = body.reasoning_effort ?? body.reasoning?.effort;
  const off = asked === undefined && body.reasoning?.enabled === false;
  const count = off ? 0 : thoughtsPerEffort[asked ?? 'medium'];
  return thoughts(call, random).slice(0, count).join('\n\n');
}

function thoughts({ body }: ChatCall, random: () => number): string[] {
  const question = questionOf(body);
  const [code] = attachedCode(body);
  const names = code === undefined ? [] : declarationsIn(code).map(({ name }) => name);
  const opening = pick(random, ['Okay, let me look at this.', "Let's see what is asked."]);
  const read =
    names.length > 0
      ? `There is code attached. It declares ${names.slice(0, 4).join(', ')}; I should read those first.`
      : 'There is no code attached, so I answer from what I know.';
  return [
    `${opening} The question is: "${question.slice(0, 120)}".`,
    read,
    'What matters most is the control flow: where values come in, where they change, and who sees the result.',
    'I should be concrete: name the parts, say what each does, and point at the lines that deserve attention.',
    'Is there an edge case I would miss? Empty input, a rejected promise, a value that is not a number. Worth a remark.',
    'A table will be easier to scan than prose here, and a short example helps more than another paragraph.',
    'Good. I have what I need; now write it down briefly.',
  ];
}
