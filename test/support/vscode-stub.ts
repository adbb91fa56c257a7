/**
 * Substitute for `vscode` in unit tests. Contains only members that modules use while they are loaded, and returns
 * English texts. Tests that need other members mock them.
 */
export const l10n = {
  t: (text: string, ...values: readonly (string | number | boolean)[]): string =>
    text.replaceAll(/\{(?<index>\d+)\}/gu, (placeholder, index: string) =>
      String(values[Number(index)] ?? placeholder),
    ),
};
