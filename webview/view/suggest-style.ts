/** Of the list that follows `#` and `/`, as the editor's own suggestions look. */
export const suggestStyle = `
.suggest-menu {
  position: absolute;
  z-index: 2;
  inset: auto 12px calc(100% - 4px);
  box-sizing: border-box;
  max-height: min(40vh, 280px);
  overflow: auto;
  border: 1px solid var(--vscode-editorSuggestWidget-border, var(--border));
  border-radius: var(--radius-large);
  padding: 4px;
  color: var(--vscode-editorSuggestWidget-foreground);
  background: var(--vscode-editorSuggestWidget-background);
}
.suggest-menu [role='option'] {
  display: flex;
  gap: 0 8px;
  align-items: center;
  box-sizing: border-box;
  min-height: 24px;
  border-radius: var(--radius);
  padding: 0 4px;
  cursor: pointer;
}
.suggest-menu [role='option']:hover {
  background: var(--vscode-list-hoverBackground);
}
.suggest-menu [aria-selected='true'] {
  color: var(--vscode-editorSuggestWidget-selectedForeground, inherit);
  background: var(--vscode-editorSuggestWidget-selectedBackground);
  outline: 1px solid var(--vscode-contrastActiveBorder, transparent);
  outline-offset: -1px;
}
.suggest-menu .codicon {
  flex: none;
}
.suggest-name {
  flex: none;
  overflow: hidden;
  max-width: 60%;
  white-space: nowrap;
  text-overflow: ellipsis;
}
.suggest-detail,
.suggest-hint {
  overflow: hidden;
  color: var(--muted);
  font-size: 0.92em;
  white-space: nowrap;
  text-overflow: ellipsis;
}
.suggest-menu [aria-selected='true'] :is(.suggest-detail, .suggest-hint) {
  color: inherit;
}
.suggest-hint {
  margin-inline-start: auto;
}
.suggest-note {
  margin: 0;
  padding: 4px;
}
.suggest-note:empty {
  display: none;
}
`;
