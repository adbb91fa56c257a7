import type { PromptFile } from '../../../chat/prompt-file.ts';
import { chatModels, findByIdOrTrait } from '../../../models/choice.ts';
import type { Mode } from '../../../protocol/view-state.ts';
import type { Model } from '../../../service/model-types.ts';
import { knownAskedModel } from '../../models/asked-model.ts';

/** What of a chat a prompt can choose. */
export interface Followers {
  readonly agents: { readonly mode: Mode; setMode(mode: Mode): Promise<void> };
  readonly models: {
    readonly models: readonly Model[];
    readonly all: readonly Model[];
    readonly chatModel: Model | undefined;
    /** What the person chose, by id or trait; it may be in no list. */
    readonly chosenName: string | undefined;
    selectChatModel(id: string): Promise<void>;
  };
}

/**
 * Switches to the mode and the model that a prompt is written for, as far as there are such; prompts are also written
 * for other editors, with other modes and models.
 * @returns what is another one now, by its name
 */
export async function followPrompt(
  { mode, model }: Pick<PromptFile, 'mode' | 'model'>,
  { agents, models }: Followers,
): Promise<readonly string[]> {
  const changed: string[] = [];
  const wanted = modes.find((each) => each === mode.toLowerCase());
  if (wanted !== undefined && wanted !== agents.mode) {
    await agents.setMode(wanted);
    changed.push(wanted);
  }
  const chosen = modelCalled(model, models.models);
  if (chosen !== undefined && chosen.id !== knownAskedModel(models)?.id) {
    await models.selectChatModel(chosen.id);
    changed.push(chosen.name);
  }
  return changed;
}

const modes: readonly Mode[] = ['ask', 'agent'];

/** By id, trait or name. */
function modelCalled(wanted: string, models: readonly Model[]): Model | undefined {
  const usable = chatModels(models).filter(({ offline }) => !offline);
  const name = wanted.toLowerCase();
  return findByIdOrTrait(usable, wanted) ?? usable.find((each) => each.name.toLowerCase() === name);
}
