/**
 * Functions that generate a text of a single Markdown block that is not complete, as during a stream. Each text has at
 * least `size` characters.
 */
export const openBlocks = {
  fence: (size: number) => `\`\`\`ts\n${createTextOfSize(size, createCodeLine)}`,
  list: (size: number) => createTextOfSize(size, (index) => `- ${createSentence(index)}\n`),
  paragraph: (size: number) => createTextOfSize(size, (index) => `${createSentence(index)} `),
  table: (size: number) =>
    `| Name | Value | Notes |\n|---|---:|---|\n${createTextOfSize(size, (index) => `| item ${index} | ${index * 7} | some **notes** on it |\n`)}`,
} as const;

/**
 * Returns a typical answer that alternates headings, paragraphs, lists, code and tables. It has at least `size`
 * characters.
 */
export function createMixedText(size: number): string {
  return createTextOfSize(size, createSection);
}

function createSection(index: number): string {
  return [
    `## Step ${index}`,
    `${createSentence(index)} ${createSentence(index + 1)} See [the guide](https://example.org/${index}).`,
    `${createSentence(index + 2)} It is *important* that \`value_${index}\` stays **below** ${index}.`,
    [0, 1, 2, 3].map((item) => `- ${createSentence(index + item)}`).join('\n'),
    `\`\`\`ts\n${[1, 2, 3, 4, 5, 6].map((line) => createCodeLine(index + line)).join('')}\`\`\``,
    `1. First\n2. Second, with \`code\`\n   - nested\n3. Third`,
    `| Key | Value |\n|---|---|\n| a | ${index} |\n| b | ${index + 1} |`,
    '',
  ].join('\n\n');
}

function createSentence(index: number): string {
  const subject = ['The editor', 'A request', 'This function', 'Every message', 'The cache'][
    index % 5
  ]!;
  return `${subject} handles case ${index} without **copying** the text, so \`call(${index})\` stays cheap.`;
}

function createCodeLine(index: number): string {
  return `  const value${index} = compute(input[${index}], { depth: ${index % 7} }); // step ${index}\n`;
}

function createTextOfSize(size: number, createPart: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < size; index += 1) text += createPart(index);
  return text;
}
