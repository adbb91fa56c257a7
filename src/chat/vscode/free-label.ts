import type { Attachment, Media } from '../../conversation/conversation.ts';

/** The file's name, or the next one that is free: everything that is pasted is called the same. The same file keeps its name. */
export function freeLabel({ name, file }: Media, attachments: readonly Attachment[]): string {
  const same = attachments.find(({ media }) => media?.file === file);
  if (same !== undefined) return same.label;
  const taken = new Set(attachments.map(({ label }) => label));
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let label = name;
  for (let count = 2; taken.has(label); count += 1) label = `${stem} (${count})${ending}`;
  return label;
}
