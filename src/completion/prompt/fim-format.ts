import type { Model } from '../../service/model-types.ts';
import { escapeTokens } from './prompt-format.ts';

/** Prompt with the FIM tokens of a model family, for servers that accept no suffix. */
export interface FimFormat {
  readonly write: (gap: { readonly prefix: string; readonly suffix: string }) => string;
  /** At most three sequences that end an answer. */
  readonly stop: readonly string[];
  /** Escapes the tokens of the format in document text. */
  readonly escape: (text: string) => string;
}

/**
 * Returns the format of the family in a model's id or name. Returns `undefined` for other models, because a model that
 * was not trained with the tokens continues the prompt with unrelated text.
 */
export const fimFormatFor = ({ id, name }: Pick<Model, 'id' | 'name'>): FimFormat | undefined =>
  families.find(([pattern]) => pattern.test(id) || pattern.test(name))?.[1];

function format(
  [prefix, suffix, middle]: readonly [string, string, string],
  stop: readonly string[],
  escape: (text: string) => string = escapeTokens,
): FimFormat {
  return {
    write: (gap) => `${prefix}${gap.prefix}${suffix}${gap.suffix}${middle}`,
    stop,
    escape,
  };
}

const codeLlamaTokens = /<(?=(?:PRE|SUF|MID|EOT)>)/gu;

/** Formats by model family, as on the model cards. */
const families: readonly (readonly [RegExp, FimFormat])[] = [
  [
    /qwen[\w. -]{0,12}coder/iu,
    format(
      ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
      ['<|fim_pad|>', '<|file_sep|>', '<|endoftext|>'],
    ),
  ],
  [
    /codegemma/iu,
    format(
      ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'],
      ['<|file_separator|>', '<end_of_turn>', '<eos>'],
    ),
  ],
  [
    /starcoder|stable-code|granite[\w. -]{0,12}code/iu,
    format(
      ['<fim_prefix>', '<fim_suffix>', '<fim_middle>'],
      ['<fim_pad>', '<file_sep>', '<|endoftext|>'],
    ),
  ],
  [
    /deepseek-coder/iu,
    format(
      ['<\uFF5Cfim\u2581begin\uFF5C>', '<\uFF5Cfim\u2581hole\uFF5C>', '<\uFF5Cfim\u2581end\uFF5C>'],
      ['<|EOT|>', '<\uFF5Cend\u2581of\u2581sentence\uFF5C>'],
    ),
  ],
  [
    /code-?llama/iu,
    format(['<PRE> ', ' <SUF>', ' <MID>'], ['<EOT>'], (text) =>
      escapeTokens(text).replace(codeLlamaTokens, '$& '),
    ),
  ],
];
