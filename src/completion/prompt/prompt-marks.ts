/**
 * `text` so that nothing in it is read as a mark of the prompt: neither the tokens with which models tell turns, files
 * and holes apart, nor the `tags` that this prompt uses. A space behind the opening bracket is enough for both. Takes
 * linear time; what holds no mark stays the same.
 */
export function withoutMarks(text: string, marks: RegExp = tags): string {
  // Nearly every text holds none, and a search is cheaper than a copy.
  if (!/[<[]/u.test(text)) return text;
  return text.replace(controlTokens, '$& ').replace(marks, '$& ');
}

/** `<prefix>`, `</suffix>` and the like: all that the prompt of a chat model is made of. */
export const tags = /<(?=\/?(?:(?:prefix|suffix)\s*>|other_file\b))/giu;

/** `[SUFFIX]` and the like. Legal in many languages: only for the models that know them. */
export const bracketTokens = /\[(?=(?:\/?INST|SUFFIX|PREFIX|MIDDLE|SYSTEM_PROMPT)\])/gu;

/*
 * The bracket that opens `<|im_end|>`, `<|fim_suffix|>` and their kin, also in the full-width form, and `<fim_prefix>`,
 * `<file_sep>`, `<repo_name>`. Models differ in which they know; none of them is code.
 */
const controlTokens =
  /<(?=[|\uFF5C][\w\u2581/-]{1,32}[|\uFF5C]>|(?:fim[_-](?:prefix|suffix|middle|pad)|file_sep|repo_name|endoftext|(?:start|end)_of_turn)>)/gu;
