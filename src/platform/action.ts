/** A button of a message. */
export interface Action {
  readonly label: string;
  readonly run: () => unknown;
}

/** Shows a message with buttons and does what is chosen; resolves when it is dismissed. */
export async function offer(
  show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
  message: string,
  actions: readonly Action[],
): Promise<void> {
  const chosen = await show(message, ...actions.map(({ label }) => label));
  await actions.find(({ label }) => label === chosen)?.run();
}
