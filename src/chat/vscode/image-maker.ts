import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import type { ImageMaker } from '../image-turn.ts';
import type { Host } from '../../host.ts';
import { imageChoiceKey } from '../../image/chat-images.ts';
import type { Images } from '../../image/vscode/images.ts';

/** Answers `/image` in chats. What makes the picture is loaded with the first one. */
export const imageMaker = (host: Host, images: Images): ImageMaker => ({
  model: () => chosenModel(host),
  make: async (prompt, making) => {
    try {
      return await (await images.runtime()).chat.make(prompt, making);
    } catch (error) {
      host.log.error('A picture could not be made', error);
      const message = vscode.l10n.t('The picture could not be made. The log says more.');
      return { images: [], failure: { code: 'internal-error', message } };
    }
  },
});

/** By the names alone: what a model takes is not known before it is needed. */
function chosenModel({ context, models }: Host): { readonly id: string; readonly name: string } {
  const stored: unknown = context.globalState.get(imageChoiceKey);
  const id = isRecord(stored) ? stored['model'] : undefined;
  const all = models.models.filter(({ type }) => type === 'image');
  const model =
    all.find((each) => each.id === id) ??
    all.find(({ traits }) => traits.includes('default')) ??
    all[0];
  return model === undefined ? { id: 'image', name: 'image' } : { id: model.id, name: model.name };
}
