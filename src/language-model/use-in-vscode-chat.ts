import * as vscode from 'vscode';
import { comparePrices, formatPricing } from '../service/pricing.ts';
import { selectChatModels } from '../models/model-selection.ts';
import type { Model } from '../service/model-types.ts';
import type { Host } from '../host.ts';
import { confirm, showInformation, showWarning, escapeIcons } from '../platform/notifications.ts';
import { getVsCodeSetting, setVsCodeSetting } from '../platform/settings.ts';
import { recordEditorUse } from './registration.ts';

/**
 * VS Code settings that select the model for utility tasks, such as writing chat titles. Some editors lack these
 * settings.
 */
const utilitySettings = ['chat.utilityModel', 'chat.utilitySmallModel'] as const;

/**
 * VS Code setting that lets agents in separate processes list the models of extensions. Some editors lack this setting.
 */
const agentModelsSetting = 'chat.agentHost.byokModels.enabled';

/** Id of VS Code's own agent, an extension that is disabled until the user sets up an account. */
const agentExtensionId = 'GitHub.copilot-chat';

/**
 * Runs "Use in VS Code's Chat": suggests a model of the extension for VS Code's utility tasks, which otherwise require
 * an account of VS Code's agent. Then opens VS Code's chat, even if the user declines the change or a setting cannot be
 * changed. Does not open the chat if the user closes the list of models.
 */
export async function useInVsCodeChat({ models, log, context }: Host): Promise<void> {
  try {
    if ((await offerUtilityModel(models)) === 'canceled') return;
    // The command does not wait for the answer.
    offerAgentModels().catch((error: unknown) => log.error('Could not change a setting', error));
  } catch (error) {
    log.error('Could not change the settings for small tasks', error);
    void showWarning(vscode.l10n.t('That did not work. See the log for details.'));
  }
  try {
    // VS Code requests models on demand only. Without this call, its model picker would be empty
    // when it first opens.
    await vscode.lm.selectChatModels({ vendor: 'inferenceService' });
    await recordEditorUse(context);
    await vscode.commands.executeCommand('workbench.action.chat.open');
    if (vscode.extensions.getExtension(agentExtensionId) === undefined) void showAgentDisabled();
  } catch (error) {
    log.error('Could not open the chat of VS Code', error);
    void showWarning(vscode.l10n.t('That did not work. See the log for details.'));
  }
}

async function offerUtilityModel(models: Host['models']): Promise<'canceled' | undefined> {
  await models.refresh();
  const knownSettings = utilitySettings.filter(isKnownSetting);
  if (knownSettings.length === 0) {
    void showInformation(
      vscode.l10n.t('This editor has no setting for small tasks. Choose a model in its chat.'),
    );
    return undefined;
  }
  const usableModels = selectChatModels(models.models).filter(({ offline }) => !offline);
  if (usableModels.length === 0) {
    void showWarning(vscode.l10n.t('Inference Service needs an API key.'));
    return undefined;
  }
  const model = await pickModel(usableModels);
  if (model === undefined) return 'canceled';
  const applyLabel = vscode.l10n.t('Apply');
  const question = vscode.l10n.t('Let VS Code use {0} for its small tasks?', model.name);
  const detail = vscode.l10n.t(
    'Titles and summaries of VS Code’s own chat would be made by it. This changes {0} in your user settings.',
    knownSettings.join(', '),
  );
  if ((await confirm({ question, detail }, applyLabel)) !== applyLabel) return undefined;
  for (const name of knownSettings) await setVsCodeSetting(name, `inferenceService/${model.id}`);
  return undefined;
}

/**
 * Explains the VS Code setting that lets agents in separate processes list the models of this extension. Turns the
 * setting on if the user agrees.
 */
async function offerAgentModels(): Promise<void> {
  if (getVsCodeSetting(agentModelsSetting) === true || !isKnownSetting(agentModelsSetting)) return;
  const applyLabel = vscode.l10n.t('Apply');
  const text = vscode.l10n.t(
    'Agents of VS Code that run in their own process list these models only if {0} is on.',
    agentModelsSetting,
  );
  if ((await showInformation(text, applyLabel)) === applyLabel)
    await setVsCodeSetting(agentModelsSetting, true);
}

/**
 * Notifies the user that only `@inference` answers while VS Code's agent is disabled. VS Code sends all other prompts
 * to the disabled agent, so they get no answer.
 */
const showAgentDisabled = (): Promise<string | undefined> =>
  showInformation(
    vscode.l10n.t(
      'VS Code’s own agent is off, so only @inference answers. Run “Extensions: Enable All Extensions”, then reload the window.',
    ),
  );

const isKnownSetting = (name: string): boolean =>
  vscode.workspace.getConfiguration().inspect(name)?.defaultValue !== undefined;

async function pickModel(usableModels: readonly Model[]): Promise<Model | undefined> {
  const items = usableModels.toSorted(compareInputPrices).map((model) => ({
    label: escapeIcons(model.name),
    description: escapeIcons(formatPricing(model.pricing)),
    model,
  }));
  const title = vscode.l10n.t('Small Tasks of VS Code’s Own Chat');
  return (await vscode.window.showQuickPick(items, { title }))?.model;
}

/** Compares models by input price, because a cheap model is sufficient for utility tasks. */
const compareInputPrices = (a: Model, b: Model): number =>
  comparePrices(a.pricing.input, b.pricing.input);
