import * as vscode from 'vscode';

/**
 * Kinds of decorations. Removed lines are marked below the preceding line, or above the first line
 * of the file.
 */
export const decorationKinds = ['added', 'removedBelow', 'removedAbove'] as const;

export type DecorationKind = (typeof decorationKinds)[number];

const themeColor = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

const removedStyle = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderColor: themeColor('editorGutter.deletedBackground'),
  overviewRulerColor: themeColor('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: vscode.OverviewRulerLane.Full,
} as const;

/**
 * Styles of decorations. Borders mark changes in themes without diff background colors, such as
 * high contrast.
 */
export const decorationStyles: Readonly<Record<DecorationKind, vscode.DecorationRenderOptions>> = {
  added: {
    isWholeLine: true,
    backgroundColor: themeColor('diffEditor.insertedLineBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: themeColor('editorGutter.addedBackground'),
    overviewRulerColor: themeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  removedBelow: { ...removedStyle, borderWidth: '0 0 1px 0' },
  removedAbove: { ...removedStyle, borderWidth: '1px 0 0 0' },
};
