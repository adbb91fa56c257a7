import type { Model } from '../../service/model-types.ts';

/**
 * Inserts a space after the opening bracket of control tokens and prompt tags, so that the model reads them as ordinary
 * text. Returns a text without tokens unchanged. Takes linear time.
 */
export function escapeTokens(text: string, tokenPattern: RegExp = promptTagsPattern): string {
  // Most texts contain no bracket, and this check is faster than two replacements.
  if (!/[<[]/u.test(text)) return text;
  return text.replace(controlTokensPattern, '$& ').replace(tokenPattern, '$& ');
}

/** Matches the opening bracket of the tags that separate the parts of a chat prompt, for example `<` in `<prefix>`. */
export const promptTagsPattern = /<(?=\/?(?:(?:prefix|suffix)\s*>|other_file\b))/giu;

/**
 * Matches the opening bracket of tokens such as `[SUFFIX]`. These tokens are valid code in many languages, so they are
 * escaped only for models that use them.
 */
export const bracketTokensPattern = /\[(?=(?:\/?INST|SUFFIX|PREFIX|MIDDLE|SYSTEM_PROMPT)\])/gu;

/*
 * Matches the opening bracket of control tokens such as `<|im_end|>`, `<|fim_suffix|>` (also with full-width bars),
 * `<fim_prefix>`, `<file_sep>` and `<repo_name>`. The tokens depend on the model. None of them is valid code.
 */
const controlTokensPattern =
  /<(?=[|\uFF5C][\w\u2581/-]{1,32}[|\uFF5C]>|(?:fim[_-](?:prefix|suffix|middle|pad)|file_sep|repo_name|endoftext|(?:start|end)_of_turn)>)/gu;

/** Format of chat prompts for one model family. */
export interface PromptFormat {
  readonly name: string;
  /** Matches the id or the name of the models in the family. */
  readonly pattern: RegExp;
  /** Role of the message with the instructions. Some models reject system messages. */
  readonly instructionRole: 'system' | 'user';
  readonly systemText: string;
  /** Returns the text at the start of the prompt, before the context snippets. */
  readonly formatPreamble: (document: {
    readonly languageId: string;
    readonly path: string;
  }) => string;
  readonly formatSnippet: (snippet: { readonly path: string; readonly text: string }) => string;
  /** Returns the text between the context snippets and the prefix. */
  readonly formatPrefixHeader: (document: { readonly path: string }) => string;
  readonly prefix: readonly [before: string, after: string];
  readonly suffix: readonly [before: string, after: string];
  /** Text at the end of the prompt if the request is for the rest of a line. */
  readonly lineInstruction: string;
  /**
   * Stop sequences (at most four) that end an answer before the model repeats the suffix. They do not include the line
   * feed, because an answer may start with an empty line or a code fence. For single lines, the answer parser closes
   * the stream.
   */
  readonly stopSequences: readonly string[];
  /** Escapes the control tokens and prompt tags of the format. */
  readonly escape: (text: string) => string;
}

export const findPromptFormat = ({ id, name }: Model): PromptFormat =>
  promptFormats.find(({ pattern }) => pattern.test(id) || pattern.test(name)) ?? taggedFormat;

/** Default format, suitable for any model that follows instructions. */
const taggedFormat: PromptFormat = {
  name: 'tagged',
  pattern: /^/u,
  instructionRole: 'system',
  systemText:
    'You complete code. Answer with exactly the text that is missing between the prefix and the suffix, to be inserted as it is: no explanation, no code fences, nothing repeated of either. Keep the indentation and style. If nothing is missing, answer nothing.',
  formatPreamble: ({ languageId, path }) => `Language: ${languageId}\nFile: ${path}\n`,
  formatSnippet: ({ path, text }) => `<other_file path="${path}">\n${text}\n</other_file>\n`,
  formatPrefixHeader: () => '',
  prefix: ['<prefix>', '</prefix>'],
  suffix: ['<suffix>', '</suffix>'],
  lineInstruction: '\nOnly the rest of the line is missing.',
  stopSequences: ['<suffix>', '</suffix>'],
  escape: (text) => escapeTokens(text, promptTagsPattern),
};

const promptFormats: readonly PromptFormat[] = [
  {
    // Chat models of this family are trained with FIM tokens and return only the missing text.
    ...taggedFormat,
    name: 'qwen-coder',
    pattern: /qwen[\w. -]{0,12}coder/iu,
    systemText: 'You are a code completion assistant.',
    formatPreamble: () => '',
    formatSnippet: ({ path, text }) => `<|file_sep|>${path}\n${text}\n`,
    formatPrefixHeader: ({ path }) => `<|file_sep|>${path}\n`,
    prefix: ['<|fim_prefix|>', ''],
    suffix: ['<|fim_suffix|>', '<|fim_middle|>'],
    lineInstruction: '',
    stopSequences: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>'],
    escape: (text) => escapeTokens(text),
  },
  {
    ...taggedFormat,
    name: 'mistral',
    pattern: /codestral|devstral|mi[sx]tral/iu,
    escape: (text) => escapeTokens(escapeTokens(text, promptTagsPattern), bracketTokensPattern),
  },
  {
    // In these families, only the base models use FIM tokens, and the chat models have no system role.
    ...taggedFormat,
    name: 'no-system',
    pattern: /codegemma|gemma-?[12]?-\d+b|starcoder|starchat/iu,
    instructionRole: 'user',
  },
];

/** Prompt with the FIM tokens of a model family, for servers that accept no suffix. */
export interface FimFormat {
  readonly formatPrompt: (gap: { readonly prefix: string; readonly suffix: string }) => string;
  /** Stop sequences (at most three) that end an answer. */
  readonly stopSequences: readonly string[];
  /** Escapes the tokens of the format in document text. */
  readonly escape: (text: string) => string;
}

/**
 * Returns the FIM format of the model family that a model's id or name contains. Returns `undefined` for other models,
 * because a model that was not trained with FIM tokens continues the prompt with unrelated text.
 */
export const findFimFormat = ({ id, name }: Pick<Model, 'id' | 'name'>): FimFormat | undefined =>
  fimFormats.find(([pattern]) => pattern.test(id) || pattern.test(name))?.[1];

function createFimFormat(
  [prefixToken, suffixToken, middleToken]: readonly [string, string, string],
  stopSequences: readonly string[],
  escape: (text: string) => string = escapeTokens,
): FimFormat {
  return {
    formatPrompt: (gap) => `${prefixToken}${gap.prefix}${suffixToken}${gap.suffix}${middleToken}`,
    stopSequences,
    escape,
  };
}

const codeLlamaTokensPattern = /<(?=(?:PRE|SUF|MID|EOT)>)/gu;

/** FIM formats by model family, as documented on the model cards. */
const fimFormats: readonly (readonly [RegExp, FimFormat])[] = [
  [
    /qwen[\w. -]{0,12}coder/iu,
    createFimFormat(
      ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
      ['<|fim_pad|>', '<|file_sep|>', '<|endoftext|>'],
    ),
  ],
  [
    /codegemma/iu,
    createFimFormat(
      ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
      ['<|file_separator|>', '<end_of_turn>', '<eos>'],
    ),
  ],
  [
    /starcoder|stable-code|granite[\w. -]{0,12}code/iu,
    createFimFormat(
      ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'],
      ['<fim_pad>', '<file_sep>', '<|endoftext|>'],
    ),
  ],
  [
    /deepseek-coder/iu,
    createFimFormat(
      ['<\uFF5Cfim\u2581begin\uFF5C>', '<\uFF5Cfim\u2581hole\uFF5C>', '<\uFF5Cfim\u2581end\uFF5C>'],
      ['<|EOT|>', '<\uFF5Cend\u2581of\u2581sentence\uFF5C>'],
    ),
  ],
  [
    /code-?llama/iu,
    createFimFormat(['<PRE> ', ' <SUF>', ' <MID>'], ['<EOT>'], (text) =>
      escapeTokens(text).replace(codeLlamaTokensPattern, '$& '),
    ),
  ],
];
