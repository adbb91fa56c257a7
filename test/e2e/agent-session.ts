import { getControl, type Session } from './session.ts';

/** Settings that select a scripted model, which supports tools and follows simple English instructions. */
export const agentModelSettings = { 'inferenceService.chat.model': 'assistant-large-480b' };

/**
 * Opens the chat, and waits until it shows the selected model. The first request depends on the capabilities of this
 * model.
 */
export async function openAgentChat({ workbench, chat }: Session): Promise<void> {
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.composer.waitFor();
  await chat.content
    .getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant Large/u)
    .waitFor();
}

/** Resets the test service, and sets its pace to no delays. */
export async function resetService(session: Session): Promise<void> {
  await getControl(session).reset();
  await getControl(session).setResponsePace('instant');
}
