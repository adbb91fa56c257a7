/** What a mark in an answer means: `drop` takes it out, `end` ends the answer, `skip` takes out all up to `until`. */
export interface Mark {
  readonly text: string;
  readonly means: 'drop' | 'end' | 'skip';
  /** The first of these ends what is skipped. */
  readonly until?: readonly string[];
}

/**
 * The marks that models put into answers: of prompts with a hole, of turns, and of thoughts. What stands in the document
 * around the cursor as well is code there.
 */
export function marksFor(around: string): ReadonlyMap<string, Mark> {
  if (!around.includes('<') && !around.includes('[')) return byText;
  return new Map([...byText].filter(([text]) => !around.includes(text)));
}

/** Whether a mark begins like this and goes on. */
export const isBeginning = (text: string): boolean => beginnings.has(text);

const skip = (text: string, ...until: string[]): Mark => ({ text, means: 'skip', until });
const drop = (text: string): Mark => ({ text, means: 'drop' });
const end = (text: string): Mark => ({ text, means: 'end' });

const middles = ['<|fim_middle|>', '<fim_middle>', '<fim-middle>'];

const marks: readonly Mark[] = [
  skip('<think>', '</think>'),
  skip('<thinking>', '</thinking>'),
  skip('<reasoning>', '</reasoning>'),
  drop('</think>'),
  skip('<|fim_prefix|>', ...middles),
  skip('<fim_prefix>', ...middles),
  skip('<|fim_suffix|>', ...middles),
  skip('<fim_suffix>', ...middles),
  ...middles.map(drop),
  ...['<prefix>', '</prefix>', '<PRE>', '<MID>', '[PREFIX]', '[MIDDLE]'].map(drop),
  ...['<completion>', '<COMPLETION>', '<answer>', '<missing>', '<insert>', '<fill>'].map(drop),
  ...['<cursor>', '<CURSOR>', '<cursor/>', '<cursor />', '<|cursor|>', '<｜fim▁hole｜>'].map(drop),
  ...['<｜fim▁begin｜>', '<|im_start|>', '<hole>', '<hole/>', '<|middle|>'].map(drop),
  ...['<suffix>', '</suffix>', '<SUF>', '[SUFFIX]', '<｜fim▁end｜>'].map(end),
  ...['</completion>', '</COMPLETION>', '</answer>', '</missing>', '</insert>', '</fill>'].map(end),
  ...['</cursor>', '</hole>', '<|fim_pad|>', '<|file_sep|>', '<file_sep>', '<|repo_name|>'].map(
    end,
  ),
  ...['<|endoftext|>', '<|end_of_text|>', '<|eot_id|>', '<|im_end|>', '<|end|>'].map(end),
  ...['<end_of_turn>', '<EOT>', '<|EOT|>', '<｜end▁of▁sentence｜>', '[/INST]'].map(end),
];
const byText: ReadonlyMap<string, Mark> = new Map(marks.map((mark) => [mark.text, mark]));
const beginnings: ReadonlySet<string> = new Set(
  marks.flatMap(({ text }) =>
    Array.from({ length: text.length - 1 }, (_, index) => text.slice(0, index + 1)),
  ),
);
