import type { Model } from '../../service/model-types.ts';

/**
 * Escapes control tokens and prompt tags in a text, so that the model reads them as code. Inserts a space after the
 * opening bracket. Takes linear time; a text without tokens is returned unchanged.
 */
export function escapeTokens(text: string, tokens: RegExp = promptTags): string {
  // Most texts contain no bracket, and a search is cheaper than a copy.
  if (!/[<[]/u.test(text)) return text;
  return text.replace(controlTokens, '$& ').replace(tokens, '$& ');
}

/** Matches the opening bracket of the tags that structure the prompt of chat models. */
export const promptTags = /<(?=\/?(?:(?:prefix|suffix)\s*>|other_file\b))/giu;

/**
 * Matches the opening bracket of tokens such as `[SUFFIX]`. They are legal code in many languages, so they are
 * escaped only for the models that use them.
 */
export const bracketTokens = /\[(?=(?:\/?INST|SUFFIX|PREFIX|MIDDLE|SYSTEM_PROMPT)\])/gu;

/*
 * Matches the opening bracket of control tokens such as `<|im_end|>`, `<|fim_suffix|>` (also full-width),
 * `<fim_prefix>`, `<file_sep>` and `<repo_name>`. The tokens differ by model, and none of them is valid code.
 */
const controlTokens =
  /<(?=[|\uFF5C][\w\u2581/-]{1,32}[|\uFF5C]>|(?:fim[_-](?:prefix|suffix|middle|pad)|file_sep|repo_name|endoftext|(?:start|end)_of_turn)>)/gu;

/** Prompt format for one model family on the chat route. */
export interface PromptFormat {
  readonly name: string;
  /** Matches the id or the name of a model of the family. */
  readonly pattern: RegExp;
  /** Role of the instructions. Some models reject system messages. */
  readonly instructions: 'system' | 'user';
  readonly system: string;
  /** Text before the context snippets. */
  readonly preamble: (document: { readonly languageId: string; readonly path: string }) => string;
  readonly file: (snippet: { readonly path: string; readonly text: string }) => string;
  /** Text between the context snippets and the prefix. */
  readonly beforePrefix: (document: { readonly path: string }) => string;
  readonly prefix: readonly [before: string, after: string];
  readonly suffix: readonly [before: string, after: string];
  /** Text at the end of the prompt if only the rest of the line is requested. */
  readonly lineInstruction: string;
  /**
   * Stop sequences, at most four, for answers that continue with the suffix. Excludes the line
   * feed, because an answer may begin with an empty line or a fence. The answer reader closes the
   * stream at the line end.
   */
  readonly stop: readonly string[];
  /** Escapes the tokens and tags of this format. */
  readonly escape: (text: string) => string;
}

export const promptFormatFor = ({ id, name }: Model): PromptFormat =>
  families.find(({ pattern }) => pattern.test(id) || pattern.test(name)) ?? tagged;

/** Default format, for any model that follows instructions. */
const tagged: PromptFormat = {
  name: 'tagged',
  pattern: /^/u,
  instructions: 'system',
  system:
    'You complete code. Answer with exactly the text that is missing between the prefix and the suffix, to be inserted as it is: no explanation, no code fences, nothing repeated of either. Keep the indentation and style. If nothing is missing, answer nothing.',
  preamble: ({ languageId, path }) => `Language: ${languageId}\nFile: ${path}\n`,
  file: ({ path, text }) => `<other_file path="${path}">\n${text}\n</other_file>\n`,
  beforePrefix: () => '',
  prefix: ['<prefix>', '</prefix>'],
  suffix: ['<suffix>', '</suffix>'],
  lineInstruction: '\nOnly the rest of the line is missing.',
  stop: ['<suffix>', '</suffix>'],
  escape: (text) => escapeTokens(text, promptTags),
};

const families: readonly PromptFormat[] = [
  {
    // These chat models were trained on FIM tokens and return only the missing text.
    ...tagged,
    name: 'qwen-coder',
    pattern: /qwen[\w. -]{0,12}coder/iu,
    system: 'You are a code completion assistant.',
    preamble: () => '',
    file: ({ path, text }) => `<|file_sep|>${path}\n${text}\n`,
    beforePrefix: ({ path }) => `<|file_sep|>${path}\n`,
    prefix: ['<|fim_prefix|>', ''],
    suffix: ['<|fim_suffix|>', '<|fim_middle|>'],
    lineInstruction: '',
    stop: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>'],
    escape: (text) => escapeTokens(text),
  },
  {
    ...tagged,
    name: 'mistral',
    pattern: /codestral|devstral|mi[sx]tral/iu,
    escape: (text) => escapeTokens(escapeTokens(text, promptTags), bracketTokens),
  },
  {
    // Only the base models of these families use FIM tokens, and their chat models have no system role.
    ...tagged,
    name: 'no-system',
    pattern: /codegemma|gemma-?[12]?-\d+b|starcoder|starchat/iu,
    instructions: 'user',
  },
];
