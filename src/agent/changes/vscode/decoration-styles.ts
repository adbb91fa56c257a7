import * as vscode from 'vscode';

/** Kinds of editor decorations. Removed lines are marked below the preceding line, or above the file's first line. */
export const decorationKinds = ['added', 'removedBelow', 'removedAbove'] as const;

export type DecorationKind = (typeof decorationKinds)[number];

const createThemeColor = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

const removedStyle = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderColor: createThemeColor('editorGutter.deletedBackground'),
  overviewRulerColor: createThemeColor('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: vscode.OverviewRulerLane.Full,
} as const;

/**
 * Styles of the editor decorations. Borders mark changes in themes without background colors for diffs, such as high
 * contrast themes.
 */
export const decorationStyles: Readonly<Record<DecorationKind, vscode.DecorationRenderOptions>> = {
  added: {
    isWholeLine: true,
    backgroundColor: createThemeColor('diffEditor.insertedLineBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: createThemeColor('editorGutter.addedBackground'),
    overviewRulerColor: createThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  removedBelow: { ...removedStyle, borderWidth: '0 0 1px 0' },
  removedAbove: { ...removedStyle, borderWidth: '1px 0 0 0' },
};
