/**
 * Stands in for `vscode` in unit tests, where there is no extension host. It has what modules use while they load, and texts
 * in English. A test that needs more of VS Code mocks it.
 */
export const l10n = {
  t: (text: string, ...values: readonly (string | number | boolean)[]): string =>
    text.replaceAll(/\{(?<index>\d+)\}/gu, (placeholder, index: string) =>
      String(values[Number(index)] ?? placeholder),
    ),
};
