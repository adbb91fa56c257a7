/**
 * Substitute for `vscode` in unit tests. Contains only members that modules use while they load, and the English texts.
 * A test that needs other members of the API mocks them.
 */
export const l10n = {
  t: (text: string, ...values: readonly (string | number | boolean)[]): string =>
    text.replaceAll(/\{(?<index>\d+)\}/gu, (placeholder, index: string) =>
      String(values[Number(index)] ?? placeholder),
    ),
};
