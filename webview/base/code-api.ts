/** API object that VS Code provides to a webview once per load. */
export interface CodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
