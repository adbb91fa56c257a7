/**
 * What a message that begins with `/image` wants a picture of; empty when nothing follows. Undefined for every other
 * message.
 */
export function imagePrompt(text: string): string | undefined {
  const match = /^\/image(?:\s+(?<prompt>[\s\S]*))?$/u.exec(text.trim());
  return match === null ? undefined : (match.groups?.['prompt'] ?? '');
}
