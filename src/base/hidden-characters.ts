// Tag characters can carry whole instructions that nobody sees; C0 and C1 controls drive terminals.
// Tabs, line feeds and carriage returns stay.
// oxlint-disable-next-line no-control-regex
const hidden = /[\u{E0000}-\u{E007F}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;

/** Removes characters that a person cannot see but a model reads. `removed` counts them. */
export function stripHiddenCharacters(text: string): { text: string; removed: number } {
  let removed = 0;
  const clean = text.replace(hidden, () => {
    removed += 1;
    return '';
  });
  return { text: clean, removed };
}
