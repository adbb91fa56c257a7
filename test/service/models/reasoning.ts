import { pick } from '../random.ts';
import { declarationsIn } from './code-reading.ts';
import type { ModelRequest } from './request.ts';

const paragraphsByEffort = { none: 0, minimal: 1, low: 2, medium: 4, high: 6, xhigh: 7, max: 7 };

/** Reasoning of a reasoning model, as long as the effort asks for; empty for other models and when switched off. */
export function reasoningFor({ call, code, question, variant }: ModelRequest): string {
  const { body, model, settings } = call;
  if (model.reasoning === 'none') return '';
  if (settings.disable_thinking || settings.strip_thinking_response) return '';
  const effort = body.reasoning_effort ?? body.reasoning?.effort;
  if (effort === undefined && body.reasoning?.enabled === false) return '';
  const names = code
    .slice(0, 1)
    .flatMap(({ text }) => declarationsIn(text).map(({ name }) => name));
  const opening = pick(() => variant, ['Okay, let me look at this.', "Let's see what is asked."]);
  const paragraphs = [
    `${opening} The question is: "${question.slice(0, 120)}".`,
    names.length > 0
      ? `There is code attached. It declares ${names.slice(0, 4).join(', ')}; I should read those first.`
      : 'There is no code attached, so I answer from what I know.',
    'What matters most is the control flow: where values come in, where they change, and who sees the result.',
    'I should be concrete: name the parts, say what each does, and point at the lines that deserve attention.',
    'Is there an edge case I would miss? Empty input, a rejected promise, a value that is not a number. Worth a remark.',
    'A table will be easier to scan than prose here, and a short example helps more than another paragraph.',
    'Good. I have what I need; now write it down briefly.',
  ];
  return paragraphs.slice(0, paragraphsByEffort[effort ?? 'medium']).join('\n\n');
}
