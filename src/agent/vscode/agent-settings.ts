import type { TurnLimits } from '../turn-budget.ts';
import { userSetting } from '../../platform/settings.ts';

/** What one turn may use before it asks. User settings only: a workspace cannot raise them. */
export const turnLimits = (): TurnLimits => ({
  requests: amount('inferenceService.agent.maxRequests'),
  calls: amount('inferenceService.agent.maxToolCalls'),
  tokens: amount('inferenceService.agent.maxTokens'),
  cost: amount('inferenceService.agent.maxCost'),
});

/** Whether commands of the built-in list, which only read, run without asking. */
export const readingCommandsAllowed = (): boolean =>
  userSetting('inferenceService.agent.allowReadingCommands') === true;

const amount = (name: string): number => {
  const value = userSetting(name);
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
};
