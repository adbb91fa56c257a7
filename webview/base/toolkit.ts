import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

/** Defines `vscode-button` and `vscode-text-field`, unless they are already defined. */
export function registerElements(): void {
  if (customElements.get('vscode-button') !== undefined) return;
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextField());
}
