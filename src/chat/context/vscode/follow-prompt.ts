import * as vscode from 'vscode';
import type { PromptFile } from '../../../conversation/prompt-file.ts';
import { chatModels, findByIdOrTrait, isPrivate } from '../../../models/choice.ts';
import type { Mode } from '../../protocol/view-state.ts';
import type { Model } from '../../../service/model-types.ts';
import { isWeaker } from '../../../service/chat/protection.ts';
import { askedModel, knownAskedModel } from '../../../models/vscode/asked-model.ts';
import type { ModelCatalogue } from '../../../models/vscode/model-catalogue.ts';
import { offeredProtection } from '../../../privacy/vscode/privacy-settings.ts';

/** What of a chat a prompt can choose. */
export interface Followers {
  readonly agents: { readonly mode: Mode; setMode(mode: Mode): Promise<void> };
  readonly models: Pick<
    ModelCatalogue,
    'models' | 'all' | 'chatModel' | 'chosenName' | 'selectChatModel'
  >;
}

/** What became of what a prompt is written for. */
export interface Followed {
  /** What is another one now, by its name. */
  readonly changed: readonly string[];
  /** It is for Agent mode, which is off and stays so. */
  readonly wantsAgent: boolean;
  /** It is for a model that protects less than the one that stays. */
  readonly weaker?: { readonly wanted: string; readonly stays: string };
}

/**
 * Switches to the mode and the model that a prompt is written for, as far as there are such; prompts are also written
 * for other editors, with other modes and models. A prompt is of the workspace: what lets a model act, or protects less,
 * only the person switches to.
 */
export async function followPrompt(
  { mode, model }: Pick<PromptFile, 'mode' | 'model'>,
  { agents, models }: Followers,
): Promise<Followed> {
  const changed: string[] = [];
  const wanted = mode.toLowerCase();
  const wantsAgent = wanted === 'agent' && agents.mode !== 'agent';
  if (wanted === 'ask' && agents.mode !== 'ask') {
    await agents.setMode('ask');
    changed.push(vscode.l10n.t('Ask'));
  }
  const chosen = modelCalled(model, models.models);
  const current = knownAskedModel(models);
  if (chosen === undefined || chosen.id === current?.id) return { changed, wantsAgent };
  if (protectsLess(chosen, current)) {
    return { changed, wantsAgent, weaker: { wanted: chosen.name, stays: askedModel(models).name } };
  }
  await models.selectChatModel(chosen.id);
  changed.push(chosen.name);
  return { changed, wantsAgent };
}

/** A model that is gone may have protected as much as there is. */
const protectsLess = (chosen: Model, current: Model | undefined): boolean =>
  isWeaker(offeredProtection(chosen), current ? offeredProtection(current) : 'encrypted') ||
  (!isPrivate(chosen) && (current === undefined || isPrivate(current)));

/** By id, trait or name. */
function modelCalled(wanted: string, models: readonly Model[]): Model | undefined {
  const usable = chatModels(models).filter(({ offline }) => !offline);
  const name = wanted.toLowerCase();
  return findByIdOrTrait(usable, wanted) ?? usable.find((each) => each.name.toLowerCase() === name);
}
