import { getControl, type Session } from './session.ts';

/** Settings that select a scripted model, which supports tools and follows simple English instructions. */
export const agentModelSettings = { 'inferenceService.chat.model': 'assistant-large-480b' };

/**
 * Opens the chat. Resolves when the chat shows the selected model, so that the first request offers the tools that this
 * model supports.
 */
export async function openAgentChat({ workbench, chat }: Session): Promise<void> {
  await workbench.runCommand('Inference Service: Open Chat');
  await chat.composer.waitFor();
  await chat.content
    .getByRole('combobox', { name: 'Model' })
    .getByText(/Assistant Large/u)
    .waitFor();
}

/** Resets the test service, and makes it reply without delays. */
export async function resetService(session: Session): Promise<void> {
  await getControl(session).reset();
  await getControl(session).setResponsePace('instant');
}
