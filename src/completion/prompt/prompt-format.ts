import type { Model } from '../../service/model-types.ts';

/**
 * `text` so that nothing in it is read as a mark of the prompt: neither the tokens with which models tell turns, files
 * and holes apart, nor the `tags` that this prompt uses. A space behind the opening bracket is enough for both. Takes
 * linear time; what holds no mark stays the same.
 */
export function escapeTokens(text: string, marks: RegExp = promptTags): string {
  // Nearly every text holds none, and a search is cheaper than a copy.
  if (!/[<[]/u.test(text)) return text;
  return text.replace(controlTokens, '$& ').replace(marks, '$& ');
}

/** `<prefix>`, `</suffix>` and the like: all that the prompt of a chat model is made of. */
export const promptTags = /<(?=\/?(?:(?:prefix|suffix)\s*>|other_file\b))/giu;

/** `[SUFFIX]` and the like. Legal in many languages: only for the models that know them. */
export const bracketTokens = /\[(?=(?:\/?INST|SUFFIX|PREFIX|MIDDLE|SYSTEM_PROMPT)\])/gu;

/*
 * The bracket that opens `<|im_end|>`, `<|fim_suffix|>` and their kin, also in the full-width form, and `<fim_prefix>`,
 * `<file_sep>`, `<repo_name>`. Models differ in which they know; none of them is code.
 */
const controlTokens =
  /<(?=[|\uFF5C][\w\u2581/-]{1,32}[|\uFF5C]>|(?:fim[_-](?:prefix|suffix|middle|pad)|file_sep|repo_name|endoftext|(?:start|end)_of_turn)>)/gu;

/** How a hole is put to the models of one family in a chat. */
export interface PromptFormat {
  readonly name: string;
  /** Whether a model, by its id or its name, is of the family. */
  readonly isFor: RegExp;
  /** Where the instructions stand: some models refuse a message of the system. */
  readonly instructions: 'system' | 'user';
  readonly system: string;
  /** Stands before the pieces of other files. */
  readonly head: (document: { readonly languageId: string; readonly path: string }) => string;
  readonly file: (piece: { readonly path: string; readonly text: string }) => string;
  /** Between the pieces and the prefix. */
  readonly here: (document: { readonly path: string }) => string;
  readonly prefix: readonly [before: string, after: string];
  readonly suffix: readonly [before: string, after: string];
  /** Said at the end when only the rest of the line is wanted. */
  readonly onlyLine: string;
  /**
   * What ends an answer that goes on behind the hole; at most four. No line feed, even for one line: an answer may
   * begin with an empty line or with a fence, and would be lost; whoever reads it closes the stream at the line's end.
   */
  readonly stop: readonly string[];
  /** Takes the marks of the format out of a text that is put in. */
  readonly escape: (text: string) => string;
}

export const promptFormatFor = ({ id, name }: Model): PromptFormat =>
  families.find(({ isFor }) => isFor.test(id) || isFor.test(name)) ?? tagged;

/** For any model that follows instructions. */
const tagged: PromptFormat = {
  name: 'tagged',
  isFor: /^/u,
  instructions: 'system',
  system:
    'You complete code. Answer with exactly the text that is missing between the prefix and the suffix, to be inserted as it is: no explanation, no code fences, nothing repeated of either. Keep the indentation and style. If nothing is missing, answer nothing.',
  head: ({ languageId, path }) => `Language: ${languageId}\nFile: ${path}\n`,
  file: ({ path, text }) => `<other_file path="${path}">\n${text}\n</other_file>\n`,
  here: () => '',
  prefix: ['<prefix>', '</prefix>'],
  suffix: ['<suffix>', '</suffix>'],
  onlyLine: '\nOnly the rest of the line is missing.',
  stop: ['<suffix>', '</suffix>'],
  escape: (text) => escapeTokens(text, promptTags),
};

const families: readonly PromptFormat[] = [
  {
    // Their chat models were trained on these tokens and say nothing but the missing text.
    ...tagged,
    name: 'qwen-coder',
    isFor: /qwen[\w. -]{0,12}coder/iu,
    system: 'You are a code completion assistant.',
    head: () => '',
    file: ({ path, text }) => `<|file_sep|>${path}\n${text}\n`,
    here: ({ path }) => `<|file_sep|>${path}\n`,
    prefix: ['<|fim_prefix|>', ''],
    suffix: ['<|fim_suffix|>', '<|fim_middle|>'],
    onlyLine: '',
    stop: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>'],
    escape: (text) => escapeTokens(text),
  },
  {
    ...tagged,
    name: 'mistral',
    isFor: /codestral|devstral|mi[sx]tral/iu,
    escape: (text) => escapeTokens(escapeTokens(text, promptTags), bracketTokens),
  },
  {
    // Only their base models fill holes by tokens, and their chat models know no message of the system.
    ...tagged,
    name: 'no-system',
    isFor: /codegemma|gemma-?[12]?-\d+b|starcoder|starchat/iu,
    instructions: 'user',
  },
];
