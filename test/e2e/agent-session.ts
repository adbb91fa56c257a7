import { getControl, type Session } from './session.ts';

/** Selects a scripted model that supports tools and follows plain instructions. */
export const agentModelSettings = { 'inferenceService.chat.model': 'assistant-large-480b' };

/**
 * Opens the chat. Waits until the extension knows the capabilities of the model, because the first request depends on
 * them.
 */
export async function openAgentChat({ workbench, chat }: Session): Promise<void> {
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.composer.waitFor();
  await chat.content
    .getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant Large/u)
    .waitFor();
}

/** Resets the test service, and lets it answer without delays. */
export async function resetService(session: Session): Promise<void> {
  await getControl(session).reset();
  await getControl(session).setPace('instant');
}
