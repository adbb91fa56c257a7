/** Style of the suggestion list, modeled on VS Code's suggest widget. */
export const suggestStyle = `
.suggest-menu {
  position: absolute;
  z-index: 2;
  inset: auto 12px calc(100% - 4px);
  box-sizing: border-box;
  max-height: min(50vh, 360px);
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
  align-items: flex-start;
  box-sizing: border-box;
  min-height: 24px;
  border-radius: var(--radius);
  padding: 2px 4px;
  cursor: pointer;
}
.suggest-words {
  display: flex;
  flex: 1;
  gap: 0 8px;
  align-items: baseline;
  min-width: 0;
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
  margin-top: 2px;
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
/* What a command does is read as a whole: beside its name, else below it. */
.commands .suggest-words {
  flex-wrap: wrap;
}
.commands :is(.suggest-detail, .suggest-hint) {
  margin: 0;
  white-space: normal;
}
.suggest-note {
  margin: 0;
  padding: 4px;
}
.suggest-note:empty {
  display: none;
}
`;
