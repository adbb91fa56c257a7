/**
 * Replaces `vscode` in unit tests, which have no extension host. Contains what modules use while
 * they load, and English texts. A test that needs more of VS Code mocks it.
 */
export const l10n = {
  t: (text: string, ...values: readonly (string | number | boolean)[]): string =>
    text.replaceAll(/\{(?<index>\d+)\}/gu, (placeholder, index: string) =>
      String(values[Number(index)] ?? placeholder),
    ),
};
