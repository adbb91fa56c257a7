/** API object that VS Code provides to a webview. VS Code returns the object only one time per page load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
